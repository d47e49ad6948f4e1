#pragma once

#include <supplierd/Database.h>
#include <supplierd/services/Operations.h>

#include <cstddef>
#include <cstdint>

namespace supplierd::catalog {

/// What decides how much memory the products of a supplier take.
struct CatalogueSize {
    std::int64_t products = 0;
    /// On average: the bytes of a product's name and SKU as an index has them.
    double textBytes = 0;
    std::int64_t variantSkus = 0;
    double variantSkuBytes = 0;

    /// What an index takes with an order for each sort, to within a tenth or so.
    std::int64_t estimatedBytes() const;
};

/// How `index_memory` is divided.
struct IndexMemory {
    std::size_t whole = 0;

    /// A quarter is for products as lists show them.
    std::size_t forRendered() const { return whole / 4; }
    std::int64_t forIndexes() const { return static_cast<std::int64_t>(whole - forRendered()); }
    static std::int64_t wholeFor(std::int64_t indexes) { return indexes / 3 * 4; }
};

/// For `supplierctl doctor`, which asks the server: whether each supplier's products fit, by their number and a
/// sample of their texts. Looks at the 20 suppliers that have the most. Thread: any. Throws DatabaseError.
CheckResult checkIndexMemory(Database& database, IndexMemory memory);

} // namespace supplierd::catalog
