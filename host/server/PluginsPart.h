#pragma once

#include "host/http/MeRoutes.h"
#include "host/http/Router.h"
#include "host/http/pipeline/Pipeline.h"
#include "host/jobs/JobScheduler.h"
#include "host/observe/JsonLogger.h"
#include "host/observe/RequestObservers.h"
#include "host/plugins/PluginChecks.h"
#include "host/plugins/PluginOperations.h"
#include "host/plugins/PluginSet.h"
#include "host/server/AccountsPart.h"
#include "host/server/OperatorRoutes.h"
#include "host/server/StatusService.h"
#include "host/server/process/RunningServer.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace supplierd::host {

/// The plugins with all that they bring: routes, jobs, observers, and what they offer operators.
class PluginsPart final : public ServerPart {
public:
    PluginsPart(ServerBasis& basis, PluginSet& plugins, LogWriter& log, DatabasePart& database, AccountsPart& accounts);

    /// Starts the plugins, without those that do not fit their tables; then their routes can be found.
    bool start() override;
    void stop() override;

    JobScheduler& jobs() { return _jobs; }
    RequestObservers& observers() { return _observers; }
    PluginOperations& operations() { return _operations; }
    Router& router() { return _router; }
    const PluginSet& plugins() const { return _plugins; }
    /// What this server is made of. Thread: any.
    RunningServer running() const;
    /// Whose requests the status counts, from now on.
    void count(const Pipeline& pipeline) { _counted = &pipeline; }

private:
    void leaveOut(const UnfitPlugin& unfit);
    void noteLeftOut(const LeftOutPlugin& plugin);
    void startPlugins();
    void addRoutes();
    void addDocuments();
    PluginScope::Dependencies scopeOf(const LoadedPlugin& plugin);

    ServerBasis& _basis;
    PluginSet& _plugins;
    LogWriter& _logWriter;
    DatabasePart& _database;
    AccountsPart& _accounts;
    JobScheduler _jobs;
    PluginOperations _operations;
    PluginChecks _checks{_operations};
    RequestObservers _observers;
    MeRoutes _me;
    OperatorRoutes _operatorRoutes;
    Router _router;
    std::vector<Route> _routesLeftOut; ///< of plugins that are not served
    std::vector<std::unique_ptr<PluginHost>> _pluginHosts;
    mutable std::mutex _runningMutex; ///< of _running and _openApi
    RunningServer _running;
    std::atomic<const Pipeline*> _counted{nullptr};
    std::map<Audience, std::string> _openApi; ///< empty until the routes are added
    StatusService _status;
    bool _isReady = false;
};

} // namespace supplierd::host
