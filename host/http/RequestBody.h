#pragma once

#include "host/http/RequestParsing.h"

#include <supplierd/Plugin.h>
#include <supplierd/Request.h>

#include <Poco/Net/HTTPServerRequest.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace supplierd::host {

/// Checks from a request's head whether the route takes its body. `limit`: where the route has none. Throws ApiError:
/// UnsupportedMediaType, LengthRequired, PayloadTooLarge.
void checkBody(const Poco::Net::HTTPServerRequest& request, const Framing& framing, const Route& route,
               std::int64_t limit);

/// Reads the whole declared body, which was checked. Sends `100 Continue` when the client waits for it. Throws ApiError
/// (BadRequest) when the body ended early or came too slowly; the connection must be closed then.
std::string readBody(Poco::Net::HTTPServerRequest& request, const Framing& framing);

/// The body of a request while its handler reads it. Thread: the worker's.
class RawBody final : public BodyStream {
public:
    /// `patience`: how long the client may be silent, and how long it has whatever the size.
    RawBody(Poco::Net::HTTPServerRequest& request, const Framing& framing, std::chrono::milliseconds patience);

    std::uint64_t size() const override { return _size; }
    std::size_t read(std::span<char> to) override;

    bool isConsumed() const { return _left == 0; }

private:
    Poco::Net::HTTPServerRequest& _request;
    const std::uint64_t _size;
    std::uint64_t _left;
    bool _isBegun = false;
    const std::chrono::milliseconds _patience;
    std::chrono::steady_clock::time_point _deadline;
};

} // namespace supplierd::host
