#pragma once

#include "MediaStore.h"
#include "StoreId.h"

#include <supplierd/Log.h>
#include <supplierd/Request.h>

#include <chrono>
#include <optional>

namespace supplierd::media {

/// GET /media/{a}/{b}/{name}: a stored file, or with `urlExpiry` the way to a signed URL of a store that has any.
/// Throws ApiError (NotFound) for whatever else it is asked for, and Unavailable when the store cannot be read; `log`
/// is told why.
Response sendFile(Request& request, MediaStore& store, StoreId& storeId, std::optional<std::chrono::seconds> urlExpiry,
                  Logger& log);

} // namespace supplierd::media
