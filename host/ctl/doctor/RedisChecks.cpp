#include "host/ctl/doctor/DoctorChecks.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/redis/RedisLook.h"
#include "host/server/ServerPresence.h"

#include <supplierd/Errors.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace supplierd::host {
namespace {

constexpr std::chrono::seconds LIMIT{5};

constexpr const char* MEND_REDIS =
    "start Redis, or correct the table [redis] or the rights of its user: +@scripting +@read +@write +@pubsub +ping "
    "+select on ~PREFIX* and &PREFIX*; until then each server counts rate limits by itself";

std::string describe(const PresentServer& server) {
    return fmt::format("{} ({}, since {}, {})", server.name, server.version, server.startedAt,
                       server.redis.empty() ? "counts rate limits by itself" : "counts rate limits in " + server.redis);
}

std::vector<PresentServer> serversOf(ControlContext& context) {
    return context.database().read([](SqlSession& session) { return ServerPresence::list(session); });
}

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

void checkServers(ControlContext& context, Findings& findings) {
    std::vector<PresentServer> servers;
    try {
        servers = serversOf(context);
    } catch (const DatabaseError&) {
        return; // the findings of the database say so
    } catch (const ApiError&) {
        return;
    }
    if (servers.empty())
        return; // whether this one runs is told elsewhere
    std::string all;
    for (const auto& server : servers)
        all += (all.empty() ? "" : "; ") + describe(server);
    const auto alone =
        std::count_if(servers.begin(), servers.end(), [](const PresentServer& server) { return server.redis.empty(); });
    const bool isOneRedis = std::all_of(servers.begin(), servers.end(), [&](const PresentServer& server) {
        return server.redis == servers.front().redis;
    });
    if (alone == 0 && !isOneRedis)
        findings.push_back({Finding::Level::Warning, "servers", all,
                            "name the same Redis, database and prefix in [redis] of all of them, so that they count as "
                            "one; if these are one Redis by several names, all is well"});
    else if (servers.size() > 1 && alone > 0)
        findings.push_back({Finding::Level::Warning, "servers", all,
                            "give all of them the same [redis], so that they count as one and tell each other of "
                            "revoked keys at once"});
    else
        findings.push_back({Finding::Level::Good, "servers", all});
}

} // namespace supplierd::host
