#include "host/Version.h"
#include "host/ctl/doctor/DoctorChecks.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/redis/RedisProbe.h"
#include "host/server/ServerPresence.h"

#include <supplierd/Errors.h>

#include <Poco/Exception.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/ServerSocket.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace supplierd::host {
namespace {

using Poco::Net::SocketAddress;
using Sighting = ServerSighting::State;

constexpr const char* RESTART = "systemctl restart supplierd (without systemd: kill -USR2 PID)";
constexpr const char* RELOAD = "systemctl reload supplierd (without systemd: kill -HUP PID)";
const std::string SEE_LOG = std::string("see the server's log; ") + RESTART;
constexpr const char* START = "systemctl start supplierd (without systemd: run supplierd); its log says why it ended";

/// Binding tells what connecting cannot: no right to use the port, or an address that is not this machine's.
void checkFree(const std::string& what, const SocketAddress& address, Findings& findings) {
    try {
        Poco::Net::ServerSocket probe;
        probe.bind(address, true);
        findings.good(what, address.toString() + " is free for the server");
    } catch (const Poco::Exception& error) {
        findings.fail(what, fmt::format("{} cannot be used: {}", address.toString(), error.displayText()),
                      "choose an address of this machine and a port that is free and, for an ordinary user, "
                      "above 1023");
    }
}

/// Whether systemd runs here and was told to start the server of this configuration.
bool isEnabledService(const Settings& settings) {
    std::error_code error;
    return settings.file == DEFAULT_CONFIG_FILE && std::filesystem::exists("/run/systemd/system", error) &&
           std::filesystem::exists(
               std::filesystem::symlink_status("/etc/systemd/system/multi-user.target.wants/supplierd.service", error));
}

void checkState(const Settings& settings, const ServerSighting& seen, Findings& findings) {
    const auto address = seen.admin.toString();
    switch (seen.state) {
    case Sighting::Ready:
        return findings.good("server", "runs and is ready");
    case Sighting::NotReady:
        return findings.fail("server", "runs, but is not ready: " + seen.reason,
                             "mend what the other findings say; the server's log has more");
    case Sighting::Silent:
        return findings.fail("server", fmt::format("runs, but does not answer at {}: {}", address, seen.reason),
                             seen.stoppedPid != 0 ? fmt::format("let it go on: kill -CONT {}", seen.stoppedPid)
                                                  : SEE_LOG);
    case Sighting::Foreign:
        return findings.fail("admin listener", "something else answers at " + address,
                             "stop it, or change server.admin_listen");
    case Sighting::Gone:
        return findings.fail("server", "it was killed, or it crashed: " + seen.reason, START);
    case Sighting::Stopped:
        break;
    }
    if (isEnabledService(settings))
        findings.fail("server", "does not run, although systemd is to start it", START);
    else
        findings.warn("server", "does not run", START);
}

void checkRunning(const RunningServer& running, const Settings& settings, Findings& findings) {
    const bool isSame = running.version == VERSION;
    findings.judge(isSame, Finding::Level::Warning, "server version",
                   isSame ? running.version
                          : fmt::format("the server that runs is {}, this supplierctl is {}", running.version, VERSION),
                   "", RELOAD);
    const auto outdated = running.outdated(settings);
    for (const auto& what : outdated)
        findings.warn("restart", what, RELOAD);
    if (outdated.empty())
        findings.good("restart", "not needed: the server runs what is installed, configured and enabled");
    for (const auto& [plugin, reason] : running.leftOut)
        findings.fail("plugin " + plugin, "the server runs without it: " + reason,
                      std::string("do what the reason says, unless it is done already, then: ") + RELOAD);
}

/// Every answer of the API has the envelope, refusals included.
bool isOurs(const ServerResponse& answer) {
    return answer.body.starts_with("{\"success\":");
}

/// It runs, and will not say more to one without a key now: too many failures from here, overload, database away.
void addRefusal(const std::string& address, int status, Findings& findings) {
    const auto answers = fmt::format("{} answers {}", address, status);
    if (status == Poco::Net::HTTPResponse::HTTP_TOO_MANY_REQUESTS)
        findings.good("listener", answers + ": too many failed authentications came from here lately");
    else if (status == Poco::Net::HTTPResponse::HTTP_SERVICE_UNAVAILABLE)
        findings.warn("listener", answers + ": overloaded, or its database is away",
                      "see the findings about the database, and the server's log");
    else
        findings.warn("listener", answers + " to a request without a key", "see the server's log");
}

void checkPublicListener(const ServerSettings& settings, const ServerSighting& seen, Findings& findings) {
    const auto address = settings.listen.toString();
    const auto answer = askHttp(settings.listen, "/api/v1/supplier/products", protocolOf(settings));
    if (answer && answer->status == 0 && seen.state == Sighting::Silent)
        return; // that it does not answer is told
    if (!answer && !seen.runs())
        checkFree("listener", settings.listen, findings);
    else if (!answer)
        findings.fail("listener", "the server runs, but not at " + address,
                      std::string("restart it, so that it takes the present configuration: ") + RESTART);
    else if (answer->status == 0 && seen.runs())
        findings.fail("listener", fmt::format("{} does not answer: {}", address, answer->body), SEE_LOG);
    else if (answer->status == 401)
        findings.good("listener",
                      address + (answer->certificate
                                     ? fmt::format(" answers by HTTPS, with the certificate of {}, which is "
                                                   "valid until {}",
                                                   answer->certificate->names, answer->certificate->expiry())
                                     : " answers"));
    else if (isOurs(*answer))
        addRefusal(address, answer->status, findings);
    else
        findings.fail("listener", "something else answers at " + address, "stop it, or change server.listen");
}

std::string describe(const PresentServer& server) {
    return fmt::format("{} ({}, since {}, {})", server.name, server.version, server.startedAt,
                       server.redis.empty() ? "without Redis" : "with Redis " + server.redis);
}

void checkOneRedis(const std::vector<PresentServer>& servers, Findings& findings) {
    std::string all;
    for (const auto& server : servers)
        all += (all.empty() ? "" : "; ") + describe(server);
    const auto alone = std::ranges::count_if(servers, [](const PresentServer& server) { return server.redis.empty(); });
    const bool isOneRedis =
        std::ranges::all_of(servers, [&](const auto& server) { return server.redis == servers.front().redis; });
    findings.judge(
        (alone == 0 && isOneRedis) || (servers.size() == 1 && alone == 1), Finding::Level::Warning, "servers", all, "",
        alone == 0 ? "name the same Redis, database and prefix in [redis] of all of them, so that they count "
                     "as one; if these are one Redis by several names, all is well"
                   : "give all of them the same [redis], so that they count rate limits as one");
}

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
    constexpr const char* FIX = "give all of them the same servers in the same order in database.hosts, and restart "
                                "those that differ: else two of them may write to two of these at once";
    if (worst == OrderMatch::Unknown)
        findings.good("database order",
                      all + ": whether these are the same servers is not known yet; each server says so within half a "
                            "minute of its start, but for those that are away");
    else if (worst == OrderMatch::Shorter)
        findings.warn("database order", all + ": some lack what others have", FIX);
    else if (worst == OrderMatch::Different)
        findings.fail("database order", all + ": these are not the same servers in the same order", FIX);
    else if (hasOrder)
        findings.good("database order", all);
}

