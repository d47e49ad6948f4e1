#include "host/redis/RedisRateLimiter.h"

#include <string>

namespace supplierd::host {

RateLimitState RedisRateLimiter::ask(std::int64_t id, std::int64_t limit, bool counts) {
    if (id < 0)
        return _local.ask(id, limit, counts);
    const bool isAsked = _counts.isAvailable(); // else it counts that Redis was skipped
    const auto answer = _counts.count({"key:" + std::to_string(id), limit, WINDOW, counts, _local.known(id, isAsked)});
    return answer ? _local.record(id, limit, *answer, counts) : _local.ask(id, limit, counts, !isAsked);
}

} // namespace supplierd::host
