#pragma once

#include <chrono>

namespace supplierd::host {

/// The retries of what met a deadlock or a lock time-out: how many, and until when. Thread: one; lives for one task.
class Retries {
public:
    static constexpr int MOST = 5;

    /// Counts one more; false when that is one too many.
    bool take() { return ++_taken <= MOST; }
    /// No retry starts later: six lock waits in a row would keep a client for half a minute.
    bool isInTime() const { return Clock::now() <= _last; }
    /// A random while, which grows with their number.
    void pause() const;

private:
    using Clock = std::chrono::steady_clock;

    int _taken = 0;
    Clock::time_point _last = Clock::now() + std::chrono::seconds(10);
};

} // namespace supplierd::host
