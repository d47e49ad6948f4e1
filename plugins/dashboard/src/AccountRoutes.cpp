#include "AccountRoutes.h"

#include "PageRegister.h"
#include "SecondFactor.h"
#include "StoreRoutes.h"

#include <supplierd/Validation.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace supplierd::dashboard {

namespace {

constexpr std::string_view SELECT_SESSIONS = R"sql(
SELECT id, address, user_agent, created_at, last_seen_at FROM dashboard_sessions
WHERE user_id = ? AND expires_at > NOW(6) ORDER BY last_seen_at DESC, id DESC LIMIT 100
)sql";

constexpr std::string_view SELECT_SIGN_INS = R"sql(
SELECT outcome, address, user_agent, created_at FROM dashboard_sign_ins
WHERE user_id = ? ORDER BY id DESC LIMIT 20
)sql";

/// Longer than any password may be, so that it is told apart and not cut.
constexpr TextRule PASSWORD{.maxCodePoints = 2'000, .required = true};

/// As it was typed: what text() trims belongs to a password.
std::string passwordOf(const JsonObject& body, std::string_view name, Details& details) {
    ObjectReader(body, details).text(name, PASSWORD);
    const JsonValue value = body.get(name);
    return value.isText() ? std::string(value.text()) : std::string();
}

Response done(Request& request) {
    Response response = request.reply();
    response.data = R"({"done":true})";
    return response;
}

} // namespace

/// Whether the API's guide is there, which is another plugin's.
bool AccountRoutes::hasGuide() const {
    const auto plugins = _deps.status ? _deps.status->plugins() : std::vector<PluginStatus>();
    return std::any_of(plugins.begin(), plugins.end(),
                       [](const PluginStatus& plugin) { return plugin.id == "apidocs" && plugin.isServed; });
}

std::vector<std::string_view> AccountRoutes::mailsFor(const SignedIn& user) const {
    const std::vector<std::string> scopes = _deps.keys.knownScopes(); // of the plugins that there are
    std::vector<std::string_view> kinds;
    for (const ChosenMail& mail : CHOSEN_MAILS) {
        const bool isThere = mail.scope.empty() || std::find(scopes.begin(), scopes.end(), mail.scope) != scopes.end();
        const bool isForUser = user.isOperator() ? mail.isForOperators
                               : user.isStaff    ? !mail.scope.empty() && user.may(mail.scope)
                                                 : true;
        if (isThere && isForUser)
            kinds.push_back(mail.kind);
    }
    return kinds;
}

/// Notes the language, too: mails are in that in which the user last saw the pages.
void AccountRoutes::writeMails(JsonWriter& json, Request& request, const SignedIn& user) {
    const auto choice =
        request.database().read([&](SqlSession& session) { return UserStore::mailChoice(session, user.userId); });
    if (const std::string language = languageOf(request.head()); !language.empty() && language != choice.language)
        request.database().withTransaction(
            [&](Transaction& transaction) { UserStore::setLanguage(transaction, user.userId, language); });
    json.beginObject();
    for (const std::string_view kind : mailsFor(user))
        json.field(kind, std::find(choice.muted.begin(), choice.muted.end(), kind) == choice.muted.end());
    json.endObject();
}

void AccountRoutes::writeSession(JsonWriter& json, Request& request, const SignedIn& user) {
    json.beginObject().key("user").beginObject().field("id", user.userId).field("email", user.email);
    json.field("name", user.name).field("role", user.isOperator() ? "operator" : "supplier");
    json.field("is_in_test_mode", user.isInTestMode);
    json.field("has_second_factor", user.hasSecondFactor).field("is_staff", user.isStaff).key("scopes");
    if (user.scopes.empty())
        json.null();
    else
        json.raw(jsonArray(user.scopes));
    json.key("mails");
    if (_deps.mails.isOn())
        writeMails(json, request, user);
    else
        json.null();
    json.endObject().key("store");
    const auto store = request.database().read([&](SqlSession& session) {
        return user.supplierId ? _deps.accounts.findSupplier(session, *user.supplierId) : std::nullopt;
    });
    if (store)
        writeStore(json, *store);
    else
        json.null();
    json.field("csrf_token", user.csrfToken).field("has_guide", hasGuide()).key("pages");
    _deps.pages.write(json, user);
    json.endObject();
}

