#pragma once

#include "host/auth/SharedCounts.h"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace supplierd::host {

/// Counts per client address, in windows of one minute: failed authentications, or requests. Bounded: when too many
/// addresses are known, those whose window is over are forgotten, and if none is, new ones share one count. With
/// SharedCounts the windows are theirs for as long as they answer, as those of RateLimiter are. Thread: any.
class AddressLimiter {
public:
    using Clock = std::chrono::steady_clock;

    explicit AddressLimiter(std::int64_t perMinute) : _perMinute(perMinute) {}

    /// Before it is used; they outlive it. Null: none. `name`: what is counted, the same on all servers.
    void share(SharedCounts* counts, std::string name);

    /// Seconds until the address is let through again; 0 when it is now.
    int blockedFor(std::string_view address, Clock::time_point now = Clock::now());
    /// The same, and counts when it is let through.
    int take(std::string_view address, Clock::time_point now = Clock::now());

private:
    struct Window {
        Clock::time_point start;
        std::int64_t counted = 0;
    };

    std::string keyFor(std::string_view address, Clock::time_point now);
    int secondsLeft(const Window& window, Clock::time_point now) const;
    static void countIn(Window& window, Clock::time_point now);
    std::optional<int> askShared(std::string_view address, bool counts, Clock::time_point now);

    const std::int64_t _perMinute;
    SharedCounts* _shared = nullptr;
    std::string _sharedName;
    std::mutex _mutex;
    std::unordered_map<std::string, Window> _windows;
    Clock::time_point _sweptAt{};
};

} // namespace supplierd::host
