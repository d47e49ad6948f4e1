#include "host/http/MeRoutes.h"

#include "host/Version.h"
#include "host/http/pipeline/RequestContext.h"
#include "host/plugins/PluginDescriptionCheck.h"

#include <algorithm>

namespace supplierd::host {

namespace {

constexpr std::string_view FIND_SELF = R"sql(
SELECT k.name, k.hourly_limit, k.scopes, k.expires_at, s.id, s.name, s.status, s.sandbox_of IS NOT NULL
FROM api_keys k LEFT JOIN suppliers s ON s.id = k.supplier_id
WHERE k.id = ?
)sql";

enum Column : std::size_t {
    KeyName,
    HourlyLimit,
    Scopes,
    ExpiresAt,
    SupplierId,
    SupplierName,
    SupplierStatus,
    IsSandbox
};

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
                .field("sandbox", row.boolean(IsSandbox))
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

} // namespace supplierd::host
