#include "stock/NamedProducts.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/Sku.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
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

NamedProducts::NamedProducts(SqlSession& session, std::int64_t supplierId, std::span<const BulkItem> items,
                             SkuCache& skus)
    : _supplierId(supplierId),
      _areAll(std::all_of(items.begin(), items.end(), isPlain) && find(session, items, skus) && keepLastOfEach()) {}

bool NamedProducts::find(SqlSession& session, std::span<const BulkItem> items, SkuCache& skus) {
    _targets.resize(items.size());
    std::vector<std::size_t> unknown; ///< places of items with such SKUs
    for (std::size_t place = 0; place < items.size(); ++place) {
        const BulkItem& item = items[place];
        Target& target = _targets[place];
        target.amount = item.amount;
        if (item.sku.empty()) {
            target.productId = *item.productId;
            continue;
        }
        target.productId = skus.find(_supplierId, item.sku);
        if (target.productId == 0)
            unknown.push_back(place);
        else
            target.sku = item.sku;
    }
    if (!unknown.empty() && !lookUp(session, items, unknown, skus))
        return false;
    for (std::size_t place = 0; place < items.size(); ++place)
        if (items[place].productId && *items[place].productId != _targets[place].productId)
            return false;
    return true;
}

bool NamedProducts::lookUp(SqlSession& session, std::span<const BulkItem> items, const std::vector<std::size_t>& places,
                           SkuCache& skus) {
    std::string keys;
    JsonWriter json(keys);
    json.beginArray();
    for (const std::size_t place : places)
        json.value(skuKey(items[place].sku));
    json.endArray();
    std::size_t count = 0;
    for (Rows& rows = session.query(SELECT_SKUS, {std::string_view(keys), _supplierId}); rows.next(); ++count) {
        const std::size_t place = places[static_cast<std::size_t>(rows.integer(PLAIN_PLACE)) - 1];
        Target& target = _targets[place];
        target.productId = rows.integer(PLAIN_PRODUCT);
        target.sku = rows.text(PLAIN_SKU);
        if (target.sku == items[place].sku)
            skus.remember(_supplierId, target.sku, target.productId);
    }
    return count == places.size();
}

/// False when items name a product by different SKUs: only one of them can be its own.
bool NamedProducts::keepLastOfEach() {
    const auto isBefore = [](const Target& a, const Target& b) { return a.productId < b.productId; };
    if (!std::is_sorted(_targets.begin(), _targets.end(), isBefore))
        std::stable_sort(_targets.begin(), _targets.end(), isBefore);
    std::size_t kept = 0;
    for (std::size_t i = 1; i < _targets.size(); ++i) {
        Target& last = _targets[kept];
        Target& target = _targets[i];
        if (target.productId == last.productId) {
            if (!target.sku.empty() && !last.sku.empty() && target.sku != last.sku)
                return false;
            last.amount = target.amount;
            if (last.sku.empty())
                last.sku = std::move(target.sku);
        } else if (++kept != i) {
            _targets[kept] = std::move(target);
        }
    }
    _targets.resize(std::min(_targets.size(), kept + 1));
    return true;
}

TargetList NamedProducts::products() const {
    TargetList list;
    list.reserve(_targets.size());
    for (const Target& target : _targets)
        list.push_back(&target);
    return list;
}

void NamedProducts::forgetSkus(SkuCache& skus) const {
    for (const Target& target : _targets)
        if (!target.sku.empty())
            skus.forget(_supplierId, target.sku);
}

} // namespace supplierd::catalog
