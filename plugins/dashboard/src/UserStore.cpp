#include "UserStore.h"

#include "SecondFactor.h"

#include <supplierd/Cursor.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/Validation.h>

#include <Poco/String.h>
#include <Poco/Timestamp.h>

#include <algorithm>
#include <limits>

namespace supplierd::dashboard {

namespace {

// One for all filters: a filter that is NULL lets everything through. There are as many users as people, not products.
constexpr std::string_view SELECT_PAGE = R"sql(
SELECT id, supplier_id, email, name, password_hash IS NOT NULL, totp_secret IS NOT NULL, disabled_at IS NOT NULL,
       last_sign_in_at, created_at
FROM dashboard_users
WHERE id < ? AND (? IS NULL OR COALESCE(supplier_id, 0) = ?)
      AND (? IS NULL OR LOCATE(?, email) > 0 OR LOCATE(?, name) > 0)
ORDER BY id DESC LIMIT ? OFFSET ?
)sql";

constexpr std::string_view COUNT = R"sql(
SELECT COUNT(*) FROM dashboard_users
WHERE (? IS NULL OR COALESCE(supplier_id, 0) = ?) AND (? IS NULL OR LOCATE(?, email) > 0 OR LOCATE(?, name) > 0)
)sql";

constexpr std::string_view SELECT_ONE = R"sql(
SELECT id, supplier_id, email, name, password_hash IS NOT NULL, totp_secret IS NOT NULL, disabled_at IS NOT NULL,
       last_sign_in_at, created_at
FROM dashboard_users WHERE id = ?
)sql";

constexpr std::string_view SELECT_OF_LINK = R"sql(
SELECT u.id, u.supplier_id, u.email, u.name, u.password_hash IS NOT NULL, u.totp_secret IS NOT NULL,
       u.disabled_at IS NOT NULL, u.last_sign_in_at, u.created_at
FROM dashboard_links l JOIN dashboard_users u ON u.id = l.user_id
WHERE l.token_hash = ? AND l.expires_at > NOW(6) AND u.disabled_at IS NULL
)sql";

constexpr std::string_view INSERT_USER = R"sql(
INSERT INTO dashboard_users (supplier_id, email, name) VALUES (?, ?, ?)
)sql";

constexpr std::string_view REPLACE_LINK = R"sql(
INSERT INTO dashboard_links (user_id, token_hash, expires_at) VALUES (?, ?, NOW(6) + INTERVAL ? SECOND)
ON DUPLICATE KEY UPDATE token_hash = VALUES(token_hash), expires_at = VALUES(expires_at)
)sql";

constexpr std::string_view SELECT_LINK_EXPIRY = R"sql(
SELECT expires_at FROM dashboard_links WHERE user_id = ?
)sql";

constexpr std::string_view END_LINK = R"sql(
DELETE FROM dashboard_links WHERE user_id = ?
)sql";

constexpr std::string_view PURGE_LINKS = R"sql(
DELETE FROM dashboard_links WHERE expires_at < NOW(6) LIMIT 1000
)sql";

constexpr std::string_view SET_PASSWORD = R"sql(
UPDATE dashboard_users SET password_hash = ? WHERE id = ?
)sql";

constexpr std::string_view SET_NAME = R"sql(
UPDATE dashboard_users SET name = ? WHERE id = ?
)sql";

constexpr std::string_view DISABLE = R"sql(
UPDATE dashboard_users SET disabled_at = NOW(6) WHERE id = ?
)sql";

constexpr std::string_view ENABLE = R"sql(
UPDATE dashboard_users SET disabled_at = NULL WHERE id = ?
)sql";

constexpr std::string_view SET_NEW_SECRET = R"sql(
UPDATE dashboard_users SET totp_new_secret = ? WHERE id = ?
)sql";

constexpr std::string_view LOCK_NEW_SECRET = R"sql(
SELECT totp_new_secret FROM dashboard_users WHERE id = ? FOR UPDATE
)sql";

constexpr std::string_view CONFIRM_SECRET = R"sql(
UPDATE dashboard_users SET totp_secret = totp_new_secret, totp_new_secret = NULL, totp_last_step = ? WHERE id = ?
)sql";

constexpr std::string_view REMOVE_SECRET = R"sql(
UPDATE dashboard_users SET totp_secret = NULL, totp_new_secret = NULL WHERE id = ?
)sql";

constexpr std::string_view REMOVE_CODES = R"sql(
DELETE FROM dashboard_recovery_codes WHERE user_id = ?
)sql";

