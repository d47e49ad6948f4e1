#pragma once

#include "host/ctl/terminal/ControlContext.h"
#include "host/plugins/PluginSymlinks.h"

#include <filesystem>
#include <string>
#include <vector>

namespace supplierd::host {

/// Where the installed plugins are: beside the programs of a build, else as the configuration says, or the package's
/// folder for somebody who may not read the configuration, as an author of plugins.
std::filesystem::path installedPluginFolder(const ControlContext& context);

/// Installed plugins that others need, directly or not.
struct NeededPlugins {
    std::vector<std::filesystem::path> files; ///< each once
    std::vector<std::string> missing;         ///< what no plugin of the folder is or offers

    /// `needs`: as in PluginDescription. Throws PluginFileError: one of them cannot be loaded.
    static NeededPlugins find(std::vector<std::string> needs, const std::filesystem::path& folder,
                              const PluginInspector& inspect);
};

} // namespace supplierd::host
