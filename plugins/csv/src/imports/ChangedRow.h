#pragma once

#include "imports/ProductRow.h"

#include <supplierd/services/Products.h>

#include <cstdint>
#include <string>

namespace supplierd::csv {

/// A row of a dry run that an import would write.
struct ChangedRow {
    /// `change`: what would become of the row.
    static ChangedRow of(const ProductRow& row, BatchedProduct change);

    std::int64_t row = 0;
    std::string sku;
    std::string name; ///< of the product as it is; "" of a new one
    bool isNew = false;
    /// A price that there was would be free, or far from what it was: mostly a digit or a sign is missing.
    bool isFarPrice = false;
    /// JSON objects, as those of AuditEntry; "" for none.
    std::string before;
    std::string after;
};

} // namespace supplierd::csv
