#pragma once

#include "host/auth/ApiKey.h"

#include <supplierd/services/Accounts.h>
#include <supplierd/services/ApiKeyVerifier.h>

#include <string>
#include <utility>
#include <vector>

namespace supplierd::host {

class Authenticator;

/// What a new key is to be. Scopes: empty means all.
struct NewApiKey {
    /// 0 makes an operator key.
    std::int64_t supplierId = 0;
    std::string name;
    std::optional<std::int64_t> hourlyLimit = std::nullopt;
    std::vector<std::string> scopes = {};
    /// UTC, as QueryReader::time() gives it.
    std::optional<std::string> expiresAt = std::nullopt;
};

/// A row of api_keys.
struct ApiKeyRow {
    /// Its scopes are those that are stored: none of a supplier's key means all.
    ApiKeyRecord key;
    KeyKind kind = KeyKind::Supplier;
};

/// The keys as the database has them, and the service "supplierd.api-key-verifier/1". AccountStore writes the audit
/// log.
class ApiKeyStore final : public ApiKeyVerifier {
public:
    /// `scopes`: those that a key can have.
    explicit ApiKeyStore(std::vector<std::string> scopes = {}) : _scopes(std::move(scopes)) {}

    /// Both before plugins start. Without an authenticator, verify() has nobody to ask.
    void setKnownScopes(std::vector<std::string> scopes) { _scopes = std::move(scopes); }
    void setAuthenticator(Authenticator& authenticator) { _authenticator = &authenticator; }

    std::vector<std::string> knownScopes() const override { return _scopes; }
    Principal verify(std::string_view key, std::string_view clientAddress) override;

    /// Throws ApiError (Validation) for an unknown supplier.
    IssuedApiKey issue(SqlSession& session, const NewApiKey& key);
    /// False when there is no such key. Revoking twice keeps the first time.
    bool revoke(SqlSession& session, std::int64_t keyId);

    /// Nothing when there is no such key.
    std::optional<ApiKeyRow> find(SqlSession& session, std::int64_t keyId) const;
    /// `publicPart`: the 8 characters before its secret.
    std::optional<ApiKeyRow> find(SqlSession& session, std::string_view publicPart) const;
    /// As find(), and the row is locked until the end of the transaction.
    std::optional<ApiKeyRow> lock(SqlSession& session, std::int64_t keyId) const;
    /// Lets it expire so many seconds from now, unless it does so before.
    void endWithin(SqlSession& session, std::int64_t keyId, std::int64_t seconds);
    /// A page of a supplier's keys, or of the operators' when `supplierId` is 0, newest first, as rows for rowOf(); and
    /// how many there are.
    Rows& select(SqlSession& session, std::int64_t supplierId, const ListWindow& window) const;
    std::int64_t count(SqlSession& session, std::int64_t supplierId) const;
    static ApiKeyRow rowOf(const Rows& row);

private:
    std::vector<std::string> _scopes;
    Authenticator* _authenticator = nullptr;
};

} // namespace supplierd::host
