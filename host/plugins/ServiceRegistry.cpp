#include "host/plugins/ServiceRegistry.h"

#include <algorithm>
#include <stdexcept>

namespace supplierd::host {

void ServiceRegistry::offer(std::string_view pluginId, std::span<const std::string> promised,
                            std::string_view serviceId, void* service) {
    const std::string who =
        "plugin '" + std::string(pluginId) + "' offers the service '" + std::string(serviceId) + "'";
    if (!service)
        throw std::logic_error(who + " without an object");
    if (std::find(promised.begin(), promised.end(), serviceId) == promised.end())
        throw std::logic_error(who + ", which its description does not promise; add it to PluginDescription::offers");
    const std::lock_guard lock(_mutex);
    const auto [found, added] = _services.try_emplace(std::string(serviceId), Service{std::string(pluginId), service});
    if (!added)
        throw std::logic_error(who + ", which plugin '" + found->second.pluginId + "' offers already");
}

void* ServiceRegistry::find(std::string_view serviceId) const {
    const std::lock_guard lock(_mutex);
    const auto found = _services.find(serviceId);
    return found == _services.end() ? nullptr : found->second.object;
}

void ServiceRegistry::withdraw(std::string_view pluginId) {
    const std::lock_guard lock(_mutex);
    std::erase_if(_services, [&](const auto& entry) { return entry.second.pluginId == pluginId; });
}

} // namespace supplierd::host
