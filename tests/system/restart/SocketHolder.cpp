#include "tests/system/restart/SocketHolder.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace supplierd::tests {
namespace {

constexpr int BACKLOG = 1024;

void require(bool good, const char* what) {
    if (!good)
        throw std::system_error(errno, std::generic_category(), what);
}

} // namespace

SocketHolder::SocketHolder(std::string name) : _name(std::move(name)), _socket(::socket(AF_INET, SOCK_STREAM, 0)) {
    require(_socket >= 0, "socket"); // inherited by what is started
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    require(::bind(_socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0, "bind");
    require(::listen(_socket, BACKLOG) == 0, "listen");
    socklen_t length = sizeof address;
    require(::getsockname(_socket, reinterpret_cast<sockaddr*>(&address), &length) == 0, "getsockname");
    _port = ntohs(address.sin_port);
}

SocketHolder::~SocketHolder() {
    ::close(_socket);
}

ChildCommand SocketHolder::command(const ServerProcess& server) const {
    const std::string script =
        "LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=" + _name + " exec \"$0\" \"$@\" 3<&" + std::to_string(_socket);
    return {.arguments = {"/bin/bash", "-c", script, ServerProcess::serverProgram(),
                          "--config=" + server.configFile().string()},
            .output = server.logFile(),
            .errors = server.logFile()};
}

} // namespace supplierd::tests
