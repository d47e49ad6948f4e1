#pragma once

#include "KnownFiles.h"
#include "MediaStore.h"
#include "StoreId.h"
#include "StoreOutage.h"

#include <supplierd/Request.h>

#include <chrono>
#include <optional>

namespace supplierd::media {

/// Where the files come from.
struct FileSource {
    MediaStore& store;
    StoreId& storeId;
    StoreOutage& outage;
    KnownFiles& knownFiles;
    /// With it, the way to a signed URL of a store that has any, instead of the file.
    std::optional<std::chrono::seconds> urlExpiry = {};
};

/// GET /media/{a}/{b}/{name}: a stored file, or the way to it. Throws ApiError (NotFound) for whatever else it is asked
/// for, and Unavailable when the store cannot be read.
Response sendFile(Request& request, const FileSource& source);

} // namespace supplierd::media
