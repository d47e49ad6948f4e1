#pragma once

#include "host/plugins/Finding.h"
#include "host/plugins/LoadedPlugin.h"
#include "host/plugins/PluginSymlinks.h"

#include <vector>

namespace supplierd::host {

/// What can be said of a plugin's description, alone and beside the installed plugins: routes, configuration schema,
/// migrations, services, OpenAPI document. Loads the others.
Findings descriptionFindings(const LoadedPlugin& plugin, const std::vector<PluginListing>& others);

} // namespace supplierd::host
