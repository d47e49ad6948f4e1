#include "host/redis/CircuitBreaker.h"

#include <algorithm>

namespace supplierd::host {

void CircuitBreaker::succeeded() {
    if (_failures.load(std::memory_order_relaxed) != 0) // else every call would write what all processors share
        _failures.store(0, std::memory_order_relaxed);
}

bool CircuitBreaker::failed(Clock::time_point now) {
    return _failures.fetch_add(1) + 1 >= FAILURES && open(now);
}

bool CircuitBreaker::open(Clock::time_point now) {
    if (_isOpen.exchange(true))
        return false;
    const auto closedAt = _closedAt.load();
    if (closedAt == Clock::time_point::min() || now - closedAt >= CONVALESCENCE)
        _pause = FIRST_PAUSE;
    return true;
}

void CircuitBreaker::close(Clock::time_point now) {
    _closedAt = now;
    _failures = 0;
    _isOpen = false;
}

std::chrono::milliseconds CircuitBreaker::nextPause() {
    const auto pause = _pause.load();
    _pause = std::min(pause * 2, LONGEST_PAUSE);
    return pause;
}

} // namespace supplierd::host