Response AccountRoutes::session(Request& request) {
    const auto user = _deps.sessions.find(request.head());
    Response response = request.reply();
    JsonWriter json(response.data);
    json.beginObject().field("has_mail", _deps.mails.isOn()).key("session");
    if (user && _deps.sessions.isOurs(request.head(), *user))
        writeSession(json, request, *user);
    else
        json.null();
    json.endObject();
    response.addHeader("Cache-Control", "no-store");
    return response;
}

void AccountRoutes::open(Transaction& transaction, Request& request, std::int64_t userId, Response& response) {
    response.headers.clear();
    response.addHeader("Set-Cookie", _deps.sessions.open(transaction, userId, request.head()).cookie)
        .addHeader("Set-Cookie", _deps.signIn.browserCookie(transaction, userId, request.head()))
        .addHeader("Cache-Control", "no-store");
    response.secret = true;
}

Response AccountRoutes::opened(Request& request, std::int64_t userId) {
    Response response = request.reply();
    request.database().withTransaction([&](Transaction& transaction) { open(transaction, request, userId, response); });
    response.data = R"({"signed_in":true})";
    return response;
}

Response AccountRoutes::signIn(Request& request) {
    Details details;
    ObjectReader body(request.body(), details);
    SignIn::Attempt attempt;
    attempt.email = body.text("email", {.required = true}).valueOr("");
    attempt.code = body.text("code", {.maxCodePoints = 64}).valueOr("");
    attempt.password = passwordOf(request.body(), "password", details);
    details.throwIfAny();
    const SignIn::Result result = _deps.signIn.attempt(attempt, request.head());
    if (!result.needsCode)
        return opened(request, result.userId);
    Response response = request.reply();
    response.data = R"({"signed_in":false,"needs_code":true})";
    return response;
}

Response AccountRoutes::signOut(Request& request) {
    const SignedIn user = _deps.sessions.require(request.head());
    request.database().withTransaction(
        [&](Transaction& transaction) { Sessions::end(transaction, user.userId, user.sessionId); });
    return done(request).addHeader("Set-Cookie", Sessions::farewell(request.head()));
}

Response AccountRoutes::mailLink(Request& request) {
    if (!_deps.mails.isOn())
        throw ApiError::notFound("This server sends no mail");
    Details details;
    const auto email = ObjectReader(request.body(), details).text("email", {.required = true});
    details.throwIfAny();
    _deps.signIn.askForLink(*email.value, [&](Transaction& transaction, std::optional<std::int64_t> userId) {
        _deps.mails.add(transaction, userId, MailKind::NEW_PASSWORD);
    });
    return done(request);
}

Response AccountRoutes::readLink(Request& request) {
    Details details;
    const auto token = ObjectReader(request.body(), details).text("token", {.maxCodePoints = 100, .required = true});
    details.throwIfAny();
    const auto user =
        request.database().read([&](SqlSession& session) { return _deps.users.ofLink(session, *token.value); });
    if (!user)
        throw ApiError::notFound("This link was used already, or is too old");
    Response response = request.reply();
    JsonWriter(response.data)
        .beginObject()
        .field("email", user->email)
        .field("name", user->name)
        .field("is_new", !user->hasPassword)
        .endObject();
    return response;
}

