#pragma once

#include "ListStatement.h"

#include <supplierd/services/Orders.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace supplierd::orders {

/// GET /orders with `changed_after`, or with the cursor of such a page: a supplier's order groups in the order of their
/// last changes, each once. Since nobody else writes between a change's number and its COMMIT, none is skipped. A
/// change that fits a page is never cut. Made per request; the filters outlive it.
class ChangedOrders {
public:
    /// Nothing when the query asks for another list. Collects every problem.
    static std::optional<ChangedOrders> read(const QueryParameters& query, QueryReader& reader,
                                             const ListFilters& filters);

    Listed<OrderGroupSummary> select(Database& database);
    /// The number of the supplier's last change, as of which select() read.
    std::int64_t committed() const { return _committed; }

private:
    ChangedOrders(const ListFilters& filters, const Page& page) : _filters(filters), _page(page) {}

    Listed<OrderGroupSummary> select(SqlSession& session);
    /// What is behind the number of the query.
    ChangePosition start(SqlSession& session) const;
    std::vector<OrderGroupSummary> selectPage(SqlSession& session, const ChangePosition& after) const;
    ListCursor cursorBehind(const OrderGroupSummary& order, bool isCut, std::size_t count) const;

    const ListFilters& _filters;
    Page _page;
    std::int64_t _after = 0;
    std::optional<ListCursor> _cursor;
    std::int64_t _committed = 0;
};

} // namespace supplierd::orders
