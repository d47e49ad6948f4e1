#pragma once

#include "host/gate/WorkerSocket.h"

#include <supplierd/Plugin.h>
#include <supplierd/Request.h>

#include <Poco/Net/HTTPServerRequest.h>

#include <algorithm>
#include <cstddef>
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
    /// A complete one. What is read goes to `begin` too, until that has `keeps` bytes.
    RawBody(CollectedBody& body, std::string& begin, std::size_t keeps)
        : _body(body), _begin(begin), _keeps(keeps), _size(body.size()) {}

    std::uint64_t size() const override { return _size; }
    std::size_t read(std::span<char> to) override {
        const std::size_t size = _body.read(to);
        if (_begin.size() < _keeps)
            _begin.append(to.data(), std::min(size, _keeps - _begin.size()));
        return size;
    }

    bool isConsumed() const { return _body.isRead(); }

private:
    CollectedBody& _body;
    std::string& _begin;
    const std::size_t _keeps;
    const std::uint64_t _size;
};

} // namespace supplierd::host
