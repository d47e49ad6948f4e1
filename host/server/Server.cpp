#include "host/server/Server.h"

#include "host/db/Connector.h"
#include "host/db/ErrorClass.h"
#include "host/jobs/ChangeFollower.h"
#include "host/observe/CurrentWork.h"

#include <supplierd/JsonWriter.h>

#include <Poco/File.h>
#include <Poco/FileStream.h>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace supplierd::host {

namespace {

constexpr auto FIRST_PAUSE = std::chrono::milliseconds(500);
constexpr auto LONGEST_PAUSE = std::chrono::milliseconds(5'000);
/// How long the log may take to be written when the process ends at once.
constexpr auto LAST_LINES = std::chrono::milliseconds(100);
/// How long a successor waits for what this server has counted.
constexpr auto YIELD_LIMIT = std::chrono::seconds(1);

std::string logTarget(const std::string& configured) {
    return configured == "-" ? "stderr" : configured;
}

std::string urlOf(const Poco::Net::SocketAddress& address, bool isSecure = false) {
    return (isSecure ? "https://" : "http://") + address.toString();
}

std::string describe(const SessionSettings& session) {
    return "database '" + session.database + "' on " + session.place() + " as '" + session.user + "'";
}

std::string beside(const std::filesystem::path& file) {
    return file.string() + ".new";
}

void tellOf(const LogFailure& failure, const std::string& log, Logger& other) {
    switch (failure.kind) {
    case LogFailure::Kind::LosingLines:
        other.error("lines of " + log + " are being lost", {{"target", failure.target}, {"reason", failure.reason}});
        break;
    case LogFailure::Kind::Recovered:
        other.warning(log + " is written again",
                      {{"target", failure.target}, {"lines_lost", static_cast<std::int64_t>(failure.lines)}});
        break;
    case LogFailure::Kind::ReopenFailed:
        other.error("SIGUSR1: " + failure.reason + "; the old file is written on");
        break;
    }
}

} // namespace

PoolSettings Server::poolSettings(const DatabaseSettings& database) {
    PoolSettings pool;
    pool.size = static_cast<std::size_t>(database.poolSize);
    pool.waitDeadline = database.poolWait;
    pool.checkAfterIdle = database.checkAfterIdle;
    return pool;
}

Server::Server(const Settings& settings, PluginSet& plugins, Environment environment)
    : _settings(settings),
      _plugins(plugins),
      _termination(environment.termination),
      _deadline(environment.deadline),
      _supervisor(environment.supervisor),
      _passed(environment.passed),
      _logWriter(logTarget(settings.log.file)),
      _log(_logWriter, "supplierd", settings.log.level),
      _registry(std::make_shared<prometheus::Registry>()),
      _metrics(_registry),
      _nodes(settings.database.session.hasSeveralNodes()
                 ? std::make_shared<DatabaseNodes>(settings.database.session, settings.database.readFrom, &_log)
                 : nullptr),
      _pool(settings.database.session, poolSettings(settings.database), _nodes, NodeRole::Writer, &_log),
      _database(_pool, &_log),
      _probe(std::make_unique<ReadinessProbe>(settings.database, plugins.migrations(), _nodes)),
      _migrator(settings.database.session, plugins.migrations()),
      _jobs(_database.atWriter(), _log, _registry,
            [this](const std::string& actor, const auto& work) {
                OperationRecord record;
                _database.run(record, work, std::nullopt, {actor});
            }),
      _redis(settings.redis.isUsed()
                 ? std::make_unique<RedisClient>(RedisClient::Dependencies{settings.redis, _log, _registry})
                 : nullptr),
      _redisCounts(_redis ? std::make_unique<RedisCounts>(*_redis) : nullptr),
      _rateLimiter(_redisCounts ? std::unique_ptr<RateLimiter>(std::make_unique<RedisRateLimiter>(*_redisCounts))
                                : std::make_unique<LocalRateLimiter>()),
      _authenticator(_database.atWriter(), settings.auth, *_rateLimiter),
      _requestAuthenticators(_authenticator),
      _observers(_metrics.observerDropped(), _log),
      _presence(_database, settings.redis, settings.database.session, _nodes.get(), _log),
      _idempotency(_database, settings.idempotency, _presence.id(), std::max(1, settings.server.threads / 4)),
      _me(_offered.keys()),
      _router(_metrics, _redisCounts.get()),
      _running(RunningServer::current(settings, plugins)),
      _status({_plugins, _operations, _pool, *_rateLimiter, settings.rateLimit.requestsPerHour,
               [this] { return running(); },
               [this] {
                   const Pipeline* const pipeline = _counted;
                   return pipeline ? pipeline->running() : 0;
               }}) {
    const std::vector<std::string> promised{std::string(ServerStatus::ID)};
    _services.offer("supplierd", promised, ServerStatus::ID, static_cast<ServerStatus*>(&_status));
    openLogs();
    if (settings.database.readFrom)
        _database.readFrom(_readerPool.emplace(settings.database.session, poolSettings(settings.database), _nodes,
                                               NodeRole::Reader, &_log));
    _offered.keys().setAuthenticator(_authenticator);
    _offered.accounts().limitOwnKeys({.hourlyLimit = settings.rateLimit.requestsPerHour});
    _offered.crypto().share(settings.server.threads);
    shareRedis();
    // Its memory is of the former cluster's data; a successor's is not.
    if (_nodes)
        _nodes->onReplaced([&termination = _termination] { termination.requestHandOver(); });
    _termination.onReopenLogs([this] { reopenLogs(); });
    _deadline.onExpiry([this](const char* doing) { lastWords(doing); });
}

Server::~Server() {
    if (_nodes)
        _nodes->onReplaced({});
    _termination.onReopenLogs({});
    _deadline.onExpiry({});
    for (LogWriter* writer : {&_logWriter, _accessWriter.get()})
        if (writer)
            writer->onFailure({});
    _listener.reset();
    _housekeeper.reset();
    _jobs.stop();
    _operations.clear();
    _observers.stop();
    _plugins.stop(); // does nothing after stop(); after a failed start the plugins must not outlive their hosts
}

/// Whoever revokes here is believed here at once, and elsewhere when Redis passes it on.
void Server::shareRedis() {
    _authenticator.share(_redisCounts.get());
    _offered.accounts().onRevocation([this](const Revocation& revocation) {
        _authenticator.forget(revocation);
        if (_redis)
            _redis->call(publishCommand(_settings.redis, revocation));
    });
    if (_redis)
        _revocations = std::make_unique<RevocationChannel>(RevocationChannel::Dependencies{
            _settings.redis, _log, _registry, [this](const Revocation& heard) { _authenticator.forget(heard); },
            [this] { _authenticator.forgetAll(); }});
}

/// What a log cannot say of itself, the other one says.
void Server::openLogs() {
    _logWriter.onFailure([this](const LogFailure& failure) {
        if (failure.kind == LogFailure::Kind::ReopenFailed)
            tellOf(failure, "the server's log", _log);
        else if (_accessNotes)
            tellOf(failure, "the server's log", *_accessNotes);
    });
    if (_settings.log.accessLog == "off")
        return;
    _accessWriter = std::make_unique<LogWriter>(_settings.log.accessLog);
    _accessLog.emplace(*_accessWriter);
    _accessNotes.emplace(*_accessWriter, "supplierd", _settings.log.level);
    _accessWriter->onFailure([this](const LogFailure& failure) { tellOf(failure, "the access log", _log); });
}

void Server::reopenLogs() {
    _logWriter.reopen();
    if (_accessWriter)
        _accessWriter->reopen();
}

bool Server::start() {
    _admin = std::make_unique<AdminListener>(AdminListener::Dependencies{
        _settings.server.adminListen, [this] { return readiness(); }, [this] { return metricsText(); }, _passed.admin,
        [this] { return running().toJson(); }, [this] { return running().leftOut; }});
    if (!waitForDatabase())
        return false;
    requireCurrentSchema();
    startPlugins();
    openListener();
    return !_termination.requested();
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
    auto status = _migrator.check();
    if (status.isBehind() && _settings.database.migrateAtStart) {
        migrate();
        status = _migrator.check();
    }
    if (status.state != SchemaState::Current)
        throw NotSetUpError(status.message);
    // The predecessor may serve what this one would leave out: better that it goes on.
    if (!status.unfit.empty() && _supervisor.isSuccessor())
        throw NotSetUpError(status.unfit.front().message);
    for (const auto& plugin : status.unfit)
        leaveOut(plugin);
}

/// What fails here is left to the check that follows.
void Server::migrate() {
    constexpr auto LONGEST = std::chrono::hours(1);
    _supervisor.starting("applying migrations", LONGEST);
    _log.information("the schema is out of date: applying what expands it (database.migrate_at_start)");
    std::string failure;
    try {
        _migrator.apply(
            [this](const MigrationStep& step) {
                if (step.statementsDone == step.statementsTotal)
                    _log.information("a migration was applied", {{"migration", nameOf(step)}});
            },
            [this](const std::string& notice) { _log.information(notice); });
    } catch (const MigrationError& error) {
        failure = error.what();
    } catch (const DatabaseError& error) {
        failure = error.what();
    }
    if (!failure.empty())
        _log.error("the migrations could not be applied", {{"reason", failure}});
}

/// What does not fit its tables would damage them, or fail; the others do not need it.
void Server::leaveOut(const UnfitPlugin& unfit) {
    for (const auto& plugin : _plugins.leaveOut(unfit.id, unfit.message)) {
        _log.error("a plugin is left out", {{"plugin", plugin.id}, {"reason", plugin.reason}});
        noteLeftOut(plugin);
    }
}

/// A 404 of its routes would tell clients that what they know is gone.
void Server::noteLeftOut(const LeftOutPlugin& plugin) {
    for (Route route : plugin.routes) {
        route.errorPage = {};
        route.handler = [](Request&) -> Response {
            throw ApiError::unavailable("This part of the API is not available at the moment");
        };
        _routesLeftOut.push_back(std::move(route));
    }
    _probe->leaveOut(plugin.id);
    _metrics.pluginLeftOut(plugin.id);
    const std::lock_guard lock(_runningMutex);
    _running.leaveOut(plugin.id, plugin.reason);
}

RunningServer Server::running() const {
    const std::lock_guard lock(_runningMutex);
    return _running;
}

void Server::startPlugins() {
    Diagnostics warnings;
    for (const auto& plugin : _plugins.plugins())
        _metrics.pluginLeftOut(plugin.id(), false);
    _offered.keys().setKnownScopes(_plugins.scopes());
    const PluginHost::Dependencies dependencies{_database, _services, _registry, &_requestAuthenticators, &_observers};
    _plugins.start(
        [&](const LoadedPlugin& plugin) -> Host& {
            _pluginHosts.push_back(std::make_unique<PluginHost>(
                plugin, dependencies, scopeOf(plugin),
                std::make_shared<JsonLogger>(_logWriter, plugin.id(), _settings.log.level)));
            return *_pluginHosts.back();
        },
        warnings,
        [this](const LoadedPlugin& plugin, const std::string& reason) {
            _services.withdraw(plugin.id());
            _jobs.withdraw(plugin.id());
            _operations.withdraw(plugin.id());
            noteLeftOut({plugin.id(), reason, plugin.description.routes});
            _requestAuthenticators.withdraw(plugin.id());
            _observers.withdraw(plugin.id());
        });
    for (const auto& warning : warnings)
        _log.warning(warning.toString());
    _offered.keys().setKnownScopes(_plugins.scopes()); // without those of plugins that were left out
    for (const auto& entry : _plugins.routes())
        _router.add(*entry.route, RequestSchema::of(entry.plugin->description.openapi, *entry.route),
                    entry.plugin->id());
    for (const auto& route : _routesLeftOut)
        _router.add(route);
    for (const auto& route : _me.routes())
        _router.add(route, RequestSchema::ofPart(hostOpenApiPart(), route));
    for (const auto& route : openApiRoutes(_plugins.plugins()))
        _router.add(route);
    _plugins.ready();
}

PluginScope::Dependencies Server::scopeOf(const LoadedPlugin& plugin) {
    return {.pluginId = plugin.id(),
            .addJob = [this](const std::string& id, Job job) { _jobs.add(id, std::move(job)); },
            .wokeJob = [this] { _jobs.lookSoon(); },
            .addReader =
                [this](const std::string& id, ChangeReader reader) {
                    _jobs.add(id, ChangeFollower::job(id, std::move(reader),
                                                      {_database.atWriter(), _database.commits(), _log, *_registry}));
                },
            .operations = _operations,
            .stateDir = _settings.server.stateDir};
}

void Server::openListener() {
    _pipeline = std::make_unique<Pipeline>(Pipeline::Dependencies{
        _settings, _database, _authenticator, _requestAuthenticators, *_rateLimiter, _redisCounts.get(), _idempotency,
        _router, _heap, _metrics, _observers, _accessLog ? &*_accessLog : nullptr, _log});
    _counted = _pipeline.get();
    _listener = std::make_unique<ApiListener>(
        _settings.server, *_pipeline, _passed.api,
        ApiListener::Notices{_tlsMetrics, [this](const std::string& failure) { noteCertificate(failure); },
                             [this](const auto& proxy, std::string_view reason) { noteProxyFailure(proxy, reason); }});
    warnOfPassedSocket("server.listen", _settings.server.listen, _listener->address());
    warnOfPassedSocket("server.admin_listen", _settings.server.adminListen, _admin->address());
    writeProcessFiles();
}

void Server::noteCertificate(const std::string& failure) {
    if (failure.empty())
        _log.information("the renewed TLS certificate is in use");
    else
        _log.error("the TLS certificate was changed and cannot be used; the one before stays in use",
                   {{"reason", failure}});
}

/// Told once a minute: a proxy that is set up wrong fails with every connection.
void Server::noteProxyFailure(const Poco::Net::IPAddress& proxy, std::string_view reason) {
    _metrics.proxyFailures(reason).Increment();
    ++_untoldProxyFailures;
    const auto now = std::chrono::steady_clock::now();
    if (now < _nextProxyWarning)
        return;
    _nextProxyWarning = now + std::chrono::minutes(1);
    _log.warning("a connection of a trusted proxy was closed: it did not begin with a whole PROXY header, as "
                 "server.proxy_protocol demands",
                 {{"proxy", proxy.toString()},
                  {"reason", std::string(reason)},
                  {"closed_since_last_told", std::exchange(_untoldProxyFailures, 0)}});
}

/// A passed socket stays where it is, whatever the configuration says by now.
void Server::warnOfPassedSocket(const char* setting, const Poco::Net::SocketAddress& configured,
                                const Poco::Net::SocketAddress& actual) {
    if (configured.host() == actual.host() && (configured.port() == 0 || configured.port() == actual.port()))
        return;
    _log.warning(std::string(setting) + " is not what is listened on: the socket was open already when this process "
                                        "started, and is kept; stop and start the server for the new address "
                                        "(with a socket unit of systemd: change its ListenStream=)",
                 {{"configured", configured.toString()}, {"listening_on", actual.toString()}});
}

void Server::serve() {
    _housekeeper = std::make_unique<Housekeeper>(Housekeeper::Dependencies{
        _database, _authenticator, *_rateLimiter, _idempotency, _heap, _audit, _presence, _log,
        _settings.audit.retention, _settings.audit.pushRetention, _settings.changes.retention});
    _listener->start();
    _serving = true;
    _jobs.start();
    for (const auto& file : processFiles())
        Poco::File(beside(file)).renameTo(file.string()); // whole at any moment, for those who read it meanwhile
    std::string plugins;
    for (const auto& plugin : _plugins.plugins())
        plugins += (plugins.empty() ? "" : ", ") + plugin.id() + " " + plugin.note.version;
    _log.information("serving", {{"url", urlOf(_listener->address(), _listener->isSecure())},
                                 {"admin_url", urlOf(_admin->address())},
                                 {"plugins", plugins.empty() ? std::string("none") : plugins}});
}

std::vector<std::filesystem::path> Server::processFiles() const {
    std::vector<std::filesystem::path> files;
    for (const auto& file : {_settings.server.addressFile, _settings.server.pidFile})
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
        .field("url", urlOf(_listener->address(), _listener->isSecure()))
        .field("admin_url", urlOf(_admin->address()))
        .field("pid", std::int64_t{getpid()})
        .endObject();
    write(_settings.server.addressFile, address);
    write(_settings.server.pidFile, std::to_string(getpid()));
}

std::vector<HandOver::Socket> Server::sockets() const {
    return {{"api", _listener->descriptor()}, {"admin", _admin->descriptor()}};
}

std::string Server::summary() const {
    const auto plugins = _plugins.plugins().size();
    return "serving " + std::to_string(plugins) + (plugins == 1 ? " plugin" : " plugins") + " at " +
           urlOf(_listener->address(), _listener->isSecure());
}

void Server::drain() {
    if (std::exchange(_draining, true) || !_serving)
        return;
    const bool isShared = _stopReason == StopReason::HandedOver || _passed.api >= 0;
    const auto backlog = isShared ? Gate::Backlog::Leave : Gate::Backlog::Serve;
    const int connections = _listener->drain(_deadline.requestsUntil(), backlog);
    if (_stopReason == StopReason::HandedOver)
        _rateLimiter->reserve(connections); // each may bring a last request, while the successor counts already
}

void Server::yield() {
    _deadline.begin();
    _stopReason = StopReason::HandedOver;
    _admin->leave();     // whoever asks is told by the successor
    _jobs.requestStop(); // the successor takes them on
    drain();
    if (!_housekeeper->yield(YIELD_LIMIT))
        _log.warning("the successor does not know the last requests that were counted for the rate limits");
}

void Server::stop(StopReason reason) {
    _deadline.begin();
    _stopReason = reason;
    if (reason == StopReason::HandedOver) {
        _log.information("a successor serves: finishing what runs");
    } else {
        _supervisor.stopping(_settings.server.shutdownDeadline);
        pauseBeforeDrain();
        _log.information("stopping: no new connections are accepted");
    }
    _jobs.requestStop();
    _deadline.doing("finishing requests");
    drain();
    const bool wasServing = _serving.exchange(false);
    if (wasServing && !_listener->stop(_deadline.requestsUntil()))
        _log.warning("requests were cut off at server.shutdown_deadline",
                     {{"deadline_ms", std::int64_t{_settings.server.shutdownDeadline.count()}}});
    if (!_pipeline || _pipeline->running() == 0) // else what is unfinished are the requests
        _deadline.doing("writing down the last uses of keys");
    _rateLimiter->reserve(0);
    _housekeeper.reset();
    if (_pipeline && _pipeline->running() > 0)
        _deadline.endNow(); // what they use must not go
    _deadline.doing("stopping the jobs of plugins");
    _jobs.stop();
    _deadline.doing("telling the observers of the last requests");
    _observers.stop();
    _deadline.doing("stopping the plugins");
    Diagnostics warnings;
    _plugins.drain(warnings);
    for (const auto& warning : warnings)
        _log.warning(warning.toString());
    _listener.reset();
    _operations.clear();
    _plugins.stop();
    _deadline.doing("closing the operators' listener");
    _admin.reset();
    _deadline.doing("closing the database's sessions");
    _pool.close();
    if (_readerPool)
        _readerPool->close();
    _probe.reset();
    _log.information("stopped");
    _deadline.doing("writing the logs");
    removeProcessFiles();
}

/// Not ready any more, and serving still, so that whatever shares the requests out can turn away first.
void Server::pauseBeforeDrain() {
    const auto pause = _settings.server.drainPause;
    if (pause.count() == 0 || !_serving)
        return;
    _isPausing = true;
    _log.information("stopping: not ready any more, and serving until server.drain_pause has passed",
                     {{"pause_ms", std::int64_t{pause.count()}}});
    _deadline.doing("waiting for server.drain_pause");
    std::this_thread::sleep_until(std::min(std::chrono::steady_clock::now() + pause, _deadline.requestsUntil()));
}

/// Of whichever thread ends the process at once.
void Server::lastWords(const char* doing) {
    const auto atWork = CurrentWork::ofAllThreads();
    _log.error("the end did not come within server.shutdown_deadline: the process ends at once",
               {{"unfinished", std::string(doing)}, {"at_work", fmt::format("{}", fmt::join(atWork, ", "))}});
    removeProcessFiles();
    _logWriter.flush(LAST_LINES);
    if (_accessWriter)
        _accessWriter->flush(LAST_LINES);
}

void Server::removeProcessFiles() const {
    if (_stopReason == StopReason::HandedOver) // they tell of the successor
        return;
    for (const auto& file : processFiles()) {
        unlink(file.c_str());
        unlink(beside(file).c_str());
    }
}

Readiness Server::readiness() {
    auto checks = _probe->ask();
    checks["plugins"] = _serving ? "" : "not serving";
    if (_isPausing)
        checks["stopping"] = "the server is about to end";
    for (auto& [plugin, reason] : _operations.readiness())
        checks["plugin " + plugin] = std::move(reason);
    return checks;
}

void Server::measureNodes() {
    if (!_nodes)
        return;
    for (const NodeStatus& node : _nodes->status()) {
        _metrics.databaseNodeUp(node.name).Set(node.isUp ? 1 : 0);
        _metrics.databaseNodeWritable(node.name).Set(node.fitness == NodeFitness::Unfit ? 0 : 1);
        _metrics.databaseNodeInStep(node.name).Set(node.fitness == NodeFitness::InStep ? 1 : 0);
        _metrics.databaseWriter(node.name).Set(node.isWriter ? 1 : 0);
        _metrics.databaseReader(node.name).Set(node.isReader ? 1 : 0);
    }
    _metrics.databaseReadsInStep().Set(_nodes->readsInStep() ? 1 : 0);
    _metrics.databaseFailovers().Set(static_cast<double>(_nodes->failovers()));
    _metrics.databaseAmbiguous().Set(_nodes->isAmbiguous() ? 1 : 0);
}

std::string Server::metricsText() {
    const auto stats = _pool.stats();
    _metrics.poolInUse().Set(static_cast<double>(stats.inUse));
    if (_listener)
        _listener->measure(_metrics);
    _metrics.poolIdle().Set(static_cast<double>(stats.idle));
    _metrics.poolWaiting().Set(static_cast<double>(stats.waiting));
    _metrics.poolTimeouts().Set(static_cast<double>(stats.timeouts));
    measureNodes();
    const auto questions = _offered.versionQuestions();
    _metrics.versionQuestions().Set(static_cast<double>(questions.questions));
    _metrics.versionRequests().Set(static_cast<double>(questions.requests));
    const auto dropped = _logWriter.droppedLines() + (_accessWriter ? _accessWriter->droppedLines() : 0);
    _metrics.logLinesDropped().Set(static_cast<double>(dropped));
    return _metrics.text();
}

} // namespace supplierd::host
