#include "stock/NamedProducts.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/Sku.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::catalog {

namespace {

// One text for any number of SKUs' keys, and their places.
constexpr std::string_view SELECT_SKUS = R"(
SELECT STRAIGHT_JOIN i.place, k.product_id, k.sku
FROM JSON_TABLE(?, '$[*]' COLUMNS (
    place FOR ORDINALITY,
    sku_key VARCHAR(192) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) i
JOIN product_skus k FORCE INDEX (PRIMARY) ON k.supplier_id = ? AND k.sku_key = i.sku_key AND k.tombstone = 0
WHERE k.variant_id = 0)";

enum PlainColumn : std::size_t { PLAIN_PLACE, PLAIN_PRODUCT, PLAIN_SKU };

bool isPlain(const BulkItem& item) {
    return !item.adjust && !item.expected && item.amount;
}

} // namespace

NamedProducts::NamedProducts(SqlSession& session, std::int64_t supplierId, std::span<const BulkItem> items)
    : _areAll(std::all_of(items.begin(), items.end(), isPlain) && find(session, supplierId, items)) {}

bool NamedProducts::find(SqlSession& session, std::int64_t supplierId, std::span<const BulkItem> items) {
    std::string keys;
    std::vector<std::size_t> places; ///< of the items that have a SKU
    JsonWriter json(keys);
    json.beginArray();
    for (std::size_t place = 0; place < items.size(); ++place) {
        if (items[place].sku.empty())
            continue;
        json.value(skuKey(items[place].sku));
        places.push_back(place);
    }
    json.endArray();

    struct Found {
        std::int64_t productId = 0;
        std::string sku;
    };
    std::vector<Found> found(items.size());
    std::size_t count = 0;
    if (!places.empty()) {
        Rows& rows = session.query(SELECT_SKUS, {std::string_view(keys), supplierId});
        for (; rows.next(); ++count)
            found[places[static_cast<std::size_t>(rows.integer(PLAIN_PLACE)) - 1]] = {
                rows.integer(PLAIN_PRODUCT), std::string(rows.text(PLAIN_SKU))};
    }
    if (count != places.size())
        return false;
    for (std::size_t place = 0; place < items.size(); ++place) {
        const BulkItem& item = items[place];
        if (item.sku.empty()) {
            keep(*item.productId, item.amount);
            continue;
        }
        if (item.productId && *item.productId != found[place].productId)
            return false;
        keep(found[place].productId, item.amount).sku = std::move(found[place].sku);
    }
    return true;
}

Target& NamedProducts::keep(std::int64_t productId, const Amount& amount) {
    Target& target = _byId[productId];
    target.productId = productId;
    target.amount = amount;
    return target;
}

TargetList NamedProducts::products() const {
    TargetList list;
    list.reserve(_byId.size());
    for (const auto& [id, target] : _byId)
        list.push_back(&target);
    return list;
}

} // namespace supplierd::catalog
