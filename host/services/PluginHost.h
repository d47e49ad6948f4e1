#pragma once

#include "host/auth/AccountStore.h"
#include "host/auth/HostCrypto.h"
#include "host/auth/RequestAuthenticators.h"
#include "host/db/changes/ChangeLogStore.h"
#include "host/observe/PluginMetrics.h"
#include "host/observe/RequestObservers.h"
#include "host/outbound/OutboundHttp.h"
#include "host/plugins/LoadedPlugin.h"
#include "host/plugins/PluginScope.h"
#include "host/plugins/ServiceRegistry.h"
#include "host/services/SharedCacheMemory.h"

#include <supplierd/Host.h>
#include <supplierd/services/AuditLog.h>

#include <prometheus/registry.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::host {

/// The services that the host offers to all plugins alike, in the server and in `supplierctl plugin validate`. Thread:
/// any, once the plugins start.
class HostServices {
public:
    /// Offers them all. What it gets must outlive it. `registry` may be null.
    HostServices(ServiceRegistry& services, AuditLog& audit, std::size_t cacheMemory,
                 const std::shared_ptr<prometheus::Registry>& registry);

    ApiKeyStore& keys() { return _keys; }
    AccountStore& accounts() { return _accounts; }
    HostCrypto& crypto() { return _crypto; }
    CacheMemory& cacheMemory() { return _cacheMemory; }

private:
    ApiKeyStore _keys;
    AccountStore _accounts;
    ChangeLogStore _changes;
    HostCrypto _crypto;
    SharedCacheMemory _cacheMemory;
    OutboundHttp _http;
};

/// What one plugin sees of the program that runs it.
class PluginHost final : public Host {
public:
    /// What all plugins share.
    struct Dependencies {
        Database& database;
        ServiceRegistry& services;
        std::shared_ptr<prometheus::Registry> registry;
        /// Null where no requests are served.
        RequestAuthenticators* authenticators = nullptr;
        RequestObservers* observers = nullptr;
    };

    PluginHost(const LoadedPlugin& plugin, Dependencies dependencies, PluginScope::Dependencies scope,
               std::shared_ptr<Logger> log)
        : _id(plugin.id()),
          _offers(plugin.description.offers),
          _deps(std::move(dependencies)),
          _scope(std::move(scope)),
          _log(std::move(log)),
          _metrics(_deps.registry, plugin.id()) {}

    Database& database() override { return _deps.database; }
    Logger& log() override { return *_log; }
    Metrics& metrics() override { return _metrics; }
    void offerService(std::string_view id, void* service) override { _deps.services.offer(_id, _offers, id, service); }
    void* findService(std::string_view id) override {
        void* const own = _scope.find(id);
        return own ? own : _deps.services.find(id);
    }
    void addAuthenticator(Audience audience, RequestAuthenticator& authenticator) override {
        if (_deps.authenticators)
            _deps.authenticators->add(_id, audience, authenticator);
    }
    void addObserver(RequestObserver& observer, const ObserverOptions& options) override {
        RequestObservers::requireAllowed(options);
        if (_deps.observers)
            _deps.observers->add(_id, observer, options);
    }
    unsigned abiMinor() const override { return SUPPLIERD_SDK_ABI_MINOR; }
    HostPurpose purpose() const override {
        return _deps.authenticators ? HostPurpose::Serving : HostPurpose::Examining;
    }

private:
    std::string _id;
    std::vector<std::string> _offers;
    Dependencies _deps;
    PluginScope _scope;
    std::shared_ptr<Logger> _log;
    PluginMetrics _metrics;
};

} // namespace supplierd::host
