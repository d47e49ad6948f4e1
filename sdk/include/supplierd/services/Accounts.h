#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>
#include <supplierd/Json.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/ListPage.h>
#include <supplierd/services/AuditLog.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

/// Times are ISO 8601 UTC.
struct SUPPLIERD_API Supplier {
    std::int64_t id = 0;
    std::string name;
    std::optional<std::string> email;
    /// "unverified", "verified" or "suspended".
    std::string status;
    std::string createdAt;
    /// Of a sandbox, the test twin of a supplier: whose it is. Nothing for the live ones.
    std::optional<std::int64_t> sandboxOf;
    Reserved reserved = {};

    bool isSandbox() const { return sandboxOf.has_value(); }
};

/// A key without its secret, which nobody has.
struct SUPPLIERD_API ApiKeyRecord {
    std::int64_t id = 0;
    /// Nothing: an operator's.
    std::optional<std::int64_t> supplierId;
    /// "sk_ab12cd34", for display; a sandbox's "sk_test_ab12cd34".
    std::string prefix;
    std::string name;
    std::optional<std::int64_t> hourlyLimit;
    /// An operator's key has none.
    std::vector<std::string> scopes;
    std::optional<std::string> expiresAt;
    std::optional<std::string> lastUsedAt;
    /// The client's address.
    std::optional<std::string> lastUsedFrom;
    std::optional<std::string> revokedAt;
    std::string createdAt;
    Reserved reserved = {};
};

struct SUPPLIERD_API IssuedApiKey {
    std::int64_t id = 0;
    /// "sk_ab12cd34", for display.
    std::string prefix;
    /// The whole key. It exists nowhere else: an answer that holds it must set Response::secret.
    std::string secret;
    Reserved reserved = {};
};

/// A key in the place of another one.
struct SUPPLIERD_API RotatedApiKey {
    IssuedApiKey issued;
    /// The other one, which is refused from its `expiresAt` on.
    ApiKeyRecord replaced;
    Reserved reserved = {};
};

/// A service of the host: suppliers and their keys. What it changes is in the audit log, and every server goes by it
/// from the COMMIT on. Thread: any. Since 1.0.
class SUPPLIERD_API Accounts {
public:
    static constexpr std::string_view ID = "supplierd.accounts/1";

    /// Newest first; sandboxes too when the query asks for them. `query`: that of `GET /api/v1/platform/suppliers`;
    /// what it does not know is left out of account. Throws ApiError (Validation) with every problem of the query.
    virtual Listed<Supplier> suppliers(Database& database, const QueryParameters& query) = 0;
    /// Nothing when there is no such supplier.
    virtual std::optional<Supplier> findSupplier(SqlSession& session, std::int64_t id) = 0;
    /// Those of them that there are, in the order of their ids, each once. One statement.
    virtual std::vector<Supplier> findSuppliers(SqlSession& session, std::span<const std::int64_t> ids) = 0;
    /// `fields`: `{ name, email?, status? }`; unverified unless it says otherwise. Throws ApiError (Validation) with
    /// every bad field.
    virtual Supplier addSupplier(Transaction& transaction, const JsonObject& fields, const Actor& actor) = 0;
    /// `fields`: `{ name?, email? }`: what a supplier says of itself. Its standing, and all else that is the
    /// marketplace's word, is none of them. A sandbox that has its supplier's name is renamed with it. Throws ApiError:
    /// NotFound, Validation with every bad field.
    virtual Supplier updateSupplier(Transaction& transaction, std::int64_t id, const JsonObject& fields,
                                    const Actor& actor) = 0;
    /// Lets its keys in. Throws ApiError (NotFound).
    virtual Supplier verifySupplier(Transaction& transaction, std::int64_t id, const Actor& actor) = 0;
    /// Keeps its keys out. Throws ApiError (NotFound). Either happens to its sandbox as well.
    virtual Supplier suspendSupplier(Transaction& transaction, std::int64_t id, const Actor& actor) = 0;

