#pragma once

#include <string>
#include <string_view>

namespace supplierd::media {

/// The colour profile in the body of a PNG's iCCP chunk (name, method, zlib stream). Empty when it is broken or
/// larger than any real one.
std::string inflatedProfile(std::string_view chunkBody);

/// The body of an iCCP chunk with a name that says nothing.
std::string deflatedProfile(std::string_view profile);

} // namespace supplierd::media
