#pragma once

#include "host/config/Diagnostic.h"
#include "host/config/Settings.h"
#include "host/plugins/PluginSet.h"
#include "host/plugins/PluginSymlinks.h"

#include <filesystem>

namespace supplierd::host {

// A damaged plugin file can end the process that loads it: the system's loader believes what stands in it. So this tool
// loads every plugin in a process of its own first. Call these while this process has one thread.

/// inspectPlugin() in a process of its own. What ends that process, or keeps it too long, is a PluginFileError too.
PluginFacts inspectPluginApart(const std::filesystem::path& file);

/// The symlinks of these settings, looked at so.
PluginSymlinks pluginSymlinks(const ServerSettings& settings);

/// PluginSet::load(), once it went well in a process of its own; otherwise an error in `problems` that names the
/// plugin, and an empty set.
PluginSet loadPlugins(const Settings& settings, Diagnostics& problems);

} // namespace supplierd::host
