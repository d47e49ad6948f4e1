#include "StoreRoutes.h"

#include "UsageStore.h"

#include <supplierd/Validation.h>

namespace supplierd::dashboard {

namespace {

constexpr std::int64_t MAX_DAYS = 31;
constexpr std::int64_t MAX_HOURS = 48;

ApiError noSuchUser() {
    return ApiError::notFound("User not found");
}

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

std::int64_t StoreRoutes::storeOf(const SignedIn& user) const {
    if (!user.supplierId)
        throw ApiError(ErrorKind::Forbidden, "This is for suppliers");
    return *user.supplierId;
}

SignedIn StoreRoutes::requireOperator(Request& request) const {
    SignedIn user = _deps.sessions.require(request.head());
    if (!user.isOperator())
        throw ApiError(ErrorKind::Forbidden, "This is for operators");
    return user;
}

SignedIn StoreRoutes::requireInCharge(Request& request) const {
    SignedIn user = _deps.sessions.require(request.head());
    if (user.isStaff) {
        const std::string message = "This is for the owners of the store";
        throw ApiError(ErrorKind::Forbidden, message, {{"", "role", message}});
    }
    return user;
}

SignedIn StoreRoutes::requireOwner(Request& request) const {
    SignedIn user = requireInCharge(request);
    storeOf(user);
    return user;
}

Response StoreRoutes::listKeys(Request& request) {
    const SignedIn user = requireOwner(request);
    const auto list = _deps.accounts.keys(request.database(), storeOf(user), request.query());
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
    const SignedIn user = requireOwner(request);
    const std::int64_t store = storeOf(user);
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
    response.header("Cache-Control", "no-store");
    return response;
}

Response StoreRoutes::revokeKey(Request& request) {
    const SignedIn user = requireOwner(request);
    const std::int64_t store = storeOf(user);
    const std::int64_t id = request.pathInteger("id");
    Response response = request.reply();
    request.database().withTransaction([&](Transaction& transaction) {
        const auto key = _deps.accounts.findKey(transaction, id);
        if (!key || key->supplierId != store)
            throw ApiError::notFound("Key not found");
        response.data.clear();
        JsonWriter json(response.data);
        json.beginObject().key("key").beginObject();
        writeFields(json, _deps.accounts.revokeKey(transaction, id, actorOf(user, request.requestId())));
        json.endObject().endObject();
    });
    return response;
}

Response StoreRoutes::usage(Request& request) {
    const SignedIn user = requireOwner(request);
    Details details;
    const auto days = QueryReader(request.query(), details).integer("days", 1, MAX_DAYS);
    details.throwIfAny();
    Response response = request.reply();
    JsonWriter json(response.data);
    UsageStore::writeHours(json, request.database(), storeOf(user), days.value_or(7));
    return response;
}

Response StoreRoutes::updateStore(Request& request) {
    const SignedIn user = requireOwner(request);
    Response response = request.reply();
    request.database().withTransaction([&](Transaction& transaction) {
        const Supplier store = _deps.accounts.updateSupplier(transaction, storeOf(user), request.body(),
                                                             actorOf(user, request.requestId()));
        response.data.clear();
        JsonWriter json(response.data);
        json.beginObject().key("store");
        writeStore(json, store);
        json.endObject();
    });
    return response;
}

Response StoreRoutes::listUsers(Request& request) {
    const SignedIn user = requireInCharge(request);
    QueryParameters query = request.query();
    if (!user.isOperator()) { // their own store's, whatever they ask for
        std::erase_if(query, [](const auto& parameter) { return parameter.first == "supplier_id"; });
        query.emplace_back("supplier_id", std::to_string(storeOf(user)));
    }
    const auto list = user.isOperator() ? _deps.users.list(request.database(), query)
                                        : _deps.users.listForOwners(request.database(), query);
    Response response = request.reply();
    JsonWriter json(response.data);
    json.beginObject();
    writeList(json, "users", list);
    json.key("known_scopes").raw(jsonArray(_deps.keys.knownScopes()));
    json.endObject();
    return response;
}

Response StoreRoutes::linkResponse(Request& request, const std::function<UserLink(Transaction&)>& make) {
    Response response = request.reply(201);
    request.database().withTransaction([&](Transaction& transaction) {
        const UserLink link = make(transaction);
        response.data.clear();
        JsonWriter json(response.data);
        json.beginObject().key("user");
        writeJson(json, link.user);
        json.field("url", link.url).field("expires_at", link.expiresAt).endObject();
    });
    response.secret = true;
    response.header("Cache-Control", "no-store");
    return response;
}

Response StoreRoutes::userResponse(Request& request, const std::function<User(Transaction&)>& change) {
    Response response = request.reply();
    request.database().withTransaction([&](Transaction& transaction) {
        const User user = change(transaction);
        response.data.clear();
        JsonWriter json(response.data);
        json.beginObject().key("user");
        writeJson(json, user);
        json.endObject();
    });
    return response;
}

Response StoreRoutes::inviteUser(Request& request) {
    const SignedIn user = requireInCharge(request);
    return linkResponse(request, [&](Transaction& transaction) {
        const Actor actor = actorOf(user, request.requestId());
        return user.isOperator() ? _deps.users.invite(transaction, request.body(), actor)
                                 : _deps.users.inviteInto(transaction, storeOf(user), request.body(), actor);
    });
}

void StoreRoutes::requireManaged(SqlSession& session, Request& request, const SignedIn& user) {
    const auto managed = _deps.users.find(session, request.pathInteger("id"));
    if (!managed || (!user.isOperator() && managed->supplierId != user.supplierId))
        throw noSuchUser();
    if (managed->id == user.userId)
        throw ApiError::conflict("This is your own account");
}

Response StoreRoutes::linkUser(Request& request) {
    const SignedIn user = requireOperator(request);
    return linkResponse(request, [&](Transaction& transaction) {
        return _deps.users.link(transaction, request.pathInteger("id"), actorOf(user, request.requestId()));
    });
}

Response StoreRoutes::updateUser(Request& request) {
    const SignedIn user = requireInCharge(request);
    return userResponse(request, [&](Transaction& transaction) {
        requireManaged(transaction, request, user);
        return _deps.users.update(transaction, request.pathInteger("id"), request.body(),
                                  actorOf(user, request.requestId()));
    });
}

Response StoreRoutes::disableUser(Request& request) {
    const SignedIn user = requireInCharge(request);
    return userResponse(request, [&](Transaction& transaction) {
        requireManaged(transaction, request, user);
        return _deps.users.disable(transaction, request.pathInteger("id"), actorOf(user, request.requestId()));
    });
}

Response StoreRoutes::enableUser(Request& request) {
    const SignedIn user = requireInCharge(request);
    return userResponse(request, [&](Transaction& transaction) {
        requireManaged(transaction, request, user);
        return _deps.users.enable(transaction, request.pathInteger("id"), actorOf(user, request.requestId()));
    });
}

Response StoreRoutes::removeSecondFactor(Request& request) {
    const SignedIn user = requireOperator(request);
    return userResponse(request, [&](Transaction& transaction) {
        requireManaged(transaction, request, user);
        return _deps.users.removeSecondFactor(transaction, request.pathInteger("id"),
                                              actorOf(user, request.requestId()));
    });
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
