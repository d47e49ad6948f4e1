#pragma once

#include "host/plugins/PluginNoteReader.h"

#include <supplierd/Plugin.h>

#include <filesystem>
#include <memory>

namespace supplierd::host {

/// A plugin's shared library: its note is read and judged first, only then is the file loaded. A loaded library stays
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

} // namespace supplierd::host