constexpr std::string_view INSERT_CODE = R"sql(
INSERT INTO dashboard_recovery_codes (user_id, code_hash) VALUES (?, ?)
)sql";

constexpr std::size_t RECOVERY_CODES = 10;
constexpr std::size_t RECOVERY_BYTES = 10; ///< 16 characters of base32
constexpr std::size_t MAX_PASSWORD_BYTES = 1'024;
constexpr std::size_t MAX_SEARCH = 100;

User userOf(const Rows& row) {
    User user;
    user.id = row.integer(0);
    user.supplierId = row.maybeInteger(1);
    user.email = row.text(2);
    user.name = row.text(3);
    user.hasPassword = row.boolean(4);
    user.hasSecondFactor = row.boolean(5);
    user.isDisabled = row.boolean(6);
    if (!row.isNull(7))
        user.lastSignInAt = row.time(7);
    user.createdAt = row.time(8);
    return user;
}

/// Addresses are told apart in lower case, and written so.
bool isAddress(const std::string& email) {
    return looksLikeEmail(email) && std::all_of(email.begin(), email.end(), [](unsigned char c) { return c < 0x80U; });
}

} // namespace

Listed<User> UserStore::list(Database& database, const QueryParameters& query) {
    Details details;
    QueryReader reader(query, details);
    const auto search = reader.text("search", MAX_SEARCH);
    const auto supplier = reader.integer("supplier_id", 0);
    ListFingerprint print;
    print.add(search.value_or(""));
    print.add(supplier.value_or(-1));
    const ListPage page = ListPage::read(reader, {.fingerprint = print.value(), .total = ListTotal::Counted});
    details.throwIfAny();
    const ListStatements statements{
        .page = [&](SqlSession& session, const ListWindow& window) -> Rows& {
            const auto after = window.after ? window.after->lastId : std::numeric_limits<std::int64_t>::max();
            return session.query(SELECT_PAGE,
                                 {after, supplier, supplier, search, search, search, window.limit, window.offset});
        },
        .total =
            [&](SqlSession& session) {
                Rows& row = session.query(COUNT, {supplier, supplier, search, search, search});
                return row.next() ? row.integer(0) : 0;
            }};
    return page.select(database, statements, userOf);
}

std::optional<User> UserStore::find(SqlSession& session, std::int64_t id) {
    Rows& row = session.query(SELECT_ONE, {id});
    return row.next() ? std::optional(userOf(row)) : std::nullopt;
}

User UserStore::require(SqlSession& session, std::int64_t id) {
    auto user = find(session, id);
    if (!user)
        throw ApiError::notFound("User not found");
    return std::move(*user);
}

std::optional<User> UserStore::ofLink(SqlSession& session, std::string_view token) {
    const std::string hash = _crypto.sha256(token);
    Rows& row = session.query(SELECT_OF_LINK, {hash});
    return row.next() ? std::optional(userOf(row)) : std::nullopt;
}

void UserStore::record(Transaction& transaction, const Actor& actor, std::string_view verb, const User& user,
                       std::string after) {
    AuditEntry entry = auditEntry(actor, "user", verb, user.id, user.supplierId);
    entry.after = std::move(after);
    _audit.record(transaction, entry);
}

UserLink UserStore::invite(Transaction& transaction, const JsonObject& fields, const Actor& actor) {
    Details details;
    ObjectReader reader(fields, details);
    const auto email = reader.text("email", {.required = true});
    const auto name = reader.text("name", {});
    const auto supplier = reader.integer("supplier_id", {.min = 1});
    const std::string address = Poco::toLower(email.valueOr(""));
    if (email.hasValue() && !isAddress(address))
        details.add("email", "type", "email must be an e-mail address");
    details.throwIfAny();
    if (supplier.hasValue() && !_accounts.findSupplier(transaction, *supplier.value))
        throw ApiError::validation({{"supplier_id", "unknown_reference", "there is no such supplier"}});
    try {
        transaction.execute(INSERT_USER, {supplier.value, address, name.valueOr(address.substr(0, address.find('@')))});
    } catch (const DatabaseError& failure) {
        if (!failure.isDuplicateKey())
            throw;
        throw ApiError::validation({{"email", "duplicate", "somebody has this e-mail address already"}});
    }
    User user = require(transaction, transaction.lastInsertId());
    std::string after;
    JsonWriter(after).beginObject().field("email", user.email).field("name", user.name).endObject();
    record(transaction, actor, "invite", user, std::move(after));
    return makeLink(transaction, std::move(user));
}

