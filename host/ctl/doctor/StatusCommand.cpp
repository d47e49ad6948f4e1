#include "host/ctl/client/ResponsePrinter.h"
#include "host/ctl/doctor/AdminClient.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/Terminal.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <string>

namespace supplierd::host {
namespace {

using Sighting = ServerSighting::State;

constexpr const char* STATUS_FOOTER = R"(
Asks the server itself, at server.admin_listen, so it ends soon whatever hangs. Exit code 0 when the server runs and is
ready, else 1. `supplierctl doctor` says more about what is wrong.)";

std::string describeState(const ServerSighting& seen) {
    switch (seen.state) {
    case Sighting::Ready:
        return "runs and is ready";
    case Sighting::NotReady:
        return "runs, but is not ready: " + seen.reason;
    case Sighting::Silent:
        return "runs, but does not answer: " + seen.reason +
               (seen.stoppedPid != 0 ? fmt::format("; kill -CONT {} lets it go on", seen.stoppedPid) : "");
    case Sighting::Foreign:
        return fmt::format("does not run; something else answers at {}", seen.admin.toString());
    case Sighting::Gone:
        return "does not run: it was killed, or it crashed: " + seen.reason;
    default:
        return "does not run";
    }
}

ResponseJson statusOf(const ServerSighting& seen, const Settings& settings) {
    ResponseJson status = {
        {"running", seen.runs()}, {"ready", seen.state == Sighting::Ready}, {"message", describeState(seen)}};
    auto restart = ResponseJson::array();
    if (const auto& running = seen.running) {
        status.update({{"version", running->version}, {"pid", running->pid}, {"started_at", running->startedAt}});
        auto& plugins = status["plugins"] = ResponseJson::array();
        for (const auto& plugin : running->plugins)
            plugins.push_back({{"id", plugin.id}, {"version", plugin.version}});
        auto& leftOut = status["left_out"] = ResponseJson::array();
        for (const auto& [id, reason] : running->leftOut)
            leftOut.push_back({{"id", id}, {"reason", reason}});
        status.update(seen.load);
        restart = running->outdated(settings);
    }
    status["restart"] = restart;
    return status;
}

std::string describeRedis(const ResponseJson& redis) {
    return redis.value("away", false) ? "away: this server counts rate limits by itself; `supplierctl doctor` says why"
                                      : "in use: rate limits are counted there";
}

std::string describeNode(const ResponseJson& node) {
    const auto is = [&](const char* key) { return node.value(key, false); };
    const std::string state = !is("up")         ? "away"
                              : !is("writable") ? "closed for writes"
                              : is("in_step")   ? "in step"
                                                : "behind";
    return node.value("name", "") + ": " + state + (is("writer") ? ", written to" : is("reader") ? ", read" : "");
}

void printText(std::ostream& out, const ResponseJson& status) {
    const auto line = [&](const char* name, const std::string& text) {
        out << fmt::format("{:<10}", name) << terminalText(text) << "\n";
    };
    const auto lines = [&](const char* name, const char* list, const auto& describe) {
        for (const auto& one : valueAt(status, list))
            line(name, describe(one));
    };
    const auto sentence = [&](const char* name, const char* text) { line(name, filledIn(text, status, {})); };
    sentence("server", "{message}");
    if (status.contains("version")) {
        sentence("version", "{version}");
        sentence("process", "{pid}, since {started_at}");
        std::string plugins;
        for (const auto& plugin : status["plugins"])
            plugins += filledIn(plugins.empty() ? "{id} {version}" : ", {id} {version}", plugin, {});
        line("plugins", plugins.empty() ? "none" : plugins);
        lines("left out", "left_out", [](const ResponseJson& one) { return filledIn("{id}: {reason}", one, {}); });
    }
    if (status.contains("requests")) {
        sentence("requests", "{requests.total} since then; {requests.client_errors} answered 4xx "
                             "({requests.rate_limited} over a key's limit), {requests.server_errors} answered 5xx");
        sentence("database", "{pool.in_use} sessions in use, {pool.idle} idle, {pool.waiting} requests waiting, "
                             "{pool.timeouts} gave up waiting");
        lines("node", "nodes", describeNode);
        if (status.contains("redis"))
            line("redis", describeRedis(status["redis"]));
    }
    lines("restart", "restart", [](const ResponseJson& what) { return what.get<std::string>(); });
}

} // namespace

void addStatusCommand(CLI::App& program, ControlContext& context) {
    auto* command = program.add_subcommand("status", "Whether the server runs, since when, and with what");
    command->footer(STATUS_FOOTER);
    command->callback([&context] {
        const auto status = statusOf(findServer(context.settings()), context.settings());
        if (context.json)
            context.print(status);
        else
            printText(context.out(), status);
        if (!status["ready"].get<bool>())
            throw ReportedFailure();
    });
}

} // namespace supplierd::host
