#pragma once

#include <supplierd/Database.h>
#include <supplierd/services/Operations.h>

#include <cstddef>
#include <cstdint>

namespace supplierd::catalog {

/// What decides how much memory the products of a supplier take.
struct CatalogSize {
    std::int64_t products = 0;
    /// On average: the bytes of a product's name and SKU as an index has them.
    double textBytes = 0;
    std::int64_t variantSkus = 0;
    double variantSkuBytes = 0;

    /// What an index takes with an order for each sort, to within a tenth or so.
    std::int64_t estimatedBytes() const;
};

/// Of the memory of all caches, what the index of one supplier may take: the rest is for what lists show of it, and
/// for all else.
constexpr std::size_t largestIndex(std::size_t memory) {
    return memory - memory / 4;
}

/// For `supplierctl doctor`, which asks the server: whether each supplier's products fit, by their number and a
/// sample of their texts. Looks at the 20 suppliers that have the most. Thread: any. Throws DatabaseError.
/// `memory`: that of all caches.
CheckResult checkIndexMemory(Database& database, std::size_t memory);

} // namespace supplierd::catalog
