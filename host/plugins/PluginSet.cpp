#include "host/plugins/PluginSet.h"

#include "host/db/schema/Migrator.h"
#include "host/observe/CurrentReason.h"
#include "host/plugins/PluginLoader.h"
#include "host/plugins/PluginOrder.h"

#include <set>
#include <utility>

namespace supplierd::host {

PluginSet PluginSet::load(const Settings& settings, ConfigProblems& problems, const PluginLoadStep& step) {
    PluginSet set;
    set._plugins = PluginLoader(settings, problems, step).load();
    return set;
}

PluginSet::PluginSet(PluginSet&& other) noexcept
    : _plugins(std::move(other._plugins)), _started(std::exchange(other._started, 0)) {
    other._plugins.clear();
}

PluginSet::~PluginSet() {
    stop();
    while (!_plugins.empty())
        _plugins.pop_back();
}

const LoadedPlugin* PluginSet::find(std::string_view id) const {
    for (const LoadedPlugin& plugin : _plugins) {
        if (plugin.id() == id)
            return &plugin;
    }
    return nullptr;
}

std::vector<MigrationSet> PluginSet::migrations() const {
    std::vector<MigrationSet> sets;
    for (const LoadedPlugin& plugin : _plugins) {
        if (!plugin.description.migrations.empty())
            sets.push_back({plugin.id(), plugin.description.migrations});
    }
    return sets;
}

std::vector<std::string> PluginSet::scopes() const {
    std::set<std::string> scopes;
    for (const LoadedPlugin& plugin : _plugins)
        for (const Scope& scope : plugin.description.scopes)
            scopes.insert(scope.name);
    return {scopes.begin(), scopes.end()};
}

std::vector<PluginRoute> PluginSet::routes() const {
    std::vector<PluginRoute> routes;
    for (const LoadedPlugin& plugin : _plugins) {
        for (const Route& route : plugin.description.routes)
            routes.push_back({&plugin, &route});
    }
    return routes;
}

bool PluginSet::keepOnlyFor(const std::string& serviceId) {
    std::vector<bool> isKept(_plugins.size());
    std::vector<std::string> wanted = {serviceId};
    while (!wanted.empty()) {
        const std::string name = std::move(wanted.back());
        wanted.pop_back();
        for (const std::size_t index : providersOf(name, _plugins)) {
            if (isKept[index])
                continue;
            isKept[index] = true;
            const std::vector<std::string>& needs = _plugins[index].description.needs;
            wanted.insert(wanted.end(), needs.begin(), needs.end());
        }
    }
    for (std::size_t i = _plugins.size(); i-- > 0;) {
        if (isKept[i])
            continue;
        // Its handlers go before the object that they call.
        _plugins[i].description = {};
        _plugins.erase(_plugins.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return !_plugins.empty();
}

std::vector<LeftOutPlugin> PluginSet::leaveOut(const std::string& id, const std::string& reason) {
    std::vector<LeftOutPlugin> gone;
    const auto remove = [&](std::size_t index, const std::string& why) {
        gone.push_back({_plugins[index].id(), why});
        // Its handlers go before the object that they call.
        _plugins[index].description = {};
        _plugins.erase(_plugins.begin() + static_cast<std::ptrdiff_t>(index));
    };
    for (std::size_t i = 0; i < _plugins.size(); ++i) {
        if (_plugins[i].id() == id) {
            remove(i, reason);
            break;
        }
    }
    // What needs one that is gone comes after it, so one pass finds them all.
    for (std::size_t i = 0; i < _plugins.size();) {
        const std::string need = missingNeed(_plugins[i]);
        if (need.empty())
            ++i;
        else
            remove(i, "plugin '" + _plugins[i].id() + "' needs '" + need + "', which is left out");
    }
    return gone;
}

void PluginSet::start(const std::function<Host&(const LoadedPlugin&)>& hostFor, ConfigProblems& warnings,
                      const std::function<void(const LoadedPlugin&, const std::string& reason)>& leftOut) {
    while (_started < _plugins.size()) {
        LoadedPlugin& plugin = _plugins[_started];
        try {
            startOne(plugin, hostFor);
            ++_started;
            continue;
        } catch (const PluginStartError& error) {
            if (leftOut)
                leftOut(plugin, error.what());
            if (!plugin.optional) {
                stop();
                throw;
            }
            warnings.warning(std::string(error.what()) + " (left out: it is optional)");
        }
        // Its handlers go before the object that they call.
        plugin.description = {};
        _plugins.erase(_plugins.begin() + static_cast<std::ptrdiff_t>(_started));
    }
}

void PluginSet::startOne(LoadedPlugin& plugin, const std::function<Host&(const LoadedPlugin&)>& hostFor) {
    const std::string who = "plugin '" + plugin.id() + "' failed to start: ";
    if (const std::string need = missingNeed(plugin); !need.empty())
        throw PluginStartError(who + "it needs '" + need + "', which failed to start");
    try {
        plugin.instance->start(hostFor(plugin));
    } catch (...) {
        const std::string reason = currentReason();
        plugin.instance->stop();
        throw PluginStartError(who + reason);
    }
}

std::string PluginSet::missingNeed(const LoadedPlugin& plugin) const {
    for (const std::string& need : plugin.description.needs) {
        if (providersOf(need, _plugins).empty())
            return need;
    }
    return {};
}

void PluginSet::ready() {
    for (LoadedPlugin& plugin : _plugins) {
        try {
            plugin.instance->ready();
        } catch (...) {
            throw PluginStartError("plugin '" + plugin.id() + "' failed to become ready: " + currentReason());
        }
    }
}

void PluginSet::drain(ConfigProblems& warnings) {
    for (std::size_t i = _started; i-- > 0;) {
        try {
            _plugins[i].instance->drain();
        } catch (...) {
            warnings.warning("plugin '" + _plugins[i].id() + "' failed to drain: " + currentReason());
        }
    }
}

void PluginSet::stop() noexcept {
    while (_started > 0)
        _plugins[--_started].instance->stop();
}

} // namespace supplierd::host
