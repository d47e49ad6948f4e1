#include "OrderTotals.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace supplierd::orders {

namespace {

constexpr std::string_view MOVE = R"(
UPDATE order_totals
SET pending = pending + ?, confirmed = confirmed + ?, processing = processing + ?, shipped = shipped + ?,
    delivered = delivered + ?, completed = completed + ?, cancelled = cancelled + ?
WHERE supplier_id = ?)";

constexpr std::string_view ADD_GROUPS = R"(
INSERT INTO order_totals (supplier_id, pending)
SELECT g.supplier_id, 1 FROM order_groups g FORCE INDEX (order_groups_order) WHERE g.order_id = ? ORDER BY g.supplier_id
ON DUPLICATE KEY UPDATE order_totals.pending = order_totals.pending + 1)";

} // namespace

void moveInTotals(Transaction& transaction, std::int64_t supplierId, OrderStatus from, OrderStatus to) {
    std::array<std::int64_t, STATUS_NAMES.size()> change{};
    change[static_cast<std::size_t>(from)] -= 1;
    change[static_cast<std::size_t>(to)] += 1;
    transaction.execute(MOVE,
                        {change[0], change[1], change[2], change[3], change[4], change[5], change[6], supplierId});
}

void addToTotals(Transaction& transaction, std::int64_t orderId) {
    transaction.execute(ADD_GROUPS, {orderId});
}

} // namespace supplierd::orders
