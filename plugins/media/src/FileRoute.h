#pragma once

#include "MediaStore.h"

#include <supplierd/Log.h>
#include <supplierd/Request.h>

namespace supplierd::media {

/// GET /media/{a}/{b}/{name}: a stored file. Throws ApiError (NotFound) for whatever else it is asked for, and
/// Unavailable when the store cannot be read; `log` is told why.
Response sendFile(Request& request, const MediaStore& store, Logger& log);

} // namespace supplierd::media
