#pragma once

#include "index/CatalogIndex.h"

#include <supplierd/Database.h>
#include <supplierd/services/ChangeLog.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace supplierd::catalog {

/// Reads a supplier's products into an index. Each function reads within one snapshot of the caller's, and what it
/// gives is as of that. Thread: any. Throws DatabaseError.
class CatalogReader {
public:
    /// Must outlive it.
    explicit CatalogReader(ChangeLog& changes) : _changes(changes) {}

    struct MemoryUse {
        std::size_t index = 0;
        std::size_t besides = 0; ///< until it is loaded
        std::size_t products = 0;
    };
    /// Is told what loading takes: first what the index is going to take at least, then piece by piece what it has
    /// taken for so many products. False: there is no room for that.
    using Take = std::function<bool(const MemoryUse& taken)>;
    /// What a product takes, however short its texts are.
    static constexpr std::size_t BYTES_AT_LEAST = 48;
    /// All of them; null when there was no room. `bytesEach`: what a product of the supplier takes at least.
    std::unique_ptr<CatalogIndex> load(SqlSession& snapshot, std::int64_t supplierId, std::size_t bytesEach,
                                       const Take& take) const;

    /// What changed since the index was up to date; returns how many products it read. Nothing when the log does not
    /// tell, or tells of so much that loading is less work: then the index is as it was.
    std::optional<std::size_t> refresh(SqlSession& snapshot, std::int64_t supplierId, CatalogIndex& index) const;

    /// When one of the supplier's live products was changed last, in microseconds since 1970: in a transaction that has
    /// changed several with one statement, that is the time of all. Nothing when there is no such product.
    static std::optional<std::int64_t> updatedAt(SqlSession& session, std::int64_t supplierId, std::int64_t productId);

private:
    struct Changed;

    bool collect(SqlSession& snapshot, std::int64_t supplierId, std::int64_t after, Changed& changed) const;

    ChangeLog& _changes;
};

} // namespace supplierd::catalog
