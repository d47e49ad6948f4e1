#pragma once

#include "host/auth/RequestAuthenticators.h"
#include "host/observe/PluginMetrics.h"
#include "host/observe/RequestObservers.h"
#include "host/plugins/LoadedPlugin.h"
#include "host/plugins/PluginScope.h"
#include "host/plugins/ServiceRegistry.h"

#include <supplierd/Host.h>

#include <prometheus/registry.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::host {

/// What one plugin sees of the program that runs it.
class PluginHost final : public Host {
public:
    /// What all plugins share.
    struct Parts {
        Database& database;
        ServiceRegistry& services;
        std::shared_ptr<prometheus::Registry> registry;
        /// Null where no requests are served.
        RequestAuthenticators* authenticators = nullptr;
        RequestObservers* observers = nullptr;
    };

    PluginHost(const LoadedPlugin& plugin, Parts parts, PluginScope::Parts scope, std::shared_ptr<Logger> log)
        : _id(plugin.id()),
          _offers(plugin.description.offers),
          _parts(std::move(parts)),
          _scope(std::move(scope)),
          _log(std::move(log)),
          _metrics(_parts.registry, plugin.id()) {}

    Database& database() override { return _parts.database; }
    Logger& log() override { return *_log; }
    Metrics& metrics() override { return _metrics; }
    void offerService(std::string_view id, void* service) override { _parts.services.offer(_id, _offers, id, service); }
    void* findService(std::string_view id) override {
        void* const own = _scope.find(id);
        return own ? own : _parts.services.find(id);
    }
    void addAuthenticator(Audience audience, RequestAuthenticator& authenticator) override {
        if (_parts.authenticators)
            _parts.authenticators->add(_id, audience, authenticator);
    }
    void addObserver(RequestObserver& observer) override {
        if (_parts.observers)
            _parts.observers->add(_id, observer);
    }
    unsigned abiMinor() const override { return SUPPLIERD_SDK_ABI_MINOR; }

private:
    std::string _id;
    std::vector<std::string> _offers;
    Parts _parts;
    PluginScope _scope;
    std::shared_ptr<Logger> _log;
    PluginMetrics _metrics;
};

} // namespace supplierd::host
