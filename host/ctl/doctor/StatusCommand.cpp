#include "host/ctl/doctor/AdminClient.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/Terminal.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <sstream>
#include <string>

namespace supplierd::host {
namespace {

using Sighting = ServerSighting::State;

constexpr const char* STATUS_FOOTER = R"(
Asks the server itself, at server.admin_listen, so it ends soon whatever hangs. Exit code 0 when the server runs and is
ready, else 1. `supplierctl doctor` says more about what is wrong.)";

/// What the server thinks of one of database.hosts.
struct NodeUse {
    bool isUp = false;
    bool isWritable = false;
    bool isInStep = false;
    bool isWriter = false;
    bool isReader = false;
};

/// Of /metrics, since the server started.
struct Numbers {
    std::int64_t requests = 0;
    std::int64_t clientErrors = 0;
    std::int64_t serverErrors = 0;
    std::int64_t rateLimited = 0;
    std::int64_t poolInUse = 0;
    std::int64_t poolIdle = 0;
    std::int64_t poolWaiting = 0;
    std::int64_t poolTimeouts = 0;
    std::optional<std::int64_t> redisAway; ///< nothing: none is configured
    bool hearsByRedis = false;             ///< of revoked keys; an idle server finds only by this that Redis is away
    std::map<std::string, NodeUse> nodes;  ///< by their names; none: database.hosts is empty
};

void count(Numbers& numbers, std::string_view labels, std::int64_t value) {
    constexpr std::string_view STATUS = "status=\"";
    const auto place = labels.find(STATUS);
    const char first = place == std::string_view::npos ? '2' : labels.substr(place + STATUS.size()).front();
    numbers.requests += value;
    numbers.clientErrors += first == '4' ? value : 0;
    numbers.serverErrors += first == '5' ? value : 0;
}

void noteNode(Numbers& numbers, std::string_view name, std::string_view labels, bool value) {
    constexpr std::array<std::pair<std::string_view, bool NodeUse::*>, 5> TOLD{
        {{"supplierd_database_node_up", &NodeUse::isUp},
         {"supplierd_database_node_writable", &NodeUse::isWritable},
         {"supplierd_database_node_in_step", &NodeUse::isInStep},
         {"supplierd_database_writer", &NodeUse::isWriter},
         {"supplierd_database_reader", &NodeUse::isReader}}};
    constexpr std::string_view BEGIN = "{node=\"";
    const auto end = labels.rfind("\"}");
    if (!labels.starts_with(BEGIN) || end == std::string_view::npos)
        return;
    for (const auto& [wanted, told] : TOLD)
        if (name == wanted)
            numbers.nodes[std::string(labels.substr(BEGIN.size(), end - BEGIN.size()))].*told = value;
}

/// Lines of "name{labels} value".
Numbers readNumbers(const std::string& metrics) {
    Numbers numbers;
    const std::array<std::pair<std::string_view, std::int64_t*>, 5> plain{
        {{"supplierd_rate_limited_total", &numbers.rateLimited},
         {"supplierd_pool_in_use", &numbers.poolInUse},
         {"supplierd_pool_idle", &numbers.poolIdle},
         {"supplierd_pool_waiting", &numbers.poolWaiting},
         {"supplierd_pool_timeouts", &numbers.poolTimeouts}}};
    std::istringstream lines(metrics);
    for (std::string line; std::getline(lines, line);) {
        const auto blank = line.rfind(' ');
        if (line.starts_with('#') || blank == std::string::npos)
            continue;
        double value = 0;
        std::from_chars(line.data() + blank + 1, line.data() + line.size(), value);
        const auto brace = line.find('{');
        const auto name = std::string_view(line).substr(0, std::min(brace, blank));
        if (name == "supplierd_requests_total")
            count(numbers, std::string_view(line).substr(name.size()), static_cast<std::int64_t>(value));
        noteNode(numbers, name, std::string_view(line).substr(name.size()), value != 0);
        if (name == "supplierd_redis_listening")
            numbers.hearsByRedis = value != 0;
        if (name == "supplierd_redis_away")
            numbers.redisAway = static_cast<std::int64_t>(value);
        for (const auto& [wanted, number] : plain)
            if (name == wanted)
                *number = static_cast<std::int64_t>(value);
    }
    return numbers;
}

struct Status {
    ServerSighting seen;
    std::vector<std::string> outdated;
    std::optional<Numbers> numbers;
    std::vector<std::pair<std::string, NodeUse>> nodes; ///< as the configuration orders them