UserLink UserStore::link(Transaction& transaction, std::int64_t id, const Actor& actor) {
    User user = require(transaction, id);
    record(transaction, actor, "link", user);
    return makeLink(transaction, std::move(user));
}

UserLink UserStore::makeLink(Transaction& transaction, User user) {
    const std::string token = _crypto.randomToken();
    transaction.execute(REPLACE_LINK, {user.id, _crypto.sha256(token), _settings.linkLifetime.count()});
    UserLink link;
    // Behind the '#' it goes to no server and no log.
    link.url = _settings.publicUrl + "/dashboard/#/welcome/" + token;
    Rows& row = transaction.query(SELECT_LINK_EXPIRY, {user.id});
    if (row.next())
        link.expiresAt = row.time(0);
    link.user = std::move(user);
    return link;
}

void UserStore::checkPassword(Details& details, std::string_view field, std::string_view password,
                              std::string_view email) {
    if (!isValidUtf8(password) || codePoints(password) < MIN_PASSWORD)
        details.add(std::string(field), "out_of_range",
                    "a password has at least " + std::to_string(MIN_PASSWORD) + " characters");
    else if (password.size() > MAX_PASSWORD_BYTES)
        details.add(std::string(field), "too_long", "a password has at most 1024 bytes");
    else if (Poco::icompare(std::string(password), std::string(email)) == 0)
        details.add(std::string(field), "unsupported", "the e-mail address is no password");
}

User UserStore::setPassword(Transaction& transaction, std::int64_t id, std::string_view password, const Actor& actor) {
    User user = require(transaction, id);
    Details details;
    checkPassword(details, "password", password, user.email);
    details.throwIfAny();
    transaction.execute(SET_PASSWORD, {_crypto.hashPassword(password), id});
    transaction.execute(END_LINK, {id});
    Sessions::endOthers(transaction, id, 0);
    record(transaction, actor, "set_password", user);
    user.hasPassword = true;
    return user;
}

User UserStore::setDisabled(Transaction& transaction, std::int64_t id, bool disabled, const Actor& actor) {
    User user = require(transaction, id);
    if (user.isDisabled == disabled)
        return user;
    transaction.execute(disabled ? DISABLE : ENABLE, {id});
    if (disabled) {
        Sessions::endOthers(transaction, id, 0);
        transaction.execute(END_LINK, {id});
    }
    record(transaction, actor, disabled ? "disable" : "enable", user);
    user.isDisabled = disabled;
    return user;
}

void UserStore::rename(Transaction& transaction, std::int64_t id, const std::string& name, const Actor& actor) {
    const User user = require(transaction, id);
    transaction.execute(SET_NAME, {name, id});
    std::string after;
    JsonWriter(after).beginObject().field("name", name).endObject();
    record(transaction, actor, "update", user, std::move(after));
}

void UserStore::setNewSecret(Transaction& transaction, std::int64_t id, std::string_view secret) {
    transaction.execute(SET_NEW_SECRET, {secret, id});
}

std::vector<std::string> UserStore::confirmSecret(Transaction& transaction, std::int64_t id, std::string_view code,
                                                  const Actor& actor) {
    std::string secret;
    if (Rows& row = transaction.query(LOCK_NEW_SECRET, {id}); row.next())
        secret = row.text(0);
    const auto step = Totp::check(secret, code, 0, Poco::Timestamp().epochTime());
    if (!step)
        throw ApiError::validation({{"code", "type", "this is not the code that the app shows now"}});
    transaction.execute(CONFIRM_SECRET, {*step, id});
    transaction.execute(REMOVE_CODES, {id});
    std::vector<std::string> codes;
    while (codes.size() < RECOVERY_CODES) {
        codes.push_back(Totp::text(_crypto.randomBytes(RECOVERY_BYTES)));
        transaction.execute(INSERT_CODE, {id, _crypto.sha256(codes.back())});
    }
    record(transaction, actor, "add_second_factor", require(transaction, id));
    return codes;
}

User UserStore::removeSecondFactor(Transaction& transaction, std::int64_t id, const Actor& actor) {
    User user = require(transaction, id);
    transaction.execute(REMOVE_SECRET, {id});
    transaction.execute(REMOVE_CODES, {id});
    record(transaction, actor, "remove_second_factor", user);
    user.hasSecondFactor = false;
    return user;
}

std::int64_t UserStore::purgeLinks(Transaction& transaction) {
    return transaction.execute(PURGE_LINKS);
}

} // namespace supplierd::dashboard
