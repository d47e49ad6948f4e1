#include "stock/ResolvedItems.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/Sku.h>
#include <supplierd/internal/LastChange.h>
#include <supplierd/services/ChangeLog.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>

namespace supplierd::catalog {

namespace {

// One text for any number of items, [[product id or null, SKU's key or null], ...]. Item by item through primary keys:
// with a plan of its own the optimizer may walk all products of the supplier.
constexpr std::string_view SELECT_RESOLVED = "SELECT STRAIGHT_JOIN i.place, k.product_id, k.variant_id, p.id, v.id, ";
constexpr std::string_view STOCKS = "p.stock_qty, v.stock_qty, ";
constexpr std::string_view PRICES = "p.base_price, v.base_price, ";

constexpr std::string_view FROM_ITEMS = R"(
FROM JSON_TABLE(?, '$[*]' COLUMNS (
    place FOR ORDINALITY,
    product_id BIGINT PATH '$[0]',
    sku_key VARCHAR(192) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]')) i
LEFT JOIN product_skus k FORCE INDEX (PRIMARY) ON k.supplier_id = ? AND k.sku_key = i.sku_key AND k.tombstone = 0
LEFT JOIN products p FORCE INDEX (PRIMARY)
    ON p.supplier_id = ? AND p.deleted = 0 AND p.id = COALESCE(k.product_id, i.product_id)
LEFT JOIN product_variants v FORCE INDEX (PRIMARY) ON v.id = NULLIF(k.variant_id, 0))";

enum ResolvedColumn : std::size_t {
    PLACE,
    SKU_PRODUCT,
    SKU_VARIANT,
    PRODUCT,
    VARIANT,
    OF_PRODUCT,
    OF_VARIANT,
    CHANGE_SEQ
};

std::string selectResolved(std::string_view amounts) {
    return std::string(SELECT_RESOLVED).append(amounts).append(LAST_CHANGE).append(FROM_ITEMS);
}

std::string namesOf(std::span<const BulkItem> items) {
    std::string text;
    text.reserve(items.size() * 24);
    JsonWriter json(text);
    json.beginArray();
    for (const BulkItem& item : items) {
        json.beginArray().value(item.productId);
        if (item.sku.empty())
            json.null();
        else
            json.value(skuKey(item.sku));
        json.endArray();
    }
    json.endArray();
    return text;
}

/// Whether the row is what the item means: everything that the item says leads to one live product or variant.
bool agrees(const Rows& rows, const BulkItem& item) {
    if (rows.isNull(PRODUCT))
        return false;
    if (item.sku.empty())
        return true;
    const bool isKnown = !rows.isNull(SKU_PRODUCT) && (rows.integer(SKU_VARIANT) == 0 || !rows.isNull(VARIANT));
    return isKnown && (!item.productId || *item.productId == rows.integer(SKU_PRODUCT));
}

ResolvedList inIdOrder(ResolvedList resolved) {
    std::sort(resolved.begin(), resolved.end(),
              [](const ResolvedItem* a, const ResolvedItem* b) { return a->id() < b->id(); });
    return resolved;
}

} // namespace

Amount amountIn(const Rows& rows, std::size_t column, Subject subject) {
    if (rows.isNull(column))
        return std::nullopt;
    return subject == Subject::Stock ? rows.integer(column) : rows.decimal(column).tenThousandths();
}

ResolvedItems::ResolvedItems(SqlSession& session, std::int64_t supplierId, Subject subject,
                             std::span<const BulkItem> items)
    : _byPlace(items.size()) {
    _products.reserve(items.size());
    const std::string names = namesOf(items);
    static const std::string WITH_STOCKS = selectResolved(STOCKS);
    static const std::string WITH_PRICES = selectResolved(PRICES);
    Rows& rows = session.query(subject == Subject::Stock ? WITH_STOCKS : WITH_PRICES,
                               {supplierId, std::string_view(names), supplierId, supplierId});
    while (rows.next()) {
        _changeSeq = rows.integer(CHANGE_SEQ);
        const auto place = static_cast<std::size_t>(rows.integer(PLACE)) - 1;
        const BulkItem& item = items[place];
        if (!agrees(rows, item))
            continue;
        ResolvedItem resolved{rows.integer(PRODUCT), 0, amountIn(rows, OF_PRODUCT, subject), {}, {}};
        ResolvedItem* const product = keep(_products, resolved);
        if (rows.isNull(VARIANT)) {
            _byPlace[place] = product;
            continue;
        }
        resolved.variantId = rows.integer(VARIANT);
        resolved.before = amountIn(rows, OF_VARIANT, subject);
        _byPlace[place] = keep(_variants, resolved);
    }
}

ResolvedItem* ResolvedItems::keep(ById& known, const ResolvedItem& resolved) {
    const auto [found, isNew] = known.try_emplace(resolved.id(), nullptr);
    if (isNew) {
        found->second = &_resolved.emplace_back(resolved);
        found->second->amount = resolved.before;
    }
    return found->second;
}

ResolvedList ResolvedItems::products() const {
    ResolvedList all;
    for (const auto& [id, product] : _products)
        all.push_back(product);
    return inIdOrder(std::move(all));
}

ResolvedList ResolvedItems::changedProducts() const {
    std::unordered_set<std::int64_t> ofVariants;
    for (const ResolvedItem* variant : changedVariants())
        ofVariants.insert(variant->productId);
    ResolvedList changed;
    for (const auto& [id, product] : _products)
        if (product->isChanged() || ofVariants.contains(id))
            changed.push_back(product);
    return inIdOrder(std::move(changed));
}

ResolvedList ResolvedItems::changedVariants() const {
    ResolvedList changed;
    for (const auto& [id, variant] : _variants)
        if (variant->isChanged())
            changed.push_back(variant);
    return inIdOrder(std::move(changed));
}

} // namespace supplierd::catalog
