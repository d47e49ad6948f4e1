#pragma once

#include <cstdint>
#include <string>

namespace supplierd::media {

class StreamInput;
struct ResponseHead;

/// The body that follows `head`: by its length, in chunks, or up to the end of the connection. It counts what arrives,
/// and stops at `maxBytes`: as many are accepted, one more is FetchError (TooLarge). Throws FetchError (Damaged) when
/// the body is cut, is empty or has bad chunks, and those of the connection.
std::string readBody(StreamInput& input, const ResponseHead& head, std::uint64_t maxBytes);

} // namespace supplierd::media
