#pragma once

#include <supplierd/services/OrderBook.h>

#include <cstdint>
#include <optional>

namespace supplierd::orders {

/// Of the columns of a list's row; without its supplier's name.
OrderSummary summaryOf(const Rows& row);

/// Order groups, newest first: those of one supplier, or of all of them; without their suppliers' names. One supplier's
/// also in the order of their changes (`changed_after`). Throws ApiError (Validation) with every problem of the query.
Listed<OrderSummary> listOrders(Database& database, const QueryParameters& query,
                                const std::optional<std::int64_t>& supplierId);

} // namespace supplierd::orders
