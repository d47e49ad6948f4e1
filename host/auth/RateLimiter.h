#pragma once

#include <supplierd/Database.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_set>

namespace supplierd::host {

/// What `X-RateLimit-*` says.
struct RateLimitState {
    bool allowed = true;
    std::int64_t limit = 0;
    std::int64_t remaining = 0;
    std::int64_t resetAt = 0;     ///< Unix seconds
    std::int64_t secondsLeft = 0; ///< until then, by the steady clock
};

/// Of all keys of a supplier together.
struct SupplierLimit {
    std::int64_t supplierId = 0;
    std::int64_t limit = 0; ///< 0: none
};

/// A row of the table `rate_limit_windows`.
struct StoredRateLimitWindow {
    std::int64_t windowId = 0;
    std::chrono::microseconds age{0};               ///< when it was read, by the database's clock
    std::int64_t used = 0;                          ///< requests of all servers
    std::chrono::steady_clock::time_point readAt{}; ///< the moment before it was read
};

/// Fixed windows of 3,600 s per API key, and per supplier. A window begins with the first request that is counted, and
/// a refused request is not counted. There are two implementations, and the server chooses one when it starts: with
/// LocalRateLimiter each server counts in its memory, with RedisRateLimiter all of them count in one Redis. Both keep a
/// snapshot of the windows in the table `rate_limit_windows`, so that a window survives a restart. Thread: any.
class RateLimiter {
public:
    static constexpr std::chrono::seconds WINDOW{3600};

    RateLimiter() = default;
    virtual ~RateLimiter() = default;
    RateLimiter(const RateLimiter&) = delete;
    RateLimiter& operator=(const RateLimiter&) = delete;

    /// Counts a request if the key's limit and the supplier's allow it. Returns the state of the one with less left.
    RateLimitState count(std::int64_t keyId, std::int64_t limit, const SupplierLimit& supplier = {});
    /// The key's state. Counts nothing.
    RateLimitState peek(std::int64_t keyId, std::int64_t limit) { return ask(keyId, limit, false); }

    /// Before count(): takes over what the database knows of these windows, unless they run here already, and notes
    /// them for refresh(). Throws DatabaseError, ApiError.
    void learn(Database& database, std::int64_t keyId, const SupplierLimit& supplier = {});
    /// Takes over what the servers have saved of the windows that were asked for since the last call. Throws as
    /// learn().
    void refresh(Database& database);
    /// Takes over what the database knows of a window.
    virtual void merge(std::int64_t id, const StoredRateLimitWindow& stored) = 0;
    /// Adds what this server has counted since the last call to the snapshot, and drops windows that are over. What
    /// fails is tried again with the next call. Throws DatabaseError, ApiError. Thread: one.
    virtual void save(Database& database) = 0;
    /// Before a hand-over: each save() keeps so many requests in the snapshot that this server may still count, beyond
    /// those that it has counted. The successor does not give them away. 0 returns them with the next save().
    virtual void reserve(std::int64_t requests) = 0;

    /// Counts a request in one window if `counts`, and returns its state. Ids of windows are those of keys, and:
    virtual RateLimitState ask(std::int64_t id, std::int64_t limit, bool counts) = 0;
    static std::int64_t windowOfSupplier(std::int64_t supplierId) { return -supplierId; }
    /// Whether a window of that id runs here, with requests in it.
    virtual bool runs(std::int64_t id) = 0;

private:
    void read(Database& database, std::span<const std::int64_t> ids);

    std::mutex _mutex;
    std::unordered_set<std::int64_t> _asked; ///< windows, since the last refresh()
};

} // namespace supplierd::host
