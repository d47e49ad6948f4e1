#pragma once

#include <Poco/Net/ServerSocket.h>

#include <string>

namespace supplierd::host {

/// Where a listener listens.
struct ListenPlace {
    Poco::Net::SocketAddress address;
    std::string setting; ///< the key that says so
    int passed = -1;     ///< a socket that somebody else opened and that is used instead; -1: none
};

/// A listening socket that does not block: another process may take the connection that one was woken for.
class ListeningSocket : public Poco::Net::ServerSocket {
public:
    /// Binds and listens, alone on its address, or takes the passed socket over. Throws std::runtime_error that names
    /// the address and the setting.
    explicit ListeningSocket(const ListenPlace& place);

    int descriptor() const { return impl()->sockfd(); }
};

} // namespace supplierd::host
