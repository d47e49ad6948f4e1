#pragma once

#include "host/audit/AuditStore.h"
#include "host/auth/Authenticator.h"
#include "host/auth/RateLimiter.h"
#include "host/auth/RequestAuthenticators.h"
#include "host/config/Settings.h"
#include "host/db/PooledDatabase.h"
#include "host/db/schema/Migrator.h"
#include "host/http/AdminListener.h"
#include "host/http/ApiListener.h"
#include "host/http/IdempotencyStore.h"
#include "host/http/MeRoutes.h"
#include "host/http/Pipeline.h"
#include "host/jobs/JobScheduler.h"
#include "host/observe/AccessLog.h"
#include "host/observe/JsonLogger.h"
#include "host/observe/RequestObservers.h"
#include "host/openapi/OpenApiPart.h"
#include "host/openapi/OpenApiRoutes.h"
#include "host/plugins/PluginOperations.h"
#include "host/plugins/PluginSet.h"
#include "host/plugins/ServiceRegistry.h"
#include "host/redis/RedisClient.h"
#include "host/redis/RedisRateLimiter.h"
#include "host/redis/RevocationChannel.h"
#include "host/server/HandOver.h"
#include "host/server/Housekeeper.h"
#include "host/server/PassedSockets.h"
#include "host/server/ReadinessProbe.h"
#include "host/server/RunningServer.h"
#include "host/server/ServerPresence.h"
#include "host/server/ShutdownDeadline.h"
#include "host/server/StatusService.h"
#include "host/server/Supervisor.h"
#include "host/server/TerminationSignal.h"
#include "host/services/PluginHost.h"

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <vector>

namespace supplierd::host {

/// The server cannot start; what() tells the operator why and what to do.
class StartError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Starting it again does not help until the operator has done what the message says.
class NotSetUpError : public StartError {
public:
    using StartError::StartError;
};

/// Everything of a running server, in the order in which it is built. Thread: main's.
class Server {
public:
    /// What the process has for it.
    struct Environment {
        TerminationSignal& termination;
        ShutdownDeadline& deadline;
        const Supervisor& supervisor;
        PassedSockets::Uses passed;
    };
    enum class StopReason {
        Stopped,
        HandedOver ///< a successor serves already, with the same sockets
    };

    Server(const Settings& settings, PluginSet& plugins, Environment environment);
    ~Server();

    /// Waits for the database, checks the schema, starts the plugins, opens the listeners. Throws StartError,
    /// PluginStartError, std::runtime_error. Returns false when termination was requested meanwhile.
    bool start();
    /// After start(): answers requests.
    void serve();
    /// A successor is ready and waits: leaves the listening sockets to it, and writes down what it has to know.
    void yield();
    /// Stops accepting, finishes what runs within the deadline, stops the plugins. Ends the process, instead of
    /// returning, when handlers run on that nothing can interrupt, and when the deadline has passed.
    void stop(StopReason reason);
    /// What a successor needs. Between serve() and stop().
    std::vector<HandOver::Socket> sockets() const;
    /// One line about what is served. As sockets().
    std::string summary() const;
    Logger& log() { return _log; }

private:
    static PoolSettings poolSettings(const DatabaseSettings& database);
    void shareRedis();
    void measureNodes();
    bool waitForDatabase();
    void requireCurrentSchema();
    void migrate();
    void leaveOut(const UnfitPlugin& unfit);
    void noteLeftOut(const LeftOutPlugin& plugin);
    RunningServer running() const;
    void startPlugins();
    PluginScope::Dependencies scopeOf(const LoadedPlugin& plugin);
    void openListener();
    void noteCertificate(const std::string& failure);
    void noteProxyFailure(const Poco::Net::IPAddress& proxy, std::string_view reason);
    void openLogs();
    void reopenLogs();
    void drain();
    void pauseBeforeDrain();
    void lastWords(const char* doing);
    void warnOfPassedSocket(const char* setting, const Poco::Net::SocketAddress& configured,
                            const Poco::Net::SocketAddress& actual);
    std::vector<std::filesystem::path> processFiles() const;
    void writeProcessFiles() const;
    void removeProcessFiles() const;
    Readiness readiness();
    std::string metricsText();

    const Settings& _settings;
    PluginSet& _plugins;
    TerminationSignal& _termination;
    ShutdownDeadline& _deadline;
    const Supervisor& _supervisor;
    const PassedSockets::Uses _passed;
    std::atomic<StopReason> _stopReason{StopReason::Stopped};
    bool _draining = false;
    LogWriter _logWriter;
    std::unique_ptr<LogWriter> _accessWriter;
    std::optional<AccessLog> _accessLog;
    JsonLogger _log;
    std::optional<JsonLogger> _accessNotes; ///< what the server's log cannot say of itself
    std::shared_ptr<prometheus::Registry> _registry;
    ServerMetrics _metrics;
    TlsMetrics _tlsMetrics{*_registry};
    std::chrono::steady_clock::time_point _nextProxyWarning; ///< the gate's thread's
    int _untoldProxyFailures = 0;                            ///< its own, too
    std::shared_ptr<DatabaseNodes> _nodes;                   ///< null: the database has one
    SessionPool _pool;
    std::optional<SessionPool> _readerPool; ///< where plain reads may go to another node
    PooledDatabase _database;
    std::unique_ptr<ReadinessProbe> _probe;
    Migrator _migrator;
    AuditStore _audit;
    ServiceRegistry _services;
    HostServices _offered{_services, _database.atWriter(), _audit, _pool.hasSeveralNodes()};
    JobScheduler _jobs;
    PluginOperations _operations;
    std::unique_ptr<RedisClient> _redis; ///< null: none is configured
    std::unique_ptr<RedisCounts> _redisCounts;
    std::unique_ptr<RateLimiter> _rateLimiter;
    Authenticator _authenticator;
    std::unique_ptr<RevocationChannel> _revocations;
    RequestAuthenticators _requestAuthenticators;
    RequestObservers _observers;
    ServerPresence _presence;
    IdempotencyStore _idempotency;
    HeapTrimmer _heap;
    MeRoutes _me;
    Router _router;
    std::vector<Route> _routesLeftOut; ///< of plugins that are not served
    std::vector<std::unique_ptr<PluginHost>> _pluginHosts;
    mutable std::mutex _runningMutex;
    RunningServer _running;
    std::unique_ptr<Pipeline> _pipeline;
    std::unique_ptr<AdminListener> _admin;
    std::unique_ptr<Housekeeper> _housekeeper;
    std::unique_ptr<ApiListener> _listener;
    std::atomic<bool> _serving{false};
    std::atomic<bool> _isPausing{false};
    std::atomic<const Pipeline*> _counted{nullptr}; ///< _pipeline, once it is there
    StatusService _status;
};

} // namespace supplierd::host
