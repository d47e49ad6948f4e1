#pragma once

#include <supplierd/services/Operations.h>

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::host {

/// What plugins bring for operators, by plugin. Thread: any.
class PluginOperations {
public:
    /// These throw std::logic_error that names the plugin.
    void addCheck(const std::string& pluginId, Check check);
    void addReadiness(const std::string& pluginId, std::function<std::string()> reason);
    void addAuditKind(const std::string& pluginId, std::string kind);

    /// Forgets what a plugin brought, before it goes.
    void withdraw(const std::string& pluginId);
    /// Forgets everything, and waits for a question to readiness() that is under way.
    void clear();

    /// By plugin.
    std::vector<std::pair<std::string, Check>> checks() const;
    std::set<std::string> auditKinds() const;
    /// Why a plugin is not ready, by its id; "" when it is.
    std::map<std::string, std::string> readiness() const;

private:
    struct Entry {
        std::vector<Check> checks;
        std::vector<std::function<std::string()>> readiness;
        std::set<std::string> auditKinds;
    };

    mutable std::mutex _mutex;
    std::map<std::string, Entry> _plugins;
};

} // namespace supplierd::host
