#include "PlatformListStatement.h"

#include <array>
#include <limits>
#include <string_view>

namespace supplierd::catalog {

namespace {

// Begins like the suppliers' lists, so that writeListFields() can read it.
constexpr std::string_view COLUMNS = R"(
SELECT p.id, p.category_id, p.stock_qty, p.min_order_qty, p.type, p.unit, p.is_active, p.approval, p.base_price, p.name,
    p.sku, c.name, p.primary_image, p.approval_reason, u.id, u.name, )";

constexpr std::string_view FROM_PAGE = R"(
FROM (SELECT x.id, x.supplier_id)";

constexpr std::string_view JOIN_PAGE = R"() page
    STRAIGHT_JOIN products p FORCE INDEX (PRIMARY)
        ON p.supplier_id = page.supplier_id AND p.deleted = 0 AND p.id = page.id
    STRAIGHT_JOIN categories c FORCE INDEX (PRIMARY) ON c.id = p.category_id
    STRAIGHT_JOIN suppliers u FORCE INDEX (PRIMARY) ON u.id = p.supplier_id
ORDER BY page.id DESC)";

constexpr std::string_view FROM_ALL = R"(
FROM products x FORCE INDEX (products_of_all) WHERE x.deleted = 0)";

constexpr std::string_view FROM_STATE = R"(
FROM products x FORCE INDEX (products_of_all_by_state) WHERE x.state = ?)";

constexpr std::string_view FROM_SUPPLIER = R"(
FROM products x FORCE INDEX (products_live) WHERE x.supplier_id = ? AND x.deleted = 0)";

constexpr std::string_view FROM_SUPPLIER_AND_STATE = R"(
FROM products x FORCE INDEX (products_state) WHERE x.supplier_id = ? AND x.state = ?)";

// By state: pending, active, inactive, and all of them.
constexpr std::array<std::string_view, 4> SUMS{
    "(SELECT CAST(COALESCE(SUM(s.products_pending), 0) AS SIGNED) FROM supplier_state s",
    "(SELECT CAST(COALESCE(SUM(s.products_active), 0) AS SIGNED) FROM supplier_state s",
    "(SELECT CAST(COALESCE(SUM(s.products_inactive), 0) AS SIGNED) FROM supplier_state s",
    "(SELECT CAST(COALESCE(SUM(s.products_pending + s.products_active + s.products_inactive), 0) AS SIGNED) "
    "FROM supplier_state s"};

} // namespace

PlatformListStatement PlatformListStatement::page(const PlatformListQuery& query, const Window& window) {
    PlatformListStatement statement;
    statement._sql.reserve(1'500);
    statement._sql += COLUMNS;
    statement.appendTotal(query);
    statement._sql += FROM_PAGE;
    statement.appendSource(query);
    // Always a range of the index, so that one plan serves every page.
    statement._sql += window.fromEnd ? " AND x.id > ? ORDER BY x.id LIMIT ? OFFSET ?"
                                     : " AND x.id < ? ORDER BY x.id DESC LIMIT ? OFFSET ?";
    statement._params.emplace_back(window.fromEnd ? 0
                                                  : window.before.value_or(std::numeric_limits<std::int64_t>::max()));
    statement._params.emplace_back(window.limit);
    statement._params.emplace_back(window.offset);
    statement._sql += JOIN_PAGE;
    return statement;
}

PlatformListStatement PlatformListStatement::total(const PlatformListQuery& query) {
    PlatformListStatement statement;
    statement._sql = "SELECT ";
    statement.appendTotal(query);
    return statement;
}

void PlatformListStatement::appendTotal(const PlatformListQuery& query) {
    _sql += SUMS[query.state ? static_cast<std::size_t>(*query.state) : SUMS.size() - 1];
    if (query.supplierId) {
        _sql += " WHERE s.supplier_id = ?";
        _params.emplace_back(*query.supplierId);
    }
    _sql += ")";
}

void PlatformListStatement::appendSource(const PlatformListQuery& query) {
    if (query.supplierId) {
        _sql += query.state ? FROM_SUPPLIER_AND_STATE : FROM_SUPPLIER;
        _params.emplace_back(*query.supplierId);
    } else {
        _sql += query.state ? FROM_STATE : FROM_ALL;
    }
    if (query.state)
        _params.emplace_back(*query.state);
}

} // namespace supplierd::catalog
