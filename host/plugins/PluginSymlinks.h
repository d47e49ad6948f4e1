#pragma once

#include "host/plugins/PluginNoteReader.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// What is known of a plugin only by loading it.
struct PluginFacts {
    std::string id;
    std::vector<std::string> needs;
    std::vector<std::string> offers;
    bool hasMigrations = false;
};

/// Loads and describes a plugin file as the server would; throws PluginFileError. A damaged file can end the process.
PluginFacts inspectPlugin(const std::filesystem::path& file);
/// How to get these facts; inspectPlugin(), or one that keeps a damaged file away from this process.
using PluginInspector = std::function<PluginFacts(const std::filesystem::path&)>;

/// One line of `supplierctl plugin list`.
struct PluginListing {
    std::string id;
    std::filesystem::path path;         ///< the file in the plugin folder, or the symlink when it points elsewhere
    std::optional<PluginNoteInfo> note; ///< empty when it could not be read
    bool enabled = false;
    std::string problem; ///< empty when the plugin can be loaded
};

/// Makes the symlinks of one folder once more in another, which is there and empty. Throws
/// std::filesystem::filesystem_error.
void copyEnabledPlugins(const std::filesystem::path& pluginsEnabled, const std::filesystem::path& to);

/// What enabling or disabling did.
struct PluginChange {
    std::filesystem::path symlink;
    bool changed = false;           ///< false: it was so before
    std::vector<std::string> notes; ///< what to do next: a needed plugin that is not enabled, a restart
};

/// The files in the plugin folder and the symlinks in `plugins-enabled/` that choose among them.
/// Thread: one. Errors: PluginFileError with a message for the operator, std::filesystem::filesystem_error.
class PluginSymlinks {
public:
    PluginSymlinks(std::filesystem::path pluginDir, std::filesystem::path pluginsEnabled,
                   PluginInspector inspect = inspectPlugin);

    /// All files `*.so` of the plugin folder and all symlinks, by id. A symlink that points nowhere is listed with its
    /// problem.
    std::vector<PluginListing> list() const;
    /// Creates `<id>.so` at once, in one step (a crash leaves the old state or the new). Refuses what cannot be loaded.
    PluginChange enable(std::string_view id);
    PluginChange disable(std::string_view id);
    /// Puts into `folder`, which is there and empty, what would be enabled with these. Throws when one is not
    /// installed.
    void rehearse(const std::vector<std::string>& ids, const std::filesystem::path& folder) const;
    /// Ids of the enabled plugins, others than these, that need one of these or a service of it.
    std::vector<std::string> enabledThatNeed(const std::vector<std::string>& ids) const;
    /// Installed plugins that offer the service, by id; those that cannot be loaded are passed over.
    std::vector<std::string> offerersOf(const std::string& serviceId) const;

    bool isEnabled(std::string_view id) const;
    bool isInstalled(std::string_view id) const;

private:
    std::filesystem::path symlinkOf(std::string_view id) const;
    std::filesystem::path installedFile(std::string_view id) const;
    std::vector<std::string> servicesOf(std::string_view id) const;

    std::filesystem::path _pluginDir;
    std::filesystem::path _pluginsEnabled;
    PluginInspector _inspect;
};

} // namespace supplierd::host
