#include "UserStore.h"

#include "SignIn.h"

#include <supplierd/Cursor.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/Validation.h>

#include <Poco/String.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>

namespace supplierd::dashboard {

namespace {

// The columns of userOf(); selectUsers() adds where the rows come from.
constexpr std::string_view SELECT_USERS = R"sql(
SELECT u.id, u.supplier_id, u.email, u.name, u.password_hash IS NOT NULL, u.totp_secret IS NOT NULL,
       u.disabled_at IS NOT NULL, u.last_sign_in_at, u.created_at, u.is_staff, u.scopes)sql";

// One for all filters: a filter that is NULL lets everything through. There are as many users as people, not products.
constexpr std::string_view FROM_ALL = R"sql(
FROM dashboard_users u
WHERE u.id < ? AND (? OR NOT u.is_shadow) AND (? IS NULL OR COALESCE(u.supplier_id, 0) = ?)
      AND (? IS NULL OR LOCATE(LOWER(?), u.email) > 0 OR LOCATE(?, u.name) > 0)
ORDER BY u.id DESC LIMIT ? OFFSET ?
)sql";

constexpr std::string_view COUNT = R"sql(
SELECT COUNT(*) FROM dashboard_users
WHERE (? OR NOT is_shadow) AND (? IS NULL OR COALESCE(supplier_id, 0) = ?)
      AND (? IS NULL OR LOCATE(LOWER(?), email) > 0 OR LOCATE(?, name) > 0)
)sql";

constexpr std::string_view FROM_ONE = R"sql(
FROM dashboard_users u WHERE u.id = ?
)sql";

constexpr std::string_view FROM_LINK = R"sql(
FROM dashboard_links l JOIN dashboard_users u ON u.id = l.user_id
WHERE l.token_hash = ? AND l.expires_at > NOW(6) AND u.disabled_at IS NULL AND NOT u.is_shadow
)sql";

constexpr std::string_view INSERT_USER = R"sql(
INSERT INTO dashboard_users (supplier_id, email, name, is_staff, scopes, is_shadow) VALUES (?, ?, ?, ?, ?, ?)
)sql";

constexpr std::string_view SELECT_OF_ADDRESS = R"sql(
SELECT COALESCE(supplier_id, 0) FROM dashboard_users WHERE email = ?
)sql";

constexpr std::string_view SELECT_SHADOW = R"sql(
SELECT is_shadow FROM dashboard_users WHERE id = ?
)sql";

constexpr std::string_view SET_ROLE = R"sql(
UPDATE dashboard_users SET is_staff = ?, scopes = ? WHERE id = ?
)sql";

constexpr std::string_view END_LINKS = R"sql(
DELETE FROM dashboard_links WHERE user_id = ?
)sql";

constexpr std::string_view TAKE_LINK = R"sql(
DELETE FROM dashboard_links WHERE token_hash = ?
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

constexpr std::string_view COUNT_INVITATIONS = R"sql(
SELECT COUNT(*) FROM dashboard_users
WHERE supplier_id = ? AND password_hash IS NULL AND created_at > NOW(6) - INTERVAL 1 DAY
)sql";

// A row that every store has which invites: so it invites one person after the other, and each bound holds.
constexpr std::string_view LOCK_STORE = R"sql(
SELECT id FROM dashboard_users WHERE supplier_id = ? ORDER BY id LIMIT 1 FOR UPDATE
)sql";

constexpr std::string_view COUNT_MAILED = R"sql(
SELECT COUNT(*) FROM dashboard_mails
WHERE user_id = ? AND kind = ? AND created_at > NOW(6) - INTERVAL 1 DAY
)sql";

/// Each may send a mail to somebody who has not asked for it.
constexpr std::int64_t MAX_INVITATIONS = 50;
constexpr std::int64_t MAX_MAILED = 3; // to one person
constexpr std::size_t MAX_PASSWORD_BYTES = 1'024;
constexpr std::size_t MAX_SEARCH = 100;

Rows& selectUsers(SqlSession& session, std::string_view from, std::initializer_list<SqlParam> params) {
    return session.query(std::string(SELECT_USERS).append(from), params);
}

User userOf(const Rows& row) {
    User user;
    user.id = row.integer(0);
    user.supplierId = row.maybeInteger(1);
    user.email = row.text(2);
    user.name = row.text(3);
    user.hasPassword = row.boolean(4);
    user.hasSecondFactor = row.boolean(5);
    user.isDisabled = row.boolean(6);
    user.lastSignInAt = row.maybeTime(7);
    user.createdAt = row.time(8);
    user.isStaff = row.boolean(9);
    user.scopes = scopesOf(row.text(10));
    return user;
}

constexpr std::array<std::string_view, 2> ROLES{"owner", "staff"};

using Role = UserStore::Role;

SqlParam scopesParam(const Role& role, std::string& joined) {
    for (const std::string& scope : role.scopes)
        joined += (joined.empty() ? "" : " ") + scope;
    return role.scopes.empty() ? SqlParam(nullptr) : SqlParam(joined);
}

