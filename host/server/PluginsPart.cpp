#include "host/server/PluginsPart.h"

#include "host/jobs/ChangeFollower.h"
#include "host/openapi/OpenApiDocument.h"
#include "host/openapi/OpenApiPart.h"
#include "host/openapi/OpenApiRoutes.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::host {

PluginsPart::PluginsPart(ServerBasis& basis, PluginSet& plugins, LogWriter& log, DatabasePart& database,
                         AccountsPart& accounts)
    : _basis(basis),
      _plugins(plugins),
      _logWriter(log),
      _database(database),
      _accounts(accounts),
      _jobs(database.database().atWriter(), basis.log, basis.registry,
            [&database](const std::string& actor, const auto& work) {
                OperationRecord record;
                database.database().run(record, work, std::nullopt, {actor});
            }),
      _observers(basis.metrics.observerDropped(), basis.log),
      _me(accounts.offered().keys()),
      _operatorRoutes({_checks, accounts.audit(), [this] { _jobs.lookSoon(); },
                       [this](const JobKey& key) { return _jobs.commandOf(key); }}),
      _router(basis.metrics, accounts.sharedCounts()),
      _running(RunningServer::current(basis.settings, plugins)),
      _status({_plugins, _operations, database.pool(), accounts.rateLimiter(), basis.settings.rateLimit.requestsPerHour,
               [this] { return running(); },
               [this] {
                   const Pipeline* const pipeline = _counted;
                   return pipeline ? pipeline->running() : 0;
               },
               [this](Audience audience) {
                   const std::lock_guard lock(_runningMutex);
                   const auto document = _openApi.find(audience);
                   return document == _openApi.end() ? "" : document->second;
               }}) {
    const std::vector<std::string> promised{std::string(ServerStatus::ID)};
    accounts.audit().onKinds([this] { return _operations.auditKinds(); });
    accounts.services().offer("supplierd", promised, ServerStatus::ID, static_cast<ServerStatus*>(&_status));
}

bool PluginsPart::start() {
    for (const auto& unfit : _database.unfit())
        leaveOut(unfit);
    startPlugins();
    return true;
}

void PluginsPart::stop() {
    _basis.deadline.doing("stopping the jobs of plugins");
    _jobs.stop();
    _basis.deadline.doing("waiting for the checks of plugins");
    _checks.stop();
    _basis.deadline.doing("telling the observers of the last requests");
    _observers.stop();
    _basis.deadline.doing("stopping the plugins");
    Diagnostics warnings;
    if (std::exchange(_isReady, false))
        _plugins.drain(warnings);
    for (const auto& warning : warnings)
        _basis.log.warning(warning.toString());
    _operations.clear();
    _plugins.stop(); // also after a failed start: they must not outlive their hosts
}

/// What does not fit its tables would damage them, or fail; the others do not need it.
void PluginsPart::leaveOut(const UnfitPlugin& unfit) {
    for (const auto& plugin : _plugins.leaveOut(unfit.id, unfit.message)) {
        _basis.log.error("a plugin is left out", {{"plugin", plugin.id}, {"reason", plugin.reason}});
        noteLeftOut(plugin);
    }
}

/// A 404 of its routes would tell clients that what they know is gone.
void PluginsPart::noteLeftOut(const LeftOutPlugin& plugin) {
    for (Route route : plugin.routes) {
        route.errorPage = {};
        route.handler = [](Request&) -> Response {
            throw ApiError::unavailable("This part of the API is not available at the moment");
        };
        _routesLeftOut.push_back(std::move(route));
    }
    _database.probe().leaveOut(plugin.id);
    _basis.metrics.pluginLeftOut(plugin.id);
    const std::lock_guard lock(_runningMutex);
    _running.leaveOut(plugin.id, plugin.reason);
}

RunningServer PluginsPart::running() const {
    const std::lock_guard lock(_runningMutex);
    return _running;
}

void PluginsPart::startPlugins() {
    Diagnostics warnings;
    for (const auto& plugin : _plugins.plugins())
        _basis.metrics.pluginLeftOut(plugin.id(), false);
    _accounts.offered().keys().setKnownScopes(_plugins.scopes());
    const PluginHost::Dependencies dependencies{_database.database(), _accounts.services(), _basis.registry,
                                                &_accounts.requestAuthenticators(), &_observers};
    _plugins.start(
        [&](const LoadedPlugin& plugin) -> Host& {
            _pluginHosts.push_back(std::make_unique<PluginHost>(
                plugin, dependencies, scopeOf(plugin),
                std::make_shared<JsonLogger>(_logWriter, plugin.id(), _basis.settings.log.level)));
            return *_pluginHosts.back();
        },
        warnings,
        [this](const LoadedPlugin& plugin, const std::string& reason) {
            _accounts.services().withdraw(plugin.id());
            _jobs.withdraw(plugin.id());
            _operations.withdraw(plugin.id());
            noteLeftOut({plugin.id(), reason, plugin.description.routes});
            _accounts.requestAuthenticators().withdraw(plugin.id());
            _observers.withdraw(plugin.id());
        });
    for (const auto& warning : warnings)
        _basis.log.warning(warning.toString());
    _accounts.offered().keys().setKnownScopes(_plugins.scopes()); // without those of plugins that were left out
    addRoutes();
    _jobs.enroll();
    _plugins.ready();
    _isReady = true;
}

void PluginsPart::addRoutes() {
    for (const auto& entry : _plugins.routes())
        _router.add(*entry.route, RequestSchema::of(entry.plugin->description.openapi, *entry.route),
                    entry.plugin->id());
    for (const auto& route : _routesLeftOut)
        _router.add(route);
    for (const auto& route : _me.routes())
        _router.add(route, RequestSchema::ofPart(hostOpenApiPart(), route));
    for (const auto& route : _operatorRoutes.routes())
        _router.add(route, RequestSchema::ofPart(hostOpenApiPart(), route));
    addDocuments();
}

void PluginsPart::addDocuments() {
    std::map<Audience, std::string> documents;
    std::vector<std::string> leftOut;
    for (const auto audience : {Audience::Supplier, Audience::Operator})
        documents[audience] = openApiDocument(audience, _plugins.plugins(), leftOut);
    std::vector<std::string> problems;
    for (const auto& route : openApiRoutes(documents, problems))
        _router.add(route, RequestSchema::ofPart(hostOpenApiPart(), route));
    for (const auto& problem : std::set(leftOut.begin(), leftOut.end())) // of both
        _basis.log.warning(problem);
    for (const auto& problem : problems)
        _basis.log.warning("a command is not offered to supplierctl: " + problem);
    const std::lock_guard lock(_runningMutex);
    _openApi = std::move(documents);
}

PluginScope::Dependencies PluginsPart::scopeOf(const LoadedPlugin& plugin) {
    return {.pluginId = plugin.id(),
            .addJob = [this](const std::string& id, Job job) { _jobs.add(id, std::move(job)); },
            .wokeJob = [this] { _jobs.lookSoon(); },
            .addReader =
                [this](const std::string& id, ChangeReader reader) {
                    _jobs.add(id, ChangeFollower::job(id, std::move(reader),
                                                      {_database.database().atWriter(), _database.database().commits(),
                                                       _basis.log, *_basis.registry}));
                },
            .operations = _operations,
            .audit = _accounts.audit(),
            .stateDir = _basis.settings.server.stateDir};
}

} // namespace supplierd::host
