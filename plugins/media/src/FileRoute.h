#pragma once

#include "MediaStore.h"
#include "library/KnownFiles.h"
#include "library/StoreId.h"
#include "library/StoreOutage.h"

#include <supplierd/Request.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

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

/// What the path of a route with {a}, {b} and {name} names; perhaps no key.
std::string keyOf(const Request& request);

/// The bytes of a stored file, under its type.
Response storedFile(std::unique_ptr<MediaFile> file);

} // namespace supplierd::media
