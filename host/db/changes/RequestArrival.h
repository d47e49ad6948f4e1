#pragma once

#include <chrono>
#include <optional>
#include <utility>

namespace supplierd::host {

/// When the request came that the calling thread works on, for as long as nothing has been learned for it. Whatever was
/// committed before a request came has to be in its answer; so what the database said after that moment is as good as
/// what it would say now, unless the request has asked or changed something since. Thread: each has its own.
class RequestArrival {
public:
    using Clock = std::chrono::steady_clock;

    /// The thread works on a request that came then, while this lives.
    explicit RequestArrival(Clock::time_point at) { _arrival = at; }
    ~RequestArrival() { forget(); }
    RequestArrival(const RequestArrival&) = delete;
    RequestArrival& operator=(const RequestArrival&) = delete;

    /// The request is about to learn something of the database, or to change it.
    static void forget() noexcept { _arrival.reset(); }
    /// From when an answer of the database may be: now, unless there is such a request. Its answer is something
    /// learned.
    static Clock::time_point take() noexcept {
        const auto arrival = std::exchange(_arrival, std::nullopt);
        return arrival ? *arrival : Clock::now();
    }

private:
    inline static thread_local std::optional<Clock::time_point> _arrival;
};

} // namespace supplierd::host
