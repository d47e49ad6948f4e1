#pragma once

#include "host/auth/RateLimiter.h"
#include "host/auth/SharedCounts.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace supplierd::host {

/// A moment by the clock that is never set, and by the wall clock.
struct RateLimitMoment {
    std::chrono::steady_clock::time_point steady;
    std::int64_t unixSeconds = 0;

    static RateLimitMoment now();
};

/// Counts in the memory of this server. Every few seconds save() adds what was counted since then to the table, and
/// refresh() reads the sum of all servers from it: so several servers share a limit, some seconds late, and a successor
/// continues with the windows of its predecessor. Windows run by the steady clock: a step of the wall clock neither
/// frees nor locks a key. Thread: as the base class.
class LocalRateLimiter final : public RateLimiter {
public:
    using Clock = std::function<RateLimitMoment()>;

    explicit LocalRateLimiter(Clock clock = RateLimitMoment::now) : _clock(std::move(clock)) {}

    void merge(std::int64_t id, const StoredRateLimitWindow& stored) override { merge(id, stored, false); }
    void save(Database& database) override;
    void reserve(std::int64_t requests) override { _reserved = requests; }
    RateLimitState ask(std::int64_t id, std::int64_t limit, bool counts) override {
        return ask(id, limit, counts, true);
    }
    bool runs(std::int64_t id) override;

    /// These four are for RedisRateLimiter, whose fallback this is. `reports`: Redis gets it, so it is not unreported
    /// any more. Otherwise it is left out.
    KnownCount known(std::int64_t id, bool reports);
    /// Notes what Redis answered.
    RateLimitState record(std::int64_t id, std::int64_t limit, const SharedCount& answer, bool counts);
    /// `isUnreported`: Redis cannot have counted this request.
    RateLimitState ask(std::int64_t id, std::int64_t limit, bool counts, bool isUnreported);
    /// `onlyRaises`: Redis is ahead of the database.
    void merge(std::int64_t id, const StoredRateLimitWindow& stored, bool onlyRaises);

private:
    using Steady = std::chrono::steady_clock;

    struct Window {
        std::int64_t id = 0; ///< tells a key's windows apart, whatever the clocks say
        Steady::time_point start;
        std::int64_t resetAt = 0;
        std::int64_t used = 0;       ///< requests of all servers, as far as known
        std::int64_t unsaved = 0;    ///< of these: not in the database; less than 0: reserved there and not used
        std::int64_t unreported = 0; ///< of the unsaved: not counted by Redis

        bool runs(Steady::time_point now) const { return used > 0 && now < start + WINDOW; }
    };
    struct Shard {
        std::mutex mutex;
        std::unordered_map<std::int64_t, Window> windows;
    };
    /// What is added to a row.
    struct Addition {
        std::int64_t id = 0;
        std::int64_t windowId = 0;
        std::chrono::microseconds age{0};
        std::int64_t requests = 0;
    };

    static Window begun(RateLimitMoment now);
    static RateLimitState stateOf(Window& window, std::int64_t limit, RateLimitMoment now);
    static std::string rowsOf(std::span<const Addition> additions);
    std::vector<Addition> takeUnsaved();
    void putBack(std::span<const Addition> additions);
    Shard& shardOf(std::int64_t id) { return _shards[static_cast<std::uint64_t>(id) % _shards.size()]; }

    const Clock _clock;
    std::array<Shard, 16> _shards;
    std::atomic<std::int64_t> _reserved{0};
    /// The end of the last save(), and max() during one: what was read before holds what was saved, or does not.
    std::atomic<Steady::time_point> _savedAt{Steady::time_point::min()};
};

} // namespace supplierd::host
