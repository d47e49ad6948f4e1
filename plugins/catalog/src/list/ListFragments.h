#pragma once

#include "ListSort.h"

#include <cstdint>
#include <optional>
#include <string_view>

/// The constant pieces that list statements are made of. `s` is the supplier's state, `p` a product of the page, `c`
/// its category, `x` what the page's ids are sought in, `page` the ids found.
namespace supplierd::catalog::fragment {

inline constexpr std::string_view COLUMNS = R"(SELECT p.id, p.category_id, p.stock_qty, p.min_order_qty, p.type, p.unit,
    p.is_active, p.approval, p.base_price, p.name, p.sku, c.name, p.primary_image, s.change_seq, )";

inline constexpr std::string_view MORE_COLUMNS = R"(, p.change_seq, p.deleted_at, CAST(p.updated_at AS CHAR(26))
FROM supplier_state s STRAIGHT_JOIN )";

inline constexpr std::string_view DIRECT = R"(
FROM supplier_state s STRAIGHT_JOIN products p FORCE INDEX (PRIMARY))";

inline constexpr std::string_view WHERE_LIVE = R"(
WHERE s.supplier_id = ? AND p.supplier_id = ? AND p.deleted = 0)";

inline constexpr std::string_view DIRECT_BY_STATE = R"(
FROM supplier_state s STRAIGHT_JOIN products p FORCE INDEX (products_state))";

inline constexpr std::string_view WHERE_STATE = R"(
WHERE s.supplier_id = ? AND p.supplier_id = ? AND p.state = ?)";

inline constexpr std::string_view JOIN_PAGE = R"() page
    STRAIGHT_JOIN products p FORCE INDEX (PRIMARY)
        ON p.supplier_id = ? AND p.deleted = page.deleted AND p.id = page.id)";

inline constexpr std::string_view WHERE_SUPPLIER = R"(
WHERE s.supplier_id = ?)";

inline constexpr std::string_view FROM_SKUS = R"(
FROM product_skus k FORCE INDEX (PRIMARY) STRAIGHT_JOIN products x FORCE INDEX (PRIMARY)
    ON x.supplier_id = k.supplier_id AND x.deleted = ? AND x.id = k.product_id
WHERE k.supplier_id = ? AND k.variant_id = 0 AND k.sku_key IN )";

inline constexpr std::string_view SELECT_CHANGES = "SELECT x.id, x.deleted, x.change_seq AS k";

inline constexpr std::string_view FROM_CHANGES = R"(
FROM products x FORCE INDEX (products_change) WHERE x.supplier_id = ?)";

inline constexpr std::string_view SELECT_IDS = "SELECT x.id, x.deleted, x.id AS k";

inline constexpr std::string_view FROM_CHANGES_OF_HALF = R"(
FROM products x FORCE INDEX (products_change) WHERE x.supplier_id = ? AND x.deleted = ?)";

inline constexpr std::string_view CHANGED_SINCE = " AND x.change_seq > ? AND x.id > ? AND x.id <= ?";

inline constexpr std::string_view LATE_CHANGES_END = R"(SELECT GREATEST(
    COALESCE((SELECT MAX(l.id) FROM products l FORCE INDEX (PRIMARY) WHERE l.supplier_id = ? AND l.deleted = ?), 0),
    COALESCE((SELECT MAX(d.id) FROM products d FORCE INDEX (PRIMARY) WHERE d.supplier_id = ? AND d.deleted = ?), 0)),
    (SELECT COUNT(*) FROM (SELECT x.id FROM products x FORCE INDEX (products_change)
        WHERE x.supplier_id = ? AND x.change_seq > ? LIMIT ?) changed))";

inline constexpr std::string_view WITHIN_CHANGES =
    " AND x.change_seq <= ? AND (x.change_seq > ? OR (x.change_seq = ? AND x.id > ?))";

/// The indexes of `products` that a list is sought in; Rows is the table itself, in id order.
enum class Index : std::uint8_t { Live, Name, Price, Stock, Updated, State, Category, Rows };

/// FROM the index, WHERE supplier_id = ? AND deleted = ?.
std::string_view from(Index index);
/// The index in whose order the list is.
Index indexOf(SortKey key);
/// The column of `x` that a list is ordered by.
std::string_view key(SortKey key);
/// The condition for what comes after (key, key, id), for SortKey::Id after (id).
std::string_view after(ListSort sort);
std::string_view orderOfIds(ListSort sort, bool fromEnd);
std::string_view orderOfUnion(ListSort sort, bool fromEnd);
std::string_view orderOfPage(ListSort sort);
/// The sum of the columns of supplier_state that count the list's products.
std::string_view stateCounters(std::optional<std::int64_t> state, bool includeDeleted);

} // namespace supplierd::catalog::fragment