Response AccountRoutes::acceptLink(Request& request) {
    Details details;
    ObjectReader body(request.body(), details);
    const auto token = body.text("token", {.maxCodePoints = 100, .required = true});
    const auto name = body.text("name", {});
    const std::string password = passwordOf(request.body(), "password", details);
    details.throwIfAny();
    bool needsCode = false;
    std::int64_t userId = 0;
    request.database().withTransaction([&](Transaction& transaction) {
        const auto user = _deps.users.takeLink(transaction, *token.value);
        if (!user)
            throw ApiError::notFound("This link was used already, or is too old");
        userId = user->id;
        needsCode = user->hasSecondFactor;
        const Actor actor{actorName(user->email, user->id), std::string(request.requestId()),
                          user->supplierId ? Actor::Kind::Supplier : Actor::Kind::Operator};
        _deps.users.setPassword(transaction, user->id, password, actor);
        if (name.hasValue())
            _deps.users.rename(transaction, user->id, *name.value, actor);
    });
    if (!needsCode)
        return opened(request, userId);
    Response response = request.reply();
    response.data = R"({"signed_in":false,"needs_code":true})";
    return response;
}

std::int64_t AccountRoutes::sandboxFor(Transaction& transaction, const SignedIn& user, std::string_view requestId) {
    if (user.isInTestMode)
        return *user.supplierId;
    if (user.isOperator())
        user.storeOfOwner(); // throws
    if (const auto sandbox = _deps.accounts.findSandbox(transaction, *user.supplierId))
        return sandbox->id;
    return _deps.accounts.addSandbox(transaction, user.storeOfOwner(), actorOf(user, requestId)).id;
}

Response AccountRoutes::setTestMode(Request& request) {
    const SignedIn user = _deps.sessions.require(request.head());
    Details details;
    const auto isOn = ObjectReader(request.body(), details).boolean("is_on", true);
    details.throwIfAny();
    if (!_deps.pages.has("sandbox"))
        throw ApiError::notFound("This server has no test mode: the plugin sandbox is not enabled");
    request.database().withTransaction([&](Transaction& transaction) {
        std::optional<std::int64_t> sandbox;
        if (*isOn.value)
            sandbox = sandboxFor(transaction, user, request.requestId());
        Sessions::setTestMode(transaction, user.sessionId, sandbox);
    });
    return done(request);
}

Response AccountRoutes::change(Request& request) {
    const SignedIn user = _deps.sessions.require(request.head());
    Details details;
    const auto name = ObjectReader(request.body(), details).text("name", {.required = true});
    details.throwIfAny();
    request.database().withTransaction([&](Transaction& transaction) {
        _deps.users.rename(transaction, user.userId, *name.value, actorOf(user, request.requestId()));
    });
    return done(request);
}

Response AccountRoutes::chooseMails(Request& request) {
    const SignedIn user = _deps.sessions.require(request.head());
    Details details;
    ObjectReader body(request.body(), details);
    std::vector<std::pair<std::string_view, Field<bool>>> choices;
    for (const std::string_view kind : mailsFor(user))
        choices.emplace_back(kind, body.boolean(kind));
    details.throwIfAny();
    request.database().withTransaction([&](Transaction& transaction) {
        std::vector<std::string> muted = UserStore::mailChoice(transaction, user.userId).muted;
        for (const auto& [kind, isWanted] : choices) {
            if (!isWanted.hasValue())
                continue;
            std::erase(muted, kind);
            if (!*isWanted.value)
                muted.emplace_back(kind);
        }
        _deps.users.muteMails(transaction, user.userId, muted, actorOf(user, request.requestId()));
    });
    return done(request);
}

Response AccountRoutes::changePassword(Request& request) {
    const SignedIn user = _deps.sessions.require(request.head());
    Details details;
    const std::string current = passwordOf(request.body(), "current_password", details);
    const std::string password = passwordOf(request.body(), "password", details);
    if (details.empty())
        UserStore::checkPassword(details, "password", password, user.email);
    details.throwIfAny();
    _deps.signIn.confirm(user, current);
    Response response = done(request);
    request.database().withTransaction([&](Transaction& transaction) {
        _deps.users.setPassword(transaction, user.userId, password, actorOf(user, request.requestId()));
        open(transaction, request, user.userId, response);
    });
    return response;
}

