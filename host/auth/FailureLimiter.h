#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace supplierd::host {

/// Counts failed authentications per client address in windows of one minute. Bounded: when too many addresses are
/// known, those whose window is over are forgotten, and if none is, new ones share one count. Thread: any.
class FailureLimiter {
public:
    using Clock = std::chrono::steady_clock;

    explicit FailureLimiter(std::int64_t perMinute) : _perMinute(perMinute) {}

    /// Seconds until the address may fail again; 0 when it still may.
    int blockedFor(std::string_view address, Clock::time_point now = Clock::now());
    void count(std::string_view address, Clock::time_point now = Clock::now());
    std::uint64_t failures() const { return _failures.load(std::memory_order_relaxed); }

private:
    struct Window {
        Clock::time_point start;
        std::int64_t failures = 0;
    };

    std::string keyFor(std::string_view address, Clock::time_point now);

    const std::int64_t _perMinute;
    std::mutex _mutex;
    std::unordered_map<std::string, Window> _windows;
    Clock::time_point _sweptAt{};
    std::atomic<std::uint64_t> _failures{0};
};

} // namespace supplierd::host
