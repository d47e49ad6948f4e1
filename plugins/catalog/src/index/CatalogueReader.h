#pragma once

#include "index/CatalogueIndex.h"

#include <supplierd/Database.h>
#include <supplierd/services/ChangeLog.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace supplierd::catalog {

/// Reads a supplier's products into an index. Each function reads within one snapshot of the caller's, and what it
/// gives is as of that. Thread: any. Throws DatabaseError.
class CatalogueReader {
public:
    /// Must outlive it.
    explicit CatalogueReader(ChangeLog& changes) : _changes(changes) {}

    /// All of them; null when they take more than `maxBytes`.
    std::unique_ptr<CatalogueIndex> load(SqlSession& snapshot, std::int64_t supplierId, std::size_t maxBytes) const;

    /// What changed since the index was up to date; returns how many products it read. Nothing when the log does not
    /// tell, or tells of so much that loading is less work: then the index is as it was.
    std::optional<std::size_t> refresh(SqlSession& snapshot, std::int64_t supplierId, CatalogueIndex& index) const;

private:
    struct Changed;

    bool collect(SqlSession& snapshot, std::int64_t supplierId, std::int64_t after, Changed& changed) const;

    ChangeLog& _changes;
};

} // namespace supplierd::catalog
