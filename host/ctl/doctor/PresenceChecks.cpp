#include "host/ctl/doctor/DoctorChecks.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/server/ServerPresence.h"

#include <supplierd/Errors.h>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace supplierd::host {
namespace {

std::string describe(const PresentServer& server) {
    return fmt::format("{} ({}, since {}, {})", server.name, server.version, server.startedAt,
                       server.redis.empty() ? "counts rate limits by itself" : "counts rate limits in " + server.redis);
}

std::vector<PresentServer> serversOf(ControlContext& context) {
    return context.database().read([](SqlSession& session) { return ServerPresence::list(session); });
}

void checkOneRedis(const std::vector<PresentServer>& servers, Findings& findings) {
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

void checkMissing(const std::vector<std::string>& missing, Findings& findings) {
    for (const auto& server : missing)
        findings.push_back({Finding::Level::Warning, "missing server",
                            "last heard of " + server + ", and it did not end in order",
                            "supplierctl status there: it was killed, stands still, or does not reach the database; "
                            "where another one has taken its place there is nothing to do"});
}

constexpr const char* FIX_ORDER = "give all of them the same servers in the same order in database.hosts, and restart "
                                  "those that differ: else two of them may write to two of these at once";

/// That all go to the same server of the database, now and after a failover.
void checkOrder(const std::vector<PresentServer>& servers, Findings& findings) {
    std::string all;
    auto worst = OrderMatch::Same;
    bool hasOrder = false;
    for (const auto& server : servers) {
        if (server.databases.empty())
            continue; // of the release before
        hasOrder |= server.databases.size() > 1;
        all += (all.empty() ? "" : "; ") + fmt::format("{} has {}", server.name, describe(server.databases));
        for (const auto& other : servers)
            if (!other.databases.empty() && other.id != server.id)
                worst = std::max(worst, compareDatabases(server, other));
    }
    switch (worst) {
    case OrderMatch::Same:
        if (hasOrder)
            findings.push_back({Finding::Level::Good, "database order", all});
        break;
    case OrderMatch::Unknown:
        findings.push_back({Finding::Level::Good, "database order",
                            all + ": whether these are the same servers is not known yet; each server says so within "
                                  "half a minute of its start, but for those that are away"});
        break;
    case OrderMatch::Shorter:
        findings.push_back(
            {Finding::Level::Warning, "database order", all + ": some lack what others have", FIX_ORDER});
        break;
    case OrderMatch::Different:
        findings.push_back({Finding::Level::Error, "database order",
                            all + ": these are not the same servers in the same order", FIX_ORDER});
        break;
    }
}

} // namespace

void checkServers(ControlContext& context, Findings& findings) {
    std::vector<PresentServer> servers;
    std::vector<std::string> missing;
    try {
        servers = serversOf(context);
        missing = context.database().read([](SqlSession& session) { return ServerPresence::missing(session); });
    } catch (const DatabaseError&) {
        return; // the findings of the database say so
    } catch (const ApiError&) {
        return;
    }
    checkMissing(missing, findings);
    if (servers.empty())
        return; // whether this one runs is told elsewhere
    checkOneRedis(servers, findings);
    if (servers.size() > 1)
        checkOrder(servers, findings);
}

} // namespace supplierd::host
