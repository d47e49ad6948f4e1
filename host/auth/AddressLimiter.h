#pragma once

#include "host/auth/SharedCounts.h"
#include "host/config/ClientNetwork.h"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace supplierd::host {

/// Counts per client (ClientNetwork), in windows of one minute: failed authentications, or requests. Bounded: when too
/// many clients are known, the window with the least left is dropped. With SharedCounts the windows are theirs for as
/// long as they answer, as those of RedisRateLimiter are. Thread: any.
class AddressLimiter {
public:
    using Clock = std::chrono::steady_clock;

    explicit AddressLimiter(std::int64_t perMinute) : _perMinute(perMinute) {}

    /// Before it is used; they outlive it. Null: none. `name`: what is counted, the same on all servers.
    void share(SharedCounts* counts, std::string name);

    /// Seconds until the address is let through again; 0 when it is now, which counts.
    int take(std::string_view address, Clock::time_point now = Clock::now());

private:
    struct Window {
        Clock::time_point start;
        std::int64_t counted = 0;
    };

    /// The client's; dropped ones are those that ended, or would end first.
    Window& windowOf(const ClientNetwork& client, Clock::time_point now);
    void begin(const ClientNetwork& client, Window& window, Clock::time_point start);
    std::optional<int> askShared(const ClientNetwork& client, Clock::time_point now);

    const std::int64_t _perMinute;
    SharedCounts* _shared = nullptr;
    std::string _sharedName;
    std::mutex _mutex;
    std::unordered_map<ClientNetwork, Window, ClientNetwork::Hash> _windows;
    std::set<std::pair<Clock::time_point, ClientNetwork>> _byStart;
};

} // namespace supplierd::host
