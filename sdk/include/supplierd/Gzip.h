#pragma once

#include <supplierd/Abi.h>

#include <string>
#include <string_view>

namespace supplierd {

/// Whether who sends this Accept-Encoding takes gzip: it names it, or "*", and not with a weight of zero. Thread: any.
/// Since 1.0.
SUPPLIERD_API bool acceptsGzip(std::string_view acceptEncoding);

/// The bytes as gzip; `level` is zlib's: 1 (fast) to 9 (small). Thread: any. Throws
/// std::invalid_argument for a level that zlib does not take, std::length_error from 4 GiB on. Since 1.0.
SUPPLIERD_API std::string gzipped(std::string_view bytes, int level);

} // namespace supplierd
