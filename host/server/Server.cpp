#include "host/server/Server.h"

#include "host/db/Connector.h"
#include "host/db/ErrorClass.h"

#include <supplierd/JsonWriter.h>

#include <Poco/File.h>
#include <Poco/FileStream.h>

#include <unistd.h>

namespace supplierd::host {

namespace {

constexpr auto FIRST_PAUSE = std::chrono::milliseconds(500);
constexpr auto LONGEST_PAUSE = std::chrono::milliseconds(5'000);

std::string logTarget(const std::string& configured) {
    return configured == "-" ? "stderr" : configured;
}

std::string urlOf(const Poco::Net::SocketAddress& address) {
    return "http://" + address.toString();
}

std::string describe(const SessionSettings& session) {
    const auto where = session.socket.empty() ? session.host + ":" + std::to_string(session.port) : session.socket;
    return "database '" + session.database + "' on " + where + " as '" + session.user + "'";
}

/// Whole at any moment, for those who read it meanwhile.
void replaceFile(const std::filesystem::path& file, const std::string& text) {
    const auto temporary = file.string() + ".new";
    Poco::FileOutputStream(temporary) << text << '\n';
    Poco::File(temporary).renameTo(file.string());
}

} // namespace

PoolSettings Server::poolSettings(const DatabaseSettings& database) {
    PoolSettings pool;
    pool.size = static_cast<std::size_t>(database.poolSize);
    pool.waitDeadline = database.poolWait;
    pool.checkAfterIdle = database.checkAfterIdle;
    return pool;
}

Server::Server(const Settings& settings, PluginSet& plugins, Surroundings surroundings)
    : _settings(settings),
      _plugins(plugins),
      _termination(surroundings.termination),
      _supervisor(surroundings.supervisor),
      _passed(surroundings.passed),
      _logWriter(logTarget(settings.log.file)),
      _log(_logWriter, "supplierd", settings.log.level),
      _registry(std::make_shared<prometheus::Registry>()),
      _metrics(_registry),
      _pool(settings.database.session, poolSettings(settings.database)),
      _database(_pool, &_log),
      _probe(std::make_unique<ReadinessProbe>(settings.database, plugins.migrations())),
      _migrator(settings.database.session, plugins.migrations()),
      _authenticator(_database, settings.auth),
      _idempotency(_database, settings.idempotency),
      _router(_metrics) {
    if (settings.log.accessLog != "off") {
        _accessWriter = std::make_unique<LogWriter>(settings.log.accessLog);
        _accessLog.emplace(*_accessWriter);
    }
    const std::vector<std::string> offered = {std::string(ApiKeys::ID), std::string(AuditLog::ID)};
    _services.offer("supplierd", offered, ApiKeys::ID, static_cast<ApiKeys*>(&_keys));
    _services.offer("supplierd", offered, AuditLog::ID, static_cast<AuditLog*>(&_audit));
    _termination.onHangup([this] { reopenLogs(); });
}

Server::~Server() {
    _termination.onHangup({});
    _listener.reset();
    _housekeeper.reset();
    _plugins.stop(); // does nothing after stop(); after a failed start the plugins must not outlive their hosts
}

void Server::reopenLogs() {
    try {
        _logWriter.reopen();
        if (_accessWriter)
            _accessWriter->reopen();
    } catch (const Poco::Exception& failure) {
        _log.error("SIGHUP: " + failure.message() + "; the old file is written on");
    }
}

bool Server::start() {
    _admin = std::make_unique<AdminListener>(
        AdminListener::Parts{_settings.server.adminListen, [this] { return readiness(); },
                             [this] { return metricsText(); }, [this] { return openApi(); }, _passed.admin});
    if (!waitForDatabase())
        return false;
    requireCurrentSchema();
    startPlugins();
    openListener();
    return true;
}

bool Server::waitForDatabase() {
    const auto deadline = std::chrono::steady_clock::now() + _settings.database.startDeadline;
    auto pause = FIRST_PAUSE;
    _supervisor.starting("waiting for the " + describe(_settings.database.session), _settings.database.startDeadline);
    for (int attempt = 1;; ++attempt) {
        try {
            openSession(_settings.database.session);
            return true;
        } catch (const DatabaseError& failure) {
            if (refusesLogin(failure.code()) || lacksDatabase(failure.code()))
                throw NotSetUpError("cannot use the " + describe(_settings.database.session) + ": " + failure.what() +
                                    "; run `supplierctl setup`, or correct the table [database]");
            const auto left =
                std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
            if (left <= pause)
                throw StartError("cannot reach the " + describe(_settings.database.session) + " within " +
                                 std::to_string(_settings.database.startDeadline.count() / 1000) +
                                 " s (database.start_deadline): " + failure.what() +
                                 "; check the table [database], and that the database server runs; a server that is "
                                 "new is set up with `supplierctl setup`");
            _log.warning("the database is not reachable yet", {{"attempt", std::int64_t{attempt}},
                                                               {"reason", std::string(failure.what())},
                                                               {"next_try_ms", std::int64_t{pause.count()}},
                                                               {"giving_up_in_ms", std::int64_t{left.count()}}});
        }
        if (_termination.waitFor(pause))
            return false;
        pause = std::min(pause * 2, LONGEST_PAUSE);
    }
}

void Server::requireCurrentSchema() {
    const auto status = _migrator.check();
    if (status.state != SchemaState::Current)
        throw NotSetUpError(status.message);
}

void Server::startPlugins() {
    ConfigProblems warnings;
    _plugins.start(
        [this](const LoadedPlugin& plugin) -> Host& {
            _pluginHosts.push_back(
                std::make_unique<PluginHost>(plugin, _database, _services, _logWriter, _settings.log.level, _registry));
            return *_pluginHosts.back();
        },
        warnings, [this](const LoadedPlugin& plugin) { _services.withdraw(plugin.id()); });
    for (const auto& warning : warnings)
        _log.warning(warning.toString());
    for (const auto& entry : _plugins.routes())
        _router.add(*entry.route);
    _plugins.ready();
    std::string document = joinedOpenApi(_plugins.plugins());
    const std::lock_guard lock(_openApiMutex);
    _openApi = std::move(document);
}

void Server::openListener() {
    _pipeline =
        std::make_unique<Pipeline>(Pipeline::Parts{_settings, _database, _authenticator, _rateLimiter, _idempotency,
                                                   _router, _metrics, _accessLog ? &*_accessLog : nullptr, _log});
    _housekeeper = std::make_unique<Housekeeper>(
        Housekeeper::Parts{_database, _authenticator, _rateLimiter, _idempotency, _audit, _log});
    _listener = std::make_unique<ApiListener>(_settings.server, *_pipeline, _passed.api);
    _listener->start();
    _serving = true;
    writeProcessFiles();
    std::string plugins;
    for (const auto& plugin : _plugins.plugins())
        plugins += (plugins.empty() ? "" : ", ") + plugin.id() + " " + plugin.note.version;
    _log.information("serving", {{"url", urlOf(_listener->address())},
                                 {"admin_url", urlOf(_admin->address())},
                                 {"plugins", plugins.empty() ? std::string("none") : plugins}});
}

void Server::writeProcessFiles() const {
    const auto& address = _settings.server.addressFile;
    const auto& pid = _settings.server.pidFile;
    if (!address.empty()) {
        std::string text;
        JsonWriter(text)
            .beginObject()
            .field("url", urlOf(_listener->address()))
            .field("admin_url", urlOf(_admin->address()))
            .field("pid", std::int64_t{getpid()})
            .endObject();
        replaceFile(address, text);
    }
    if (!pid.empty())
        replaceFile(pid, std::to_string(getpid()));
}

std::vector<HandOver::Socket> Server::sockets() const {
    return {{"api", _listener->descriptor()}, {"admin", _admin->descriptor()}};
}

std::string Server::summary() const {
    const auto plugins = _plugins.plugins().size();
    return "serving " + std::to_string(plugins) + (plugins == 1 ? " plugin" : " plugins") + " at " +
           urlOf(_listener->address());
}

bool Server::stop(Ending ending) {
    _serving = false;
    _ending = ending;
    const auto deadline = _settings.server.shutdownDeadline;
    if (ending == Ending::HandedOver) {
        _log.information("a successor serves: finishing what runs");
        _admin.reset(); // whoever asks is told by the successor
    } else {
        _supervisor.stopping(deadline);
        _log.information("stopping: no new connections are accepted");
    }
    const bool isShared = ending == Ending::HandedOver || _passed.api >= 0;
    const auto backlog = isShared ? ConnectionDrain::Backlog::Leave : ConnectionDrain::Backlog::Serve;
    if (_listener && !_listener->stop(deadline, backlog)) {
        _log.warning("requests were cut off at server.shutdown_deadline",
                     {{"deadline_ms", std::int64_t{deadline.count()}}});
        if (_pipeline->running() > 0) {
            removeProcessFiles();
            _logWriter.flush();
            if (_accessWriter)
                _accessWriter->flush();
            return false;
        }
    }
    ConfigProblems warnings;
    _plugins.drain(warnings);
    for (const auto& warning : warnings)
        _log.warning(warning.toString());
    _listener.reset();
    _housekeeper.reset();
    _plugins.stop();
    _admin.reset();
    _pool.close();
    _probe.reset();
    _log.information("stopped");
    removeProcessFiles();
    return true;
}

void Server::removeProcessFiles() const {
    if (_ending == Ending::HandedOver) // they tell of the successor
        return;
    for (const auto& file : {_settings.server.addressFile, _settings.server.pidFile})
        if (!file.empty())
            unlink(file.c_str());
}

Readiness Server::readiness() {
    auto checks = _probe->ask();
    checks["plugins"] = _serving ? "" : "not serving";
    return checks;
}

std::string Server::metricsText() {
    const auto stats = _pool.stats();
    _metrics.poolInUse().Set(static_cast<double>(stats.inUse));
    _metrics.poolIdle().Set(static_cast<double>(stats.idle));
    _metrics.poolWaiting().Set(static_cast<double>(stats.waiting));
    _metrics.poolTimeouts().Set(static_cast<double>(stats.timeouts));
    const auto dropped = _logWriter.droppedLines() + (_accessWriter ? _accessWriter->droppedLines() : 0);
    _metrics.logLinesDropped().Set(static_cast<double>(dropped));
    return _metrics.text();
}

std::string Server::openApi() {
    const std::lock_guard lock(_openApiMutex);
    return _openApi;
}

} // namespace supplierd::host
