#include "host/server/Server.h"

#include "host/observe/CurrentWork.h"

#include <supplierd/JsonWriter.h>

#include <Poco/File.h>
#include <Poco/FileStream.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

namespace supplierd::host {

namespace {

/// How long the log may take to be written when the process ends at once.
constexpr auto LAST_LINES = std::chrono::milliseconds(100);

std::string urlOf(const Poco::Net::SocketAddress& address, bool isSecure = false) {
    return (isSecure ? "https://" : "http://") + address.toString();
}

std::string beside(const std::filesystem::path& file) {
    return file.string() + ".new";
}

} // namespace

Server::Server(const Settings& settings, PluginSet& plugins, Environment environment)
    : _passed(environment.passed),
      _logs(settings.log),
      _registry(std::make_shared<prometheus::Registry>()),
      _metrics(_registry),
      _basis{settings,
             _logs.log(),
             _registry,
             _metrics,
             environment.termination,
             environment.deadline,
             environment.supervisor},
      _database(_basis, plugins),
      _accounts(_basis, _database),
      _plugins(_basis, plugins, _logs.writer(), _database, _accounts),
      _front(_basis, environment.passed.api, _logs.accessLog(), _database, _accounts, _plugins) {
    _basis.termination.onReopenLogs([this] { _logs.reopen(); });
    _basis.deadline.onExpiry([this](const char* doing) { lastWords(doing); });
}

Server::~Server() {
    _basis.termination.onReopenLogs({});
    _basis.deadline.onExpiry({});
    stopParts();
}

bool Server::start() {
    _admin = std::make_unique<AdminListener>(AdminListener::Dependencies{
        _basis.settings.server.adminListen, [this] { return readiness(); }, [this] { return metricsText(); },
        _passed.admin, [this] { return _plugins.running().toJson(load()); },
        [this] { return _plugins.running().leftOut; }});
    for (ServerPart* part : _parts)
        if (!part->start())
            return false;
    warnOfPassedSocket("server.listen", _basis.settings.server.listen, _front.listener().address());
    warnOfPassedSocket("server.admin_listen", _basis.settings.server.adminListen, _admin->address());
    writeProcessFiles();
    return !_basis.termination.requested();
}

/// A passed socket stays where it is, whatever the configuration says by now.
void Server::warnOfPassedSocket(const char* setting, const Poco::Net::SocketAddress& configured,
                                const Poco::Net::SocketAddress& actual) {
    if (configured.host() == actual.host() && (configured.port() == 0 || configured.port() == actual.port()))
        return;
    log().warning(std::string(setting) + " is not what is listened on: the socket was open already when this process "
                                         "started, and is kept; stop and start the server for the new address "
                                         "(with a socket unit of systemd: change its ListenStream=)",
                  {{"configured", configured.toString()}, {"listening_on", actual.toString()}});
}

void Server::serve() {
    _front.serve();
    _plugins.jobs().start();
    for (const auto& file : processFiles())
        Poco::File(beside(file)).renameTo(file.string()); // whole at any moment, for those who read it meanwhile
    std::string served;
    for (const auto& plugin : _plugins.plugins().plugins())
        served += (served.empty() ? "" : ", ") + plugin.id() + " " + plugin.note.version;
    log().information("serving", {{"url", urlOf(_front.listener().address(), _front.listener().isSecure())},
                                  {"admin_url", urlOf(_admin->address())},
                                  {"plugins", served.empty() ? std::string("none") : served}});
}

std::vector<std::filesystem::path> Server::processFiles() const {
    std::vector<std::filesystem::path> files;
    for (const auto& file : {_basis.settings.server.addressFile, _basis.settings.server.pidFile})
        if (!file.empty())
            files.push_back(file);
    return files;
}

/// Before anything is served: a file that cannot be written keeps the server from starting.
void Server::writeProcessFiles() const {
    const auto write = [](const std::filesystem::path& file, const std::string& text) {
        if (!file.empty())
            Poco::FileOutputStream(beside(file)) << text << '\n';
    };
    std::string address;
    JsonWriter(address)
        .beginObject()
        .field("url", urlOf(_front.listener().address(), _front.listener().isSecure()))
        .field("admin_url", urlOf(_admin->address()))
        .field("pid", std::int64_t{getpid()})
        .endObject();
    write(_basis.settings.server.addressFile, address);
    write(_basis.settings.server.pidFile, std::to_string(getpid()));
}

std::vector<HandOver::Socket> Server::sockets() const {
    return {{"api", _front.listener().descriptor()}, {"admin", _admin->descriptor()}};
}

std::string Server::summary() const {
    const auto plugins = _plugins.plugins().plugins().size();
    return "serving " + std::to_string(plugins) + (plugins == 1 ? " plugin" : " plugins") + " at " +
           urlOf(_front.listener().address(), _front.listener().isSecure());
}

void Server::yield() {
    _basis.deadline.begin();
    _basis.stopReason = StopReason::HandedOver;
    _admin->leave();               // whoever asks gets the successor's answer
    _plugins.jobs().requestStop(); // the successor takes them on
    _front.yield();
}

void Server::stop(StopReason reason) {
    _basis.deadline.begin();
    _basis.stopReason = reason;
    if (reason == StopReason::HandedOver) {
        log().information("a successor serves: finishing what runs");
    } else {
        _basis.supervisor.stopping(_basis.settings.server.shutdownDeadline);
        _front.pauseBeforeStop();
        log().information("stopping: no new connections are accepted");
    }
    _plugins.jobs().requestStop();
    stopParts();
    log().information("stopped");
    _basis.deadline.doing("writing the logs");
    removeProcessFiles();
}

/// The admin listener goes with what it asks: the readiness of the database.
void Server::stopParts() {
    for (ServerPart* part : _parts | std::views::reverse) {
        if (part == &_database) {
            _basis.deadline.doing("closing the operators' listener");
            _admin.reset();
        }
        part->stop();
    }
}

/// Of whichever thread ends the process at once.
void Server::lastWords(const char* doing) {
    const auto atWork = CurrentWork::ofAllThreads();
    log().error("the end did not come within server.shutdown_deadline: the process ends at once",
                {{"unfinished", std::string(doing)}, {"at_work", fmt::format("{}", fmt::join(atWork, ", "))}});
    removeProcessFiles();
    _logs.flush(LAST_LINES);
}

void Server::removeProcessFiles() const {
    if (_basis.stopReason == StopReason::HandedOver) // they tell of the successor
        return;
    for (const auto& file : processFiles()) {
        unlink(file.c_str());
        unlink(beside(file).c_str());
    }
}

Readiness Server::readiness() {
    auto checks = _database.probe().ask();
    checks["plugins"] = _front.isServing() ? "" : "not serving";
    if (_front.isPausing())
        checks["stopping"] = "the server is about to end";
    for (auto& [plugin, reason] : _plugins.operations().readiness())
        checks["plugin " + plugin] = std::move(reason);
    return checks;
}

std::string Server::metricsText() {
    for (ServerPart* part : _parts)
        part->measure();
    raiseTo(_metrics.logLinesDropped(), _logs.droppedLines());
    return _metrics.text();
}

/// For /status: what was counted since the start, and what there is now.
std::string Server::load() {
    const PoolStats pool = _database.pool().stats();
    std::map<std::string, std::int64_t> alone; // those without labels
    std::map<char, std::int64_t> requests;     // by the first digit of their status
    std::int64_t total = 0;
    for (const auto& family : _registry->Collect())
        for (const auto& metric : family.metric) {
            const bool isCounter = family.type == prometheus::MetricType::Counter;
            const auto value = static_cast<std::int64_t>(isCounter ? metric.counter.value : metric.gauge.value);
            if (metric.label.empty())
                alone[family.name] = value;
            for (const auto& label : metric.label)
                if (family.name == "supplierd_requests_total" && label.name == "status") {
                    requests[label.value.front()] += value;
                    total += value;
                }
        }
    std::string text;
    JsonWriter json(text);
    json.beginObject().key("requests").beginObject().field("total", total).field("client_errors", requests['4']);
    json.field("server_errors", requests['5']).field("rate_limited", alone["supplierd_rate_limited_total"]).endObject();
    json.key("pool").beginObject().field("in_use", pool.inUse).field("idle", pool.idle);
    json.field("waiting", pool.waiting).field("timeouts", pool.timeouts).endObject();
    if (alone.contains("supplierd_redis_away"))
        json.key("redis").beginObject().field("away", alone["supplierd_redis_away"] != 0).endObject();
    if (const auto nodes = _database.nodes(); !nodes.empty()) {
        json.key("nodes").beginArray();
        for (const NodeStatus& node : nodes)
            json.beginObject()
                .field("name", node.name)
                .field("up", node.isUp)
                .field("writable", node.fitness != NodeFitness::Unfit)
                .field("in_step", node.fitness == NodeFitness::InStep)
                .field("writer", node.isWriter)
                .field("reader", node.isReader)
                .endObject();
        json.endArray();
    }
    json.endObject();
    return text;
}

} // namespace supplierd::host
