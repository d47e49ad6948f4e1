#include "host/plugins/PluginSet.h"

#include "host/config/CheckedConfig.h"
#include "host/config/Diagnostic.h"
#include "host/config/NearestName.h"
#include "host/config/Settings.h"
#include "host/db/schema/Migrator.h"
#include "host/observe/CurrentReason.h"
#include "host/observe/CurrentWork.h"
#include "host/plugins/LoadedPlugin.h"
#include "host/plugins/PluginDescriptionCheck.h"
#include "host/plugins/PluginLibrary.h"
#include "host/plugins/PluginOrder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::host {

namespace {

ConfigKey optionalKey() {
    return {"optional", ConfigType::Boolean, "false", "leave the plugin out with a warning when it cannot be started"};
}

/// Goes from the folder of symlinks to plugins that are described, configured and in order; the work of
/// PluginSet::load(). One use per object.
class PluginLoader {
public:
    PluginLoader(const Settings& settings, Diagnostics& problems, PluginLoadStep step)
        : _settings(settings), _problems(problems), _step(std::move(step)) {}

    std::vector<LoadedPlugin> load() {
        for (const std::filesystem::path& file : enabledFiles())
            loadFile(file);
        configureAll();
        dropSharedServices();
        dropUnmetNeeds();
        dropRouteClashes();
        dropUnmetNeeds();
        putInOrder();
        warnOfUnknownTables();
        return std::move(_plugins);
    }

private:
    std::vector<std::filesystem::path> enabledFiles() {
        const std::filesystem::path& folder = _settings.server.pluginsEnabled;
        std::vector<std::filesystem::path> files;
        std::error_code error;
        std::filesystem::directory_iterator entry(folder, error);
        if (error) {
            const std::string what = error == std::errc::no_such_file_or_directory ? "does not exist" : error.message();
            _problems.warning("no plugin is enabled: the folder " + folder.string() + ": " + what +
                              "; run: supplierctl plugin enable NAME");
            return files;
        }
        for (; entry != std::filesystem::directory_iterator(); entry.increment(error)) {
            const std::string name = entry->path().filename().string();
            if (name.starts_with('.'))
                continue;
            if (entry->path().extension() == ".so")
                files.push_back(entry->path());
            else if (entry->is_symlink(error))
                _problems.warning(entry->path().string() + " is not loaded: the names of plugins end in .so");
        }
        std::sort(files.begin(), files.end());
        for (const std::filesystem::path& file : files)
            _enabled.insert(file.stem().string());
        return files;
    }

    void loadFile(const std::filesystem::path& file) {
        const std::string id = file.stem().string();
        const bool optional = isOptional(id);
        try {
            LoadedPlugin plugin = open(file, optional);
            const std::vector<std::string> problems = descriptionProblems(plugin.id(), plugin.description);
            for (const std::string& problem : problems)
                refuse(optional, {}, notLoaded(plugin.id(), plugin.note.path, problem));
            if (problems.empty())
                _plugins.push_back(std::move(plugin));
        } catch (const PluginFileError& error) {
            refuse(optional, {}, error.what());
        }
    }

    LoadedPlugin open(const std::filesystem::path& file, bool optional) {
        const std::filesystem::path target = enabledTarget(file);
        tell(fmt::format("loading plugin '{}' ({})", withoutControls(file.stem().string()),
                         withoutControls(target.string())));
        const PluginLibrary library(target);
        refuseForeignName(file, library.note());
        LoadedPlugin plugin;
        plugin.note = library.note();
        plugin.optional = optional;
        plugin.instance = library.create();
        plugin.description = describe(plugin.note, *plugin.instance);
        return plugin;
    }

    void refuseForeignName(const std::filesystem::path& file, const PluginNoteInfo& note) {
        if (note.id == file.stem())
            return;
        std::string reason = "its id is '" + note.id + "', so the symlink must be named " + note.id + ".so";
        if (_enabled.contains(note.id))
            reason = "its id is '" + note.id + "', and " + note.id +
                     ".so is there too: one id, one plugin; remove this "
                     "symlink";
        throw PluginFileError(notLoaded(file.stem().string(), file, reason));
    }

