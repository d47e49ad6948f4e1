#include "ProductTotalsService.h"

#include "ProductTerms.h"

#include <array>
#include <string>
#include <string_view>

namespace supplierd::catalog {

namespace {

constexpr std::string_view COMPARE_WITH_ROWS = R"(
SELECT t.category_id, t.type, t.state, CAST(SUM(t.kept) AS SIGNED), CAST(SUM(t.counted) AS SIGNED)
FROM (
    SELECT category_id, type, state, products AS kept, 0 AS counted FROM product_totals WHERE supplier_id = ?
    UNION ALL
    SELECT category_id, type, state, 0, COUNT(*)
    FROM products FORCE INDEX (PRIMARY) WHERE supplier_id = ? GROUP BY category_id, type, state
) t
GROUP BY t.category_id, t.type, t.state
HAVING SUM(t.kept) <> SUM(t.counted)
ORDER BY t.category_id, t.type, t.state)";

// The sums of the totals, which the statement above compares with the rows.
constexpr std::string_view COMPARE_SUMS = R"(
SELECT s.products_pending, s.products_active, s.products_inactive, s.products_deleted,
    CAST(COALESCE(SUM(CASE WHEN t.state = 0 THEN t.products END), 0) AS SIGNED),
    CAST(COALESCE(SUM(CASE WHEN t.state = 1 THEN t.products END), 0) AS SIGNED),
    CAST(COALESCE(SUM(CASE WHEN t.state = 2 THEN t.products END), 0) AS SIGNED),
    CAST(COALESCE(SUM(CASE WHEN t.state = 3 THEN t.products END), 0) AS SIGNED)
FROM supplier_state s LEFT JOIN product_totals t ON t.supplier_id = s.supplier_id
WHERE s.supplier_id = ?
GROUP BY s.supplier_id)";

constexpr std::string_view DELETE_TOTALS = R"(
DELETE FROM product_totals WHERE supplier_id = ?)";

constexpr std::string_view COUNT_ROWS = R"(
INSERT INTO product_totals (supplier_id, category_id, type, state, products)
SELECT supplier_id, category_id, type, state, COUNT(*)
FROM products FORCE INDEX (PRIMARY) WHERE supplier_id = ? GROUP BY supplier_id, category_id, type, state)";

constexpr std::string_view ADD_UP = R"(
UPDATE supplier_state s
SET products_pending = (SELECT COALESCE(SUM(products), 0) FROM product_totals WHERE supplier_id = ? AND state = 0),
    products_active = (SELECT COALESCE(SUM(products), 0) FROM product_totals WHERE supplier_id = ? AND state = 1),
    products_inactive = (SELECT COALESCE(SUM(products), 0) FROM product_totals WHERE supplier_id = ? AND state = 2),
    products_deleted = (SELECT COALESCE(SUM(products), 0) FROM product_totals WHERE supplier_id = ? AND state = 3)
WHERE s.supplier_id = ?)";

constexpr std::array<std::string_view, 4> STATE_NAMES = {"pending", "active", "inactive", "deleted"};
constexpr std::array<std::string_view, 2> TYPE_NAMES = {"flower", "supply"};

template <std::size_t Size>
std::string nameOf(const std::array<std::string_view, Size>& names, std::int64_t number) {
    const auto index = static_cast<std::size_t>(number);
    return index < Size ? std::string(names[index]) : std::to_string(number);
}

} // namespace

std::vector<TotalsDifference> ProductTotalsService::compare(SqlSession& session, std::int64_t supplierId) {
    std::vector<TotalsDifference> differences;
    Rows& rows = session.query(COMPARE_WITH_ROWS, {supplierId, supplierId});
    while (rows.next())
        differences.push_back({.what = "products of category " + std::to_string(rows.integer(0)) + ", " +
                                       nameOf(TYPE_NAMES, rows.integer(1)) + ", " +
                                       nameOf(STATE_NAMES, rows.integer(2)),
                               .kept = rows.integer(3),
                               .counted = rows.integer(4)});
    Rows& sums = session.query(COMPARE_SUMS, {supplierId});
    if (sums.next())
        for (std::size_t state = 0; state < STATE_NAMES.size(); ++state)
            if (const auto kept = sums.integer(state), counted = sums.integer(state + STATE_NAMES.size());
                kept != counted)
                differences.push_back({.what = "products " + std::string(STATE_NAMES[state]) + ", over all categories",
                                       .kept = kept,
                                       .counted = counted});
    return differences;
}

void ProductTotalsService::recount(Transaction& transaction, std::int64_t supplierId) {
    transaction.change(supplierId);
    transaction.execute(DELETE_TOTALS, {supplierId});
    transaction.execute(COUNT_ROWS, {supplierId});
    transaction.execute(ADD_UP, {supplierId, supplierId, supplierId, supplierId, supplierId});
}

} // namespace supplierd::catalog
