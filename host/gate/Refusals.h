#pragma once

#include "host/gate/RequestHeadCheck.h"

#include <Poco/Net/IPAddress.h>

#include <string>
#include <string_view>

namespace supplierd::host {

/// A request that the gate answers itself; with 204 it refuses nothing.
struct Refusal {
    int status = 0;
    std::string_view reason;           ///< for metrics: one of few
    std::string_view message;          ///< for the client
    const CheckedHead* head = nullptr; ///< null when it is none
    Poco::Net::IPAddress client;
};

/// What stands behind the gate, knows how an error looks, and which requests need no worker. Thread: the gate's; must
/// not wait for anything.
class Refusals {
public:
    struct Response {
        std::string requestId;
        std::string body;             ///< JSON; none with status 204
        std::string_view fields = {}; ///< further lines of the head
    };

    virtual ~Refusals() = default;
    /// Null, or how a request without a body is answered without a worker.
    virtual const Rejection* decide(const CheckedHead&) { return nullptr; }
    /// The response to it; notes it in the access log.
    virtual Response respond(const Refusal& refusal) = 0;
    /// So much memory, which was held for a client, is free again. Thread: any.
    virtual void noteFreed(std::uint64_t /*bytes*/) {}
    /// A trusted proxy's connection was closed since it did not begin with a ProxyHeader: "missing", "broken",
    /// "cut_off" (the proxy closed it first) or "late".
    virtual void noteProxyFailure(const Poco::Net::IPAddress& /*proxy*/, std::string_view /*reason*/) {}
};

/// The whole response, as it is sent.
std::string refusalBytes(const Refusal& refusal, const Refusals::Response& response, bool closes);

} // namespace supplierd::host
