#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>
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
    /// actorOf() of the request's principal; supplierctl writes "supplierctl:<user>", the server itself "supplierd".
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
};

/// Which entries: all that match what is set. A text that is not ASCII matches none.
struct SUPPLIERD_API AuditFilter {
    std::optional<std::string> object = std::nullopt;
    std::optional<std::int64_t> objectId = std::nullopt;
    std::optional<std::string> actor = std::nullopt;
    Reserved reserved = {};
};

/// Who does something, for those that write the log on behalf of others.
struct SUPPLIERD_API AuditActor {
    /// As AuditEntry::actor.
    std::string name;
    /// Of the request, "" when it is none.
    std::string requestId = {};
    Reserved reserved = {};
};

/// A service of the host: the log of changes. Thread: any. Since 1.0.
class SUPPLIERD_API AuditLog {
public:
    static constexpr std::string_view ID = "supplierd.audit-log/1";
    /// What count() counts to.
    static constexpr std::int64_t MAX_COUNT = 10'000;

    /// Within the transaction of the change itself, so that neither is there without the other.
    virtual void record(SqlSession& session, const AuditEntry& entry) = 0;
    /// Last recorded first: at most `limit` entries older than the entry `beforeId` (0: from the newest), after leaving
    /// out `offset`.
    virtual std::vector<AuditRecord> find(SqlSession& session, const AuditFilter& filter, std::int64_t limit,
                                          std::int64_t beforeId = 0, std::int64_t offset = 0) = 0;
    /// How many match, but no further than to MAX_COUNT + 1, which says that there are more than MAX_COUNT: a page of
    /// a log that only grows should not cost a look through all of it.
    virtual std::int64_t count(SqlSession& session, const AuditFilter& filter) = 0;
    /// As record(), any number of entries with one statement.
    virtual void recordAll(SqlSession& session, std::span<const AuditEntry> entries) = 0;

protected:
    ~AuditLog() = default;
};

/// The key's prefix, such as "ok_ab12cd34".
inline std::string actorOf(const Principal& principal) {
    return principal.keyPrefix;
}

/// What the request does to an object, to be completed with `before` and `after`: its action is "<object>.<verb>".
inline AuditEntry auditEntry(const Request& request, std::string_view object, std::string_view verb,
                             std::int64_t objectId, std::optional<std::int64_t> supplierId) {
    AuditEntry entry;
    entry.actor = actorOf(request.principal());
    entry.action = std::string(object) + "." + std::string(verb);
    entry.object = object;
    entry.objectId = objectId;
    entry.supplierId = supplierId;
    entry.requestId = request.requestId();
    return entry;
}

} // namespace supplierd
