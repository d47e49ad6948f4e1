#pragma once

#include "host/plugins/LoadedPlugin.h"

#include <supplierd/Plugin.h>

#include <vector>

namespace supplierd::host {

/// `GET /openapi.json` of both APIs, for everybody: the documents are written now, and served as they are. The routes
/// need no plugin afterwards.
std::vector<Route> openApiRoutes(const std::vector<LoadedPlugin>& plugins);

} // namespace supplierd::host