/// `role` and `scopes` of a supplier's person.
Role readRole(ObjectReader& reader, const std::vector<std::string>& known, bool isRequired) {
    Role role;
    Details& details = reader.details();
    role.isStaff = reader.oneOf("role", ROLES, isRequired).valueOr("owner") == "staff";
    const auto scopes = reader.array("scopes", known.size());
    if (!scopes)
        return role;
    if (!role.isStaff)
        details.add("scopes", "unsupported", "an owner may everything; scopes are of staff");
    if (scopes->empty())
        details.add("scopes", "required", "scopes must name at least one scope; leave it out for all of them");
    std::size_t i = 0;
    for (const JsonValue value : *scopes) {
        const std::string place = "scopes[" + std::to_string(i++) + "]";
        const std::string scope(value.isText() ? value.text() : std::string_view());
        if (std::find(known.begin(), known.end(), scope) == known.end())
            details.add(place, "not_in_set", place + " is no scope of this server");
        else if (std::find(role.scopes.begin(), role.scopes.end(), scope) == role.scopes.end())
            role.scopes.push_back(scope);
    }
    return role;
}

ApiError addressIsTaken() {
    return ApiError::validation({{"email", "duplicate", "somebody has this e-mail address already"}});
}

} // namespace

Listed<User> UserStore::select(Database& database, const QueryParameters& query, bool withShadows) {
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
            return selectUsers(
                session, FROM_ALL,
                {after, withShadows, supplier, supplier, search, search, search, window.limit, window.offset});
        },
        .total =
            [&](SqlSession& session) {
                Rows& row = session.query(COUNT, {withShadows, supplier, supplier, search, search, search});
                return row.next() ? row.integer(0) : 0;
            }};
    return page.select(database, statements, userOf);
}

std::optional<User> UserStore::find(SqlSession& session, std::int64_t id) {
    Rows& row = selectUsers(session, FROM_ONE, {id});
    return row.next() ? std::optional(userOf(row)) : std::nullopt;
}

User UserStore::require(SqlSession& session, std::int64_t id) {
    auto user = find(session, id);
    if (!user)
        throw ApiError::notFound("There is no user " + std::to_string(id));
    return std::move(*user);
}

std::optional<User> UserStore::ofLink(SqlSession& session, std::string_view token) {
    const std::string hash = _crypto.sha256(token);
    Rows& row = selectUsers(session, FROM_LINK, {hash});
    return row.next() ? std::optional(userOf(row)) : std::nullopt;
}

std::optional<User> UserStore::takeLink(Transaction& transaction, std::string_view token) {
    auto user = ofLink(transaction, token);
    if (user && transaction.execute(TAKE_LINK, {_crypto.sha256(token)}) == 0)
        user.reset();
    return user;
}

void UserStore::record(Transaction& transaction, const Actor& actor, std::string_view verb, const User& user,
                       std::string after) {
    AuditEntry entry = auditEntry(actor, "user", verb, user.id, user.supplierId);
    entry.after = std::move(after);
    _audit.record(transaction, entry);
}

void UserStore::requireFewInvitations(SqlSession& session, std::int64_t store) {
    session.query(LOCK_STORE, {store});
    Rows& row = session.query(COUNT_INVITATIONS, {store});
    if (row.next() && row.integer(0) >= MAX_INVITATIONS)
        throw ApiError::validation(
            {{"email", "too_many", "at most " + std::to_string(MAX_INVITATIONS) + " people are invited in a day"}});
}

UserLink UserStore::invite(Transaction& transaction, const JsonObject& fields, std::optional<std::int64_t> store,
                           const Actor& actor) {
    Details details;
    ObjectReader reader(fields, details);
    const auto email = reader.text("email", {.required = true});
    const auto name = reader.text("name", {});
    const auto supplier = store ? store : reader.integer("supplier_id", {.min = 1}).value;
    const std::string address = normalAddress(email.valueOr("")).value_or("");
    if (email.hasValue() && address.empty())
        details.add("email", "type", "email must be an e-mail address");
    const Role role = readRole(reader, _keys.knownScopes(), false);
    if (!supplier && (reader.has("role") || reader.has("scopes")))
        details.add("role", "unsupported", "an operator has no role");
    details.throwIfAny();
    if (supplier && !_accounts.findSupplier(transaction, *supplier))
        throw ApiError::validation({{"supplier_id", "unknown_reference", "there is no such supplier"}});
    if (store)
        requireFewInvitations(transaction, *store);
    const bool isShadow = store && isElsewhere(transaction, address, *store);
    std::string scopes;
    const SqlParam joined = scopesParam(role, scopes);
    try {
        transaction.execute(INSERT_USER, {supplier, address, name.valueOr(address.substr(0, address.find('@'))),
                                          role.isStaff, joined, isShadow});
    } catch (const DatabaseError& failure) {
        if (!failure.isDuplicateKey())
            throw;
        throw addressIsTaken();
    }
    User user = require(transaction, transaction.lastInsertId());
    std::string after;
    JsonWriter json(after);
    json.beginObject().field("email", user.email).field("name", user.name);
    if (user.isStaff)
        json.field("role", "staff").key("scopes").raw(jsonArray(user.scopes));
    json.endObject();
    record(transaction, actor, "invite", user, std::move(after));
    mailLink(transaction, user);
    return store ? ownersLink(transaction, std::move(user))
                 : makeLink(transaction, std::move(user), _settings.linkLifetime);
}

