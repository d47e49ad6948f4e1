#pragma once

#include <supplierd/Plugin.h>

#include <map>
#include <string>
#include <vector>

namespace supplierd::host {

/// `GET /openapi.json` of both APIs, for everybody, and `GET /commands` of the operators' one, from which supplierctl
/// has its commands. The routes need no plugin.
/// @param documents what openApiDocument() has written.
/// @param problems gets a line for each command that is not served, because two plugins have one of its name, say.
std::vector<Route> openApiRoutes(const std::map<Audience, std::string>& documents, std::vector<std::string>& problems);

} // namespace supplierd::host
