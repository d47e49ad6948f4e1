#pragma once

#include "host/auth/ApiKeyStore.h"

#include <supplierd/Errors.h>
#include <supplierd/services/Accounts.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace supplierd::host {

/// Suppliers and their keys: the service "supplierd.accounts/1". The key store and the AuditLog outlive it. Thread:
/// any. Errors: ApiError, DatabaseError.
class AccountStore final : public Accounts {
public:
    AccountStore(ApiKeyStore& keys, AuditLog& audit) : _keys(keys), _audit(audit) {}

    /// Before it is used: what keys that suppliers' own people make may have at most.
    struct OwnKeys {
        std::int64_t hourlyLimit = 1'000;
        std::int64_t live = 50;
    };
    void limitOwnKeys(const OwnKeys& limits) { _ownKeys = limits; }

    Listed<Supplier> suppliers(Database& database, const QueryParameters& query) override;
    std::optional<Supplier> findSupplier(SqlSession& session, std::int64_t id) override;
    std::vector<Supplier> findSuppliers(SqlSession& session, std::span<const std::int64_t> ids) override;
    Supplier addSupplier(Transaction& transaction, const JsonObject& fields, const Actor& actor) override;
    Supplier verifySupplier(Transaction& transaction, std::int64_t id, const Actor& actor) override {
        return setStatus(transaction, id, "verify", "verified", actor);
    }
    Supplier suspendSupplier(Transaction& transaction, std::int64_t id, const Actor& actor) override {
        return setStatus(transaction, id, "suspend", "suspended", actor);
    }
    Supplier updateSupplier(Transaction& transaction, std::int64_t id, const JsonObject& fields,
                            const Actor& actor) override;
    Listed<ApiKeyRecord> keys(Database& database, std::int64_t supplierId, const QueryParameters& query) override;
    std::optional<ApiKeyRecord> findKey(SqlSession& session, std::int64_t id) override;
    ApiKeyRecord requireKey(SqlSession& session, std::string_view name) override;
    IssuedApiKey issueKey(Transaction& transaction, std::int64_t supplierId, const JsonObject& fields,
                          const Actor& actor) override;
    ApiKeyRecord revokeKey(Transaction& transaction, std::int64_t id, const Actor& actor) override;
    RotatedApiKey rotateKey(Transaction& transaction, std::int64_t id, const JsonObject& fields,
                            const Actor& actor) override;
    Supplier addSandbox(Transaction& transaction, std::int64_t supplierId, const Actor& actor) override;
    std::optional<Supplier> findSandbox(SqlSession& session, std::int64_t supplierId) override;
    std::vector<std::int64_t> sandboxes(SqlSession& session) override;

private:
    static ApiError noSuchSupplier(std::int64_t id);
    /// A supplier that is so already stays untouched. Its sandbox goes with it.
    Supplier setStatus(Transaction& transaction, std::int64_t id, std::string_view verb, std::string_view status,
                       const Actor& actor);
    /// False: it has that status.
    bool setOwnStatus(Transaction& transaction, std::int64_t id, std::string_view verb, std::string_view status,
                      const Actor& actor);
    /// Writes name and e-mail address, where they differ, with the audit entry.
    void setProfile(Transaction& transaction, const Supplier& before, const Supplier& after, const Actor& actor);
    Supplier insertSupplier(Transaction& transaction, const Supplier& supplier, const Actor& actor);
    /// Until the end of the transaction nobody else makes a key of this supplier.
    void requireRoomForKey(Transaction& transaction, std::int64_t supplierId);
    IssuedApiKey issue(Transaction& transaction, const NewApiKey& key, const Actor& actor);
    ApiKeyRecord recordOf(const ApiKeyRow& row) const;

    ApiKeyStore& _keys;
    AuditLog& _audit;
    OwnKeys _ownKeys;
};

} // namespace supplierd::host
