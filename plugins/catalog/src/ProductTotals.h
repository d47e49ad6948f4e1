#pragma once

#include "ProductTerms.h"

#include <supplierd/Database.h>

#include <cstdint>
#include <optional>

namespace supplierd::catalog {

/// What the totals count a product under.
struct TotalsPlace {
    std::int64_t categoryId = 0;
    std::int64_t type = 0;
    ProductState state = ProductState::Pending;

    friend bool operator==(const TotalsPlace&, const TotalsPlace&) = default;
};

/// Moves one product from one place to another in supplier_state and product_totals; from nowhere when it is new.
/// Within a transaction that holds the catalogue's lock.
void moveInTotals(Transaction& transaction, std::int64_t supplierId, const std::optional<TotalsPlace>& from,
                  const TotalsPlace& to);

} // namespace supplierd::catalog
