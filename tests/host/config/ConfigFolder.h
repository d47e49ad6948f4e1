#pragma once

#include "host/config/SettingsLoader.h"
#include "tests/support/TemporaryDirectory.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::tests {

/// A folder with a supplierd.toml (mode 0600) and what a test puts beside it.
class ConfigFolder {
public:
    explicit ConfigFolder(std::string_view text = {});

    std::filesystem::path path(std::string_view name = "supplierd.toml") const { return _directory / name; }
    void write(std::string_view name, std::string_view text) const;

    host::Settings load();
    const host::Diagnostics& problems() const { return _problems; }
    /// Every problem, without the folder's name before the file's.
    std::vector<std::string> messages() const;

private:
    TemporaryDirectory _directory;
    host::Diagnostics _problems;
};

/// One text per line, so that a failing comparison shows all of them.
std::string lines(const std::vector<std::string>& texts);

} // namespace supplierd::tests
