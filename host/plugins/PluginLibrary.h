#pragma once

#include "host/plugins/PluginNoteReader.h"

#include <supplierd/Plugin.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::host {

/// A plugin's shared library: its note is read and checked first, only then is the file loaded. A loaded library stays
/// mapped until the process ends (handlers and exceptions of it may outlive this object).
class PluginLibrary {
public:
    /// Throws PluginFileError.
    explicit PluginLibrary(const std::filesystem::path& path);

    const PluginNoteInfo& note() const { return _note; }
    /// Throws PluginFileError when the plugin's constructor throws or gives nothing.
    std::unique_ptr<Plugin> create() const;

private:
    PluginNoteInfo _note;
    PluginEntry _entry = nullptr;
};

/// The files `*.so` of a folder, by name; none when there is no such folder.
std::vector<std::filesystem::path> pluginFiles(const std::filesystem::path& folder);

/// The file that an entry of `plugins-enabled/` leads to; throws PluginFileError naming what a dangling one points at.
std::filesystem::path enabledTarget(const std::filesystem::path& symlink);

/// That a plugin needs another, which is not enabled, and what to do: an enabling of what is not installed fails.
std::string needsAnother(const std::string& id, const std::string& need, const std::filesystem::path& pluginDir);

/// Plugin::describe(); throws PluginFileError when it fails.
PluginDescription describe(const PluginNoteInfo& note, Plugin& plugin);

} // namespace supplierd::host
