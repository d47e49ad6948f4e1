#include "host/ctl/doctor/AdminClient.h"

#include <Poco/Exception.h>
#include <Poco/Net/HTTPClientSession.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/IPAddress.h>
#include <Poco/Net/NetException.h>
#include <Poco/StreamCopier.h>
#include <Poco/Timespan.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <csignal>
#include <fstream>

namespace supplierd::host {
namespace {

using Poco::Net::SocketAddress;
using Sighting = ServerSighting::State;

constexpr int TIMEOUT_SECONDS = 5;
constexpr std::string_view SCHEME = "http://";

SocketAddress reachable(const SocketAddress& address) {
    if (!address.host().isWildcard())
        return address;
    const auto family = address.host().family();
    return {Poco::Net::IPAddress(family == Poco::Net::IPAddress::IPv6 ? "::1" : "127.0.0.1"), address.port()};
}

/// What a server that serves leaves beside its pid.
struct ProcessFiles {
    std::int64_t pid = 0;
    std::optional<SocketAddress> admin;
};

ProcessFiles readProcessFiles(const ServerSettings& settings) {
    ProcessFiles files;
    if (!settings.pidFile.empty())
        std::ifstream(settings.pidFile) >> files.pid;
    std::ifstream file(settings.addressFile);
    const auto json = nlohmann::json::parse(file, nullptr, false);
    if (!json.is_object())
        return files;
    if (files.pid == 0)
        files.pid = json.value("pid", std::int64_t{0});
    const auto url = json.value("admin_url", std::string());
    try {
        if (url.starts_with(SCHEME))
            files.admin = SocketAddress(url.substr(SCHEME.size()));
    } catch (const Poco::Exception&) {
        files.admin.reset(); // written by something else; the configured address is left
    }
    return files;
}

bool runs(std::int64_t pid) {
    return pid > 0 && (::kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM);
}

/// By SIGSTOP, or a debugger.
bool standsStill(std::int64_t pid) {
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    std::string line;
    std::getline(file, line);
    const auto name = line.rfind(") "); // which may hold anything
    return name != std::string::npos && name + 2 < line.size() && (line[name + 2] == 'T' || line[name + 2] == 't');
}

/// Why it is silent, where its process tells.
void explain(ServerSighting& seen, std::int64_t pid) {
    if (seen.state != Sighting::Silent || !standsStill(pid))
        return;
    seen.reason = fmt::format("process {} stands still (SIGSTOP)", pid);
    seen.stoppedPid = pid;
}

std::string reasonsOf(const std::string& body) {
    const auto json = nlohmann::json::parse(body, nullptr, false);
    std::string text;
    if (json.is_object() && json.contains("checks"))
        for (const auto& [check, said] : json.at("checks").items())
            if (said.is_string() && said != "ok")
                text += (text.empty() ? "" : "; ") + check + ": " + said.get<std::string>();
    return text.empty() ? body : text;
}

/// Nothing when nobody listens there.
std::optional<ServerSighting> look(const SocketAddress& address) {
    const auto health = askHttp(address, "/healthz");
    if (!health)
        return std::nullopt;
    if (health->status == 0)
        return ServerSighting{Sighting::Silent, health->body, address, std::nullopt};
    const auto ready = askHttp(address, "/readyz");
    if (health->status != 200 || !ready || ready->status == 404)
        return ServerSighting{Sighting::Foreign, {}, address, std::nullopt};
    ServerSighting seen{ready->status == 200 ? Sighting::Ready : Sighting::NotReady,
                        ready->status == 200 ? "" : reasonsOf(ready->body), address, std::nullopt};
    if (const auto status = askHttp(address, "/status"); status && status->status == 200)
        seen.running = RunningServer::parse(status->body);
    return seen;
}

} // namespace

std::optional<HttpAnswer> askHttp(const SocketAddress& address, const std::string& path) {
    try {
        Poco::Net::HTTPClientSession session(reachable(address));
        session.setTimeout(Poco::Timespan(TIMEOUT_SECONDS, 0));
        Poco::Net::HTTPRequest request("GET", path, Poco::Net::HTTPRequest::HTTP_1_1);
        session.sendRequest(request);
        Poco::Net::HTTPResponse response;
        HttpAnswer answer;
        Poco::StreamCopier::copyToString(session.receiveResponse(response), answer.body);
        answer.status = response.getStatus();
        return answer;
    } catch (const Poco::Net::ConnectionRefusedException&) {
        return std::nullopt;
    } catch (const Poco::Exception& error) {
        return HttpAnswer{0, error.displayText()};
    }
}

ServerSighting findServer(const Settings& settings) {
    const auto& configured = settings.server.adminListen;
    const auto files = readProcessFiles(settings.server);
    std::optional<ServerSighting> seen;
    if (configured.port() != 0)
        seen = look(configured);
    if (!seen && files.admin && runs(files.pid))
        seen = look(*files.admin);
    if (!seen && files.pid == 0)
        return {Sighting::Stopped, {}, configured, std::nullopt};
    if (!seen && !runs(files.pid))
        return {Sighting::Gone, fmt::format("process {} is gone", files.pid), configured, std::nullopt};
    if (!seen)
        seen = ServerSighting{Sighting::Silent, fmt::format("process {} is there, and nobody listens", files.pid),
                              configured, std::nullopt};
    explain(*seen, files.pid);
    return *seen;
}

} // namespace supplierd::host
