#include "host/plugins/OpenApiDocument.h"

#include "host/Version.h"
#include "host/plugins/RoutePattern.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace supplierd::host {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 5> METHODS = {"get", "post", "put", "patch", "delete"};

/// Empty when the text is no OpenAPI document.
Json parse(const std::string& text) {
    Json document = Json::parse(text, nullptr, false);
    const bool isOne = document.is_object() && document.contains("openapi") && document["openapi"].is_string() &&
                       document.contains("paths") && document["paths"].is_object();
    return isOne ? document : Json();
}

std::set<std::string> described(const Json& document) {
    std::set<std::string> operations;
    for (const auto& [path, item] : document["paths"].items())
        for (const std::string_view method : METHODS)
            if (item.is_object() && item.contains(method))
                operations.insert(std::string(method) + " " + path);
    return operations;
}

/// Puts `prefix` before the name in every reference to a component.
void renameReferences(Json& part, const std::string& prefix) {
    constexpr std::string_view COMPONENTS = "#/components/";
    if (part.is_object() && part.contains("$ref") && part["$ref"].is_string()) {
        std::string target = part["$ref"].get<std::string>();
        const std::size_t name = target.find('/', COMPONENTS.size());
        if (target.starts_with(COMPONENTS) && name != std::string::npos)
            part["$ref"] = target.insert(name + 1, prefix);
    }
    if (part.is_structured())
        for (auto& child : part)
            renameReferences(child, prefix);
}

void addComponents(Json& whole, const Json& components, const std::string& prefix) {
    for (const auto& [kind, entries] : components.items()) {
        // Referred to by name, not by $ref, and the same everywhere.
        const bool isNamed = kind == "securitySchemes";
        for (const auto& [name, entry] : entries.items())
            whole["components"][kind][isNamed ? name : prefix + name] = entry;
    }
}

void addPaths(Json& whole, Json& document, const std::string& prefix) {
    const std::string base = serverOf(document);
    for (auto& [path, item] : document["paths"].items()) {
        if (!item.is_object())
            continue;
        const std::string place = serverOf(item, base) + path;
        item.erase("servers");
        for (auto& [method, operation] : item.items()) {
            if (operation.is_object() && std::find(METHODS.begin(), METHODS.end(), method) != METHODS.end()) {
                if (!operation.contains("security") && document.contains("security"))
                    operation["security"] = document["security"];
                if (operation.contains("operationId") && operation["operationId"].is_string())
                    operation["operationId"] = prefix + operation["operationId"].get<std::string>();
            }
            whole["paths"][place][method] = operation;
        }
    }
}

/// Which scope an operation needs; no keyword of OpenAPI says so where keys are not OAuth's.
void addScopes(Json& document, const std::vector<Route>& routes) {
    const std::string server = serverOf(document);
    for (const Route& route : routes) {
        const auto path = document["paths"].find(documentedPath(route, server));
        const auto method = documentedMethod(route.method);
        if (!route.scope.empty() && path != document["paths"].end() && path->contains(method))
            (*path)[method]["x-scope"] = route.scope;
    }
}

void join(Json& whole, const std::string& text, const std::string& prefix, const std::vector<Route>& routes) {
    Json document = parse(text);
    if (document.is_null())
        return;
    addScopes(document, routes);
    renameReferences(document, prefix);
    addPaths(whole, document, prefix);
    if (document.contains("components") && document["components"].is_object())
        addComponents(whole, document["components"], prefix);
}

} // namespace

std::string documentedPath(const Route& route, std::string_view server) {
    std::string path = std::string(documentedBase(route.audience, server)) + route.pattern;
    for (const std::string_view type : {":int}", "...}"})
        for (std::size_t at = path.find(type); at != std::string::npos; at = path.find(type, at))
            path.erase(at, type.size() - 1);
    return path;
}

std::string_view documentedBase(Audience audience, std::string_view server) {
    const std::string_view base = basePath(audience);
    const bool isBelow = !server.empty() && base.starts_with(server) && base.substr(server.size()).starts_with('/');
    return isBelow ? base.substr(server.size()) : std::string_view();
}

std::string documentedMethod(Method method) {
    std::string name(methodName(method));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return name;
}

std::vector<std::string> openApiProblems(const PluginDescription& description) {
    if (description.openapi.empty())
        return {};
    const Json document = parse(description.openapi);
    if (document.is_null())
        return {"it is no OpenAPI document: JSON with `openapi` and `paths` is expected"};
    std::vector<std::string> problems;
    std::set<std::string> extra = described(document);
    const std::string server = serverOf(document);
    for (const Route& route : description.routes)
        if (extra.erase(documentedMethod(route.method) + " " + documentedPath(route, server)) == 0)
            problems.push_back("it does not describe " + routeText(route));
    for (const std::string& operation : extra)
        problems.push_back("it describes " + operation + ", which is no route");
    return problems;
}

std::string joinedOpenApi(const std::vector<LoadedPlugin>& plugins, const std::string& hosts) {
    Json whole = {{"openapi", "3.0.3"},
                  {"info", {{"title", "supplierd"}, {"version", VERSION}}},
                  {"paths", Json::object()},
                  {"components", Json::object()}};
    join(whole, hosts, "supplierd.", {});
    for (const LoadedPlugin& plugin : plugins)
        join(whole, plugin.description.openapi, plugin.id() + ".", plugin.description.routes);
    for (const LoadedPlugin& plugin : plugins)
        for (const Scope& scope : plugin.description.scopes)
            whole["x-scopes"][scope.name] = scope.summary;
    return whole.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace supplierd::host
