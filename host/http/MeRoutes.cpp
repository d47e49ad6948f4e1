#include "host/http/MeRoutes.h"

#include "host/Version.h"
#include "host/http/RequestContext.h"
#include "host/plugins/PluginDescriptionCheck.h"

#include <algorithm>

namespace supplierd::host {

namespace {

constexpr std::string_view FIND_SELF = R"sql(
SELECT k.name, k.hourly_limit, k.scopes, k.expires_at, s.id, s.name, s.status
FROM api_keys k LEFT JOIN suppliers s ON s.id = k.supplier_id
WHERE k.id = ?
)sql";

enum Column : std::size_t { KeyName, HourlyLimit, Scopes, ExpiresAt, SupplierId, SupplierName, SupplierStatus };

constexpr std::string_view OPENAPI = R"json({
  "openapi": "3.0.3",
  "info": {"title": "supplierd", "version": "1"},
  "paths": {
    "/api/v1/supplier/me": {"get": {
      "operationId": "me", "summary": "Whose key this is, and what it may", "security": [{"apiKey": []}],
      "responses": {
        "200": {"description": "OK", "content": {"application/json": {"schema": {"type": "object", "properties": {
          "success": {"type": "boolean"}, "data": {"$ref": "#/components/schemas/Me"}}}}}},
        "401": {"$ref": "#/components/responses/Error"}, "403": {"$ref": "#/components/responses/Error"},
        "429": {"$ref": "#/components/responses/Error"}, "503": {"$ref": "#/components/responses/Error"}}}},
    "/api/v1/platform/me": {"get": {
      "operationId": "platformMe", "summary": "Which operator key this is", "security": [{"apiKey": []}],
      "responses": {
        "200": {"description": "OK, without `supplier`", "content": {"application/json": {"schema": {"type": "object",
          "properties": {"success": {"type": "boolean"}, "data": {"$ref": "#/components/schemas/Me"}}}}}},
        "401": {"$ref": "#/components/responses/Error"}, "403": {"$ref": "#/components/responses/Error"},
        "429": {"$ref": "#/components/responses/Error"}, "503": {"$ref": "#/components/responses/Error"}}}}
  },
  "components": {
    "securitySchemes": {"apiKey": {"type": "http", "scheme": "bearer"}},
    "responses": {"Error": {"description": "An error", "content": {"application/json": {"schema": {"type": "object",
      "properties": {"success": {"type": "boolean"}, "error": {"type": "object", "properties": {
        "code": {"type": "string"}, "message": {"type": "string"}, "request_id": {"type": "string"}}}}}}}}},
    "schemas": {"Me": {"type": "object", "required": ["key", "rate_limit", "server"], "properties": {
      "supplier": {"type": "object", "required": ["id", "name", "status"], "properties": {
        "id": {"type": "integer", "format": "int64"}, "name": {"type": "string"}, "status": {"type": "string"}}},
      "key": {"type": "object", "required": ["prefix", "name", "scopes", "hourly_limit", "expires_at"], "properties": {
        "prefix": {"type": "string", "example": "sk_ab12cd34"}, "name": {"type": "string"},
        "scopes": {"type": "array", "items": {"type": "string"}},
        "hourly_limit": {"type": "integer", "nullable": true, "description": "Its own; null: the server's"},
        "expires_at": {"type": "string", "format": "date-time", "nullable": true}}},
      "rate_limit": {"type": "object", "required": ["limit", "remaining", "reset"], "properties": {
        "limit": {"type": "integer"}, "remaining": {"type": "integer"},
        "reset": {"type": "integer", "description": "Unix seconds, as X-RateLimit-Reset"}}},
      "server": {"type": "object", "required": ["version"], "properties": {"version": {"type": "string"}}}}}}
  }
})json";

/// A supplier's key that has no list of scopes has them all; an operator's key has none.
void writeScopes(JsonWriter& json, std::string_view scopes, bool isOperator, const std::vector<std::string>& known) {
    json.key("scopes").beginArray();
    if (scopes.empty() && !isOperator)
        for (const auto& scope : known)
            json.value(scope);
    while (!scopes.empty()) {
        const auto end = std::min(scopes.find(' '), scopes.size());
        json.value(scopes.substr(0, end));
        scopes.remove_prefix(std::min(end + 1, scopes.size()));
    }
    json.endArray();
}

void writeKey(JsonWriter& json, const Principal& principal, const Rows& row, const std::vector<std::string>& known) {
    json.key("key").beginObject().field("prefix", principal.keyPrefix).field("name", row.text(KeyName));
    writeScopes(json, row.text(Scopes), principal.isOperator, known);
    json.field("hourly_limit", row.maybeInteger(HourlyLimit)).key("expires_at");
    if (row.isNull(ExpiresAt))
        json.null();
    else
        json.value(row.time(ExpiresAt));
    json.endObject();
}

Response respond(Request& request, const std::vector<std::string>& knownScopes) {
    // The pipeline makes no other.
    const auto& limit = dynamic_cast<RequestContext&>(request).rateLimit();
    const auto& principal = request.principal();
    Response response = request.reply();
    request.database().withSession([&](SqlSession& session) {
        auto& row = session.query(FIND_SELF, {principal.keyId});
        if (!row.next())
            throw ApiError(ErrorKind::Unauthorized, "Invalid API key"); // gone since it was looked up
        response.data.clear();
        JsonWriter json(response.data);
        json.beginObject();
        if (!principal.isOperator)
            json.key("supplier")
                .beginObject()
                .field("id", row.integer(SupplierId))
                .field("name", row.text(SupplierName))
                .field("status", row.text(SupplierStatus))
                .endObject();
        writeKey(json, principal, row, knownScopes);
        json.key("rate_limit").beginObject().field("limit", limit.limit).field("remaining", limit.remaining);
        json.field("reset", limit.resetAt).endObject();
        json.key("server").beginObject().field("version", VERSION).endObject().endObject();
    });
    return response;
}

} // namespace

std::vector<Route> MeRoutes::routes() const {
    std::vector<Route> routes;
    for (const auto audience : {Audience::Supplier, Audience::Operator}) {
        Route route;
        route.pattern = ME_PATTERN;
        route.audience = audience;
        route.handler = [this](Request& request) { return respond(request, _keys.knownScopes()); };
        routes.push_back(std::move(route));
    }
    return routes;
}

std::string MeRoutes::openApi() {
    return std::string(OPENAPI);
}

} // namespace supplierd::host
