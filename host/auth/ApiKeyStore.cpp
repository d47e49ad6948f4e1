#include "host/auth/ApiKeyStore.h"

#include "host/auth/Authenticator.h"
#include "host/base/Digest.h"
#include "host/db/changes/ChangeLogStore.h"

#include <supplierd/Errors.h>

#include <initializer_list>
#include <limits>
#include <sstream>

namespace supplierd::host {

namespace {

constexpr std::string_view FIND_SUPPLIER = R"sql(
SELECT sandbox_of IS NOT NULL FROM suppliers WHERE id = ?
)sql";

constexpr std::string_view INSERT_KEY = R"sql(
INSERT INTO api_keys (key_id, key_hash, kind, supplier_id, name, hourly_limit, scopes, expires_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
)sql";

constexpr std::string_view REVOKE_KEY = R"sql(
UPDATE api_keys SET revoked_at = COALESCE(revoked_at, NOW(6)) WHERE id = ?
)sql";

// The columns of rowOf(); selectKeys() adds a condition.
constexpr std::string_view SELECT_KEYS = R"sql(
SELECT id, key_id, kind, supplier_id, name, hourly_limit, scopes, expires_at, last_used_at, revoked_at, created_at,
       last_used_from
FROM api_keys )sql";
constexpr std::string_view KEY_OF_ID = "WHERE id = ?";
constexpr std::string_view KEY_OF_ID_FOR_UPDATE = "WHERE id = ? FOR UPDATE";
constexpr std::string_view KEY_OF_PUBLIC_PART = "WHERE key_id = ?";
// An operator's key has no supplier.
constexpr std::string_view KEYS_OF_SUPPLIER =
    "FORCE INDEX (api_keys_supplier) WHERE supplier_id <=> ? AND id < ? ORDER BY id DESC LIMIT ? OFFSET ?";

constexpr std::string_view COUNT_OF_SUPPLIER = R"sql(
SELECT COUNT(*) FROM api_keys FORCE INDEX (api_keys_supplier) WHERE supplier_id <=> ?
)sql";

constexpr std::string_view END_WITHIN = R"sql(
UPDATE api_keys
SET expires_at = LEAST(COALESCE(expires_at, NOW(6) + INTERVAL ? SECOND), NOW(6) + INTERVAL ? SECOND) WHERE id = ?
)sql";

Rows& selectKeys(SqlSession& session, std::string_view condition, std::initializer_list<SqlParam> params) {
    return session.query(std::string(SELECT_KEYS).append(condition), params);
}

SqlParam supplierParam(std::int64_t supplierId) {
    return supplierId == 0 ? SqlParam(nullptr) : SqlParam(supplierId);
}

std::string joined(const std::vector<std::string>& scopes) {
    std::string text;
    for (const auto& scope : scopes)
        text += (text.empty() ? "" : " ") + scope;
    constexpr std::size_t COLUMN = 255;
    if (text.size() > COLUMN)
        throw ApiError::validation({{"scopes", "too_long", "the scopes of one key have more than 255 characters"}});
    return text;
}

std::vector<std::string> scopesOf(std::string_view joined) {
    std::vector<std::string> scopes;
    std::istringstream words{std::string(joined)};
    for (std::string scope; words >> scope;)
        scopes.push_back(scope);
    return scopes;
}

} // namespace

IssuedApiKey ApiKeyStore::issue(SqlSession& session, const NewApiKey& key) {
    const auto scopes = joined(key.scopes);
    auto kind = KeyKind::Operator;
    if (key.supplierId != 0) {
        auto& supplier = session.query(FIND_SUPPLIER, {key.supplierId});
        if (!supplier.next())
            throw ApiError::validation({{"supplier_id", "unknown_reference", "there is no such supplier"}});
        kind = supplier.boolean(0) ? KeyKind::Sandbox : KeyKind::Supplier;
    }
    const auto generated = ApiKey::generate(kind);
    const auto hash = sha256(generated.text);
    session.execute(INSERT_KEY,
                    {generated.keyId, asBytes(hash), keyKindName(kind), supplierParam(key.supplierId), key.name,
                     key.hourlyLimit, scopes.empty() ? SqlParam(nullptr) : SqlParam(scopes), key.expiresAt});
    return {session.lastInsertId(), generated.prefix(), generated.text};
}

Principal ApiKeyStore::verify(std::string_view key, std::string_view clientAddress) {
    if (!_authenticator)
        throw ApiError::unavailable("keys are verified by a server only");
    return _authenticator->verify(key, clientAddress);
}

bool ApiKeyStore::revoke(SqlSession& session, std::int64_t keyId) {
    const bool isRevoked = session.execute(REVOKE_KEY, {keyId}) > 0;
    ChangeLogStore::changeAccounts(session);
    return isRevoked;
}

ApiKeyRow ApiKeyStore::rowOf(const Rows& rows) {
    const KeyKind kind = keyKindNamed(rows.text(2));
    ApiKeyRow row{.key = {}, .kind = kind};
    row.key.id = rows.integer(0);
    row.key.prefix = std::string(keyScheme(kind)) + std::string(rows.text(1));
    row.key.supplierId = rows.maybeInteger(3);
    row.key.name = rows.text(4);
    row.key.hourlyLimit = rows.maybeInteger(5);
    row.key.scopes = scopesOf(rows.text(6));
    row.key.expiresAt = rows.maybeTime(7);
    row.key.lastUsedAt = rows.maybeTime(8);
    row.key.revokedAt = rows.maybeTime(9);
    row.key.createdAt = rows.time(10);
    row.key.lastUsedFrom = rows.maybeText(11);
    return row;
}

std::optional<ApiKeyRow> ApiKeyStore::lock(SqlSession& session, std::int64_t keyId) const {
    auto& rows = selectKeys(session, KEY_OF_ID_FOR_UPDATE, {keyId});
    return rows.next() ? std::optional(rowOf(rows)) : std::nullopt;
}

Rows& ApiKeyStore::select(SqlSession& session, std::int64_t supplierId, const ListWindow& window) const {
    const auto before = window.after ? window.after->lastId : std::numeric_limits<std::int64_t>::max();
    return selectKeys(session, KEYS_OF_SUPPLIER, {supplierParam(supplierId), before, window.limit, window.offset});
}

std::int64_t ApiKeyStore::count(SqlSession& session, std::int64_t supplierId) const {
    auto& row = session.query(COUNT_OF_SUPPLIER, {supplierParam(supplierId)});
    return row.next() ? row.integer(0) : 0;
}

std::optional<ApiKeyRow> ApiKeyStore::find(SqlSession& session, std::int64_t keyId) const {
    auto& rows = selectKeys(session, KEY_OF_ID, {keyId});
    return rows.next() ? std::optional(rowOf(rows)) : std::nullopt;
}

std::optional<ApiKeyRow> ApiKeyStore::find(SqlSession& session, std::string_view publicPart) const {
    auto& rows = selectKeys(session, KEY_OF_PUBLIC_PART, {publicPart});
    return rows.next() ? std::optional(rowOf(rows)) : std::nullopt;
}

void ApiKeyStore::endWithin(SqlSession& session, std::int64_t keyId, std::int64_t seconds) {
    session.execute(END_WITHIN, {seconds, seconds, keyId});
    ChangeLogStore::changeAccounts(session);
}

} // namespace supplierd::host
