#pragma once

#include <supplierd/OrderBook.h>

#include <cstdint>
#include <optional>

namespace supplierd::orders {

/// Order groups, newest first: those of one supplier, or of all of them; without their suppliers' names. Throws
/// ApiError (Validation) with every problem of the query.
Listed<OrderSummary> listOrders(Database& database, const QueryParameters& query,
                                const std::optional<std::int64_t>& supplierId);

} // namespace supplierd::orders
