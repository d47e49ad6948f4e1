#pragma once

#include <Poco/Net/SocketAddress.h>

#include <cstddef>
#include <string_view>

namespace supplierd::host {

/// What a proxy says before a connection's first request, in the PROXY protocol, version 1 (a line) or 2 (binary).
struct ProxyHeader {
    enum class State {
        Incomplete,
        Proxied, ///< for the client `source`
        Local,   ///< the proxy speaks for itself (a health check), or does not know: the peer is the client
        Rejected
    };

    State state = State::Incomplete;
    std::size_t length = 0; ///< of the header, once it is whole
    Poco::Net::SocketAddress source;
    Poco::Net::SocketAddress destination;
    bool isTls = false;       ///< version 2: the client speaks TLS with the proxy
    std::string_view failure; ///< of Rejected: "missing" or "broken"

    /// The longest header: who has sent as much has sent it whole, or never will.
    static constexpr std::size_t MAX_SIZE = 4'112;

    /// `bytes`: all that came on the connection. To be called only for a peer that may say so: anybody else could claim
    /// to be anybody.
    static ProxyHeader parse(std::string_view bytes);
};

} // namespace supplierd::host
