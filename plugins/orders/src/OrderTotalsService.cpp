#include "OrderTotalsService.h"

#include "OrderStatus.h"

#include <string>
#include <string_view>

namespace supplierd::orders {

namespace {

constexpr std::string_view COMPARE = R"(
SELECT t.status, CAST(SUM(t.kept) AS SIGNED), CAST(SUM(t.counted) AS SIGNED)
FROM (
    SELECT n.status, CASE n.status WHEN 0 THEN k.pending WHEN 1 THEN k.confirmed WHEN 2 THEN k.processing
        WHEN 3 THEN k.shipped WHEN 4 THEN k.delivered WHEN 5 THEN k.completed ELSE k.cancelled END AS kept, 0 AS counted
    FROM order_totals k
    JOIN (SELECT 0 AS status UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4
          UNION ALL SELECT 5 UNION ALL SELECT 6) n
    WHERE k.supplier_id = ?
    UNION ALL
    SELECT status, 0, COUNT(*) FROM order_groups FORCE INDEX (order_groups_status) WHERE supplier_id = ? GROUP BY status
) t
GROUP BY t.status
HAVING SUM(t.kept) <> SUM(t.counted)
ORDER BY t.status)";

constexpr std::string_view RECOUNT = R"(
REPLACE INTO order_totals (supplier_id, pending, confirmed, processing, shipped, delivered, completed, cancelled)
SELECT ?, COALESCE(SUM(status = 0), 0), COALESCE(SUM(status = 1), 0), COALESCE(SUM(status = 2), 0),
    COALESCE(SUM(status = 3), 0), COALESCE(SUM(status = 4), 0), COALESCE(SUM(status = 5), 0),
    COALESCE(SUM(status = 6), 0)
FROM order_groups FORCE INDEX (order_groups_status) WHERE supplier_id = ?)";

} // namespace

std::vector<TotalsDifference> OrderTotalsService::compare(SqlSession& session, std::int64_t supplierId) {
    std::vector<TotalsDifference> differences;
    Rows& rows = session.query(COMPARE, {supplierId, supplierId});
    while (rows.next())
        differences.push_back(
            {.what = "orders " + std::string(STATUS_NAMES.at(static_cast<std::size_t>(rows.integer(0)))),
             .kept = rows.integer(1),
             .counted = rows.integer(2)});
    return differences;
}

void OrderTotalsService::recount(Transaction& transaction, std::int64_t supplierId) {
    transaction.change(supplierId);
    transaction.execute(RECOUNT, {supplierId, supplierId});
}

} // namespace supplierd::orders
