#include "ProductTotals.h"

#include <array>
#include <string_view>

namespace supplierd::catalog {

namespace {

constexpr std::string_view ADD_TO_STATE = R"(
UPDATE supplier_state
SET products_pending = products_pending + ?, products_active = products_active + ?,
    products_inactive = products_inactive + ?, products_deleted = products_deleted + ?
WHERE supplier_id = ?)";

constexpr std::string_view ADD_ONE = R"(
INSERT INTO product_totals (supplier_id, category_id, type, state, products) VALUES (?, ?, ?, ?, 1)
ON DUPLICATE KEY UPDATE products = products + 1)";

constexpr std::string_view TAKE_ONE = R"(
UPDATE product_totals SET products = products - 1
WHERE supplier_id = ? AND category_id = ? AND type = ? AND state = ?)";

} // namespace

void moveInTotals(Transaction& transaction, std::int64_t supplierId, const std::optional<TotalsPlace>& from,
                  const TotalsPlace& to) {
    if (from == to)
        return;
    if (!from || from->state != to.state) {
        std::array<std::int64_t, 4> change{};
        if (from)
            change[static_cast<std::size_t>(from->state)] -= 1;
        change[static_cast<std::size_t>(to.state)] += 1;
        transaction.execute(ADD_TO_STATE, {change[0], change[1], change[2], change[3], supplierId});
    }
    if (from)
        transaction.execute(TAKE_ONE,
                            {supplierId, from->categoryId, from->type, static_cast<std::int64_t>(from->state)});
    transaction.execute(ADD_ONE, {supplierId, to.categoryId, to.type, static_cast<std::int64_t>(to.state)});
}

} // namespace supplierd::catalog
