#pragma once

#include <Poco/Net/HTTPRequest.h>

#include <cstdint>

namespace supplierd::host {

/// What the head of a request says of its body.
struct Framing {
    bool hasLength = false;
    std::int64_t length = 0;
};

/// Judges the header fields as Poco hands them over (it is lenient: see the tests): one Content-Length of digits or
/// none, no Transfer-Encoding, one Host, HTTP/1.0 or 1.1, field names that are tokens, no control characters.
/// Throws ApiError: BadRequest, or LengthRequired for a chunked body. The connection must be closed after either.
Framing judgeFraming(const Poco::Net::HTTPRequest& request);

} // namespace supplierd::host
