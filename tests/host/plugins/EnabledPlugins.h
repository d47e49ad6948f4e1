#pragma once

#include "host/plugins/PluginSet.h"
#include "tests/support/TemporaryDirectory.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::tests {

/// A configuration with a folder of symlinks to fixture plugins.
class EnabledPlugins {
public:
    explicit EnabledPlugins(const std::vector<std::string>& fixtures = {});

    void enable(std::string_view name) const;
    void link(std::string_view name, const std::filesystem::path& target) const;
    void configure(std::string_view text) const;

    std::filesystem::path path(std::string_view name) const { return _directory / name; }
    static std::filesystem::path fixture(std::string_view name);

    /// Reads the configuration and loads the plugins; what is wrong is in messages().
    host::PluginSet load();
    bool failed() const { return _problems.hasErrors(); }
    /// One problem per line; the folders are written <fixtures> and <config>.
    std::string messages() const { return shortened(_problems.toString()); }
    std::string shortened(std::string text) const;

private:
    TemporaryDirectory _directory;
    host::Diagnostics _problems;
};

/// The ids in the order of the set, separated by blanks.
std::string ids(const host::PluginSet& plugins);

} // namespace supplierd::tests
