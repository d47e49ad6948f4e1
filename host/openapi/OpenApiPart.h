#pragma once

#include "host/plugins/LoadedPlugin.h"

#include <supplierd/Plugin.h>

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

using OpenApiJson = nlohmann::ordered_json;

inline constexpr std::array<std::string_view, 5> DOCUMENTED_METHODS = {"get", "post", "put", "patch", "delete"};

/// A plugin's OpenAPI document: its part of the documents that the server serves. Null when the text is none. One of
/// OpenAPI 3.0 is made one of 3.1.
OpenApiJson parseOpenApiPart(const std::string& text);

/// The host's part: its own routes, and the components that all parts may refer to.
const OpenApiJson& hostOpenApiPart();

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

/// Calls `visit` with every text of `part` that refers to a component ("#/components/schemas/Rose").
template <class Json, class Visit>
void forEachReference(Json& part, Visit&& visit) {
    if (part.is_string() && part.template get_ref<const std::string&>().starts_with("#/components/"))
        visit(part);
    else if (part.is_structured())
        for (auto& child : part)
            forEachReference(child, visit);
}

/// The kind and name of a component in such a text, and what follows: {"schemas", "Rose", "/properties/id"}.
struct ComponentReference {
    std::string kind;
    std::string name;
    std::string rest;

    static ComponentReference parse(std::string_view text);
    std::string text() const { return "#/components/" + kind + "/" + name + rest; }
};

/// What is wrong with a plugin's OpenAPI document: it is none, a route is not described, something else is, a reference
/// leads nowhere. Empty also when it has none. Routes outside of the two APIs need no description.
std::vector<std::string> openApiProblems(const PluginDescription& description);

} // namespace supplierd::host
