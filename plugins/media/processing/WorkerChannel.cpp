#include "WorkerChannel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace supplierd::media {
namespace {

[[noreturn]] void failTransfer() {
    if (errno == EPIPE || errno == ECONNRESET)
        throw ChannelClosed();
    throw std::system_error(errno, std::generic_category(), "image worker channel");
}

bool isMomentary(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

} // namespace

WorkerChannel::~WorkerChannel() {
    ::close(_descriptor);
}

void WorkerChannel::send(const void* from, std::size_t size, Deadline deadline) const {
    const auto* at = static_cast<const char*>(from);
    while (size > 0) {
        const ssize_t put = ::send(_descriptor, at, size, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (put > 0) {
            at += put;
            size -= static_cast<std::size_t>(put);
        } else if (put < 0 && isMomentary(errno)) {
            waitFor(POLLOUT, deadline);
        } else {
            failTransfer();
        }
    }
}

void WorkerChannel::receive(void* to, std::size_t size, Deadline deadline) const {
    auto* at = static_cast<char*>(to);
    while (size > 0) {
        const ssize_t got = ::recv(_descriptor, at, size, MSG_DONTWAIT);
        if (got == 0)
            throw ChannelClosed();
        if (got > 0) {
            at += got;
            size -= static_cast<std::size_t>(got);
        } else if (isMomentary(errno)) {
            waitFor(POLLIN, deadline);
        } else {
            failTransfer();
        }
    }
}

bool WorkerChannel::isQuiet() const {
    char byte = 0;
    return ::recv(_descriptor, &byte, sizeof byte, MSG_DONTWAIT | MSG_PEEK) < 0 && isMomentary(errno);
}

void WorkerChannel::hangUp() const noexcept {
    ::shutdown(_descriptor, SHUT_RDWR);
}

void WorkerChannel::waitFor(short events, Deadline deadline) const {
    using std::chrono::milliseconds;
    const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left <= milliseconds::zero())
        throw ChannelTimeout();
    constexpr milliseconds longest = std::chrono::minutes(1);
    pollfd waited{_descriptor, events, 0};
    if (::poll(&waited, 1, static_cast<int>(std::min(left, longest).count())) < 0 && errno != EINTR)
        throw std::system_error(errno, std::generic_category(), "poll");
}

} // namespace supplierd::media
