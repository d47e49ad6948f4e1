#pragma once

#include "host/config/CheckedConfig.h"
#include "host/config/ConfigProblem.h"
#include "host/config/Settings.h"
#include "host/plugins/LoadedPlugin.h"

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace supplierd::host {

/// Goes from the folder of symlinks to plugins that are described, configured and in order; the work of
/// PluginSet::load(). One use per object.
class PluginLoader {
public:
    using Step = std::function<void(const std::string&)>;

    /// `step` as PluginLoadStep; it may be empty.
    PluginLoader(const Settings& settings, ConfigProblems& problems, Step step)
        : _settings(settings), _problems(problems), _step(std::move(step)) {}

    std::vector<LoadedPlugin> load();

private:
    std::vector<std::filesystem::path> enabledFiles();
    void loadFile(const std::filesystem::path& file);
    LoadedPlugin open(const std::filesystem::path& file, bool optional);
    void refuseForeignName(const std::filesystem::path& file, const PluginNoteInfo& note);
    void configureAll();
    bool configure(LoadedPlugin& plugin);
    void dropUnmetNeeds();
    std::string unmetNeed(const LoadedPlugin& plugin) const;
    void dropSharedServices();
    void dropRouteClashes();
    void putInOrder();
    void warnOfUnknownTables();

    void tell(const std::string& step) const;
    bool isOptional(const std::string& id) const;
    ConfigPosition tablePosition(const std::string& id) const;
    /// An error, or a warning when the plugin is optional.
    void refuse(bool optional, const ConfigPosition& position, const std::string& message);
    void remove(std::size_t index);

    const Settings& _settings;
    ConfigProblems& _problems;
    Step _step;
    std::vector<LoadedPlugin> _plugins;
    std::set<std::string> _enabled; ///< ids of all symlinks, loadable or not
};

} // namespace supplierd::host
