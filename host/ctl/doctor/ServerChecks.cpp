#include "host/Version.h"
#include "host/ctl/doctor/AdminClient.h"
#include "host/ctl/doctor/DoctorChecks.h"

#include <Poco/Exception.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/ServerSocket.h>

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace supplierd::host {
namespace {

using Poco::Net::SocketAddress;
using Sighting = ServerSighting::State;

constexpr const char* RESTART = "systemctl restart supplierd (without systemd: kill -USR2 PID)";
constexpr const char* RELOAD = "systemctl reload supplierd (without systemd: kill -HUP PID)";
constexpr const char* START = "systemctl start supplierd (without systemd: run supplierd); its log says why it ended";

/// Binding tells what connecting cannot: no right to use the port, or an address that is not this machine's.
void checkFree(const std::string& what, const SocketAddress& address, Findings& findings) {
    try {
        Poco::Net::ServerSocket probe;
        probe.bind(address, true);
        findings.push_back({Finding::Level::Good, what, address.toString() + " is free for the server"});
    } catch (const Poco::Exception& error) {
        findings.push_back({Finding::Level::Error, what,
                            fmt::format("{} cannot be used: {}", address.toString(), error.displayText()),
                            "choose an address of this machine and a port that is free and, for an ordinary user, "
                            "above 1023"});
    }
}

/// Whether systemd runs here and was told to start the server of this configuration.
bool isEnabledService(const Settings& settings) {
    std::error_code error;
    return settings.file == DEFAULT_CONFIG_FILE && std::filesystem::exists("/run/systemd/system", error) &&
           std::filesystem::exists(
               std::filesystem::symlink_status("/etc/systemd/system/multi-user.target.wants/supplierd.service", error));
}

Finding describeState(const Settings& settings, const ServerSighting& seen) {
    const auto address = seen.admin.toString();
    switch (seen.state) {
    case Sighting::Ready:
        return {Finding::Level::Good, "server", "runs and is ready"};
    case Sighting::NotReady:
        return {Finding::Level::Error, "server", "runs, but is not ready: " + seen.reason,
                "mend what the other findings say; the server's log has more"};
    case Sighting::Silent:
        return {Finding::Level::Error, "server",
                fmt::format("runs, but does not answer at {}: {}", address, seen.reason),
                seen.stoppedPid != 0 ? fmt::format("let it go on: kill -CONT {}", seen.stoppedPid)
                                     : std::string("see the server's log; ") + RESTART};
    case Sighting::Foreign:
        return {Finding::Level::Error, "admin listener", fmt::format("something else answers at {}", address),
                "stop it, or change server.admin_listen"};
    case Sighting::Gone:
        return {Finding::Level::Error, "server", "it was killed, or it crashed: " + seen.reason, START};
    case Sighting::Stopped:
        break;
    }
    if (isEnabledService(settings))
        return {Finding::Level::Error, "server", "does not run, although systemd is to start it", START};
    return {Finding::Level::Warning, "server", "does not run", START};
}

void checkVersion(const RunningServer& running, Findings& findings) {
    if (running.version == VERSION)
        findings.push_back({Finding::Level::Good, "server version", running.version});
    else
        findings.push_back({Finding::Level::Warning, "server version",
                            fmt::format("the server that runs is {}, this supplierctl is {}", running.version, VERSION),
                            RELOAD});
}

void checkUpToDate(const RunningServer& running, const Settings& settings, Findings& findings) {
    const auto outdated = running.outdated(settings);
    for (const auto& what : outdated)
        findings.push_back({Finding::Level::Warning, "restart", what, RELOAD});
    if (outdated.empty())
        findings.push_back(
            {Finding::Level::Good, "restart", "not needed: the server runs what is installed, configured and enabled"});
}

void checkLeftOut(const RunningServer& running, Findings& findings) {
    for (const auto& [plugin, reason] : running.leftOut)
        findings.push_back({Finding::Level::Error, "plugin " + plugin, "the server runs without it: " + reason,
                            std::string("do what the reason says, unless it is done already, then: ") + RELOAD});
}

/// Every answer of the API has the envelope, refusals included.
bool isOurs(const HttpAnswer& answer) {
    return answer.body.starts_with("{\"success\":");
}

/// It runs, and will not say more to one without a key now: too many failures from here, overload, database away.
Finding describeListenerRefusal(const SocketAddress& address, int status) {
    const auto answers = fmt::format("{} answers {}", address.toString(), status);
    if (status == Poco::Net::HTTPResponse::HTTP_TOO_MANY_REQUESTS)
        return {Finding::Level::Good, "listener", answers + ": too many failed authentications came from here lately"};
    if (status == Poco::Net::HTTPResponse::HTTP_SERVICE_UNAVAILABLE)
        return {Finding::Level::Warning, "listener", answers + ": overloaded, or its database is away",
                "see the findings about the database, and the server's log"};
    return {Finding::Level::Warning, "listener", answers + " to a request without a key", "see the server's log"};
}

std::string describeAnswer(const SocketAddress& address, const HttpAnswer& answer) {
    if (!answer.certificate)
        return address.toString() + " answers";
    return fmt::format("{} answers by HTTPS, with the certificate of {}, which is valid until {}", address.toString(),
                       answer.certificate->names, answer.certificate->expiry());
}

void checkPublicListener(const ServerSettings& settings, const ServerSighting& seen, bool runs, Findings& findings) {
    const auto& address = settings.listen;
    const auto answer = askHttp(address, "/api/v1/supplier/products", protocolOf(settings));
    if (answer && answer->status == 0 && seen.state == Sighting::Silent)
        return; // that it does not answer is told
    if (!answer && !runs)
        checkFree("listener", address, findings);
    else if (!answer)
        findings.push_back({Finding::Level::Error, "listener",
                            fmt::format("the server runs, but not at {}", address.toString()),
                            std::string("restart it, so that it takes the present configuration: ") + RESTART});
    else if (answer->status == 0 && runs)
        findings.push_back({Finding::Level::Error, "listener",
                            fmt::format("{} does not answer: {}", address.toString(), answer->body),
                            std::string("see the server's log; ") + RESTART});
    else if (answer->status == 401)
        findings.push_back({Finding::Level::Good, "listener", describeAnswer(address, *answer)});
    else if (isOurs(*answer))
        findings.push_back(describeListenerRefusal(address, answer->status));
    else
        findings.push_back({Finding::Level::Error, "listener",
                            fmt::format("something else answers at {}", address.toString()),
                            "stop it, or change server.listen"});
}

} // namespace

void checkServer(const Settings& settings, const ServerSighting& seen, Findings& findings) {
    findings.push_back(describeState(settings, seen));
    if (seen.running) {
        checkVersion(*seen.running, findings);
        checkUpToDate(*seen.running, settings, findings);
        checkLeftOut(*seen.running, findings);
    }
    const bool runs =
        seen.state == Sighting::Ready || seen.state == Sighting::NotReady || seen.state == Sighting::Silent;
    if (!runs && seen.state != Sighting::Foreign && settings.server.adminListen.port() != 0)
        checkFree("admin listener", settings.server.adminListen, findings);
    if (settings.server.listen.port() != 0)
        checkPublicListener(settings.server, seen, runs, findings);
}

} // namespace supplierd::host
