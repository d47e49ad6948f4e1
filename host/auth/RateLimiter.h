#pragma once

#include "host/auth/SharedCounts.h"

#include <supplierd/Database.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace supplierd::host {

/// What `X-RateLimit-*` says.
struct RateLimitState {
    bool allowed = true;
    std::int64_t limit = 0;
    std::int64_t remaining = 0;
    std::int64_t resetAt = 0;     ///< Unix seconds
    std::int64_t secondsLeft = 0; ///< until then, by the steady clock
};

/// A moment by the clock that never jumps, and as the world counts it.
struct RateLimitMoment {
    std::chrono::steady_clock::time_point steady;
    std::int64_t unixSeconds = 0;

    static RateLimitMoment now();
};

/// A window as the database has it.
struct StoredRateLimitWindow {
    std::int64_t windowId = 0;
    std::chrono::microseconds age{0}; ///< when it was read
    std::int64_t used = 0;            ///< requests of all servers
};

/// What this server has counted in a window since it was saved last.
struct RateLimitUse {
    std::int64_t keyId = 0;
    std::int64_t windowId = 0;
    std::chrono::microseconds age{0};
    std::int64_t added = 0;
    std::int64_t used = 0; ///< in all, these included
};

/// Fixed windows of 3,600 s per API key, and per supplier, beginning with the first request; a refused request is not
/// counted. Windows run by the steady clock: a step of the wall clock neither frees nor locks a key. What was counted
/// is saved from time to time (RateLimitStore), and what the database knows is learned whenever a key is read from it,
/// so that a window outlasts this process and is shared with others, some seconds late. With SharedCounts the windows
/// are theirs, exactly, for as long as they answer; what they say is noted here, so that counting goes on from it when
/// they do not. Thread: any, but for saving: one.
class RateLimiter {
public:
    static constexpr std::chrono::seconds WINDOW{3600};

    /// Before the first request; they outlive it. Null: none.
    void share(SharedCounts* counts) { _shared = counts; }

    /// Counts one request, if it is allowed.
    RateLimitState count(std::int64_t keyId, std::int64_t limit, RateLimitMoment now = RateLimitMoment::now());

    /// Of all keys of a supplier together; 0: none.
    struct SupplierLimit {
        std::int64_t supplierId = 0;
        std::int64_t limit = 0;
    };
    /// The same, if its supplier's limit allows it, too; the state of the one with less left. A supplier's window is no
    /// SharedCounts': servers know of each other by the database.
    RateLimitState count(std::int64_t keyId, std::int64_t limit, const SupplierLimit& supplier,
                         RateLimitMoment now = RateLimitMoment::now());
    /// The id that a supplier's window has here and in the database. Those of keys are positive.
    static std::int64_t windowOfSupplier(std::int64_t supplierId) { return -supplierId; }

    /// The same without counting.
    RateLimitState look(std::int64_t keyId, std::int64_t limit, RateLimitMoment now = RateLimitMoment::now());

    /// A look into the database that begins now; learn() takes its result.
    struct Reading {
        std::uint64_t savings = 0;
        RateLimitMoment begunAt;
    };
    Reading beginReading() const { return {_savings, RateLimitMoment::now()}; }
    void learn(std::int64_t keyId, const StoredRateLimitWindow& stored, const Reading& reading);

    /// What is to be saved now. endSaving() with the same follows, and says how many of the first ones were saved.
    std::vector<RateLimitUse> beginSaving(RateLimitMoment now = RateLimitMoment::now());
    void endSaving(const std::vector<RateLimitUse>& uses, std::size_t saved);

    /// Before another server goes on counting while this one still serves its last requests, at most `requests` of
    /// them: counts so many for every key beforehand, as far as its limit allows. Does nothing where both servers count
    /// in the same SharedCounts.
    void reserve(std::int64_t requests);
    /// Takes back what was reserved and not used.
    void returnReserved();

    /// Drops windows that are over.
    void forgetEnded(RateLimitMoment now = RateLimitMoment::now());

private:
    using Steady = std::chrono::steady_clock;

    struct Window {
        std::int64_t id = 0; ///< 0: none yet
        Steady::time_point start;
        Steady::time_point readAt; ///< the last reading that was learned
        std::int64_t resetAt = 0;
        std::int64_t limit = 0;
        std::int64_t saved = 0;
        std::int64_t saving = 0;
        std::int64_t unsaved = 0;
        std::int64_t reserved = 0; ///< of what is counted: not used yet
        std::int64_t shared = 0;   ///< used, as the SharedCounts said last, and what they may know besides
        std::int64_t untold = 0;   ///< counted here, and not there

        std::int64_t counted() const { return saved + saving + unsaved; }
        std::int64_t used() const { return std::max(counted(), shared + untold); }
        bool runs(Steady::time_point now) const { return id != 0 && now < start + WINDOW; }
    };
    struct Shard {
        std::mutex mutex;
        std::unordered_map<std::int64_t, Window> windows;
    };

    static Window begun(RateLimitMoment now);
    static RateLimitState stateOf(Window& window, RateLimitMoment now);
    static void adopt(Window& window, const StoredRateLimitWindow& stored, const Reading& reading);
    std::optional<RateLimitState> askShared(std::int64_t keyId, std::int64_t limit, bool counts, RateLimitMoment now,
                                            bool& mayBeTold);
    /// By what this server knows.
    RateLimitState countHere(std::int64_t id, std::int64_t limit, RateLimitMoment now, bool mayBeTold);
    RateLimitState lookHere(std::int64_t id, std::int64_t limit, RateLimitMoment now);
    static RateLimitState noteShared(Window& window, const SharedCount& count, bool counts, RateLimitMoment now);
    Shard& shardOf(std::int64_t keyId) { return _shards[static_cast<std::uint64_t>(keyId) % _shards.size()]; }
    template <class Action>
    void forEach(const Action& action);

    SharedCounts* _shared = nullptr;
    std::array<Shard, 16> _shards;
    std::atomic<std::uint64_t> _savings{0}; ///< begun and ended ones: odd while one is under way
};

/// Adds what a limiter has counted to the database's windows, in one statement. Thread: one. Both must outlive it.
class RateLimitStore {
public:
    RateLimitStore(Database& database, RateLimiter& limiter) : _database(database), _limiter(limiter) {}

    /// What fails is tried again with the next call. Throws DatabaseError, ApiError.
    void save();

private:
    Database& _database;
    RateLimiter& _limiter;
};

} // namespace supplierd::host
