#include "ProductOffers.h"

#include "ProductTerms.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/Sku.h>
#include <supplierd/internal/ProductUnits.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace supplierd::catalog {

namespace {

constexpr std::string_view SELECT_OFFERS = R"(
SELECT t.place, p.supplier_id, p.state, p.unit, p.stock_qty, p.base_price, p.vat_rate, p.name, p.sku,
    v.id, v.is_active, v.stock_qty, v.base_price, v.name, v.sku
FROM JSON_TABLE(?, '$[*]' COLUMNS (
        place FOR ORDINALITY, product_id BIGINT PATH '$[0]', variant_id BIGINT PATH '$[1]')) t
    STRAIGHT_JOIN products p FORCE INDEX (products_id) ON p.id = t.product_id AND p.deleted = 0
    LEFT JOIN product_variants v ON v.id = t.variant_id AND v.product_id = p.id)";

namespace offer {
enum : std::size_t {
    Place,
    SupplierId,
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
} // namespace offer

constexpr std::string_view SELECT_OWNERS = R"(
SELECT STRAIGHT_JOIN t.place, k.product_id, k.variant_id
FROM JSON_TABLE(?, '$[*]' COLUMNS (
    place FOR ORDINALITY,
    sku_key VARCHAR(192) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) t
JOIN product_skus k FORCE INDEX (PRIMARY) ON k.supplier_id = ? AND k.sku_key = t.sku_key AND k.tombstone = 0)";

ProductOffer readOffer(const Rows& row, bool wantsVariant) {
    ProductOffer found;
    found.hasProduct = true;
    found.isProductForSale = row.integer(offer::State) == static_cast<std::int64_t>(ProductState::Active);
    found.supplierId = row.integer(offer::SupplierId);
    found.unit = PRODUCT_UNITS.at(static_cast<std::size_t>(row.integer(offer::Unit)));
    found.vatRate = row.decimal(offer::VatRate);
    found.basePrice = row.decimal(offer::BasePrice);
    found.name = row.text(offer::Name);
    found.sku = row.maybeText(offer::Sku);
    found.stock = row.integer(offer::Stock);
    if (!wantsVariant || row.isNull(offer::VariantId))
        return found;
    found.hasVariant = true;
    found.isVariantForSale = row.boolean(offer::VariantActive);
    found.stock = row.integer(offer::VariantStock);
    found.name += ", ";
    found.name += row.text(offer::VariantName);
    if (const auto price = row.maybeDecimal(offer::VariantPrice))
        found.basePrice = *price;
    if (auto sku = row.maybeText(offer::VariantSku))
        found.sku = std::move(sku);
    return found;
}

} // namespace

std::vector<ProductOffer> readOffers(SqlSession& session, std::span<const ProductRef> products) {
    std::vector<ProductOffer> offers(products.size());
    if (products.empty())
        return offers;
    std::string wanted;
    JsonWriter json(wanted);
    json.beginArray();
    for (const ProductRef& product : products) {
        json.beginArray().value(product.productId);
        if (product.variantId)
            json.value(*product.variantId);
        json.endArray();
    }
    json.endArray();
    Rows& rows = session.query(SELECT_OFFERS, {wanted});
    while (rows.next()) {
        const auto place = static_cast<std::size_t>(rows.integer(offer::Place)) - 1;
        offers.at(place) = readOffer(rows, products[place].variantId.has_value());
    }
    return offers;
}

std::vector<std::optional<ProductRef>> findBySku(SqlSession& session, std::int64_t supplierId,
                                                 std::span<const std::string> skus) {
    std::vector<std::optional<ProductRef>> owners(skus.size());
    if (skus.empty())
        return owners;
    std::string keys;
    JsonWriter json(keys);
    json.beginArray();
    for (const std::string& sku : skus)
        json.value(skuKey(sku));
    json.endArray();
    Rows& rows = session.query(SELECT_OWNERS, {keys, supplierId});
    while (rows.next()) {
        ProductRef& owner = owners.at(static_cast<std::size_t>(rows.integer(0)) - 1).emplace();
        owner.productId = rows.integer(1);
        if (rows.integer(2) != 0)
            owner.variantId = rows.integer(2);
    }
    return owners;
}

} // namespace supplierd::catalog
