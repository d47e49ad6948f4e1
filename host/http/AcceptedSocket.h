#pragma once

#include <Poco/Net/ServerSocket.h>

namespace supplierd::host {

/// A listening socket whose connections cost fewer system calls than Poco's: they wait with one poll() where Poco makes
/// and closes an epoll instance each time, and know their two addresses after the first question.
class ApiServerSocket : public Poco::Net::ServerSocket {
public:
    ApiServerSocket();
};

} // namespace supplierd::host
