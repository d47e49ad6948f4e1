#include "ListFragments.h"

#include <array>
#include <cstddef>

namespace supplierd::catalog::fragment {

namespace {

bool isDescending(ListSort sort, bool fromEnd) {
    return sort.descending != fromEnd;
}

// In the order of Index; the first five follow SortKey.
constexpr std::array<std::string_view, 8> FROM{
    R"(
FROM products x FORCE INDEX (products_live) WHERE x.supplier_id = ? AND x.deleted = ?)",
    R"(
FROM products x FORCE INDEX (products_name) WHERE x.supplier_id = ? AND x.deleted = ?)",
    R"(
FROM products x FORCE INDEX (products_price) WHERE x.supplier_id = ? AND x.deleted = ?)",
    R"(
FROM products x FORCE INDEX (products_stock) WHERE x.supplier_id = ? AND x.deleted = ?)",
    R"(
FROM products x FORCE INDEX (products_updated) WHERE x.supplier_id = ? AND x.deleted = ?)",
    R"(
FROM products x FORCE INDEX (products_state) WHERE x.supplier_id = ? AND x.deleted = ?)",
    R"(
FROM products x FORCE INDEX (products_category) WHERE x.supplier_id = ? AND x.deleted = ?)",
    R"(
FROM products x FORCE INDEX (PRIMARY) WHERE x.supplier_id = ? AND x.deleted = ?)"};

constexpr std::array<std::string_view, 5> KEYS{"x.id", "x.name", "x.base_price", "x.stock_qty", "x.updated_at"};

// Two ranges of the index each, so that a run of equal keys is not read again from its start.
constexpr std::array<std::string_view, 10> AFTER{
    " AND x.id > ?",
    " AND x.id < ?",
    " AND (x.name > ? OR (x.name = ? AND x.id > ?))",
    " AND (x.name < ? OR (x.name = ? AND x.id < ?))",
    " AND (x.base_price > CAST(? AS DECIMAL(12,4)) OR (x.base_price = CAST(? AS DECIMAL(12,4)) AND x.id > ?))",
    " AND (x.base_price < CAST(? AS DECIMAL(12,4)) OR (x.base_price = CAST(? AS DECIMAL(12,4)) AND x.id < ?))",
    " AND (x.stock_qty > ? OR (x.stock_qty = ? AND x.id > ?))",
    " AND (x.stock_qty < ? OR (x.stock_qty = ? AND x.id < ?))",
    " AND (x.updated_at > ? OR (x.updated_at = ? AND x.id > ?))",
    " AND (x.updated_at < ? OR (x.updated_at = ? AND x.id < ?))"};

constexpr std::array<std::string_view, 10> ORDER_IDS{" ORDER BY x.id",
                                                     " ORDER BY x.id DESC",
                                                     " ORDER BY x.name, x.id",
                                                     " ORDER BY x.name DESC, x.id DESC",
                                                     " ORDER BY x.base_price, x.id",
                                                     " ORDER BY x.base_price DESC, x.id DESC",
                                                     " ORDER BY x.stock_qty, x.id",
                                                     " ORDER BY x.stock_qty DESC, x.id DESC",
                                                     " ORDER BY x.updated_at, x.id",
                                                     " ORDER BY x.updated_at DESC, x.id DESC"};

constexpr std::array<std::string_view, 4> LIVE_COUNTERS{"s.products_pending", "s.products_active",
                                                        "s.products_inactive",
                                                        "s.products_pending + s.products_active + s.products_inactive"};

constexpr std::array<std::string_view, 4> ALL_COUNTERS{
    "s.products_pending + s.products_deleted", "s.products_active + s.products_deleted",
    "s.products_inactive + s.products_deleted",
    "s.products_pending + s.products_active + s.products_inactive + s.products_deleted"};

} // namespace

std::string_view from(Index index) {
    return FROM[static_cast<std::size_t>(index)];
}

Index indexOf(SortKey key) {
    return static_cast<Index>(key);
}

std::string_view key(SortKey key) {
    return KEYS[static_cast<std::size_t>(key)];
}

std::string_view after(ListSort sort) {
    return AFTER[sort.number()];
}

std::string_view orderOfIds(ListSort sort, bool fromEnd) {
    return ORDER_IDS[ListSort{sort.key, isDescending(sort, fromEnd)}.number()];
}

std::string_view orderOfUnion(ListSort sort, bool fromEnd) {
    return isDescending(sort, fromEnd) ? " ORDER BY k DESC, id DESC" : " ORDER BY k, id";
}

std::string_view orderOfPage(ListSort sort) {
    return sort.descending ? " ORDER BY page.k DESC, page.id DESC" : " ORDER BY page.k, page.id";
}

std::string_view stateCounters(std::optional<std::int64_t> state, bool includeDeleted) {
    const auto& counters = includeDeleted ? ALL_COUNTERS : LIVE_COUNTERS;
    return counters[state ? static_cast<std::size_t>(*state) : counters.size() - 1];
}

} // namespace supplierd::catalog::fragment
