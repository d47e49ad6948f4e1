#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>
#include <supplierd/ListPage.h>
#include <supplierd/Request.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

/// Who did what to which object. `before` and `after` are JSON objects with the fields that changed, "" for none (what
/// was made has no before). Never put a secret in here.
struct SUPPLIERD_API AuditEntry {
    /// Actor::name: a key's prefix, such as "ok_ab12cd34"; who is at this machine is "local: <user>", the server itself
    /// "supplierd".
    std::string actor = {};
    /// "<object>.<verb>", such as "order_group.move" or "product.approve".
    std::string action;
    /// The kind of object: "supplier", "key", "category", "product", "order", "order_group"; of a bulk request
    /// "stock" or "price", whose objectId is the supplier's.
    std::string object;
    std::int64_t objectId = 0;
    /// Whose object it is; none for what belongs to no supplier.
    std::optional<std::int64_t> supplierId = std::nullopt;
    std::string before = {};
    std::string after = {};
    /// Of the request that did it, "" when it was none.
    std::string requestId = {};
    /// For what is recorded some time after it was done: how long ago that was.
    std::chrono::microseconds ago{0};
    Reserved reserved = {};
};

struct SUPPLIERD_API AuditRecord {
    std::int64_t id = 0;
    /// ISO 8601 UTC.
    std::string createdAt;
    AuditEntry entry;
    Reserved reserved = {};
};

/// Who acts: everything that is done is recorded under this name.
struct SUPPLIERD_API Actor {
    enum class Kind {
        Supplier,
        Operator,
        Administrator, ///< at the terminal, with supplierctl
        Server
    };

    /// As AuditEntry::actor.
    std::string name;
    /// Of the request, "" when it is none.
    std::string requestId = {};
    /// Say it where it is not a supplier: some things are an operator's alone.
    Kind kind = Kind::Supplier;
    Reserved reserved = {};
};

/// A service of the host: the log of changes. Thread: any. Since 1.0.
class SUPPLIERD_API AuditLog {
public:
    static constexpr std::string_view ID = "supplierd.audit-log/1";
    /// What the total of a list is counted to: a page of a log that only grows should not cost a look through all of
    /// it.
    static constexpr std::int64_t MAX_COUNT = 10'000;

    /// Within the transaction of the change itself, so that neither is there without the other.
    virtual void record(Transaction& transaction, const AuditEntry& entry) = 0;
    /// As record(), any number of entries with one statement.
    virtual void recordAll(Transaction& transaction, std::span<const AuditEntry> entries) = 0;
    /// Last recorded first; what is of sandboxes when the query asks for it, or for an actor or an object. `query`:
    /// that of `GET /api/v1/platform/audit`; what it does not know is left out of account. Throws ApiError (Validation)
    /// with every problem of the query.
    virtual Listed<AuditRecord> list(Database& database, const QueryParameters& query) = 0;
    /// The kinds of objects that there are entries of or may come to be, in alphabetical order.
    virtual std::vector<std::string> kinds(SqlSession& session) = 0;

protected:
    ~AuditLog() = default;
};

/// Who makes the request: the key's prefix, such as "ok_ab12cd34".
inline Actor actorOf(const Request& request) {
    const Principal& principal = request.principal();
    return {principal.keyPrefix, std::string(request.requestId()),
            principal.isOperator ? Actor::Kind::Operator : Actor::Kind::Supplier};
}

/// What somebody does to an object, to be completed with `before` and `after`: its action is "<object>.<verb>".
inline AuditEntry auditEntry(const Actor& actor, std::string_view object, std::string_view verb, std::int64_t objectId,
                             std::optional<std::int64_t> supplierId) {
    AuditEntry entry;
    entry.actor = actor.name;
    entry.action = std::string(object) + "." + std::string(verb);
    entry.object = object;
    entry.objectId = objectId;
    entry.supplierId = supplierId;
    entry.requestId = actor.requestId;
    return entry;
}

} // namespace supplierd