    /// A supplier's keys, newest first, or, of supplier 0, the operators'; `query` has `page`, `per_page` and `cursor`.
    /// Throws ApiError: NotFound, Validation.
    virtual Listed<ApiKeyRecord> keys(Database& database, std::int64_t supplierId, const QueryParameters& query) = 0;
    /// Nothing when there is no such key.
    virtual std::optional<ApiKeyRecord> findKey(SqlSession& session, std::int64_t id) = 0;
    /// By its id ("7"), or by what is shown of it ("sk_ab12cd34"). Throws ApiError: NotFound; Validation (`key`) for a
    /// text that can be neither, and may be a whole key: it is not repeated.
    virtual ApiKeyRecord requireKey(SqlSession& session, std::string_view name) = 0;
    /// `fields`: `{ name?, hourly_limit?, scopes?, expires_at? }`; without `scopes` it has all. Supplier 0 makes an
    /// operator's key, which has none. Throws ApiError: NotFound (the supplier), Validation with every bad field.
    virtual IssuedApiKey issueKey(Transaction& transaction, std::int64_t supplierId, const JsonObject& fields,
                                  const Actor& actor) = 0;
    /// Revoking twice keeps the first time. Throws ApiError: NotFound; Conflict for the key that asks.
    virtual ApiKeyRecord revokeKey(Transaction& transaction, std::int64_t id, const Actor& actor) = 0;
    /// Makes a key that is the same in all but its secret. `fields`: `{ grace? }`, the time for which the former one
    /// goes on working, unless it ends before: "90m", "24h" (what it is without), "7d", "0". Throws ApiError: NotFound;
    /// Conflict when it is revoked; Validation for a wrong time, and when it has expired.
    virtual RotatedApiKey rotateKey(Transaction& transaction, std::int64_t id, const JsonObject& fields,
                                    const Actor& actor) = 0;

    /// The supplier's sandbox: a supplier of its own, whose keys (issueKey()) begin with "sk_test_". It is made,
    /// verified and named after the supplier, unless there is one: a supplier has one at most. Throws ApiError:
    /// NotFound; Conflict when the supplier is suspended, or a sandbox itself.
    virtual Supplier addSandbox(Transaction& transaction, std::int64_t supplierId, const Actor& actor) = 0;
    /// Nothing when it has none.
    virtual std::optional<Supplier> findSandbox(SqlSession& session, std::int64_t supplierId) = 0;
    /// The ids of all sandboxes, ascending: see SandboxFilter for lists that leave their rows out.
    virtual std::vector<std::int64_t> sandboxes(SqlSession& session) = 0;

protected:
    ~Accounts() = default;
};

/// The members of a key, as every API shows it, into an object that the caller opened and closes. Since 1.0.
inline void writeFields(JsonWriter& json, const ApiKeyRecord& key) {
    json.field("id", key.id).field("prefix", key.prefix).field("name", key.name);
    json.field("hourly_limit", key.hourlyLimit).key("scopes").beginArray();
    for (const std::string& scope : key.scopes)
        json.value(scope);
    json.endArray().field("expires_at", key.expiresAt).field("last_used_at", key.lastUsedAt);
    json.field("last_used_from", key.lastUsedFrom);
    json.field("revoked_at", key.revokedAt).field("created_at", key.createdAt);
}

/// Fills in `supplierName` by `supplierId`. One statement. Since 1.0.
template <class Item>
void nameSuppliers(SqlSession& session, Accounts& accounts, std::span<Item> items) {
    std::vector<std::int64_t> ids;
    for (const Item& item : items)
        ids.push_back(item.supplierId);
    const std::vector<Supplier> found = accounts.findSuppliers(session, ids);
    for (Item& item : items) {
        const auto supplier = std::find_if(found.begin(), found.end(),
                                           [&](const Supplier& record) { return record.id == item.supplierId; });
        if (supplier != found.end())
            item.supplierName = supplier->name;
    }
}

} // namespace supplierd
