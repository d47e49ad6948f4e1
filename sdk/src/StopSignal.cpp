#include <supplierd/StopSignal.h>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <system_error>

namespace supplierd {

StopSignal::StopSignal() : _descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (_descriptor < 0)
        throw std::system_error(errno, std::generic_category(), "cannot create an event descriptor");
}

StopSignal::~StopSignal() {
    ::close(_descriptor);
}

void StopSignal::raise() {
    if (!_isRaised.exchange(true))
        ::eventfd_write(_descriptor, 1);
}

bool StopSignal::waitFor(std::chrono::milliseconds limit) const {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + limit;
    pollfd raised{_descriptor, POLLIN, 0};
    for (auto left = limit; !_isRaised && left.count() > 0;
         left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()))
        ::poll(&raised, 1, static_cast<int>(std::min<std::int64_t>(left.count(), std::numeric_limits<int>::max())));
    return _isRaised;
}

} // namespace supplierd
