#include "host/server/process/PassedSockets.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace supplierd::host {

namespace {

using Poco::Net::SocketAddress;

std::runtime_error unfit(int descriptor, const std::string& name, const std::string& problem) {
    return std::runtime_error("the passed socket '" + name + "' (descriptor " + std::to_string(descriptor) + ") " +
                              problem);
}

SocketAddress addressOf(int descriptor, const std::string& name) {
    sockaddr_storage storage{};
    auto* const address = reinterpret_cast<sockaddr*>(&storage);
    socklen_t length = sizeof(storage);
    if (::getsockname(descriptor, address, &length) != 0)
        throw unfit(descriptor, name, std::string("cannot be asked for its address: ") + std::strerror(errno));
    if (address->sa_family != AF_INET && address->sa_family != AF_INET6)
        throw unfit(descriptor, name, "is not of TCP; use ListenStream= with an address and a port");
    return {address, length};
}

void requireListening(int descriptor, const std::string& name) {
    if (sd_is_socket(descriptor, AF_UNSPEC, SOCK_STREAM, 1) <= 0)
        throw unfit(descriptor, name, "does not listen; use ListenStream= and Accept=no");
}

void assign(int& use, int descriptor, const std::string& name, const std::string& setting) {
    if (use >= 0)
        throw unfit(descriptor, name,
                    "is a second one for " + setting + ", which takes one; for IPv4 and IPv6 at once use " +
                        "ListenStream=[::]:PORT with BindIPv6Only=both");
    use = descriptor;
}

} // namespace

PassedSockets PassedSockets::fromEnvironment() {
    char** names = nullptr;
    const int count = sd_listen_fds_with_names(/* unset_environment */ 1, &names);
    if (count < 0)
        throw std::runtime_error(std::string("the passed sockets (LISTEN_FDS) cannot be used: ") +
                                 std::strerror(-count));
    PassedSockets passed;
    for (int i = 0; i < count; ++i)
        passed._sockets.push_back({SD_LISTEN_FDS_START + i, names && names[i] ? names[i] : ""});
    for (char** name = names; name && *name; ++name)
        std::free(*name);
    std::free(names);
    return passed;
}

PassedSockets::Uses PassedSockets::uses(const ServerSettings& settings) const {
    Uses uses;
    for (const auto& [descriptor, name] : _sockets) {
        requireListening(descriptor, name);
        const auto address = addressOf(descriptor, name);
        if (name == "api" || (name != "admin" && address == settings.listen))
            assign(uses.api, descriptor, name, "server.listen");
        else if (name == "admin" || address == settings.adminListen)
            assign(uses.admin, descriptor, name, "server.admin_listen");
        else
            throw unfit(descriptor, name,
                        "listens on " + address.toString() + ", which is neither server.listen (" +
                            settings.listen.toString() + ") nor server.admin_listen (" +
                            settings.adminListen.toString() +
                            "); name it in the socket unit: FileDescriptorName=api, or admin");
    }
    return uses;
}

PassedSockets PassedSockets::duplicate() const {
    PassedSockets copies = *this;
    for (Passed& socket : copies._sockets)
        socket.descriptor = ::fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 0);
    return copies;
}

} // namespace supplierd::host