constexpr std::chrono::seconds REDIS_LIMIT{5};

constexpr const char* MEND_REDIS =
    "start Redis, or correct the table [redis] or the rights of its user: +@read +@write +@scripting "
    "+@connection on ~PREFIX*; until then each server counts rate limits by itself";

} // namespace

void checkServer(const Settings& settings, const ServerSighting& seen, Findings& findings) {
    checkState(settings, seen, findings);
    if (seen.running)
        checkRunning(*seen.running, settings, findings);
    if (!seen.runs() && seen.state != Sighting::Foreign && settings.server.adminListen.port() != 0)
        checkFree("admin listener", settings.server.adminListen, findings);
    if (settings.server.listen.port() != 0)
        checkPublicListener(settings.server, seen, findings);
}

void checkServers(ControlContext& context, Findings& findings) {
    std::vector<PresentServer> servers;
    std::vector<std::string> missing;
    try {
        servers = context.database().read([](SqlSession& session) { return ServerPresence::list(session); });
        missing = context.database().read([](SqlSession& session) { return ServerPresence::missing(session); });
    } catch (const DatabaseError&) {
        return; // the findings of the database say so
    } catch (const ApiError&) {
        return;
    }
    for (const auto& server : missing)
        findings.warn("missing server", "last heard of " + server + ", and it did not end in order",
                      "supplierctl status there: it was killed, stands still, or does not reach the database; where "
                      "another one has taken its place there is nothing to do");
    if (servers.empty())
        return; // whether this one runs is told elsewhere
    checkOneRedis(servers, findings);
    if (servers.size() > 1)
        checkOrder(servers, findings);
}

void checkRedis(const Settings& settings, Findings& findings) {
    const auto& redis = settings.redis;
    if (!redis.isUsed())
        return;
    const auto look = probeRedis(redis, REDIS_LIMIT);
    const auto millis = static_cast<double>(look.answeredIn.count()) / 1'000;
    if (!look.failure.empty())
        findings.fail("redis", fmt::format("{} cannot be used: {}", redis.where(), look.failure), MEND_REDIS);
    else if (look.answeredIn > redis.timeLimit)
        findings.warn("redis", fmt::format("{} took {:.1f} ms, longer than time_limit", redis.where(), millis),
                      "look what keeps it busy, put it nearer, or raise redis.time_limit");
    else
        findings.good("redis", fmt::format("{} answers in {:.1f} ms{}", redis.where(), millis,
                                           look.version.empty() ? "" : " (Redis " + look.version + ")"));
}

} // namespace supplierd::host
