#pragma once

#include <supplierd/Plugin.h>

#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// What is wrong with a plugin's description, in the words of one who can mend the plugin; empty when nothing is.
std::vector<std::string> descriptionProblems(std::string_view pluginId, const PluginDescription& description);

} // namespace supplierd::host
