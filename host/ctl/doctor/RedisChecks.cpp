#include "host/ctl/doctor/DoctorChecks.h"
#include "host/redis/RedisLook.h"

#include <fmt/format.h>

#include <chrono>

namespace supplierd::host {
namespace {

constexpr std::chrono::seconds LIMIT{5};

constexpr const char* MEND_REDIS =
    "start Redis, or correct the table [redis] or the rights of its user: +@scripting +@read +@write +@pubsub +ping "
    "+select on ~PREFIX* and &PREFIX*; until then each server counts rate limits by itself";

} // namespace

void checkRedis(const Settings& settings, Findings& findings) {
    const auto& redis = settings.redis;
    if (!redis.isUsed())
        return;
    const auto look = lookAtRedis(redis, LIMIT);
    const auto millis = static_cast<double>(look.answeredIn.count()) / 1'000;
    if (!look.failure.empty())
        findings.push_back({Finding::Level::Error, "redis",
                            fmt::format("{} cannot be used: {}", redis.where(), look.failure), MEND_REDIS});
    else if (look.answeredIn > redis.timeLimit)
        findings.push_back({Finding::Level::Warning, "redis",
                            fmt::format("{} took {:.1f} ms, longer than time_limit", redis.where(), millis),
                            "look what keeps it busy, put it nearer, or raise redis.time_limit"});
    else
        findings.push_back({Finding::Level::Good, "redis",
                            fmt::format("{} answers in {:.1f} ms{}", redis.where(), millis,
                                        look.version.empty() ? "" : " (Redis " + look.version + ")")});
}

} // namespace supplierd::host
