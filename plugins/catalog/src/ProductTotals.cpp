#include "ProductTotals.h"

#include <supplierd/JsonWriter.h>

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

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

constexpr std::string_view ADD_MANY = R"(
INSERT INTO product_totals (supplier_id, category_id, type, state, products)
SELECT ?, t.category_id, t.type, t.state, t.delta
FROM JSON_TABLE(?, '$[*]' COLUMNS (
    category_id BIGINT PATH '$[0]', type INT PATH '$[1]', state INT PATH '$[2]', delta BIGINT PATH '$[3]')) t
ON DUPLICATE KEY UPDATE products = products + VALUES(products))";

void addToStates(Transaction& transaction, std::int64_t supplierId, const std::array<std::int64_t, 4>& change) {
    if (change != std::array<std::int64_t, 4>{})
        transaction.execute(ADD_TO_STATE, {change[0], change[1], change[2], change[3], supplierId});
}

} // namespace

void moveAllInTotals(Transaction& transaction, std::int64_t supplierId, std::span<const TotalsMove> moves) {
    std::array<std::int64_t, 4> states{};
    std::map<std::tuple<std::int64_t, std::int64_t, ProductState>, std::int64_t> places;
    for (const auto& [from, to] : moves) {
        states[static_cast<std::size_t>(from.state)] -= 1;
        states[static_cast<std::size_t>(to.state)] += 1;
        places[{from.categoryId, from.type, from.state}] -= 1;
        places[{to.categoryId, to.type, to.state}] += 1;
    }
    addToStates(transaction, supplierId, states);
    std::string deltas;
    JsonWriter json(deltas);
    json.beginArray();
    bool isAny = false;
    for (const auto& [place, delta] : places) {
        if (delta == 0)
            continue;
        isAny = true;
        const auto& [category, type, state] = place;
        json.beginArray().value(category).value(type).value(static_cast<std::int64_t>(state)).value(delta).endArray();
    }
    json.endArray();
    if (isAny)
        transaction.execute(ADD_MANY, {supplierId, deltas});
}

void moveInTotals(Transaction& transaction, std::int64_t supplierId, const std::optional<TotalsPlace>& from,
                  const TotalsPlace& to) {
    if (from == to)
        return;
    if (!from || from->state != to.state) {
        std::array<std::int64_t, 4> change{};
        if (from)
            change[static_cast<std::size_t>(from->state)] -= 1;
        change[static_cast<std::size_t>(to.state)] += 1;
        addToStates(transaction, supplierId, change);
    }
    if (from)
        transaction.execute(TAKE_ONE,
                            {supplierId, from->categoryId, from->type, static_cast<std::int64_t>(from->state)});
    transaction.execute(ADD_ONE, {supplierId, to.categoryId, to.type, static_cast<std::int64_t>(to.state)});
}

} // namespace supplierd::catalog
