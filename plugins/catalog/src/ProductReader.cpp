#include "ProductReader.h"

#include "ProductJson.h"

#include <supplierd/internal/CategoryJoin.h>
#include <supplierd/internal/LastChange.h>
#include <supplierd/services/CategoryTree.h>
#include <supplierd/services/ChangeLog.h>

#include <map>
#include <string>
#include <string_view>

namespace supplierd::catalog {

namespace {

constexpr std::string_view FURTHER_COLUMNS = ", c.version, p.change_seq, s.change_seq, m.change_seq, ";
constexpr std::string_view NO_IMAGES = "NULL";

constexpr std::string_view FROM_PRODUCTS = R"(
FROM products p FORCE INDEX (PRIMARY))";

// A row for each variant, or one: a product has at most a hundred. ORDER BY would take a temporary table, a third of
// all.
constexpr std::string_view OF_PRODUCT = R"(
    LEFT JOIN product_variants v FORCE INDEX (product_variants_product) ON v.product_id = p.id
WHERE p.supplier_id = ? AND p.deleted = 0 AND p.id = ?)";

/// Behind the columns that are shown.
enum : std::size_t { CategoryVersion, ChangeSeq, SupplierSeq, MarketplaceSeq, Images, VariantId };

constexpr std::string_view SELECT_OWNER = R"(
SELECT supplier_id FROM products FORCE INDEX (products_id) WHERE id = ? AND deleted = 0)";

std::string selectProduct(std::string_view images) {
    return "SELECT " + shownColumns(Extent::Whole) +
           std::string(FURTHER_COLUMNS)
               .append(images)
               .append(", ")
               .append(variantColumns())
               .append(FROM_PRODUCTS)
               .append(JOIN_CATEGORY)
               .append(joinLastChanges("p"))
               .append(OF_PRODUCT);
}

const std::string& selectWith(ImageIngest* images) {
    static const std::string WITHOUT = selectProduct(NO_IMAGES);
    if (images == nullptr)
        return WITHOUT;
    static const std::string WITH =
        selectProduct("IF(p.primary_image IS NULL, NULL, " + std::string(images->column()) + ")");
    return WITH;
}

} // namespace

std::optional<WrittenProduct> writeProduct(SqlSession& session, ImageIngest* images, std::int64_t supplierId,
                                           std::int64_t productId, JsonWriter& json) {
    static const std::size_t FURTHER = endOfColumns(Extent::Whole);
    Rows& rows = session.query(selectWith(images), {supplierId, productId});
    if (!rows.next())
        return std::nullopt;
    json.beginObject();
    writeShown(json, rows, Extent::Whole, images != nullptr);
    WrittenProduct written;
    written.shown = {rows.integer(FURTHER - 1), rows.integer(FURTHER + CategoryVersion)};
    written.changeSeq = rows.integer(FURTHER + ChangeSeq);
    written.asOf = {rows.integer(FURTHER + SupplierSeq), rows.integer(FURTHER + MarketplaceSeq)};
    json.key("images").beginArray();
    if (images != nullptr)
        for (const ProductImage& image : images->fromColumn(rows.text(FURTHER + Images)))
            writeJson(json, image);
    json.endArray().key("variants").beginArray();
    std::map<std::int64_t, std::string> variants;
    if (!rows.isNull(FURTHER + VariantId))
        do {
            JsonWriter variant(variants[rows.integer(FURTHER + VariantId)]);
            writeVariant(variant, rows, FURTHER + VariantId, rows.integer(column::MinOrderQty));
        } while (rows.next());
    for (const auto& [id, variant] : variants)
        json.raw(variant);
    json.endArray().endObject();
    return written;
}

std::optional<ProductRecord> findProduct(SqlSession& session, ImageIngest* images, Accounts& accounts,
                                         std::int64_t productId) {
    Rows& owner = session.query(SELECT_OWNER, {productId});
    if (!owner.next())
        return std::nullopt;
    ProductRecord product{.id = productId, .supplierId = owner.integer(0)};
    JsonWriter json(product.json);
    if (!writeProduct(session, images, product.supplierId, productId, json))
        return std::nullopt;
    nameSuppliers(session, accounts, std::span(&product, 1));
    return product;
}

} // namespace supplierd::catalog