    bool isReady() const { return seen.state == Sighting::Ready; }
    bool runs() const { return isReady() || seen.state == Sighting::NotReady || seen.state == Sighting::Silent; }
};

Status look(ControlContext& context) {
    const auto& settings = context.settings();
    Status status{findServer(settings), {}, {}, {}};
    if (status.seen.running)
        status.outdated = status.seen.running->outdated(settings);
    if (status.seen.state != Sighting::Ready && status.seen.state != Sighting::NotReady)
        return status;
    if (const auto metrics = askHttp(status.seen.admin, "/metrics"); metrics && metrics->status == 200)
        status.numbers = readNumbers(metrics->body);
    for (const NodeAddress& node : settings.database.session.nodes)
        if (status.numbers && status.numbers->nodes.contains(node.name()))
            status.nodes.emplace_back(node.name(), status.numbers->nodes.at(node.name()));
    return status;
}

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

std::string describeRedis(const Numbers& numbers) {
    if (numbers.redisAway != 0)
        return "away: this server counts rate limits by itself; `supplierctl doctor` says why";
    return numbers.hearsByRedis ? "in use: rate limits are counted there"
                                : "not heard: no word of keys that other servers revoke; `supplierctl doctor` says why";
}

std::string describeNode(const NodeUse& use) {
    std::string text = !use.isUp ? "away" : !use.isWritable ? "closed for writes" : use.isInStep ? "in step" : "behind";
    if (use.isWriter)
        text += ", written to";
    if (use.isReader && !use.isWriter)
        text += ", read";
    return text;
}

void printText(std::ostream& out, const Status& status) {
    const auto line = [&](const char* name, const std::string& text) {
        out << fmt::format("{:<10}", name) << terminalText(text) << "\n";
    };
    line("server", describeState(status.seen));
    if (const auto& running = status.seen.running) {
        line("version", running->version);
        line("process", fmt::format("{}, since {}", running->pid, running->startedAt));
        std::string plugins;
        for (const auto& plugin : running->plugins)
            plugins += fmt::format("{}{} {}", plugins.empty() ? "" : ", ", plugin.id, plugin.version);
        line("plugins", plugins.empty() ? "none" : plugins);
        for (const auto& [id, reason] : running->leftOut)
            line("left out", id + ": " + reason);
    }
    if (const auto& numbers = status.numbers) {
        line("requests",
             fmt::format("{} since then; {} answered 4xx ({} over a key's limit), {} answered 5xx", numbers->requests,
                         numbers->clientErrors, numbers->rateLimited, numbers->serverErrors));
        line("database",
             fmt::format("{} sessions in use, {} idle, {} requests waiting, {} gave up waiting", numbers->poolInUse,
                         numbers->poolIdle, numbers->poolWaiting, numbers->poolTimeouts));
        for (const auto& [name, use] : status.nodes)
            line("node", name + ": " + describeNode(use));
        if (numbers->redisAway)
            line("redis", describeRedis(*numbers));
    }
    for (const auto& what : status.outdated)
        line("restart", what);
}

void writeNumbers(JsonWriter& json, const Numbers& numbers) {
    json.key("requests").beginObject().field("total", numbers.requests).field("client_errors", numbers.clientErrors);
    json.field("server_errors", numbers.serverErrors).field("rate_limited", numbers.rateLimited).endObject();
    json.key("pool").beginObject().field("in_use", numbers.poolInUse).field("idle", numbers.poolIdle);
    json.field("waiting", numbers.poolWaiting).field("timeouts", numbers.poolTimeouts).endObject();
    if (numbers.redisAway)
        json.key("redis")
            .beginObject()
            .field("away", *numbers.redisAway != 0)
            .field("listening", numbers.hearsByRedis)
            .endObject();
}

void writeJson(JsonWriter& json, const Status& status) {
    json.field("running", status.runs()).field("ready", status.isReady());
    json.field("message", describeState(status.seen));
    if (const auto& running = status.seen.running) {
        json.field("version", running->version).field("pid", running->pid).field("started_at", running->startedAt);
        json.key("plugins").beginArray();
        for (const auto& plugin : running->plugins)
            json.beginObject().field("id", plugin.id).field("version", plugin.version).endObject();
        json.endArray().key("left_out").beginArray();
        for (const auto& [id, reason] : running->leftOut)
            json.beginObject().field("id", id).field("reason", reason).endObject();
        json.endArray();
    }
    if (status.numbers)
        writeNumbers(json, *status.numbers);
    if (!status.nodes.empty()) {
        json.key("nodes").beginArray();
        for (const auto& [name, use] : status.nodes)
            json.beginObject()
                .field("name", name)
                .field("up", use.isUp)
                .field("writable", use.isWritable)
                .field("in_step", use.isInStep)
                .field("writer", use.isWriter)
                .field("reader", use.isReader)
                .endObject();
        json.endArray();
    }
    json.key("restart").beginArray();
    for (const auto& what : status.outdated)
        json.value(what);
    json.endArray();
}

void printStatus(ControlContext& context) {
    const auto status = look(context);
    if (context.json)
        context.printJson([&](JsonWriter& json) { writeJson(json, status); });
    else
        printText(context.out(), status);
    if (!status.isReady())
        throw CLI::RuntimeError(static_cast<int>(ExitCode::Failed));
}

} // namespace

void addStatusCommand(CLI::App& program, ControlContext& context) {
    auto* command = program.add_subcommand("status", "Whether the server runs, since when, and with what");
    command->footer(STATUS_FOOTER);
    command->callback([&context] { printStatus(context); });
}

} // namespace supplierd::host
