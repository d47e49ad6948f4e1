#include "ProductReader.h"

#include "ProductJson.h"

#include <supplierd/services/CategoryTree.h>
#include <supplierd/services/ChangeLog.h>

#include <string>
#include <string_view>

namespace supplierd::catalog {

namespace {

constexpr std::string_view FURTHER_COLUMNS = R"(, EXISTS (SELECT 1 FROM product_variants v WHERE v.product_id = p.id),
    c.version, p.version, p.change_seq, )";

constexpr std::string_view FROM_PRODUCTS = R"(
FROM products p FORCE INDEX (PRIMARY))";

constexpr std::string_view OF_PRODUCT = R"(
WHERE p.supplier_id = ? AND p.deleted = 0 AND p.id = ?)";

/// Behind the columns that are shown.
enum : std::size_t { HasVariants, CategoryVersion, Version, ChangeSeq, SupplierSeq, MarketplaceSeq };

constexpr std::string_view VARIANTS_OF_ONE = R"(
FROM products p FORCE INDEX (PRIMARY) LEFT JOIN product_variants v ON v.product_id = p.id
WHERE p.supplier_id = ? AND p.deleted = 0 AND p.id = ?
ORDER BY v.id)";

constexpr std::string_view SELECT_OWNER = R"(
SELECT supplier_id FROM products FORCE INDEX (products_id) WHERE id = ? AND deleted = 0)";

std::string selectProduct() {
    return "SELECT " + shownColumns(Extent::Whole) +
           std::string(FURTHER_COLUMNS)
               .append(LAST_CHANGE)
               .append(", ")
               .append(LAST_CHANGE)
               .append(FROM_PRODUCTS)
               .append(JOIN_CATEGORY)
               .append(OF_PRODUCT);
}

/// Writes the array, and returns the product's version as this statement sees it.
std::int64_t writeVariants(SqlSession& session, std::int64_t supplierId, std::int64_t productId,
                           std::int64_t minOrderQty, JsonWriter& json) {
    static const std::string SQL = "SELECT p.version, " + variantColumns() + std::string(VARIANTS_OF_ONE);
    std::int64_t version = 0;
    json.beginArray();
    Rows& rows = session.query(SQL, {supplierId, productId});
    while (rows.next()) {
        version = rows.integer(0);
        if (!rows.isNull(1))
            writeVariant(json, rows, 1, minOrderQty);
    }
    json.endArray();
    return version;
}

} // namespace

std::optional<WrittenProduct> writeProduct(SqlSession& session, ImageIngest* images, std::int64_t supplierId,
                                           std::int64_t productId, JsonWriter& json) {
    static const std::string SQL = selectProduct();
    static const std::size_t FURTHER = endOfColumns(Extent::Whole);
    Rows& row = session.query(SQL, {supplierId, MARKETPLACE, supplierId, productId});
    if (!row.next())
        return std::nullopt;
    json.beginObject();
    writeShown(json, row, Extent::Whole, images != nullptr);
    WrittenProduct written;
    written.shown = {row.integer(FURTHER + Version), row.integer(FURTHER + CategoryVersion)};
    written.changeSeq = row.integer(FURTHER + ChangeSeq);
    written.asOf = {row.integer(FURTHER + SupplierSeq), row.integer(FURTHER + MarketplaceSeq)};
    const std::int64_t minOrderQty = row.integer(column::MinOrderQty);
    const bool hasVariants = row.boolean(FURTHER + HasVariants);
    const bool hasImages = images != nullptr && !row.isNull(column::PrimaryImage);
    json.key("images").beginArray();
    if (hasImages)
        for (const ProductImage& image : images->imagesOf(session, productId))
            writeJson(json, image);
    json.endArray().key("variants");
    // The last statement says whether all before it are of the version that it sees itself.
    if (hasVariants || hasImages)
        written.isWhole = writeVariants(session, supplierId, productId, minOrderQty, json) == written.shown.product;
    else
        json.beginArray().endArray();
    json.endObject();
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
