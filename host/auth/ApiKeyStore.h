#pragma once

#include "host/auth/ApiKey.h"

#include <supplierd/ApiKeys.h>

#include <functional>

namespace supplierd::host {

/// A row of api_keys, for display.
struct ApiKeyRow {
    std::int64_t id = 0;
    std::string prefix;
    KeyKind kind = KeyKind::Supplier;
    std::int64_t supplierId = 0;
    std::string name;
    std::optional<std::int64_t> hourlyLimit;
    std::string scopes; ///< space-separated; empty means all
    std::optional<std::string> expiresAt;
    std::optional<std::string> lastUsedAt;
    std::optional<std::string> lastUsedFrom; ///< client address
    std::optional<std::string> revokedAt;
    std::string createdAt;
};

/// The keys as the database has them: what `supplierctl` and the service "supplierd.api-keys/1" do with them.
class ApiKeyStore final : public ApiKeys {
public:
    const std::vector<std::string>& knownScopes() const override;
    IssuedApiKey issue(SqlSession& session, const NewApiKey& key) override;
    bool revoke(SqlSession& session, std::int64_t keyId) override;

    /// Nothing when there is no such key.
    std::optional<ApiKeyRow> find(SqlSession& session, std::int64_t keyId) const;
    /// Lets it expire so many seconds from now, unless it does so before.
    void endWithin(SqlSession& session, std::int64_t keyId, std::int64_t seconds);
    /// Keys of a supplier, or every operator key when `supplierId` is 0; oldest first.
    std::vector<ApiKeyRow> list(SqlSession& session, std::int64_t supplierId) const;
};

} // namespace supplierd::host