Response AccountRoutes::listSessions(Request& request) {
    const SignedIn user = _deps.sessions.require(request.head());
    Response response = request.reply();
    request.database().withSession([&](SqlSession& session) {
        response.data.clear();
        JsonWriter json(response.data);
        json.beginObject().key("sessions").beginArray();
        Rows& row = session.query(SELECT_SESSIONS, {user.userId});
        while (row.next())
            json.beginObject()
                .field("id", row.integer(0))
                .field("address", row.text(1))
                .field("user_agent", row.text(2))
                .field("created_at", row.time(3))
                .field("last_seen_at", row.time(4))
                .field("is_this", row.integer(0) == user.sessionId)
                .endObject();
        json.endArray().endObject();
    });
    return response;
}

Response AccountRoutes::endSession(Request& request) {
    const SignedIn user = _deps.sessions.require(request.head());
    std::int64_t ended = 0;
    request.database().withTransaction(
        [&](Transaction& transaction) { ended = Sessions::end(transaction, user.userId, request.pathInteger("id")); });
    if (ended == 0)
        throw ApiError::notFound("There is no such session");
    return done(request);
}

Response AccountRoutes::endOtherSessions(Request& request) {
    const SignedIn user = _deps.sessions.require(request.head());
    request.database().withTransaction(
        [&](Transaction& transaction) { Sessions::endOthers(transaction, user.userId, user.sessionId); });
    return done(request);
}

Response AccountRoutes::listSignIns(Request& request) {
    const SignedIn user = _deps.sessions.require(request.head());
    Response response = request.reply();
    request.database().withSession([&](SqlSession& session) {
        response.data.clear();
        JsonWriter json(response.data);
        json.beginObject().key("sign_ins").beginArray();
        Rows& row = session.query(SELECT_SIGN_INS, {user.userId});
        while (row.next())
            json.beginObject()
                .field("outcome", row.text(0))
                .field("address", row.text(1))
                .field("user_agent", row.text(2))
                .field("created_at", row.time(3))
                .endObject();
        json.endArray().endObject();
    });
    return response;
}

Response AccountRoutes::beginSecondFactor(Request& request) {
    const SignedIn user = _deps.sessions.require(request.head());
    const std::string secret = _deps.crypto.randomBytes(Totp::SECRET_BYTES);
    request.database().withTransaction(
        [&](Transaction& transaction) { _deps.users.setNewSecret(transaction, user.userId, secret); });
    Response response = request.reply();
    response.secret = true;
    JsonWriter(response.data)
        .beginObject()
        .field("secret", Totp::text(secret))
        .field("uri", Totp::uri(secret, _deps.issuer, user.email))
        .endObject();
    return response;
}

Response AccountRoutes::confirmSecondFactor(Request& request) {
    const SignedIn user = _deps.sessions.require(request.head());
    Details details;
    const auto code = ObjectReader(request.body(), details).text("code", {.maxCodePoints = 16, .required = true});
    details.throwIfAny();
    std::vector<std::string> codes;
    request.database().withTransaction([&](Transaction& transaction) {
        codes = _deps.users.confirmSecret(transaction, user.userId, *code.value, actorOf(user, request.requestId()));
    });
    Response response = request.reply();
    response.secret = true;
    response.data = "{\"recovery_codes\":" + jsonArray(codes) + "}";
    return response;
}

Response AccountRoutes::removeSecondFactor(Request& request) {
    const SignedIn user = _deps.sessions.require(request.head());
    Details details;
    const std::string current = passwordOf(request.body(), "current_password", details);
    details.throwIfAny();
    _deps.signIn.confirm(user, current);
    request.database().withTransaction([&](Transaction& transaction) {
        _deps.users.removeSecondFactor(transaction, user.userId, actorOf(user, request.requestId()));
    });
    return done(request);
}

} // namespace supplierd::dashboard
