#pragma once

#include <supplierd/Abi.h>

#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

/// The entity tags that an If-Match or If-None-Match header names, as they stand in it: `"7"`, `W/"7"`, or `*`. A comma
/// within a tag cuts it in two; neither part equals a tag that has none. Lifetime: they point into the header.
/// Since 1.0.
SUPPLIERD_API std::vector<std::string_view> namedTags(std::string_view header);

/// Whether an If-None-Match header names the tag, weakly compared (RFC 9110, 13.1.2): `W/` makes no difference, and `*`
/// names every tag. Since 1.0.
SUPPLIERD_API bool namesTagWeakly(std::string_view header, std::string_view tag);

/// A strong entity tag of these bytes, quoted: the beginning of their SHA-256, as supplierd_embed_assets() gives it to
/// files. Since 1.0.
SUPPLIERD_API std::string tagOfBytes(std::string_view bytes);

} // namespace supplierd
