#include "PeopleRoutes.h"

#include <supplierd/Validation.h>

namespace supplierd::dashboard {

namespace {

ApiError noSuchUser(std::int64_t id) {
    return ApiError::notFound("There is no user " + std::to_string(id));
}

/// One that leaks must not make itself an operator who signs in.
void refuseKey() {
    const std::string message =
        "A key looks after no operators: run supplierctl on the server's machine, or sign in to the dashboard";
    throw ApiError(ErrorKind::Forbidden, message, {{"", "key", message}});
}

/// As it was typed: what ObjectReader trims belongs to a password.
std::optional<std::string> passwordOf(const JsonObject& body) {
    const JsonValue password = body.get("password");
    if (password.isNull())
        return std::nullopt;
    if (!password.isText())
        throw ApiError::validation({{"password", "type", "password must be a text"}});
    return std::string(password.text());
}

} // namespace

PeopleRoutes::Caller PeopleRoutes::callerOf(Request& request) const {
    if (const Principal& principal = request.principal(); principal.isOperator)
        return {actorOf(request), std::nullopt, principal.keyId != 0};
    const SignedIn user = _deps.sessions.require(request.head());
    return {actorOf(user, request.requestId()), user.storeOfOwner()};
}

void PeopleRoutes::Caller::requireManaged(const User& user) const {
    if (store && user.supplierId != store)
        throw noSuchUser(user.id);
    if (isKey && !user.supplierId)
        refuseKey();
    if (actorName(user.email, user.id) == actor.name)
        throw ApiError::conflict("This is your own account");
}

Response PeopleRoutes::list(Request& request) {
    const Caller caller = callerOf(request);
    QueryParameters query = request.query();
    if (caller.store) { // their own store's, whatever they ask for
        std::erase_if(query, [](const auto& parameter) { return parameter.first == "supplier_id"; });
        query.emplace_back("supplier_id", std::to_string(*caller.store));
    }
    const auto list = caller.store ? _deps.users.listForOwners(request.database(), query)
                                   : _deps.users.list(request.database(), query);
    Response response = request.reply();
    JsonWriter json(response.data);
    json.beginObject();
    writeList(json, "users", list);
    json.key("known_scopes").raw(jsonArray(_deps.keys.knownScopes()));
    json.endObject();
    return response;
}

Response PeopleRoutes::linkResponse(Request& request, const UserLink& link) {
    Response response = request.reply(201);
    JsonWriter json(response.data);
    json.beginObject().key("user");
    writeJson(json, link.user);
    const bool hasLink = !link.url.empty();
    json.field("url", hasLink ? std::optional(link.url) : std::nullopt);
    json.field("expires_at", hasLink ? std::optional(link.expiresAt) : std::nullopt).endObject();
    response.secret = hasLink;
    response.addHeader("Cache-Control", "no-store");
    return response;
}

/// The mail is in the language of whoever invites: that of the other one is not known yet.
Response PeopleRoutes::invited(Request& request, Transaction& transaction, const UserLink& link) {
    UserStore::setLanguage(transaction, link.user.id, languageOf(request.head()));
    return linkResponse(request, link);
}

Response PeopleRoutes::invite(Request& request) {
    const Caller caller = callerOf(request);
    if (caller.store)
        return request.transact([&](Transaction& transaction) {
            return invited(request, transaction,
                           _deps.users.inviteInto(transaction, *caller.store, request.body(), caller.actor));
        });
    const auto password = passwordOf(request.body());
    return request.transact([&](Transaction& transaction) {
        UserLink made = _deps.users.invite(transaction, request.body(), caller.actor);
        if (caller.isKey && !made.user.supplierId)
            refuseKey();
        if (password) {
            made.user = _deps.users.setPassword(transaction, made.user.id, *password, caller.actor);
            made.url.clear();
        }
        return invited(request, transaction, made);
    });
}

Response PeopleRoutes::link(Request& request) {
    const Caller caller = callerOf(request);
    return request.transact([&](Transaction& transaction) {
        const User user = _deps.users.require(transaction, request.pathInteger("id"));
        if (caller.store) {
            caller.requireManaged(user);
            return linkResponse(request, _deps.users.inviteAgain(transaction, user, caller.actor));
        }
        if (caller.isKey && !user.supplierId)
            refuseKey();
        return linkResponse(request, _deps.users.link(transaction, user.id, caller.actor));
    });
}

Response PeopleRoutes::changed(Request& request,
                               const std::function<User(Transaction&, const User&, const Actor&)>& change) {
    const Caller caller = callerOf(request);
    return request.transact([&](Transaction& transaction) {
        const User user = _deps.users.require(transaction, request.pathInteger("id"));
        caller.requireManaged(user);
        Response response = request.reply();
        JsonWriter json(response.data);
        json.beginObject().key("user");
        writeJson(json, change(transaction, user, caller.actor));
        json.endObject();
        return response;
    });
}

Response PeopleRoutes::update(Request& request) {
    return changed(request, [&](Transaction& transaction, const User& user, const Actor& actor) {
        return _deps.users.update(transaction, user.id, request.body(), actor);
    });
}

Response PeopleRoutes::disable(Request& request) {
    return changed(request, [&](Transaction& transaction, const User& user, const Actor& actor) {
        return _deps.users.disable(transaction, user.id, actor);
    });
}

Response PeopleRoutes::enable(Request& request) {
    return changed(request, [&](Transaction& transaction, const User& user, const Actor& actor) {
        return _deps.users.enable(transaction, user.id, actor);
    });
}

Response PeopleRoutes::removeSecondFactor(Request& request) {
    return changed(request, [&](Transaction& transaction, const User& user, const Actor& actor) {
        return _deps.users.removeSecondFactor(transaction, user.id, actor);
    });
}

} // namespace supplierd::dashboard
