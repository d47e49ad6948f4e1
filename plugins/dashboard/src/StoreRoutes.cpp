#include "StoreRoutes.h"

#include "UsageStore.h"

#include <supplierd/Validation.h>

namespace supplierd::dashboard {

namespace {

constexpr std::int64_t MAX_DAYS = 31;
constexpr std::int64_t MAX_HOURS = 48;

} // namespace

void writeStore(JsonWriter& json, const Supplier& store) {
    json.beginObject()
        .field("id", store.id)
        .field("name", store.name)
        .field("email", store.email)
        .field("status", store.status)
        .field("sandbox_of", store.sandboxOf)
        .field("created_at", store.createdAt)
        .endObject();
}

SignedIn StoreRoutes::requireOperator(Request& request) const {
    SignedIn user = _deps.sessions.require(request.head());
    if (!user.isOperator())
        throw ApiError(ErrorKind::Forbidden, "This is for operators");
    return user;
}

Response StoreRoutes::listKeys(Request& request) {
    const std::int64_t store = _deps.sessions.require(request.head()).storeOfOwner();
    const auto list = _deps.accounts.keys(request.database(), store, request.query());
    Response response = request.reply();
    JsonWriter json(response.data);
    json.beginObject();
    writeList(json, "keys", list, [this](JsonWriter& to, const ApiKeyRecord& key) {
        to.beginObject();
        writeFields(to, key);
        if (_deps.status && !key.revokedAt) {
            const RateLimitUsage usage = _deps.status->rateLimit(key.id, key.hourlyLimit);
            to.key("rate_limit").beginObject().field("limit", usage.limit).field("remaining", usage.remaining);
            to.field("reset", usage.resetAt).endObject();
        }
        to.endObject();
    });
    json.key("known_scopes").raw(jsonArray(_deps.keys.knownScopes()));
    json.endObject();
    return response;
}

Response StoreRoutes::issueKey(Request& request) {
    const SignedIn user = _deps.sessions.require(request.head());
    const std::int64_t store = user.storeOfOwner();
    Response response = request.reply(201);
    request.database().withTransaction([&](Transaction& transaction) {
        const IssuedApiKey issued =
            _deps.accounts.issueKey(transaction, store, request.body(), actorOf(user, request.requestId()));
        response.data.clear();
        JsonWriter json(response.data);
        json.beginObject().key("key").beginObject();
        writeFields(json, _deps.accounts.findKey(transaction, issued.id).value());
        json.field("secret", issued.secret).endObject().endObject();
    });
    response.secret = true;
    response.addHeader("Cache-Control", "no-store");
    return response;
}

Response StoreRoutes::revokeKey(Request& request) {
    const SignedIn user = _deps.sessions.require(request.head());
    const std::int64_t store = user.storeOfOwner();
    const std::int64_t id = request.pathInteger("id");
    Response response = request.reply();
    request.database().withTransaction([&](Transaction& transaction) {
        const auto key = _deps.accounts.findKey(transaction, id);
        if (!key || key->supplierId != store)
            throw ApiError::notFound("There is no key " + std::to_string(id));
        response.data.clear();
        JsonWriter json(response.data);
        json.beginObject().key("key").beginObject();
        writeFields(json, _deps.accounts.revokeKey(transaction, id, actorOf(user, request.requestId())));
        json.endObject().endObject();
    });
    return response;
}

Response StoreRoutes::usage(Request& request) {
    const std::int64_t store = _deps.sessions.require(request.head()).storeOfOwner();
    Details details;
    const auto days = QueryReader(request.query(), details).integer("days", 1, MAX_DAYS);
    details.throwIfAny();
    Response response = request.reply();
    JsonWriter json(response.data);
    UsageStore::writeHours(json, request.database(), store, days.value_or(7));
    return response;
}

Response StoreRoutes::updateStore(Request& request) {
    const SignedIn user = _deps.sessions.require(request.head());
    const std::int64_t id = user.storeOfOwner();
    Response response = request.reply();
    request.database().withTransaction([&](Transaction& transaction) {
        const Supplier store =
            _deps.accounts.updateSupplier(transaction, id, request.body(), actorOf(user, request.requestId()));
        response.data.clear();
        JsonWriter json(response.data);
        json.beginObject().key("store");
        writeStore(json, store);
        json.endObject();
    });
    return response;
}

Response StoreRoutes::server(Request& request) {
    requireOperator(request);
    if (!_deps.status)
        throw ApiError::unavailable("This is no server");
    Response response = request.reply();
    JsonWriter json(response.data);
    json.beginObject().field("version", _deps.status->version()).field("started_at", _deps.status->startedAt());
    json.key("plugins").beginArray();
    for (const PluginStatus& plugin : _deps.status->plugins())
        json.beginObject()
            .field("id", plugin.id)
            .field("version", plugin.version)
            .field("summary", plugin.summary)
            .field("is_served", plugin.isServed)
            .field("problem", plugin.problem)
            .endObject();
    const ServerLoad load = _deps.status->load();
    json.endArray().key("load").beginObject().field("requests_in_progress", load.requestsInProgress);
    json.field("pool_size", load.poolSize).field("pool_in_use", load.poolInUse);
    json.field("pool_waiting", load.poolWaiting).field("pool_timeouts", load.poolTimeouts).endObject().endObject();
    return response;
}

Response StoreRoutes::serverHistory(Request& request) {
    requireOperator(request);
    Details details;
    const auto hours = QueryReader(request.query(), details).integer("hours", 1, MAX_HOURS);
    details.throwIfAny();
    Response response = request.reply();
    JsonWriter json(response.data);
    UsageStore::writeMinutes(json, request.database(), hours.value_or(3));
    return response;
}

} // namespace supplierd::dashboard
