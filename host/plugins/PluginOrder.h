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

/// The enabled plugins that `name`, an entry of `needs` or `after`, stands for.
std::vector<std::size_t> providersOf(const std::string& name, const std::vector<LoadedPlugin>& plugins);

} // namespace supplierd::host
