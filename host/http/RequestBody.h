#pragma once

#include "host/gate/WorkerSocket.h"

#include <supplierd/Plugin.h>
#include <supplierd/Request.h>

#include <Poco/Net/HTTPServerRequest.h>

#include <cstdint>
#include <string>

namespace supplierd::host {

/// Checks from a request's head whether the route takes its body. `limit`: of the route. Throws ApiError:
/// UnsupportedMediaType, LengthRequired, PayloadTooLarge.
void checkBody(const Poco::Net::HTTPServerRequest& request, RequestChannel& channel, const Route& route,
               std::uint64_t limit);

/// Of a body that is not pending: throws ApiError (BadRequest, PayloadTooLarge, Unavailable) unless it is complete; the
/// connection must be closed then.
void requireWholeBody(RequestChannel& channel, std::uint64_t limit);

/// The body of a request while its handler reads it. Thread: the worker's.
class RawBody final : public BodyStream {
public:
    /// A complete one.
    explicit RawBody(CollectedBody& body) : _body(body), _size(body.size()) {}

    std::uint64_t size() const override { return _size; }
    std::size_t read(std::span<char> to) override { return _body.read(to); }

    bool isConsumed() const { return _body.isRead(); }

private:
    CollectedBody& _body;
    const std::uint64_t _size;
};

} // namespace supplierd::host
