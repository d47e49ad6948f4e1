#pragma once

#include "host/config/ConfigValue.h"
#include "host/config/Diagnostic.h"
#include "host/config/FileMark.h"

#include <filesystem>
#include <vector>

namespace supplierd::host {

/// What the files of a configuration say together, and which files they are.
struct ConfigFiles {
    ConfigTable merged;
    std::vector<MarkedFile> files; ///< with absolute paths; the file itself first
};

/// Reads the file, then those of the enabled plugins (plugins-available), then conf.d: what is read later wins.
/// Relative paths in them are taken from `folder`. Nothing is checked but that it is TOML.
ConfigFiles readConfigFiles(const std::filesystem::path& file, const std::filesystem::path& folder,
                            Diagnostics& problems);

} // namespace supplierd::host