/// By mail alone, only whoever reads it can choose the password, and no owner sees whose link leads nowhere.
UserLink UserStore::ownersLink(Transaction& transaction, User user) {
    if (_mails.isOn())
        return {std::move(user), {}, {}};
    return makeLink(transaction, std::move(user), _settings.linkLifetime);
}

UserLink UserStore::inviteAgain(Transaction& transaction, User user, const Actor& actor) {
    if (user.hasPassword)
        throw ApiError::conflict(
            "This person has a password, and asks for a link on the sign-in page if it is forgotten");
    transaction.query(LOCK_STORE, {user.supplierId});
    if (Rows& row = transaction.query(COUNT_MAILED, {user.id, MailKind::INVITATION});
        row.next() && row.integer(0) >= MAX_MAILED)
        throw ApiError::validation(
            {{"", "too_many",
              "at most " + std::to_string(MAX_MAILED) + " invitations are mailed to one person in a day"}});
    record(transaction, actor, "link", user);
    transaction.execute(END_LINKS, {user.id});
    mailLink(transaction, user);
    return ownersLink(transaction, std::move(user));
}

UserLink UserStore::link(Transaction& transaction, std::int64_t id, const Actor& actor) {
    User user = require(transaction, id);
    requireAccount(transaction, id);
    record(transaction, actor, "link", user);
    transaction.execute(END_LINKS, {id});
    mailLink(transaction, user);
    return makeLink(transaction, std::move(user), _settings.linkLifetime);
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
    requireAccount(transaction, id);
    Details details;
    checkPassword(details, "password", password, user.email);
    details.throwIfAny();
    transaction.execute(SET_PASSWORD, {_crypto.hashPassword(password), id});
    transaction.execute(END_LINKS, {id});
    Sessions::endOthers(transaction, id, 0);
    record(transaction, actor, "set_password", user);
    user.hasPassword = true;
    return user;
}

/// Whether somebody else's account has the address. Throws ApiError (Validation) for one of this store.
bool UserStore::isElsewhere(SqlSession& session, const std::string& address, std::int64_t store) {
    bool found = false;
    Rows& row = session.query(SELECT_OF_ADDRESS, {address});
    while (row.next()) {
        if (row.integer(0) == store)
            throw addressIsTaken();
        found = true;
    }
    return found;
}

void UserStore::requireAccount(SqlSession& session, std::int64_t id) {
    Rows& row = session.query(SELECT_SHADOW, {id});
    if (row.next() && row.boolean(0))
        throw ApiError::conflict("Somebody else's account has this e-mail address; look for it in the list");
}

User UserStore::setDisabled(Transaction& transaction, std::int64_t id, bool disabled, const Actor& actor) {
    User user = require(transaction, id);
    if (user.isDisabled == disabled)
        return user;
    transaction.execute(disabled ? DISABLE : ENABLE, {id});
    if (disabled) {
        Sessions::endOthers(transaction, id, 0);
        transaction.execute(END_LINKS, {id});
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

User UserStore::update(Transaction& transaction, std::int64_t id, const JsonObject& fields, const Actor& actor) {
    User user = require(transaction, id);
    Details details;
    ObjectReader reader(fields, details);
    const bool hasName = reader.has("name");
    const auto name = hasName ? reader.text("name", {.required = true}) : Field<std::string>();
    const bool hasRole = !hasName || reader.has("role") || reader.has("scopes");
    const Role role = hasRole ? readRole(reader, _keys.knownScopes(), true) : Role{user.isStaff, user.scopes};
    if (hasRole && !user.supplierId)
        details.add("role", "unsupported", "an operator has no role");
    details.throwIfAny();
    if (name.hasValue() && *name.value != user.name)
        rename(transaction, id, *name.value, actor);
    if (role.isStaff != user.isStaff || role.scopes != user.scopes)
        setRole(transaction, user, role, actor);
    return require(transaction, id);
}

void UserStore::setRole(Transaction& transaction, const User& user, const Role& role, const Actor& actor) {
    std::string scopes;
    transaction.execute(SET_ROLE, {role.isStaff, scopesParam(role, scopes), user.id});
    std::string after;
    JsonWriter(after)
        .beginObject()
        .field("role", role.isStaff ? "staff" : "owner")
        .key("scopes")
        .raw(jsonArray(role.scopes))
        .endObject();
    record(transaction, actor, "update", user, std::move(after));
}

} // namespace supplierd::dashboard
