#include "host/openapi/OpenApiPart.h"

#include "HostOpenApi.h"
#include "host/openapi/CommandTable.h"
#include "host/plugins/RoutePattern.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace supplierd::host {

namespace {

using Json = OpenApiJson;

constexpr std::string_view COMPONENTS = "#/components/";

/// `nullable` of OpenAPI 3.0 is no keyword of 3.1's JSON Schema: null is one of the types there.
void allowNull(Json& schema) {
    const Json null = {{"type", "null"}};
    if (schema.contains("type") && schema["type"].is_string()) {
        schema["type"] = Json::array({schema["type"], "null"});
        if (schema.contains("enum") && schema["enum"].is_array() &&
            std::find(schema["enum"].begin(), schema["enum"].end(), Json()) == schema["enum"].end())
            schema["enum"].push_back(nullptr);
        return;
    }
    for (const char* const alternatives : {"anyOf", "oneOf"})
        if (schema.contains(alternatives) && schema[alternatives].is_array()) {
            schema[alternatives].push_back(null);
            return;
        }
    if (!schema.empty())
        schema = {{"anyOf", Json::array({schema, null})}};
}

/// `exclusiveMinimum: true` beside `minimum: 3` is `exclusiveMinimum: 3`.
void upgradeBound(Json& schema, const char* exclusive, const char* bound) {
    if (!schema.contains(exclusive) || !schema[exclusive].is_boolean())
        return;
    const bool isExclusive = schema[exclusive].get<bool>();
    schema.erase(exclusive);
    if (isExclusive && schema.contains(bound)) {
        schema[exclusive] = schema[bound];
        schema.erase(bound);
    }
}

void upgradeFrom30(Json& part) {
    if (part.is_structured())
        for (auto& child : part)
            upgradeFrom30(child);
    if (!part.is_object())
        return;
    upgradeBound(part, "exclusiveMinimum", "minimum");
    upgradeBound(part, "exclusiveMaximum", "maximum");
    if (!part.contains("nullable") || !part["nullable"].is_boolean())
        return;
    const bool isNullable = part["nullable"].get<bool>();
    part.erase("nullable");
    if (isNullable)
        allowNull(part);
}

std::set<std::string> described(const Json& document) {
    std::set<std::string> operations;
    for (const auto& [path, item] : document["paths"].items())
        for (const std::string_view method : DOCUMENTED_METHODS)
            if (item.is_object() && item.contains(method))
                operations.insert(std::string(method) + " " + path);
    return operations;
}

bool hasComponent(const Json& document, const ComponentReference& reference) {
    const auto components = document.find("components");
    return components != document.end() && components->is_object() && components->contains(reference.kind) &&
           (*components)[reference.kind].is_object() && (*components)[reference.kind].contains(reference.name);
}

} // namespace

ComponentReference ComponentReference::parse(std::string_view text) {
    const std::size_t name = std::min(text.find('/', COMPONENTS.size()), text.size() - 1) + 1;
    const std::size_t end = std::min(text.find('/', name), text.size());
    return {std::string(text.substr(COMPONENTS.size(), name - 1 - COMPONENTS.size())),
            std::string(text.substr(name, end - name)), std::string(text.substr(end))};
}

Json parseOpenApiPart(const std::string& text) {
    Json document = Json::parse(text, nullptr, false);
    const bool isOne = document.is_object() && document.contains("openapi") && document["openapi"].is_string() &&
                       document.contains("paths") && document["paths"].is_object();
    if (!isOne)
        return {};
    if (document["openapi"].get_ref<const std::string&>().starts_with("3.0"))
        upgradeFrom30(document);
    return document;
}

const Json& hostOpenApiPart() {
    static const Json PART = parseOpenApiPart(generated::openapi());
    return PART;
}

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
    const Json document = parseOpenApiPart(description.openapi);
    if (document.is_null())
        return {"it is no OpenAPI document: JSON with `openapi` and `paths` is expected"};
    std::vector<std::string> problems;
    std::set<std::string> extra = described(document);
    const std::string server = serverOf(document);
    for (const Route& route : description.routes)
        if (extra.erase(documentedMethod(route.method) + " " + documentedPath(route, server)) == 0 &&
            route.audience != Audience::Public)
            problems.push_back("it does not describe " + routeText(route));
    for (const std::string& operation : extra)
        problems.push_back("it describes " + operation + ", which is no route");
    commandTable(document, problems);
    std::set<std::string> missing;
    forEachReference(document, [&](const Json& text) {
        const auto reference = ComponentReference::parse(text.get_ref<const std::string&>());
        if (!hasComponent(document, reference) && !hasComponent(hostOpenApiPart(), reference))
            missing.insert(text.get<std::string>());
    });
    for (const std::string& reference : missing)
        problems.push_back("it refers to " + reference + ", which neither it nor the host has");
    return problems;
}

} // namespace supplierd::host
