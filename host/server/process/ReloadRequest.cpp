#include "host/server/process/ReloadRequest.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>

namespace supplierd::host {

namespace {

constexpr std::string_view TAKEN = "taken";
constexpr std::string_view REFUSED = "refused: ";
constexpr std::size_t LONGEST_ANSWER = 16'384;

struct AskerAddress {
    explicit AskerAddress(pid_t asker) {
        const std::string name = "supplierd-reload-" + std::to_string(asker);
        address.sun_family = AF_UNIX; // the name's first byte stays 0: it is no file's
        std::copy(name.begin(), name.end(), address.sun_path + 1);
        size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    }
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }

    sockaddr_un address{};
    socklen_t size = 0;
};

void require(bool isDone, const char* doing) {
    if (!isDone)
        throw std::system_error(errno, std::generic_category(), doing);
}

} // namespace

ReloadRequest::ReloadRequest(pid_t server)
    : _server(server),
      _process(static_cast<int>(::syscall(SYS_pidfd_open, server, 0))),
      _socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    const AskerAddress own(::getpid());
    require(_process.get() >= 0, "finding the server");
    require(_socket.get() >= 0 && ::setsockopt(_socket.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0 &&
                ::bind(_socket.get(), own.get(), own.size) == 0,
            "listening for the server's answer");
    require(::syscall(SYS_pidfd_send_signal, _process.get(), SIGHUP, nullptr, 0) == 0, "signalling the server");
}

std::string ReloadRequest::wait() const {
    for (;;) {
        std::array<pollfd, 2> waited{{{_socket.get(), POLLIN, 0}, {_process.get(), POLLIN, 0}}};
        if (::poll(waited.data(), waited.size(), -1) < 0)
            continue;
        if (waited[0].revents != 0) {
            const std::string answer = receive();
            if (answer == TAKEN)
                return {};
            if (answer.starts_with(REFUSED))
                return answer.substr(REFUSED.size());
        } else {
            return "process " + std::to_string(_server) + " ended without an answer";
        }
    }
}

/// Empty when another process than the server has sent it.
std::string ReloadRequest::receive() const {
    std::string text(LONGEST_ANSWER, '\0');
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> control{};
    iovec part{text.data(), text.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const auto size = ::recvmsg(_socket.get(), &message, MSG_CMSG_CLOEXEC);
    const cmsghdr* const header = size < 0 ? nullptr : CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != SCM_CREDENTIALS)
        return {};
    ucred sender{};
    std::memcpy(&sender, CMSG_DATA(header), sizeof sender);
    text.resize(sender.pid == _server ? static_cast<std::size_t>(size) : 0);
    return text;
}

void ReloadRequest::answer(const std::vector<pid_t>& askers, const std::string& failure) {
    const std::string text =
        (failure.empty() ? std::string(TAKEN) : std::string(REFUSED) + failure).substr(0, LONGEST_ANSWER);
    const OwnedDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    for (const pid_t asker : askers) {
        const AskerAddress address(asker);
        // Whoever sent the signal by itself does not listen.
        ::sendto(socket.get(), text.data(), text.size(), MSG_NOSIGNAL, address.get(), address.size);
    }
}

} // namespace supplierd::host
