#pragma once

#include "host/server/ConfigurationCheck.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace supplierd::host {

/// A copy of the configuration's files, and of the symlinks that enable plugins, as of the last start that went well:
/// neither a restart nor a reboot must take a server down because somebody changed them. Thread: main's.
class LastGoodConfiguration {
public:
    /// `folder`: where the copy is; empty: none is kept.
    explicit LastGoodConfiguration(std::filesystem::path folder) : _folder(std::move(folder)) {}

    /// The copy of that configuration, if there is one.
    std::optional<ConfigurationSource> find(const std::filesystem::path& configFile) const;
    /// Copies that configuration file, those that are read beside it and the plugins' symlinks, for this user's eyes
    /// only: once they have passed. Returns what went wrong.
    std::string stage(const std::filesystem::path& configFile, const std::filesystem::path& pluginsEnabled);
    /// What was staged takes the former copy's place: once the server serves with it. Returns what went wrong.
    std::string keep();

private:
    std::filesystem::path beside(const char* ending) const;

    std::filesystem::path _folder;
    bool _isStaged = false;
};

} // namespace supplierd::host
