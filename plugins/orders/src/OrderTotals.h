#pragma once

#include "OrderStatus.h"

#include <supplierd/Database.h>

#include <cstdint>

namespace supplierd::orders {

/// Counts one order group of the supplier in another state.
void moveInTotals(Transaction& transaction, std::int64_t supplierId, OrderStatus from, OrderStatus to);
/// Counts the new groups of an order, which are pending, in ascending supplier order.
void addToTotals(Transaction& transaction, std::int64_t orderId);

} // namespace supplierd::orders
