#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace supplierd::host {

/// Counts per client address, in windows of one minute: failed authentications, or requests. Bounded: when too many
/// addresses are known, those whose window is over are forgotten, and if none is, new ones share one count. Thread:
/// any.
class AddressLimiter {
public:
    using Clock = std::chrono::steady_clock;

    explicit AddressLimiter(std::int64_t perMinute) : _perMinute(perMinute) {}

    /// Seconds until the address is let through again; 0 when it is now.
    int blockedFor(std::string_view address, Clock::time_point now = Clock::now());
    void count(std::string_view address, Clock::time_point now = Clock::now());
    /// Both: counts, and returns 0, when the address is let through.
    int take(std::string_view address, Clock::time_point now = Clock::now());
    /// All that was counted by count().
    std::uint64_t total() const { return _total.load(std::memory_order_relaxed); }

private:
    struct Window {
        Clock::time_point start;
        std::int64_t counted = 0;
    };

    std::string keyFor(std::string_view address, Clock::time_point now);
    int secondsLeft(const Window& window, Clock::time_point now) const;
    static void countIn(Window& window, Clock::time_point now);

    const std::int64_t _perMinute;
    std::mutex _mutex;
    std::unordered_map<std::string, Window> _windows;
    Clock::time_point _sweptAt{};
    std::atomic<std::uint64_t> _total{0};
};

} // namespace supplierd::host
