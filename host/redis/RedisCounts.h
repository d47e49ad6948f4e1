#pragma once

#include "host/auth/SharedCounts.h"
#include "host/redis/RedisClient.h"

namespace supplierd::host {

/// The windows of limits in Redis: one round trip each time, by a script. Redis' clock ends them. Thread: any.
class RedisCounts final : public SharedCounts {
public:
    /// It must outlive this.
    explicit RedisCounts(RedisClient& client);

    std::optional<SharedCount> count(const SharedCountRequest& request) override;
    /// Whether Redis is asked at all at the moment.
    bool isAvailable() const { return !_client.isAway(); }

private:
    RedisClient& _client;
    const RedisScript _script;
};

} // namespace supplierd::host
