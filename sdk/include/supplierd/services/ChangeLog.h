#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

/// The kinds of changes that the bundled plugins note (Change::note()). What stands before the dot says what the ids
/// are of: products, order groups or keys. A variant changes with its product. Plugins may note kinds of their own; who
/// reads the log goes by what is before the dot, and takes what it does not know for something newer. Since 1.0.
struct ChangeKind {
    static constexpr std::string_view PRODUCT_CREATED = "product.created";
    static constexpr std::string_view PRODUCT_UPDATED = "product.updated";
    static constexpr std::string_view PRODUCT_DELETED = "product.deleted";
    /// Its row is gone for good, long after PRODUCT_DELETED, and nobody is told of it any more.
    static constexpr std::string_view PRODUCT_REMOVED = "product.removed";
    static constexpr std::string_view PRODUCT_APPROVED = "product.approved";
    static constexpr std::string_view PRODUCT_REJECTED = "product.rejected";
    static constexpr std::string_view STOCK_CHANGED = "product.stock_changed";
    static constexpr std::string_view PRICE_CHANGED = "product.price_changed";
    static constexpr std::string_view IMAGES_CHANGED = "product.images_changed";
    static constexpr std::string_view CATEGORY_CHANGED = "category.changed"; ///< of MARKETPLACE
    static constexpr std::string_view ORDER_CREATED = "order_group.created";
    static constexpr std::string_view ORDER_MOVED = "order_group.moved";
    static constexpr std::string_view KEY_REVOKED = "key.revoked"; ///< of a supplier's key, by the host
};

/// Throws std::invalid_argument for a kind that Change::note() does not take. Since 1.0.
SUPPLIERD_API void checkChangeKind(std::string_view kind);

/// Objects that one commit changed in the same way.
struct SUPPLIERD_API ChangedObjects {
    std::string kind;
    /// Ascending, each once.
    std::vector<std::int64_t> ids = {};
    /// There were more than the log keeps (some thousands): any of the supplier's may have changed, and `ids` is empty.
    bool areAll = false;
    Reserved reserved = {};
};

/// What one commit changed of one supplier.
struct SUPPLIERD_API ChangeEntry {
    std::int64_t seq = 0;
    /// ISO 8601 UTC.
    std::string changedAt;
    /// None: nothing that its supplier could see.
    std::vector<ChangedObjects> objects = {};
    /// As AuditEntry::actor; of a job "job:<plugin>.<name>".
    std::string actor;
    /// Of the request, "" when it was none.
    std::string requestId = {};
    Reserved reserved = {};
};

/// What follows a number.
struct SUPPLIERD_API ChangePage {
    /// The supplier's last number, seen in the same moment; 0: there is no such supplier.
    std::int64_t committed = 0;
    /// In order, without a gap.
    std::vector<ChangeEntry> entries = {};
    /// False: the log does not have what comes next, because it was removed after its time, or was committed by a
    /// server that kept no log yet. Who follows reads anew what it wants to know, and goes on from `committed`.
    bool isComplete = true;
    /// The number that the oldest entry of the supplier follows, seen in the same moment; `committed` when there is
    /// none. What was removed from the log was committed under this number or an earlier one.
    std::int64_t removedUpTo = 0;
    Reserved reserved = {};
};

/// What stands for all suppliers at once in the change log: categories change under its number. Since 1.0.
inline constexpr std::int64_t MARKETPLACE = 0;

/// A service of the host: what was committed for each supplier, in order, kept for as long as `[changes] retention`
/// says. Read it in a snapshot (Database::snapshot()) together with the objects that it names, and they are as of its
/// last number. Thread: any. Throws DatabaseError. Since 1.0.
class SUPPLIERD_API ChangeLog {
public:
    static constexpr std::string_view ID = "supplierd.change-log/1";

    /// The number of the supplier's last commit; 0 when there was none, or there is no such supplier.
    virtual std::int64_t committed(SqlSession& session, std::int64_t supplierId) = 0;
    /// The entries after that number, at most so many. One statement.
    virtual ChangePage after(SqlSession& session, std::int64_t supplierId, std::int64_t seq, std::size_t limit) = 0;

protected:
    ~ChangeLog() = default;
};

/// The header by which an answer says under which number it was committed, or which number it shows. The server sets it
/// on the answer of Request::transact() when that changed one supplier; a handler that finds nothing to change sets it
/// itself.
inline constexpr std::string_view CHANGE_SEQ_HEADER = "X-Change-Seq";

} // namespace supplierd
