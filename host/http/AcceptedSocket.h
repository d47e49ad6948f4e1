#pragma once

#include "host/http/ConnectionDrain.h"

#include <Poco/Net/ServerSocket.h>

#include <memory>

namespace supplierd::host {

/// A listening socket whose connections cost fewer system calls than Poco's: they wait with one poll() where Poco makes
/// and closes an epoll instance each time, and know their two addresses after the first question. Both, the socket and
/// its connections, follow the drain.
class ApiServerSocket : public Poco::Net::ServerSocket {
public:
    explicit ApiServerSocket(std::shared_ptr<ConnectionDrain> drain);
    /// Takes a socket over that listens already, and closes it at its end.
    ApiServerSocket(std::shared_ptr<ConnectionDrain> drain, int listening);

    /// Binds and listens, alone on its address.
    void listenAlone(const Poco::Net::SocketAddress& address, int backlog);
    int descriptor() const { return impl()->sockfd(); }
};

} // namespace supplierd::host
