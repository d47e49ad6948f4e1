#pragma once

#include "host/plugins/LoadedPlugin.h"

#include <cstddef>
#include <string>
#include <vector>

namespace supplierd::host {

/// The order of starting: a plugin after those that it needs or wants to follow, by `needs` and `after`, which name
/// plugins, or services (an id with a slash) for the plugin that offers them. Otherwise alphabetical, so that it is the
/// same on every host.
struct PluginOrder {
    std::vector<std::size_t> sequence; ///< indexes into the plugins given; those of circles are left out
    /// Each circle as a path that ends where it began: {"alpha", "beta", "alpha"}.
    std::vector<std::vector<std::string>> circles;

    static PluginOrder of(const std::vector<LoadedPlugin>& plugins);
};

/// An entry of `needs` or `after`: "catalog", "catalog >= 1.2", "vendor.thing/1".
struct PluginNeed {
    std::string name;         ///< a plugin's id, or a service's with a slash
    std::string leastVersion; ///< "" for any

    /// What cannot be read is all name, which no plugin has.
    static PluginNeed parse(const std::string& text);
    bool isService() const { return name.find('/') != std::string::npos; }
    /// "1.10.2" is later than "1.9"; a missing part is 0, and what is no number counts as 0.
    bool isMetBy(const std::string& version) const;
};

/// The enabled plugins that `name`, an entry of `needs` or `after`, stands for, in a version that is new enough.
std::vector<std::size_t> providersOf(const std::string& name, const std::vector<LoadedPlugin>& plugins);

} // namespace supplierd::host
