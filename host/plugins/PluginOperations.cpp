#include "host/plugins/PluginOperations.h"

#include "host/observe/CurrentReason.h"

#include <stdexcept>
#include <string_view>
#include <utility>

namespace supplierd::host {

namespace {

constexpr std::size_t MAX_KIND = 32; // of the column audit_log.object

bool isAuditKind(std::string_view kind) {
    return !kind.empty() && kind.size() <= MAX_KIND &&
           kind.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

std::string who(const std::string& pluginId, const std::string& what) {
    return "plugin '" + pluginId + "' brings " + what;
}

} // namespace

void PluginOperations::addCheck(const std::string& pluginId, Check check) {
    if (check.name.empty() || !check.run)
        throw std::logic_error(who(pluginId, "a check without name or function"));
    const std::lock_guard lock(_mutex);
    _plugins[pluginId].checks.push_back(std::move(check));
}

void PluginOperations::addReadiness(const std::string& pluginId, std::function<std::string()> reason) {
    if (!reason)
        throw std::logic_error(who(pluginId, "a readiness without function"));
    const std::lock_guard lock(_mutex);
    _plugins[pluginId].readiness.push_back(std::move(reason));
}

void PluginOperations::addAuditKind(const std::string& pluginId, std::string kind) {
    if (!isAuditKind(kind))
        throw std::logic_error(who(pluginId, "the kind '" + kind +
                                                 "' of audit entries, which must be 1 to 32 of a-z, "
                                                 "0-9 and _"));
    const std::lock_guard lock(_mutex);
    _plugins[pluginId].auditKinds.insert(std::move(kind));
}

void PluginOperations::withdraw(const std::string& pluginId) {
    const std::lock_guard lock(_mutex);
    _plugins.erase(pluginId);
}

void PluginOperations::clear() {
    const std::lock_guard lock(_mutex);
    _plugins.clear();
}

std::vector<std::pair<std::string, Check>> PluginOperations::checks() const {
    const std::lock_guard lock(_mutex);
    std::vector<std::pair<std::string, Check>> checks;
    for (const auto& [id, entry] : _plugins)
        for (const Check& check : entry.checks)
            checks.emplace_back(id, check);
    return checks;
}

std::set<std::string> PluginOperations::auditKinds() const {
    const std::lock_guard lock(_mutex);
    std::set<std::string> kinds;
    for (const auto& [id, entry] : _plugins)
        kinds.insert(entry.auditKinds.begin(), entry.auditKinds.end());
    return kinds;
}

std::map<std::string, std::string> PluginOperations::readiness() const {
    const std::lock_guard lock(_mutex); // also keeps the plugin from going meanwhile
    std::map<std::string, std::string> reasons;
    for (const auto& [id, entry] : _plugins) {
        for (const auto& ask : entry.readiness) {
            std::string reason;
            try {
                reason = ask();
            } catch (...) {
                reason = "it could not say whether it is ready: " + currentReason();
            }
            auto& known = reasons[id];
            if (known.empty())
                known = std::move(reason);
        }
    }
    return reasons;
}

} // namespace supplierd::host
