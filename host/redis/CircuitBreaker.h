#pragma once

#include <atomic>
#include <chrono>

namespace supplierd::host {

/// Whether something that fails is tried still. Closed: it is. After FAILURES in a row it is open, and only the probe
/// tries, after longer and longer pauses; a probe that succeeds closes it. Thread: any.
class CircuitBreaker {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr int FAILURES = 3;
    static constexpr std::chrono::milliseconds FIRST_PAUSE{250};
    static constexpr std::chrono::milliseconds LONGEST_PAUSE{8'000};
    /// What fails again so soon after it was closed is not well: the pauses go on growing.
    static constexpr std::chrono::seconds CONVALESCENCE{10};

    bool isOpen() const { return _isOpen.load(std::memory_order_acquire); }
    void succeeded();
    /// True: it opened by this.
    bool failed(Clock::time_point now = Clock::now());
    /// Opens it at once. True: it was closed.
    bool open(Clock::time_point now = Clock::now());
    /// A probe succeeded.
    void close(Clock::time_point now = Clock::now());
    /// How long to wait before the next probe. Thread: the probe's.
    std::chrono::milliseconds nextPause();

private:
    std::atomic<bool> _isOpen{false};
    std::atomic<int> _failures{0}; ///< in a row
    std::atomic<Clock::time_point> _closedAt{Clock::time_point::min()};
    std::atomic<std::chrono::milliseconds> _pause{FIRST_PAUSE};
};

} // namespace supplierd::host
