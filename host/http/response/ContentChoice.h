#pragma once

#include <Poco/Net/HTTPRequest.h>

#include <cstdint>
#include <string_view>

namespace supplierd::host {

/// Which bytes of a content answer a request.
struct ContentChoice {
    int status = 200; ///< 200 all, 206 a part, 304 not modified, 412 and 416 refused
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
};

/// Decides by the request's conditions and range (RFC 9110, 13 and 14), in their order: `If-Match`, `If-None-Match`,
/// then `Range` (GET only) under `If-Range`. `etag` is the content's, empty when it has none. Conditions of dates are
/// ignored: there is no Last-Modified. Several ranges, and what is no range, give the whole.
ContentChoice chooseContent(const Poco::Net::HTTPRequest& request, std::uint64_t size, std::string_view etag);

/// `"abc"` or `W/"abc"`, without spaces or quotes within.
bool isEntityTag(std::string_view text);

} // namespace supplierd::host
