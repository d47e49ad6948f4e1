#pragma once

#include "ChangedOrders.h"
#include "ListStatement.h"

#include <supplierd/services/Orders.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::orders {

/// Of the columns of a list's row; without its supplier's name.
OrderGroupSummary summaryOf(const Rows& row);

/// Which state of a supplier's orders a list shows.
struct OrdersState {
    /// The number of the supplier's last change.
    std::int64_t committed = 0;
    /// That of his last change of an order group: a list shows the same as long as it stays.
    std::int64_t ordersChanged = 0;
};

/// Order groups, newest first: those of one supplier, or of all of them; without their suppliers' names. One supplier's
/// also in the order of their changes (`changed_after`). Made per request.
class OrderList {
public:
    /// Throws ApiError (Validation) with every problem of the query.
    OrderList(const QueryParameters& query, const std::optional<std::int64_t>& supplierId);
    OrderList(const OrderList&) = delete;
    OrderList& operator=(const OrderList&) = delete;

    /// Of the list of all suppliers, before select().
    void loadSandboxes(Database& database, Accounts& accounts);
    Listed<OrderGroupSummary> select(Database& database);
    /// Of one supplier's list: what select() gave is as of this.
    const OrdersState& state() const { return _state; }

    /// Of one supplier's list, now.
    OrdersState presentState(Database& database) const;
    /// Weak: of the list in that state. `rawQuery`: what asked for it.
    std::string entityTag(const OrdersState& state, std::string_view rawQuery) const;

private:
    void readState(const Rows& row, std::size_t column);

    ListFilters _filters;
    std::optional<ChangedOrders> _changes;
    ListPage _page;
    OrdersState _state;
};

} // namespace supplierd::orders
