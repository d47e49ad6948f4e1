#pragma once

#include "host/plugins/LoadedPlugin.h"

#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// Under which path of a document whose server is `server` a route is: "/items/{id}" for "/items/{id:int}". Where the
/// server is above the audience's base path, "/api/v1" for a plugin that has routes for suppliers and for operators,
/// what lies between is part of it: "/platform/items/{id}".
std::string documentedPath(const Route& route, std::string_view server);
/// What all paths of that audience begin with there: "/platform", mostly "".
std::string_view documentedBase(Audience audience, std::string_view server);
/// "get"
std::string documentedMethod(Method method);

/// The `url` of the first of the `servers` of a document or of one of its paths, without a '/' at the end.
template <class Json>
std::string serverOf(const Json& part, const std::string& otherwise = {}) {
    const auto servers = part.find("servers");
    if (servers == part.end() || !servers->is_array() || servers->empty() || !servers->front().is_object())
        return otherwise;
    std::string url = servers->front().value("url", otherwise);
    while (url.ends_with('/'))
        url.pop_back();
    return url;
}

/// What is wrong with a plugin's OpenAPI document: it is none, a route is not described, something else is. Empty also
/// when it has none.
std::vector<std::string> openApiProblems(const PluginDescription& description);

/// The documents of all plugins and the host's own as one, with whole paths. What a plugin defines under `components`
/// has the plugin's id before its name. A document that is none is left out.
std::string joinedOpenApi(const std::vector<LoadedPlugin>& plugins, const std::string& hosts = {});

} // namespace supplierd::host
