#pragma once

#include "host/auth/LocalRateLimiter.h"
#include "host/redis/RedisCounts.h"

namespace supplierd::host {

/// Counts the windows of keys in Redis, so that several servers share them exactly. This server notes each answer in a
/// LocalRateLimiter of its own, and counts there while Redis does not answer. When Redis answers again, the server
/// reports what it has counted meanwhile, and what it knows of a window that Redis has lost. The windows of suppliers
/// are always those of the LocalRateLimiter. Thread: as the base class.
class RedisRateLimiter final : public RateLimiter {
public:
    /// It must outlive this.
    explicit RedisRateLimiter(RedisCounts& counts) : _counts(counts) {}

    void merge(std::int64_t id, const StoredRateLimitWindow& stored) override { _local.merge(id, stored, true); }
    void save(Database& database) override { _local.save(database); }
    /// Where Redis is asked, the successor counts there, too.
    void reserve(std::int64_t requests) override { _local.reserve(_counts.isAvailable() ? 0 : requests); }
    RateLimitState ask(std::int64_t id, std::int64_t limit, bool counts) override;
    bool runs(std::int64_t id) override { return _local.runs(id); }

private:
    RedisCounts& _counts;
    LocalRateLimiter _local;
};

} // namespace supplierd::host
