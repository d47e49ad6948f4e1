// supplierd-bench-receiver: a supplier's server for tests/bench/webhooks. Answers every POST on the loopback with 200
// as soon as its body is there, prints its port, and at the end of its standard input how many it has taken.
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

namespace {

constexpr std::string_view ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

int listenOnLoopback() {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener, 1024) != 0 ||
        ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0)
        std::exit(1);
    std::printf("%u\n", ntohs(address.sin_port));
    std::fflush(stdout);
    return listener;
}

/// How many bytes the request at the front has, 0 while it is not whole.
std::size_t requestSize(std::string_view received) {
    constexpr std::string_view FIELD = "Content-Length: ";
    const auto head = received.find("\r\n\r\n");
    const auto field = received.find(FIELD);
    if (head == std::string_view::npos || field == std::string_view::npos)
        return 0;
    const std::size_t size = head + 4 + std::strtoul(received.data() + field + FIELD.size(), nullptr, 10);
    return received.size() >= size ? size : 0;
}

void watch(int poll, int descriptor) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = descriptor;
    ::epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event);
}

} // namespace

int main() {
    const int listener = listenOnLoopback();
    const int poll = ::epoll_create1(EPOLL_CLOEXEC);
    watch(poll, listener);
    watch(poll, STDIN_FILENO);
    std::map<int, std::string> open;
    unsigned long taken = 0;
    for (std::array<epoll_event, 256> events{};;) {
        const int count = ::epoll_wait(poll, events.data(), static_cast<int>(events.size()), -1);
        for (int i = 0; i < count; ++i) {
            const int descriptor = events.at(static_cast<std::size_t>(i)).data.fd;
            if (descriptor == STDIN_FILENO) {
                std::printf("%lu\n", taken);
                return 0;
            }
            if (descriptor == listener) {
                for (int client = 0;
                     (client = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;)
                    watch(poll, client);
                continue;
            }
            std::array<char, 16'384> buffer{};
            const auto size = ::read(descriptor, buffer.data(), buffer.size());
            if (size <= 0) {
                open.erase(descriptor);
                ::close(descriptor);
                continue;
            }
            std::string& received = open[descriptor];
            received.append(buffer.data(), static_cast<std::size_t>(size));
            if (const std::size_t whole = requestSize(received); whole > 0) {
                received.erase(0, whole);
                ++taken;
                static_cast<void>(::send(descriptor, ANSWER.data(), ANSWER.size(), MSG_NOSIGNAL));
            }
        }
    }
}
