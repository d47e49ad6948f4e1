#pragma once

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace supplierd {
class StopSignal;
}

namespace supplierd::host {

/// Until when something may take, and what ends it before. Every wait of a request heeds it, so that neither a silent
/// nor a dripping peer outlasts it. A value type; the signal must outlive it. Thread: any.
class TimeLimit {
public:
    using Clock = std::chrono::steady_clock;

    explicit TimeLimit(Clock::time_point end, const StopSignal* stop = nullptr) : _end(end), _stop(stop) {}

    Clock::time_point end() const { return _end; }
    /// The same, but ending at `end` at the latest.
    TimeLimit until(Clock::time_point end) const { return TimeLimit(std::min(_end, end), _stop); }
    /// The same, but ending in `duration` at the latest.
    TimeLimit atMost(std::chrono::milliseconds duration) const;
    /// What is left, rounded up; zero when it is over.
    std::chrono::milliseconds left() const;
    /// Throws HttpError (Timeout, Stopped) when it is over.
    void check() const;

    /// Readable once the request shall stop; -1 when nothing stops it.
    int stopDescriptor() const;
    /// Waits until one of `descriptors` has something, or `atMost` has passed. Throws as check() does.
    void wait(std::vector<pollfd>& descriptors, std::chrono::milliseconds atMost) const;

private:
    Clock::time_point _end;
    const StopSignal* _stop;
};

} // namespace supplierd::host
