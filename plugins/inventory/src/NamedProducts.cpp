#include "NamedProducts.h"

#include <supplierd/JsonWriter.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace supplierd::inventory {

namespace {

// One text for any number of SKUs, and their places. A SKU is compared as product_skus compares it.
constexpr std::string_view SELECT_SKUS = R"(
SELECT STRAIGHT_JOIN i.place, k.product_id
FROM JSON_TABLE(?, '$[*]' COLUMNS (
    place FOR ORDINALITY,
    sku VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci PATH '$')) i
JOIN product_skus k FORCE INDEX (PRIMARY) ON k.supplier_id = ? AND k.sku = i.sku
WHERE k.variant_id = 0)";

enum Column : std::size_t { PLACE, PRODUCT };

bool isPlain(const BulkItem& item) {
    return !item.adjust && !item.expected && item.amount;
}

} // namespace

NamedProducts::NamedProducts(SqlSession& session, std::int64_t supplierId, std::span<const BulkItem> items)
    : _areAll(std::all_of(items.begin(), items.end(), isPlain) && find(session, supplierId, items)) {}

bool NamedProducts::find(SqlSession& session, std::int64_t supplierId, std::span<const BulkItem> items) {
    std::string skus;
    std::vector<std::size_t> places; ///< of the items that have one
    JsonWriter json(skus);
    json.beginArray();
    for (std::size_t place = 0; place < items.size(); ++place) {
        if (items[place].sku.empty())
            continue;
        json.value(items[place].sku);
        places.push_back(place);
    }
    json.endArray();

    std::vector<std::int64_t> ids(items.size());
    std::size_t found = 0;
    if (!places.empty()) {
        Rows& rows = session.query(SELECT_SKUS, {std::string_view(skus), supplierId});
        for (; rows.next(); ++found)
            ids[places[static_cast<std::size_t>(rows.integer(PLACE)) - 1]] = rows.integer(PRODUCT);
    }
    if (found != places.size())
        return false;
    for (std::size_t place = 0; place < items.size(); ++place) {
        const BulkItem& item = items[place];
        if (!item.sku.empty() && item.productId && *item.productId != ids[place])
            return false;
        keep(item.sku.empty() ? *item.productId : ids[place], item);
    }
    return true;
}

void NamedProducts::keep(std::int64_t productId, const BulkItem& item) {
    Target& target = _byId[productId];
    target.productId = productId;
    target.amount = item.amount;
    if (!item.sku.empty())
        target.sku = item.sku;
}

TargetList NamedProducts::products() const {
    TargetList list;
    list.reserve(_byId.size());
    for (const auto& [id, target] : _byId)
        list.push_back(&target);
    return list;
}

} // namespace supplierd::inventory
