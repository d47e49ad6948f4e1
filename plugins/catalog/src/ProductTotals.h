#pragma once

#include "ProductTerms.h"

#include <supplierd/Database.h>

#include <cstdint>
#include <optional>
#include <span>

namespace supplierd::catalog {

/// What the totals count a product under.
struct TotalsPlace {
    std::int64_t categoryId = 0;
    std::int64_t type = 0;
    ProductState state = ProductState::Pending;

    friend bool operator==(const TotalsPlace&, const TotalsPlace&) = default;
};

struct TotalsMove {
    TotalsPlace from;
    TotalsPlace to;
};

/// Moves products, with two statements whatever their number. Within a transaction that holds the catalogue's lock.
void moveAllInTotals(Transaction& transaction, std::int64_t supplierId, std::span<const TotalsMove> moves);

/// Moves one product from one place to another in supplier_state and product_totals; from nowhere when it is new.
/// Within a transaction that holds the catalogue's lock.
void moveInTotals(Transaction& transaction, std::int64_t supplierId, const std::optional<TotalsPlace>& from,
                  const TotalsPlace& to);

} // namespace supplierd::catalog
