#include "Sessions.h"

#include <supplierd/Errors.h>

#include <algorithm>

namespace supplierd::dashboard {

namespace {

constexpr std::string_view INSERT_SESSION = R"sql(
INSERT INTO dashboard_sessions (token_hash, user_id, address, user_agent, expires_at)
VALUES (?, ?, ?, ?, NOW(6) + INTERVAL ? SECOND)
)sql";

constexpr std::string_view FIND_SESSION = R"sql(
SELECT s.id, u.id, COALESCE(s.sandbox_id, u.supplier_id), u.email, u.name, u.totp_secret IS NOT NULL,
       s.last_seen_at < NOW(6) - INTERVAL 1 MINUTE, u.is_staff, u.scopes, s.sandbox_id IS NOT NULL
FROM dashboard_sessions s JOIN dashboard_users u ON u.id = s.user_id
WHERE s.token_hash = ? AND s.expires_at > NOW(6) AND s.last_seen_at > NOW(6) - INTERVAL ? SECOND
      AND u.disabled_at IS NULL
)sql";

constexpr std::string_view NOTE_SEEN = R"sql(
UPDATE dashboard_sessions SET last_seen_at = NOW(6) WHERE id = ?
)sql";

constexpr std::string_view SET_SANDBOX = "UPDATE dashboard_sessions SET sandbox_id = ? WHERE id = ?";

constexpr std::string_view END_SESSION = R"sql(
DELETE FROM dashboard_sessions WHERE user_id = ? AND id = ?
)sql";

constexpr std::string_view END_OTHERS = R"sql(
DELETE FROM dashboard_sessions WHERE user_id = ? AND id <> ?
)sql";

constexpr std::string_view PURGE = R"sql(
DELETE FROM dashboard_sessions WHERE expires_at < NOW(6) LIMIT 1000
)sql";

/// With __Host- a browser takes the cookie from this very host only, over https.
constexpr std::string_view SECURE_COOKIE = "__Host-supplierd";
constexpr std::string_view PLAIN_COOKIE = "supplierd";
/// Each is looked for in the database.
constexpr std::size_t MAX_TOKENS = 16;
constexpr std::size_t MAX_AGENT = 255;
constexpr std::size_t MAX_ACTOR = 64;
constexpr std::size_t MAX_LANGUAGE = 8;

std::string_view cookieName(const RequestHead& head) {
    return isSecure(head) ? SECURE_COOKIE : PLAIN_COOKIE;
}

/// Of all cookies of that name: one that somebody else has set on this host, for a path, comes before ours.
std::vector<std::string_view> tokensOf(const RequestHead& head) {
    std::vector<std::string_view> tokens;
    std::string_view field = head.header("Cookie").value_or("");
    while (!field.empty() && tokens.size() < MAX_TOKENS) {
        const auto end = std::min(field.find(';'), field.size());
        if (const auto token = findCookie(field.substr(0, end), cookieName(head)); token && !token->empty())
            tokens.push_back(*token);
        field.remove_prefix(std::min(end + 1, field.size()));
    }
    if (const auto other = head.cookie(cookieName(head)); tokens.empty() && other && !other->empty())
        tokens.push_back(*other); // in a line of its own
    return tokens;
}

bool isReading(const RequestHead& head) {
    return head.method() == "GET" || head.method() == "HEAD";
}

} // namespace

bool isSecure(const RequestHead& head) {
    return head.scheme() == "https";
}

CookieOptions ownCookie(const RequestHead& head, int maxAge) {
    CookieOptions options;
    options.maxAge = maxAge;
    options.secure = isSecure(head);
    options.sameSite = "Strict";
    return options;
}

std::string actorName(std::string_view email, std::int64_t userId) {
    return email.size() <= MAX_ACTOR ? std::string(email) : "user:" + std::to_string(userId);
}

std::int64_t SignedIn::storeOfOwner() const {
    if (isStaff) {
        const std::string message = "This is for the owners of the store";
        throw ApiError(ErrorKind::Forbidden, message, {{"", "role", message}});
    }
    if (!supplierId)
        throw ApiError(ErrorKind::Forbidden, "This is for suppliers");
    return *supplierId;
}

std::string userAgent(const RequestHead& head) {
    std::string agent(head.header("User-Agent").value_or(""));
    std::replace_if(
        agent.begin(), agent.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
    agent.resize(std::min(agent.size(), MAX_AGENT));
    return agent;
}

std::string languageOf(const RequestHead& head) {
    const std::string_view field = head.header("Accept-Language").value_or("");
    std::string language;
    for (const char c : field) {
        const bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!isLetter || language.size() == MAX_LANGUAGE)
            break;
        language += static_cast<char>(c | 0x20);
    }
    return language;
}

