#include "host/ctl/doctor/AdminClient.h"

#include "host/Version.h"
#include "host/config/ServerAccount.h"
#include "host/plugins/IsolatedRun.h"

#include <Poco/Exception.h>

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <string_view>

namespace supplierd::host {
namespace {

using Poco::Net::SocketAddress;
using Sighting = ServerSighting::State;

constexpr std::chrono::seconds ACCESS_LIMIT{10}; // a file of a network may hang
constexpr std::string_view SCHEME = "http://";

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
    const auto json = ResponseJson::parse(file, nullptr, false);
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
    const auto json = ResponseJson::parse(body, nullptr, false);
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
        return ServerSighting{Sighting::Silent, health->body, address, {}, {}};
    const auto ready = askHttp(address, "/readyz");
    if (health->status != 200 || !ready || ready->status == 404)
        return ServerSighting{Sighting::Foreign, {}, address, {}, {}};
    ServerSighting seen{ready->status == 200 ? Sighting::Ready : Sighting::NotReady,
                        ready->status == 200 ? "" : reasonsOf(ready->body),
                        address,
                        {},
                        {}};
    if (const auto status = askHttp(address, "/status"); status && status->status == 200) {
        seen.running = RunningServer::parse(status->body);
        if (seen.running)
            seen.load = ResponseJson::parse(status->body).value("load", ResponseJson::object());
    }
    return seen;
}

std::string nameOf(uid_t user) {
    const passwd* const entry = ::getpwuid(user);
    return entry ? std::string(entry->pw_name) : std::to_string(user);
}

/// From the process's status: the folder itself is root's when the process hides its memory.
std::optional<ServerUser> userOf(std::int64_t pid) {
    std::ifstream status(fmt::format("/proc/{}/status", pid));
    std::optional<uid_t> user;
    std::optional<gid_t> group;
    for (std::string line; std::getline(status, line);) {
        unsigned real = 0;
        unsigned effective = 0;
        if (std::sscanf(line.c_str(), "Uid: %u %u", &real, &effective) == 2)
            user = effective;
        else if (std::sscanf(line.c_str(), "Gid: %u %u", &real, &effective) == 2)
            group = effective;
    }
    if (!user || !group)
        return std::nullopt;
    return ServerUser{*user, *group, nameOf(*user)};
}

} // namespace

ServerSighting findServer(const Settings& settings) {
    const auto& configured = settings.server.adminListen;
    const auto files = readProcessFiles(settings.server);
    std::optional<ServerSighting> seen;
    if (configured.port() != 0)
        seen = look(configured);
    if (!seen && files.admin && runs(files.pid))
        seen = look(*files.admin);
    if (!seen && files.pid == 0)
        return {Sighting::Stopped, {}, configured, {}, {}};
    if (!seen && !runs(files.pid))
        return {Sighting::Gone, fmt::format("process {} is gone", files.pid), configured, {}, {}};
    if (!seen)
        seen = ServerSighting{
            Sighting::Silent, fmt::format("process {} is there, and nobody listens", files.pid), configured, {}, {}};
    explain(*seen, files.pid);
    return *seen;
}

ServerUser ServerUser::find(const Settings& settings, const ServerSighting& seen) {
    if (const auto running = seen.running ? userOf(seen.running->pid) : std::nullopt)
        return *running;
    if (const auto account = settings.file == DEFAULT_CONFIG_FILE ? ServerAccount::find() : std::nullopt)
        return {account->user, account->group, ServerAccount::NAME};
    return {::geteuid(), ::getegid(), nameOf(::geteuid())};
}

bool ServerUser::may(const std::filesystem::path& file, int mode) const {
    if (::geteuid() != 0 || user == 0)
        return ::access(file.c_str(), mode) == 0;
    const auto asThisUser = [&](FindingWriter& writer) noexcept {
        const bool changed = ::initgroups(name.c_str(), group) == 0 && ::setresgid(group, group, group) == 0 &&
                             ::setresuid(user, user, user) == 0;
        if (changed && ::access(file.c_str(), mode) == 0)
            writer.add({});
    };
    return !runIsolated(asThisUser, ACCESS_LIMIT).findings.empty();
}

} // namespace supplierd::host
