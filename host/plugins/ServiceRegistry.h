#pragma once

#include <supplierd/Plugin.h>

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

namespace supplierd::host {

/// The services that plugins publish for each other, by id ("supplierd.image-ingest/1"). Thread: any.
class ServiceRegistry {
public:
    /// Throws std::logic_error, naming the plugin: an id that is not in `promised` (its PluginDescription::offers), one
    /// that is taken, or a null service.
    void offer(std::string_view pluginId, std::span<const std::string> promised, std::string_view serviceId,
               void* service);
    /// Null when nobody offers it.
    void* find(std::string_view serviceId) const;
    /// Forgets what the plugin offered. For a plugin that is left out after a failed start.
    void withdraw(std::string_view pluginId);

private:
    struct Service {
        std::string pluginId;
        void* object;
    };

    mutable std::mutex _mutex;
    std::map<std::string, Service, std::less<>> _services;
};

} // namespace supplierd::host
