#include "host/openapi/OpenApiOperation.h"

#include "host/plugins/RoutePattern.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <map>
#include <utility>

namespace supplierd::host {

namespace {

using Json = OpenApiJson;

constexpr std::string_view FIRST_SERVER_ERROR = "500";
// What a JavaScript number holds exactly; generated clients make a bigint of `format: int64`, and send that as text.
constexpr std::int64_t MAX_SAFE_INTEGER = (std::int64_t{1} << 53) - 1;

Json reference(const char* kind, std::string_view name) {
    return {{"$ref", std::string("#/components/") + kind + "/" + std::string(name)}};
}

/// A part's own component in the place of a reference to it, so that it can be completed; the host's are complete.
Json resolved(const Json& part, const Json& components) {
    if (!part.is_object() || !part.contains("$ref") || !part["$ref"].is_string())
        return part;
    const auto target = ComponentReference::parse(part["$ref"].get_ref<const std::string&>());
    const bool isOwn =
        components.is_object() && components.contains(target.kind) && components[target.kind].contains(target.name);
    return isOwn ? components[target.kind][target.name] : part;
}

bool takesIdempotencyKey(const Route& route) {
    return route.method != Method::Get && route.audience != Audience::Public && route.body != Body::Raw;
}

/// What the host itself may answer, whatever the handler does.
std::map<std::string, Json> hostResponses(const Route& route) {
    std::map<std::string, Json> responses;
    const auto add = [&](const char* status, const char* name) { responses[status] = reference("responses", name); };
    if (route.errorPage) // its errors are the pages that the part describes
        return responses;
    add("400", "BadRequest");
    add("422", "ValidationError");
    add("429", "RateLimited");
    add("500", "ServerError");
    add("503", "Unavailable");
    if (route.audience != Audience::Public || !route.scope.empty()) {
        add("401", "Unauthorized");
        add("403", "Forbidden");
    }
    if (route.pattern.find('{') != std::string::npos)
        add("404", "NotFound");
    if (takesIdempotencyKey(route))
        add("409", "Conflict");
    if (route.method != Method::Get) {
        add("411", "LengthRequired");
        add("413", "PayloadTooLarge");
    }
    if (route.body == Body::Json || route.body == Body::Form || !route.accepts.empty())
        add("415", "UnsupportedMediaType");
    return responses;
}

void addHeaders(Json& response, const std::string& status, const Route& route) {
    Json headers = Json::object();
    const auto add = [&](const char* name) { headers[name] = reference("headers", name); };
    add("X-Request-Id");
    if (route.audience != Audience::Public)
        for (const char* const name : {"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"})
            add(name);
    if (route.audience == Audience::Supplier)
        add("X-Sandbox");
    if (takesIdempotencyKey(route) && status < FIRST_SERVER_ERROR)
        add("Idempotent-Replayed");
    if (response.contains("headers"))
        for (const auto& [name, header] : response["headers"].items())
            headers[name] = header;
    response["headers"] = std::move(headers);
}

Json completeResponses(const Json& described, const Route& route, const Json& components) {
    auto responses = hostResponses(route);
    for (const auto& [status, given] : described.items()) {
        Json response = resolved(given, components);
        if (response.is_object() && !response.contains("$ref"))
            addHeaders(response, status, route);
        responses[status] = std::move(response);
    }
    return Json(responses);
}

bool hasParameter(const Json& parameters, std::string_view place, std::string_view name, const Json& components) {
    return std::any_of(parameters.begin(), parameters.end(), [&](const Json& given) {
        const Json parameter = resolved(given, components);
        return parameter.is_object() && parameter.value("in", "") == place && parameter.value("name", "") == name;
    });
}

/// @param inherited those of the whole path, which count too.
Json completeParameters(const Json& described, const Json& inherited, const Route& route, const Json& components) {
    Json parameters = Json::array();
    const auto has = [&](std::string_view place, std::string_view name) {
        return hasParameter(described, place, name, components) || hasParameter(inherited, place, name, components);
    };
    for (const auto& segment : RoutePattern::parse(route.pattern).segments) {
        if (segment.kind == RoutePattern::Kind::Literal || has("path", segment.text))
            continue;
        Json schema = {{"type", "string"}};
        if (segment.kind == RoutePattern::Kind::Integer)
            schema = {{"type", "integer"}, {"minimum", 1}, {"maximum", MAX_SAFE_INTEGER}};
        parameters.push_back({{"name", segment.text}, {"in", "path"}, {"required", true}, {"schema", schema}});
    }
    for (const Json* const list : {&inherited, &described})
        for (const Json& parameter : *list)
            parameters.push_back(parameter);
    if (takesIdempotencyKey(route) && !has("header", "Idempotency-Key"))
        parameters.push_back(reference("parameters", "IdempotencyKey"));
    return parameters;
}

/// Since 3.1 what stands with a scheme that is not OAuth's are roles: our scopes.
Json securityOf(const Route& route) {
    if (route.audience == Audience::Public)
        return Json::array();
    Json scopes = Json::array();
    if (!route.scope.empty())
        scopes.push_back(route.scope);
    const char* const scheme = route.audience == Audience::Operator ? "operatorKey" : "apiKey";
    return Json::array({Json{{scheme, std::move(scopes)}}});
}

/// The plugin signs its callers in by itself. Of the host's keys the host knows better.
bool isOwnSecurity(const Json& requirements) {
    const Json& known = hostOpenApiPart()["components"]["securitySchemes"];
    for (const Json& requirement : requirements)
        for (const auto& [scheme, scopes] : requirement.items())
            if (!known.contains(scheme))
                return true;
    return false;
}

std::string joinWords(std::string_view text, bool upper) {
    std::string joined;
    for (const char character : text) {
        const auto byte = static_cast<unsigned char>(character);
        if (std::isalnum(byte) == 0) {
            upper = upper || !joined.empty();
            continue;
        }
        joined += upper ? static_cast<char>(std::toupper(byte)) : character;
        upper = false;
    }
    return joined;
}

} // namespace

Json completeOperation(const Json& operation, const Route& route, const Json& pathParameters, const Json& components) {
    static const Json NONE = Json::array();
    Json complete = Json::object();
    for (const char* const member : {"tags", "operationId", "summary", "description"})
        if (operation.contains(member))
            complete[member] = operation[member];
    if (!route.scope.empty())
        complete["x-scope"] = route.scope;
    complete["security"] = securityOf(route);
    Json parameters = completeParameters(operation.contains("parameters") ? operation["parameters"] : NONE,
                                         pathParameters, route, components);
    if (!parameters.empty())
        complete["parameters"] = std::move(parameters);
    for (const auto& [member, value] : operation.items())
        if (member != "parameters" && member != "responses" && (member != "security" || isOwnSecurity(value)))
            complete[member] = value;
    if (route.audience == Audience::Public)
        complete["x-limit"] = route.perMinute < 0 ? "none" : "address";
    if (!route.scope.empty()) {
        const Json& given = complete["description"];
        const std::string text = given.is_string() ? given.get<std::string>() + " " : "";
        complete["description"] = text + "Needs the scope `" + route.scope + "`.";
    }
    complete["responses"] =
        completeResponses(operation.contains("responses") ? operation["responses"] : NONE, route, components);
    return complete;
}

std::string operationIdOf(const Route& route) {
    std::string id = documentedMethod(route.method);
    for (const auto& segment : RoutePattern::parse(route.pattern).segments)
        id += (segment.kind == RoutePattern::Kind::Literal ? "" : "By") + pascalCase(segment.text);
    return id;
}

std::string camelCase(std::string_view text) {
    return joinWords(text, false);
}

std::string pascalCase(std::string_view text) {
    return joinWords(text, true);
}

} // namespace supplierd::host
