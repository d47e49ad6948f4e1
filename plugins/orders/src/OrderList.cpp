#include "OrderList.h"

#include <supplierd/Cursor.h>

#include <utility>

namespace supplierd::orders {

OrderGroupSummary summaryOf(const Rows& row) {
    OrderGroupSummary order;
    order.id = row.integer(column::Id);
    order.orderNumber = row.text(column::OrderNumber);
    order.status = nameOf(statusNumbered(row.integer(column::Status)));
    order.currency = row.text(column::Currency);
    order.subtotal = row.decimal(column::Subtotal);
    order.vatTotal = row.decimal(column::VatTotal);
    order.total = row.decimal(column::Total);
    order.itemsCount = row.integer(column::ItemsCount);
    order.customerName = row.text(column::CustomerName);
    order.createdAt = row.time(column::CreatedAt);
    order.updatedAt = row.time(column::UpdatedAt);
    order.supplierId = row.integer(column::SupplierId);
    return order;
}

OrderList::OrderList(const QueryParameters& query, const std::optional<std::int64_t>& supplierId) {
    Details details;
    QueryReader reader(query, details);
    _filters = ListFilters::read(reader, supplierId);
    if (supplierId)
        if (auto changes = ChangedOrders::read(query, reader, _filters))
            _changes.emplace(std::move(*changes));
    if (!_changes)
        _page = ListPage::read(reader, _filters.rules());
    details.throwIfAny();
}

void OrderList::loadSandboxes(Database& database, Accounts& accounts) {
    if (!_filters.supplierId)
        _filters.sandbox.load(database, accounts);
}

Listed<OrderGroupSummary> OrderList::select(Database& database) {
    if (_changes) {
        auto orders = _changes->select(database);
        _state.committed = _changes->committed();
        return orders;
    }
    const ListStatements statements{.page = [&](SqlSession& session, const ListWindow& window) -> Rows& {
                                        const auto statement = ListStatement::page(_filters, window);
                                        return session.query(statement.sql(), statement.params());
                                    },
                                    .total = [&](SqlSession& session) -> std::int64_t {
                                        const auto statement = ListStatement::total(_filters);
                                        Rows& rows = session.query(statement.sql(), statement.params());
                                        if (!rows.next())
                                            return 0;
                                        readState(rows, 1);
                                        return rows.integer(0);
                                    },
                                    .totalColumn = column::Matches,
                                    .keyColumn = column::CreatedAt};
    return _page.select(database, statements, [&](const Rows& row) {
        readState(row, column::Committed);
        return summaryOf(row);
    });
}

OrdersState OrderList::presentState(Database& database) const {
    return database.read([&](SqlSession& session) {
        const auto statement = ListStatement::state(_filters);
        Rows& row = session.query(statement.sql(), statement.params());
        return row.next() ? OrdersState{row.integer(1), row.integer(2)} : OrdersState{};
    });
}

/// A list of changes shows the number of the last one, whatever that was of.
std::string OrderList::entityTag(const OrdersState& state, std::string_view rawQuery) const {
    ListFingerprint print;
    print.add(_filters.supplierId.value_or(0));
    print.add(rawQuery);
    return "W/\"" + std::to_string(_changes ? state.committed : state.ordersChanged) + '-' +
           std::to_string(print.value()) + '"';
}

void OrderList::readState(const Rows& row, std::size_t column) {
    if (_filters.supplierId)
        _state = {row.integer(column), row.integer(column + 1)};
}

} // namespace supplierd::orders
