#pragma once

#include "host/plugins/LoadedPlugin.h"

#include <supplierd/Plugin.h>

#include <string>
#include <vector>

namespace supplierd::host {

/// `GET /openapi.json` of both APIs, for everybody, and `GET /commands` of the operators' one, from which supplierctl
/// has its commands: the documents are written now, and served as they are. The routes need no plugin afterwards.
/// @param problems gets a line for each command that is not served, because two plugins have one of its name, say.
std::vector<Route> openApiRoutes(const std::vector<LoadedPlugin>& plugins, std::vector<std::string>& problems);

} // namespace supplierd::host
