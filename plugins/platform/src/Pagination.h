#pragma once

#include <supplierd/JsonWriter.h>
#include <supplierd/Query.h>

#include <cstdint>

namespace supplierd::platform {

/// Writes the key `pagination` into an object that the caller opened.
void writePagination(JsonWriter& json, const Page& page, std::int64_t totalItems);

} // namespace supplierd::platform
