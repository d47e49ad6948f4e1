#include "host/http/ConnectionDrain.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace supplierd::host {

ConnectionDrain::ConnectionDrain() : _event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (_event < 0)
        throw std::system_error(errno, std::generic_category(), "eventfd");
}

ConnectionDrain::~ConnectionDrain() {
    ::close(_event);
}

void ConnectionDrain::begin(Backlog backlog, std::chrono::milliseconds grace) {
    _backlog = backlog;
    _grace = grace;
    _begunAt = Clock::now();
    _begun.store(true, std::memory_order_release);
    ::eventfd_write(_event, 1); // fails only at a counter of 2^64
}

ConnectionDrain::Clock::time_point ConnectionDrain::graceEnd(Clock::time_point waitsSince) const {
    return std::max(waitsSince, _begunAt) + _grace;
}

void ConnectionDrain::acceptingEnded() {
    {
        const std::lock_guard lock(_mutex);
        _acceptingEnded = true;
    }
    _ended.notify_all();
}

bool ConnectionDrain::waitUntilAcceptingEnded(std::chrono::milliseconds limit) {
    std::unique_lock lock(_mutex);
    return _ended.wait_for(lock, limit, [this] { return _acceptingEnded; });
}

} // namespace supplierd::host
