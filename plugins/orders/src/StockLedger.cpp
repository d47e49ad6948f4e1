#include "StockLedger.h"

#include <supplierd/JsonWriter.h>

#include <stdexcept>
#include <string_view>

namespace supplierd::orders {

namespace {

constexpr std::int64_t ACTIVE = 1; // products.state

constexpr std::string_view SELECT_OFFERS = R"(
SELECT t.place, p.supplier_id, u.status, p.state, p.unit, p.stock_qty, p.base_price, p.vat_rate, p.name, p.sku,
    v.id, v.is_active, v.stock_qty, v.base_price, v.name, v.sku
FROM JSON_TABLE(?, '$[*]' COLUMNS (
        place FOR ORDINALITY, product_id BIGINT PATH '$[0]', variant_id BIGINT PATH '$[1]')) t
    STRAIGHT_JOIN products p FORCE INDEX (products_id) ON p.id = t.product_id AND p.deleted = 0
    STRAIGHT_JOIN suppliers u FORCE INDEX (PRIMARY) ON u.id = p.supplier_id
    LEFT JOIN product_variants v ON v.id = t.variant_id AND v.product_id = p.id)";

enum : std::size_t {
    Place,
    SupplierId,
    SupplierStatus,
    State,
    Unit,
    Stock,
    BasePrice,
    VatRate,
    Name,
    Sku,
    VariantId,
    VariantActive,
    VariantStock,
    VariantPrice,
    VariantName,
    VariantSku
};

constexpr std::string_view SELECT_TAKEN = R"(
SELECT i.product_id, i.variant_id, i.quantity
FROM order_items i FORCE INDEX (PRIMARY)
    STRAIGHT_JOIN products p FORCE INDEX (PRIMARY) ON p.supplier_id = ? AND p.deleted = 0 AND p.id = i.product_id
    LEFT JOIN product_variants v ON v.id = i.variant_id AND v.product_id = p.id
WHERE i.order_group_id = ? AND (i.variant_id IS NULL OR v.id IS NOT NULL))";

constexpr std::string_view CHANGE_PRODUCTS = R"(
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (
        id BIGINT PATH '$[0]', delta BIGINT PATH '$[1]', change_seq BIGINT PATH '$[2]')) t
    STRAIGHT_JOIN products p FORCE INDEX (products_id) ON p.id = t.id
SET p.stock_qty = p.stock_qty + t.delta, p.change_seq = t.change_seq, p.version = p.version + 1,
    p.updated_at = NOW(6)
WHERE p.deleted = 0 AND p.stock_qty + t.delta >= 0)";

constexpr std::string_view CHANGE_VARIANTS = R"(
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$[0]', delta BIGINT PATH '$[1]')) t
    STRAIGHT_JOIN product_variants v FORCE INDEX (PRIMARY) ON v.id = t.id
SET v.stock_qty = v.stock_qty + t.delta
WHERE v.stock_qty + t.delta >= 0)";

Offer readOffer(const Rows& row, bool wantsVariant) {
    Offer offer;
    offer.hasProduct = true;
    offer.productOnSale = row.integer(State) == ACTIVE;
    offer.supplierStatus = row.text(SupplierStatus);
    offer.supplierId = row.integer(SupplierId);
    offer.unit = row.integer(Unit);
    offer.vatRate = row.decimal(VatRate);
    offer.basePrice = row.decimal(BasePrice);
    offer.name = row.text(Name);
    offer.sku = row.maybeText(Sku);
    offer.stock = row.integer(Stock);
    if (!wantsVariant || row.isNull(VariantId))
        return offer;
    offer.hasVariant = true;
    offer.variantOnSale = row.boolean(VariantActive);
    offer.stock = row.integer(VariantStock);
    offer.name += ", ";
    offer.name += row.text(VariantName);
    if (const auto price = row.maybeDecimal(VariantPrice))
        offer.basePrice = *price;
    if (auto sku = row.maybeText(VariantSku))
        offer.sku = std::move(sku);
    return offer;
}

void requireAll(std::int64_t changed, std::size_t wanted) {
    if (changed != static_cast<std::int64_t>(wanted))
        throw std::runtime_error("stock was changed without the lock of its catalogue: " + std::to_string(changed) +
                                 " rows of " + std::to_string(wanted) + " are as they were read");
}

} // namespace

std::vector<Offer> readOffers(SqlSession& session, const std::vector<OrderLine>& lines) {
    std::vector<Offer> offers(lines.size());
    if (lines.empty())
        return offers;
    std::string wanted;
    JsonWriter json(wanted);
    json.beginArray();
    for (const OrderLine& line : lines) {
        json.beginArray().value(line.productId);
        if (line.variantId)
            json.value(*line.variantId);
        json.endArray();
    }
    json.endArray();
    Rows& rows = session.query(SELECT_OFFERS, {wanted});
    while (rows.next()) {
        const auto place = static_cast<std::size_t>(rows.integer(Place)) - 1;
        offers.at(place) = readOffer(rows, lines[place].variantId.has_value());
    }
    return offers;
}

void StockLedger::take(std::int64_t productId, const std::optional<std::int64_t>& variantId, std::int64_t quantity,
                       std::int64_t changeSeq) {
    add(productId, variantId, -quantity, changeSeq);
}

void StockLedger::putBack(std::int64_t productId, const std::optional<std::int64_t>& variantId, std::int64_t quantity,
                          std::int64_t changeSeq) {
    add(productId, variantId, quantity, changeSeq);
}

void StockLedger::putBackGroup(SqlSession& session, std::int64_t supplierId, std::int64_t groupId,
                               std::int64_t changeSeq) {
    Rows& rows = session.query(SELECT_TAKEN, {supplierId, groupId});
    while (rows.next())
        putBack(rows.integer(0), rows.maybeInteger(1), rows.integer(2), changeSeq);
}

void StockLedger::add(std::int64_t productId, const std::optional<std::int64_t>& variantId, std::int64_t delta,
                      std::int64_t changeSeq) {
    // A change of a variant is one of its product too: it is stamped, whatever its own stock.
    Change& product = _products[productId];
    product.changeSeq = changeSeq;
    (variantId ? _variants[*variantId] : product).delta += delta;
}

void StockLedger::apply(Transaction& transaction) const {
    std::string changes;
    if (!_variants.empty()) {
        JsonWriter json(changes);
        json.beginArray();
        for (const auto& [id, change] : _variants)
            json.beginArray().value(id).value(change.delta).endArray();
        json.endArray();
        requireAll(transaction.execute(CHANGE_VARIANTS, {changes}), _variants.size());
    }
    if (_products.empty())
        return;
    changes.clear();
    JsonWriter json(changes);
    json.beginArray();
    for (const auto& [id, change] : _products)
        json.beginArray().value(id).value(change.delta).value(change.changeSeq).endArray();
    json.endArray();
    requireAll(transaction.execute(CHANGE_PRODUCTS, {changes}), _products.size());
}

} // namespace supplierd::orders
