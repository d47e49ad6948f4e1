#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace supplierd::host {

/// A copy of the configuration's files as of the last start that went well, for a start that finds them broken: a
/// restart must not take a server down that has just run. Meant for a folder that a reboot empties. Thread: main's.
class LastGoodConfiguration {
public:
    /// `folder`: where the copy is; empty: none is kept.
    explicit LastGoodConfiguration(std::filesystem::path folder) : _folder(std::move(folder)) {}

    /// The copy of that configuration file, if there is one.
    std::optional<std::filesystem::path> find(const std::filesystem::path& configFile) const;
    /// Copies that configuration file and those that are read beside it, for this user's eyes only: once they have
    /// passed. Returns what went wrong.
    std::string stage(const std::filesystem::path& configFile);
    /// What was staged takes the former copy's place: once the server serves with it. Returns what went wrong.
    std::string keep();

private:
    std::filesystem::path beside(const char* ending) const;

    std::filesystem::path _folder;
    bool _isStaged = false;
};

} // namespace supplierd::host