    void configureAll() {
        for (std::size_t i = 0; i < _plugins.size();) {
            if (configure(_plugins[i]))
                ++i;
            else
                remove(i);
        }
    }

    bool configure(LoadedPlugin& plugin) {
        const ConfigPosition position = tablePosition(plugin.id());
        std::vector<ConfigKey> schema = plugin.description.config;
        schema.push_back(optionalKey());
        const std::size_t errorsBefore = _problems.errors();
        const CheckedConfig config = CheckedConfig::check(
            schema, _settings.plugins.table(plugin.id()),
            {"plugins." + plugin.id(), position, std::filesystem::absolute(_settings.file).parent_path()}, _problems);
        // A slip of the pen in the file is an error even for an optional plugin.
        if (_problems.errors() > errorsBefore)
            return false;
        const std::string who = "plugin '" + plugin.id() + "' refuses its configuration: ";
        tell("configuring plugin '" + plugin.id() + "'");
        try {
            plugin.instance->configure(config);
            return true;
        } catch (const ConfigError& error) {
            refuse(plugin.optional, config.position(error.key()),
                   who + (error.key().empty() ? std::string() : error.key() + ": ") + error.what());
        } catch (...) {
            refuse(plugin.optional, position, who + currentReason());
        }
        return false;
    }

    void dropUnmetNeeds() {
        // What is dropped may be needed itself, so look again until nothing changes.
        for (std::size_t i = 0; i < _plugins.size();) {
            const std::string reason = unmetNeed(_plugins[i]);
            if (reason.empty()) {
                ++i;
                continue;
            }
            refuse(_plugins[i].optional, {}, reason);
            remove(i);
            i = 0;
        }
    }

    std::string unmetNeed(const LoadedPlugin& plugin) const {
        for (const std::string& need : plugin.description.needs) {
            if (!providersOf(need, _plugins).empty())
                continue;
            const PluginNeed needed = PluginNeed::parse(need);
            const auto old = std::find_if(_plugins.begin(), _plugins.end(),
                                          [&](const LoadedPlugin& other) { return other.id() == needed.name; });
            if (old != _plugins.end())
                return fmt::format(
                    "plugin '{}' needs plugin '{}' of version {} or later, and {} is installed; install a "
                    "later one (of Debian's packages: supplierd-plugin-{})",
                    plugin.id(), needed.name, needed.leastVersion, old->note.version, needed.name);
            if (needed.isService())
                return fmt::format("plugin '{}' needs the service '{}', which no enabled plugin offers", plugin.id(),
                                   need);
            if (_enabled.contains(needed.name))
                return fmt::format(
                    "plugin '{}' needs plugin '{}', which is enabled but could not be loaded (see its own "
                    "message)",
                    plugin.id(), needed.name);
            return needsAnother(plugin.id(), needed.name, _settings.server.pluginDir);
        }
        return {};
    }

    void dropSharedServices() {
        std::map<std::string, std::string> providers;
        for (std::size_t i = 0; i < _plugins.size();) {
            const LoadedPlugin& plugin = _plugins[i];
            std::string clash;
            for (const std::string& service : plugin.description.offers) {
                const auto [found, added] = providers.try_emplace(service, plugin.id());
                if (!added)
                    clash = "plugins '" + found->second + "' and '" + plugin.id() + "' both offer the service '" +
                            service + "'; run: supplierctl plugin disable " + plugin.id();
            }
            if (clash.empty()) {
                ++i;
                continue;
            }
            refuse(plugin.optional, {}, clash);
            remove(i);
        }
    }

    void dropRouteClashes() {
        for (;;) {
            const std::vector<RouteClash> clashes = findRouteClashes(_plugins);
            if (clashes.empty())
                return;
            // All at once unless something is left out: then the others may be free of clashes.
            const auto optional = std::find_if(clashes.begin(), clashes.end(), [this](const RouteClash& clash) {
                return _plugins[clash.first].optional || _plugins[clash.second].optional;
            });
            if (optional == clashes.end()) {
                for (const RouteClash& clash : clashes)
                    _problems.error(clash.message);
                return;
            }
            _problems.warning(optional->message);
            remove(_plugins[optional->second].optional ? optional->second : optional->first);
        }
    }

