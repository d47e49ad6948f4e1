#pragma once

#include "MediaStore.h"

#include <supplierd/Request.h>

namespace supplierd::media {

/// GET /media/{a}/{b}/{name}: a stored file. Throws ApiError (NotFound) for whatever else it is asked for, and
/// Unavailable when the store cannot be read.
Response sendFile(Request& request, const MediaStore& store);

} // namespace supplierd::media