std::vector<std::string> scopesOf(std::string_view text) {
    std::vector<std::string> scopes;
    while (!text.empty()) {
        const auto end = std::min(text.find(' '), text.size());
        scopes.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return scopes;
}

Actor actorOf(const SignedIn& user, std::string_view requestId) {
    Actor actor;
    actor.name = actorName(user.email, user.userId);
    actor.requestId = requestId;
    actor.kind = user.isOperator() ? Actor::Kind::Operator : Actor::Kind::Supplier;
    return actor;
}

Sessions::Opened Sessions::open(Transaction& transaction, std::int64_t userId, const RequestHead& head) const {
    const std::string token = _crypto.randomToken();
    const auto seconds = static_cast<int>(_lifetimes.longest.count());
    transaction.execute(INSERT_SESSION,
                        {_crypto.sha256(token), userId, head.clientAddress(), userAgent(head), seconds});
    return {setCookie(cookieName(head), token, ownCookie(head, seconds)), csrfTokenOf(token)};
}

std::string Sessions::farewell(const RequestHead& head) {
    return setCookie(cookieName(head), "", ownCookie(head, -1));
}

std::string Sessions::csrfTokenOf(std::string_view token) const {
    return Crypto::hex(_crypto.hmacSha256(token, "supplierd dashboard: csrf"));
}

std::optional<SignedIn> Sessions::find(const RequestHead& head) const {
    for (const std::string_view token : tokensOf(head))
        if (auto user = findByToken(token))
            return user;
    return std::nullopt;
}

std::optional<SignedIn> Sessions::findByToken(std::string_view token) const {
    const std::string hash = _crypto.sha256(token);
    std::optional<SignedIn> user;
    bool wasNotSeen = false;
    _database.withSession([&](SqlSession& session) {
        user.reset();
        Rows& row = session.query(FIND_SESSION, {hash, _lifetimes.idle.count()});
        if (!row.next())
            return;
        user.emplace();
        user->sessionId = row.integer(0);
        user->userId = row.integer(1);
        user->supplierId = row.maybeInteger(2);
        user->email = row.text(3);
        user->name = row.text(4);
        user->hasSecondFactor = row.boolean(5);
        wasNotSeen = row.boolean(6);
        user->isStaff = row.boolean(7);
        user->scopes = scopesOf(row.text(8));
        user->isInTestMode = row.boolean(9);
    });
    if (!user)
        return std::nullopt;
    user->csrfToken = csrfTokenOf(token);
    if (wasNotSeen)
        _database.execute(NOTE_SEEN, {user->sessionId});
    return user;
}

bool Sessions::isOurs(const RequestHead& head, const SignedIn& user) const {
    // Whatever a browser says of where a request comes from, other sites are told apart by it, old browsers by the
    // token.
    const auto site = head.header("Sec-Fetch-Site").value_or("same-origin");
    if (isReading(head))
        return site != "cross-site";
    return site == "same-origin" && _crypto.equal(head.header("X-CSRF-Token").value_or(""), user.csrfToken);
}

SignedIn Sessions::require(const RequestHead& head) const {
    auto user = find(head);
    if (!user)
        throw ApiError(ErrorKind::Unauthorized, "Sign in first");
    if (!isOurs(head, *user)) {
        const std::string message = "This request does not come from a page of the dashboard";
        throw ApiError(ErrorKind::Forbidden, message, {{"", "csrf", message}});
    }
    return std::move(*user);
}

void Sessions::setTestMode(Transaction& transaction, std::int64_t sessionId, std::optional<std::int64_t> sandboxId) {
    transaction.execute(SET_SANDBOX, {sandboxId, sessionId});
}

std::int64_t Sessions::end(SqlSession& session, std::int64_t userId, std::int64_t sessionId) {
    return session.execute(END_SESSION, {userId, sessionId});
}

void Sessions::endOthers(SqlSession& session, std::int64_t userId, std::int64_t kept) {
    session.execute(END_OTHERS, {userId, kept});
}

std::int64_t Sessions::purge(Transaction& transaction) {
    return transaction.execute(PURGE);
}

std::optional<Principal> SessionAuthenticator::authenticate(const RequestHead& head) {
    const auto user = _sessions.find(head);
    if (!user || user->isOperator() != _isForOperators || !_sessions.isOurs(head, *user))
        return std::nullopt;
    Principal principal;
    principal.supplierId = user->supplierId.value_or(0);
    principal.keyPrefix = actorName(user->email, user->userId);
    principal.isOperator = _isForOperators;
    principal.scopes = user->scopes;
    principal.hasAllScopes = user->scopes.empty();
    return principal;
}

} // namespace supplierd::dashboard
