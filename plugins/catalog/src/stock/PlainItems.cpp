#include "stock/PlainItems.h"

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
    return !item.isAdjustment && !item.expected && item.amount;
}

} // namespace

PlainItems::PlainItems(SqlSession& session, std::int64_t supplierId, std::span<const BulkItem> items, SkuCache& skus)
    : _supplierId(supplierId),
      _areAll(std::all_of(items.begin(), items.end(), isPlain) && find(session, items, skus) && keepLastOfEach()) {}

bool PlainItems::find(SqlSession& session, std::span<const BulkItem> items, SkuCache& skus) {
    _resolved.resize(items.size());
    std::vector<std::size_t> unknown; ///< places of items with such SKUs
    for (std::size_t place = 0; place < items.size(); ++place) {
        const BulkItem& item = items[place];
        ResolvedItem& resolved = _resolved[place];
        resolved.amount = item.amount;
        if (item.sku.empty()) {
            resolved.productId = *item.productId;
            continue;
        }
        resolved.productId = skus.find(_supplierId, item.sku);
        if (resolved.productId == 0)
            unknown.push_back(place);
        else
            resolved.sku = item.sku;
    }
    if (!unknown.empty() && !lookUp(session, items, unknown, skus))
        return false;
    for (std::size_t place = 0; place < items.size(); ++place)
        if (items[place].productId && *items[place].productId != _resolved[place].productId)
            return false;
    return true;
}

bool PlainItems::lookUp(SqlSession& session, std::span<const BulkItem> items, const std::vector<std::size_t>& places,
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
        ResolvedItem& resolved = _resolved[place];
        resolved.productId = rows.integer(PLAIN_PRODUCT);
        resolved.sku = rows.text(PLAIN_SKU);
        if (resolved.sku == items[place].sku)
            skus.remember(_supplierId, resolved.sku, resolved.productId);
    }
    return count == places.size();
}

/// False when items name a product by different SKUs: only one of them can be its own.
bool PlainItems::keepLastOfEach() {
    const auto isBefore = [](const ResolvedItem& a, const ResolvedItem& b) { return a.productId < b.productId; };
    if (!std::is_sorted(_resolved.begin(), _resolved.end(), isBefore))
        std::stable_sort(_resolved.begin(), _resolved.end(), isBefore);
    std::size_t kept = 0;
    for (std::size_t i = 1; i < _resolved.size(); ++i) {
        ResolvedItem& last = _resolved[kept];
        ResolvedItem& resolved = _resolved[i];
        if (resolved.productId == last.productId) {
            if (!resolved.sku.empty() && !last.sku.empty() && resolved.sku != last.sku)
                return false;
            last.amount = resolved.amount;
            if (last.sku.empty())
                last.sku = std::move(resolved.sku);
        } else if (++kept != i) {
            _resolved[kept] = std::move(resolved);
        }
    }
    _resolved.resize(std::min(_resolved.size(), kept + 1));
    return true;
}

ResolvedList PlainItems::products() const {
    ResolvedList list;
    list.reserve(_resolved.size());
    for (const ResolvedItem& resolved : _resolved)
        list.push_back(&resolved);
    return list;
}

void PlainItems::forgetSkus(SkuCache& skus) const {
    for (const ResolvedItem& resolved : _resolved)
        if (!resolved.sku.empty())
            skus.forget(_supplierId, resolved.sku);
}

} // namespace supplierd::catalog
