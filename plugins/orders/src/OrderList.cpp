#include "OrderList.h"

#include "ChangedOrders.h"
#include "ListStatement.h"

namespace supplierd::orders {

OrderSummary summaryOf(const Rows& row) {
    OrderSummary order;
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

Listed<OrderSummary> listOrders(Database& database, const QueryParameters& query,
                                const std::optional<std::int64_t>& supplierId) {
    Details details;
    QueryReader reader(query, details);
    const ListFilters filters = ListFilters::read(reader, supplierId);
    if (supplierId)
        if (const auto changes = ChangedOrders::read(query, reader, filters)) {
            details.throwIfAny();
            return changes->select(database);
        }
    const ListPage page = ListPage::read(reader, filters.rules());
    details.throwIfAny();
    const ListStatements statements{.page = [&](SqlSession& session, const ListWindow& window) -> Rows& {
                                        const auto statement = ListStatement::page(filters, window);
                                        return session.query(statement.sql(), statement.params());
                                    },
                                    .total =
                                        [&](SqlSession& session) {
                                            const auto statement = ListStatement::total(filters);
                                            Rows& rows = session.query(statement.sql(), statement.params());
                                            return rows.next() ? rows.integer(0) : 0;
                                        },
                                    .totalColumn = column::Matches,
                                    .keyColumn = column::CreatedAt};
    return page.select(database, statements, summaryOf);
}

} // namespace supplierd::orders
