#pragma once

#include "host/auth/ApiKeyStore.h"
#include "host/db/PooledDatabase.h"
#include "host/observe/JsonLogger.h"
#include "host/observe/PluginMetrics.h"
#include "host/plugins/LoadedPlugin.h"
#include "host/plugins/PluginScope.h"
#include "host/plugins/ServiceRegistry.h"

#include <supplierd/Host.h>

#include <prometheus/registry.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace supplierd::host {

/// What one plugin sees of the server.
class PluginHost final : public Host {
public:
    PluginHost(const LoadedPlugin& plugin, PooledDatabase& database, ServiceRegistry& services,
               PluginScope::Parts scope, LogWriter& logWriter, LogLevel logLevel,
               std::shared_ptr<prometheus::Registry> registry)
        : _id(plugin.id()),
          _offers(plugin.description.offers),
          _database(database),
          _services(services),
          _scope(std::move(scope)),
          _log(logWriter, plugin.id(), logLevel),
          _metrics(std::move(registry), plugin.id()) {}

    Database& database() override { return _database; }
    Logger& log() override { return _log; }
    Metrics& metrics() override { return _metrics; }
    void offerService(std::string_view id, void* service) override { _services.offer(_id, _offers, id, service); }
    void* findService(std::string_view id) override {
        void* const own = _scope.find(id);
        return own ? own : _services.find(id);
    }
    unsigned abiMinor() const override { return SUPPLIERD_SDK_ABI_MINOR; }

private:
    std::string _id;
    std::vector<std::string> _offers;
    PooledDatabase& _database;
    ServiceRegistry& _services;
    PluginScope _scope;
    JsonLogger _log;
    PluginMetrics _metrics;
};

} // namespace supplierd::host
