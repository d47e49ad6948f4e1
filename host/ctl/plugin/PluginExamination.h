#pragma once

#include "host/config/ConfigValue.h"
#include "host/config/Settings.h"
#include "host/plugins/Finding.h"
#include "host/plugins/IsolatedRun.h"
#include "host/plugins/LoadedPlugin.h"
#include "host/plugins/PluginSymlinks.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::host {

/// What `supplierctl plugin validate` looks at.
struct PluginSubject {
    std::filesystem::path file;
    ConfigTable configuration;          ///< its values, as `[plugins.<id>]` would have them
    std::vector<PluginListing> others;  ///< the plugins that are installed here
    Settings settings;                  ///< where these are, and how they are configured
    std::chrono::milliseconds limit{0}; ///< for each step of its life
    /// Folders that it may write to beside the one of this examination, which is $TMPDIR for it.
    std::vector<std::filesystem::path> writable;
};

struct PluginVerdict {
    std::optional<PluginNoteInfo> note; ///< empty when it could not be read
    Findings findings;
};

/// Checks a built plugin: what its file says, then its description and its life, from load to unload, in a process of
/// its own that can write nowhere else (where the kernel has Landlock). Throws std::system_error when there can be no
/// such process.
PluginVerdict examinePlugin(const PluginSubject& subject);

/// What can be said of a plugin's description, alone and beside the installed plugins: routes, configuration schema,
/// migrations, services, OpenAPI document. Loads the others.
Findings checkDescription(const LoadedPlugin& plugin, const std::vector<PluginListing>& others);

/// Loads the plugin, checks its description, and takes it through its life on a ValidationHost, telling what it finds.
/// Throws nothing. It may crash or never return: call it within runIsolated().
void runLifecycle(const PluginSubject& subject, const PluginNoteInfo& note, FindingWriter& findings) noexcept;

/// Installed plugins that others need, directly or not.
struct NeededPlugins {
    std::vector<std::filesystem::path> files; ///< each once
    std::vector<std::string> missing;         ///< what no plugin of the folder is or offers

    /// `needs`: as in PluginDescription. Throws PluginFileError: one of them cannot be loaded.
    static NeededPlugins find(std::vector<std::string> needs, const std::filesystem::path& folder,
                              const PluginInspector& inspect);
};

} // namespace supplierd::host
