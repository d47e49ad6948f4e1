#pragma once

#include "host/plugins/LoadedPlugin.h"

#include <string>
#include <vector>

namespace supplierd::host {

/// The names of a route's path and method there: "/items/{id:int}" is "/items/{id}", "get".
std::string documentedPath(std::string pattern);
std::string documentedMethod(Method method);

/// What is wrong with a plugin's OpenAPI document: it is none, a route is not described, something else is. Empty also
/// when it has none.
std::vector<std::string> openApiProblems(const PluginDescription& description);

/// The documents of all plugins and the host's own as one, with whole paths. What a plugin defines under `components`
/// has the plugin's id before its name. A document that is none is left out.
std::string joinedOpenApi(const std::vector<LoadedPlugin>& plugins, const std::string& hosts = {});

} // namespace supplierd::host
