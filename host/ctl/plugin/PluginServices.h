#pragma once

#include "host/config/Settings.h"
#include "host/plugins/PluginOperations.h"
#include "host/plugins/PluginSet.h"
#include "host/plugins/ServiceRegistry.h"
#include "host/services/PluginHost.h"

#include <supplierd/Database.h>
#include <supplierd/services/AuditLog.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace supplierd::host {

/// Enabled plugins, with those that they need, started within supplierctl: no listener, no
/// ready(), so nothing runs but what is called. Stopped at the end. Thread: one.
class PluginServices {
public:
    struct Dependencies {
        const Settings& settings;
        Database& database;
        AuditLog& audit;
        std::ostream& err; ///< warnings and errors, also those of plugins that are not concerned
    };

    /// Throws CommandFailure: no enabled plugin offers the service (and which command mends that), or it cannot start.
    PluginServices(const Dependencies& dependencies, const std::string& serviceId);
    /// The plugin of this id, "" for all; what those bring is in operations(). Throws CommandFailure as above.
    struct Plugin {
        std::string id;
    };
    PluginServices(const Dependencies& dependencies, const Plugin& plugin);
    ~PluginServices();

    void* find(std::string_view serviceId) const { return _services.find(serviceId); }
    const PluginOperations& operations() const { return _operations; }

private:
    /// What offers the service, or is the plugin, of that name; "" for all.
    PluginSet load(const Dependencies& dependencies, const std::string& name);
    void start(const Dependencies& dependencies);

    std::shared_ptr<prometheus::Registry> _metrics;
    ServiceRegistry _services;
    HostServices _offered;
    PluginOperations _operations;
    std::vector<std::unique_ptr<PluginHost>> _hosts;
    PluginSet _plugins; ///< goes first, and stops them
};

} // namespace supplierd::host
