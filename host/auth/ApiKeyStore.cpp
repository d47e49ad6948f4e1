#include "host/auth/ApiKeyStore.h"

#include <supplierd/Errors.h>

#include <algorithm>

namespace supplierd::host {

namespace {

constexpr std::string_view SUPPLIER_EXISTS = R"sql(
SELECT 1 FROM suppliers WHERE id = ?
)sql";

constexpr std::string_view INSERT_KEY = R"sql(
INSERT INTO api_keys (key_id, key_hash, kind, supplier_id, name, hourly_limit, scopes, expires_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
)sql";

constexpr std::string_view REVOKE_KEY = R"sql(
UPDATE api_keys SET revoked_at = COALESCE(revoked_at, NOW(6)) WHERE id = ?
)sql";

constexpr std::string_view KEY_COLUMNS_OF_SUPPLIER = R"sql(
SELECT id, key_id, kind, supplier_id, name, hourly_limit, scopes, expires_at, last_used_at, revoked_at, created_at,
       last_used_from
FROM api_keys WHERE supplier_id = ? ORDER BY id
)sql";

constexpr std::string_view KEY_COLUMNS_OF_OPERATORS = R"sql(
SELECT id, key_id, kind, supplier_id, name, hourly_limit, scopes, expires_at, last_used_at, revoked_at, created_at,
       last_used_from
FROM api_keys WHERE kind = 'operator' ORDER BY id
)sql";

constexpr std::string_view KEY_COLUMNS_OF_ONE = R"sql(
SELECT id, key_id, kind, supplier_id, name, hourly_limit, scopes, expires_at, last_used_at, revoked_at, created_at,
       last_used_from
FROM api_keys WHERE id = ?
)sql";

constexpr std::string_view END_WITHIN = R"sql(
UPDATE api_keys
SET expires_at = LEAST(COALESCE(expires_at, NOW(6) + INTERVAL ? SECOND), NOW(6) + INTERVAL ? SECOND) WHERE id = ?
)sql";

std::optional<std::string> maybeTime(const Rows& rows, std::size_t column) {
    return rows.isNull(column) ? std::nullopt : std::optional<std::string>(rows.time(column));
}

ApiKeyRow readRow(const Rows& rows) {
    ApiKeyRow row;
    row.id = rows.integer(0);
    row.kind = rows.text(2) == "operator" ? KeyKind::Operator : KeyKind::Supplier;
    row.prefix = (row.kind == KeyKind::Operator ? "ok_" : "sk_") + std::string(rows.text(1));
    row.supplierId = rows.integer(3);
    row.name = rows.text(4);
    row.hourlyLimit = rows.maybeInteger(5);
    row.scopes = rows.text(6);
    row.expiresAt = maybeTime(rows, 7);
    row.lastUsedAt = maybeTime(rows, 8);
    row.revokedAt = maybeTime(rows, 9);
    row.createdAt = rows.time(10);
    row.lastUsedFrom = rows.maybeText(11);
    return row;
}

std::string joinScopes(const std::vector<std::string>& scopes, const std::vector<std::string>& known) {
    std::string joined;
    std::vector<Detail> problems;
    for (const auto& scope : scopes) {
        if (std::find(known.begin(), known.end(), scope) == known.end())
            problems.push_back({"scopes", "not_in_set", "unknown scope '" + scope + "'"});
        joined += (joined.empty() ? "" : " ") + scope;
    }
    if (!problems.empty())
        throw ApiError::validation(problems);
    return joined;
}

} // namespace

const std::vector<std::string>& ApiKeyStore::knownScopes() const {
    static const std::vector<std::string> scopes = {"products:read", "products:write", "stock:write",    "prices:write",
                                                    "orders:read",   "orders:write",   "categories:read"};
    return scopes;
}

IssuedApiKey ApiKeyStore::issue(SqlSession& session, const NewApiKey& key) {
    const auto scopes = joinScopes(key.scopes, knownScopes());
    const auto kind = key.supplierId == 0 ? KeyKind::Operator : KeyKind::Supplier;
    if (kind == KeyKind::Supplier && !session.query(SUPPLIER_EXISTS, {key.supplierId}).next())
        throw ApiError::validation({{"supplier_id", "unknown_reference", "there is no such supplier"}});
    const auto generated = ApiKey::generate(kind);
    const auto hash = sha256(generated.text);
    session.execute(INSERT_KEY,
                    {generated.keyId, asBytes(hash), keyKindName(kind),
                     kind == KeyKind::Supplier ? SqlParam(key.supplierId) : SqlParam(nullptr), key.name,
                     key.hourlyLimit, scopes.empty() ? SqlParam(nullptr) : SqlParam(scopes), key.expiresAt});
    return {session.lastInsertId(), generated.prefix(), generated.text};
}

bool ApiKeyStore::revoke(SqlSession& session, std::int64_t keyId) {
    return session.execute(REVOKE_KEY, {keyId}) > 0;
}

std::optional<ApiKeyRow> ApiKeyStore::find(SqlSession& session, std::int64_t keyId) const {
    auto& rows = session.query(KEY_COLUMNS_OF_ONE, {keyId});
    return rows.next() ? std::optional(readRow(rows)) : std::nullopt;
}

void ApiKeyStore::endWithin(SqlSession& session, std::int64_t keyId, std::int64_t seconds) {
    session.execute(END_WITHIN, {seconds, seconds, keyId});
}

std::vector<ApiKeyRow> ApiKeyStore::list(SqlSession& session, std::int64_t supplierId) const {
    auto& rows = supplierId == 0 ? session.query(KEY_COLUMNS_OF_OPERATORS)
                                 : session.query(KEY_COLUMNS_OF_SUPPLIER, {supplierId});
    std::vector<ApiKeyRow> result;
    while (rows.next()) {
        result.push_back(readRow(rows));
    }
    return result;
}

} // namespace supplierd::host
