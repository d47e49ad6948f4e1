#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace supplierd::host {

/// What `X-RateLimit-*` says.
struct RateLimitState {
    bool allowed = true;
    std::int64_t limit = 0;
    std::int64_t remaining = 0;
    std::int64_t resetAt = 0; ///< Unix seconds
};

/// Fixed windows of 3,600 s per API key, beginning with the key's first request; a refused request is not counted.
/// Thread: any.
class RateLimiter {
public:
    static constexpr std::int64_t WINDOW_SECONDS = 3600;

    RateLimitState count(std::int64_t keyId, std::int64_t limit, std::int64_t now);
    /// Drops windows that are over.
    void forgetEnded(std::int64_t now);

private:
    struct Window {
        std::int64_t start = 0;
        std::int64_t used = 0;
    };
    struct Shard {
        std::mutex mutex;
        std::unordered_map<std::int64_t, Window> windows;
    };

    Shard& shardOf(std::int64_t keyId) { return _shards[static_cast<std::uint64_t>(keyId) % _shards.size()]; }

    std::array<Shard, 16> _shards;
};

} // namespace supplierd::host
