#pragma once

#include "tests/support/ServerProcess.h"

#include <string>

namespace supplierd::tests {

/// What a socket unit of systemd is to a server: holds a listening socket on a free port of 127.0.0.1 and starts the
/// program of a ServerProcess with it, as often as wanted. While none runs, connections wait.
class SocketHolder {
public:
    /// `name`: as FileDescriptorName= gives it.
    explicit SocketHolder(std::string name = "api");
    ~SocketHolder();
    SocketHolder(const SocketHolder&) = delete;
    SocketHolder& operator=(const SocketHolder&) = delete;

    std::string address() const { return "127.0.0.1:" + std::to_string(_port); }
    std::string url() const { return "http://" + address() + "/api/v1/supplier"; }
    /// A command for ChildProcess: this server, with the socket.
    ChildCommand command(const ServerProcess& server) const;

private:
    std::string _name;
    int _socket = -1;
    unsigned short _port = 0;
};

} // namespace supplierd::tests