    void putInOrder() {
        PluginOrder order = PluginOrder::of(_plugins);
        for (const std::vector<std::string>& circle : order.circles) {
            std::string text;
            for (const std::string& id : circle)
                text += (text.empty() ? "" : " → ") + id;
            _problems.error("plugins need each other in a circle: " + text +
                            " (each must start after the next); run: supplierctl plugin disable " + circle.front());
        }
        std::vector<LoadedPlugin> ordered;
        for (const std::size_t index : order.sequence)
            ordered.push_back(std::move(_plugins[index]));
        _plugins = std::move(ordered);
    }

    void warnOfUnknownTables() {
        std::vector<std::string> known(_enabled.begin(), _enabled.end());
        for (const std::filesystem::path& file : pluginFiles(_settings.server.pluginDir))
            known.push_back(file.stem().string());
        for (const auto& [id, entry] : _settings.plugins.entries) {
            if (std::find(known.begin(), known.end(), id) == known.end())
                _problems.warning(entry.keyPosition, "[plugins." + id + "]: no such plugin in " +
                                                         _settings.server.pluginDir.string() + suggestion(id, known));
        }
    }

    void tell(const std::string& step) const {
        if (_step)
            _step(step);
    }

    bool isOptional(const std::string& id) const {
        const ConfigTable* table = _settings.plugins.table(id);
        const ConfigEntry* entry = table ? table->find("optional") : nullptr;
        const bool* value = entry ? std::get_if<bool>(&entry->value.data) : nullptr;
        return value && *value;
    }

    ConfigPosition tablePosition(const std::string& id) const {
        const ConfigEntry* entry = _settings.plugins.find(id);
        return entry ? entry->keyPosition : ConfigPosition{_settings.file.string()};
    }

    /// An error, or a warning when the plugin is optional.
    void refuse(bool optional, const ConfigPosition& position, const std::string& message) {
        if (optional)
            _problems.warning(position, message + " (left out: it is optional)");
        else
            _problems.error(position, message);
    }

    void remove(std::size_t index) {
        // Its handlers go before the object that they call.
        _plugins[index].description = {};
        _plugins.erase(_plugins.begin() + static_cast<std::ptrdiff_t>(index));
    }

    const Settings& _settings;
    Diagnostics& _problems;
    PluginLoadStep _step; ///< may be empty
    std::vector<LoadedPlugin> _plugins;
    std::set<std::string> _enabled; ///< ids of all symlinks, loadable or not
};

} // namespace

PluginSet PluginSet::load(const Settings& settings, Diagnostics& problems, const PluginLoadStep& step) {
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

std::vector<LeftOutPlugin> PluginSet::leaveOut(const std::string& id, const std::string& reason) {
    std::vector<LeftOutPlugin> gone;
    const auto remove = [&](std::size_t index, const std::string& why) {
        gone.push_back({_plugins[index].id(), why, _plugins[index].description.routes});
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

void PluginSet::start(const std::function<Host&(const LoadedPlugin&)>& hostFor, Diagnostics& warnings,
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
    const CurrentWork mark(plugin.id().c_str(), "start()");
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
        const CurrentWork mark(plugin.id().c_str(), "ready()");
        try {
            plugin.instance->ready();
        } catch (...) {
            throw PluginStartError("plugin '" + plugin.id() + "' failed to become ready: " + currentReason());
        }
    }
}

void PluginSet::drain(Diagnostics& warnings) {
    for (std::size_t i = _started; i-- > 0;) {
        const CurrentWork mark(_plugins[i].id().c_str(), "drain()");
        try {
            _plugins[i].instance->drain();
        } catch (...) {
            warnings.warning("plugin '" + _plugins[i].id() + "' failed to drain: " + currentReason());
        }
    }
}

void PluginSet::stop() noexcept {
    while (_started > 0) {
        const LoadedPlugin& plugin = _plugins[--_started];
        const CurrentWork mark(plugin.id().c_str(), "stop()");
        plugin.instance->stop();
    }
}

} // namespace supplierd::host
