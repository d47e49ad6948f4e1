#include "host/ctl/plugin/NeededPlugins.h"

#include "host/config/SettingsLoader.h"
#include "host/plugins/PluginOrder.h"

#include <set>

namespace supplierd::host {

namespace fs = std::filesystem;

fs::path installedPluginFolder(const ControlContext& context) {
    const auto beside = fs::canonical("/proc/self/exe").parent_path().parent_path() / "plugins";
    if (fs::is_directory(beside))
        return beside;
    Diagnostics ignored; // an author's machine needs no configuration
    return loadSettings(context.configFile, ignored).server.pluginDir;
}

NeededPlugins NeededPlugins::find(std::vector<std::string> needs, const fs::path& folder,
                                  const PluginInspector& inspect) {
    const PluginSymlinks installed(folder, folder, inspect);
    NeededPlugins found;
    std::set<std::string> ids;
    while (!needs.empty()) {
        const PluginNeed need = PluginNeed::parse(needs.back());
        needs.pop_back();
        const auto offerers = need.isService() ? installed.offerersOf(need.name) : std::vector<std::string>();
        const std::string id = offerers.empty() ? need.name : offerers.front();
        if (!ids.insert(id).second)
            continue;
        if (!installed.isInstalled(id)) {
            found.missing.push_back(need.name);
            continue;
        }
        const fs::path file = folder / (id + ".so");
        const auto facts = inspect(file);
        found.files.push_back(fs::absolute(file));
        needs.insert(needs.end(), facts.needs.begin(), facts.needs.end());
    }
    return found;
}

} // namespace supplierd::host
