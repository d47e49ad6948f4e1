#pragma once

#include "host/config/ConfigValue.h"
#include "host/plugins/PluginNoteReader.h"

#include <supplierd/Plugin.h>

#include <memory>
#include <string>

namespace supplierd::host {

/// An enabled plugin, described and configured. `description` is declared after `instance`, so that its handlers go
/// before the object that they call.
struct LoadedPlugin {
    PluginNoteInfo note;
    bool optional = false; ///< `optional = true` in its table: left out with a warning instead of stopping the server
    std::unique_ptr<Plugin> instance;
    PluginDescription description;

    const std::string& id() const { return note.id; }
};

/// A route with the plugin that brings it. Lifetime of both pointers: the PluginSet's.
struct PluginRoute {
    const LoadedPlugin* plugin;
    const Route* route;
};

} // namespace supplierd::host
