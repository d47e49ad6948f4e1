#include "host/auth/RateLimiter.h"

namespace supplierd::host {

RateLimitState RateLimiter::count(std::int64_t keyId, std::int64_t limit, std::int64_t now) {
    auto& shard = shardOf(keyId);
    const std::lock_guard lock(shard.mutex);
    auto& window = shard.windows[keyId];
    if (window.start == 0 || now >= window.start + WINDOW_SECONDS || now < window.start)
        window = {now, 0};
    RateLimitState state;
    state.limit = limit;
    state.resetAt = window.start + WINDOW_SECONDS;
    state.allowed = window.used < limit;
    if (state.allowed)
        ++window.used;
    state.remaining = window.used < limit ? limit - window.used : 0;
    return state;
}

void RateLimiter::forgetEnded(std::int64_t now) {
    for (auto& shard : _shards) {
        const std::lock_guard lock(shard.mutex);
        std::erase_if(shard.windows, [now](const auto& entry) { return now >= entry.second.start + WINDOW_SECONDS; });
    }
}

} // namespace supplierd::host
