#include "ProductReader.h"

#include "CatalogueService.h"
#include "ProductJson.h"
#include "ProductTerms.h"

#include <supplierd/services/CategoryTree.h>
#include <supplierd/services/ChangeLog.h>

#include <string_view>

namespace supplierd::catalog {

namespace {

// Begins like the lists' statements, so that readSummary() can read it.
constexpr std::string_view SELECT_PRODUCT = R"(
SELECT p.id, p.category_id, p.stock_qty, p.min_order_qty, p.type, p.unit, p.is_active, p.approval, p.base_price, p.name,
    p.sku, c.name, p.primary_image, p.description, p.color, p.stem_length, p.country_of_origin, p.vat_rate, p.approval_reason,
    p.created_at, p.updated_at, p.version, EXISTS (SELECT 1 FROM product_variants v WHERE v.product_id = p.id),
    c.version, p.change_seq, )";

constexpr std::string_view FROM_PRODUCTS = R"(
FROM products p FORCE INDEX (PRIMARY))";

constexpr std::string_view OF_PRODUCT = R"(
WHERE p.supplier_id = ? AND p.deleted = 0 AND p.id = ?)";

enum : std::size_t {
    Description = column::END,
    Color,
    StemLength,
    CountryOfOrigin,
    VatRate,
    ApprovalReason,
    CreatedAt,
    UpdatedAt,
    Version,
    HasVariants,
    CategoryVersion,
    ChangeSeq,
    SupplierSeq,
    MarketplaceSeq
};

constexpr std::string_view SELECT_VARIANTS = R"(
SELECT p.version, v.id, v.sku, v.name, v.color, v.stem_length, v.base_price, v.stock_qty, v.is_active
FROM products p FORCE INDEX (PRIMARY) LEFT JOIN product_variants v ON v.product_id = p.id
WHERE p.supplier_id = ? AND p.deleted = 0 AND p.id = ?
ORDER BY v.id)";

/// Of SELECT_VARIANTS, and of what readVariant() reads.
namespace variant {
enum : std::size_t { ProductVersion, Id, Sku, Name, Color, StemLength, BasePrice, StockQty, IsActive };
}

constexpr std::string_view SELECT_OWNER = R"(
SELECT supplier_id FROM products FORCE INDEX (products_id) WHERE id = ? AND deleted = 0)";

} // namespace

void readDetail(const Rows& row, ProductDetail& product) {
    product.description = row.maybeText(Description);
    product.minOrderQty = row.integer(column::MinOrderQty);
    product.color = row.maybeText(Color);
    product.stemLength = row.maybeInteger(StemLength);
    product.countryOfOrigin = row.maybeText(CountryOfOrigin);
    product.vatRate = row.decimal(VatRate);
    product.approvalReason = row.maybeText(ApprovalReason);
    product.createdAt = row.time(CreatedAt);
    product.updatedAt = row.time(UpdatedAt);
    product.version = row.integer(Version);
}

ProductVariant readVariant(const Rows& row, std::int64_t minOrderQty) {
    ProductVariant read;
    read.id = row.integer(variant::Id);
    read.sku = row.maybeText(variant::Sku);
    read.name = row.text(variant::Name);
    read.color = row.maybeText(variant::Color);
    read.stemLength = row.maybeInteger(variant::StemLength);
    read.basePrice = row.maybeDecimal(variant::BasePrice);
    read.stockQty = row.integer(variant::StockQty);
    read.stockStatus = stockStatus(read.stockQty, minOrderQty);
    read.isActive = row.boolean(variant::IsActive);
    return read;
}

namespace {

struct ReadProduct {
    ProductDetail product;
    WrittenProduct is;
};

/// Nothing when the supplier has no such product.
std::optional<ReadProduct> readProduct(SqlSession& session, ImageIngest* images, std::int64_t supplierId,
                                       std::int64_t productId) {
    static const std::string SQL = std::string(SELECT_PRODUCT)
                                       .append(LAST_CHANGE)
                                       .append(", ")
                                       .append(LAST_CHANGE)
                                       .append(FROM_PRODUCTS)
                                       .append(JOIN_CATEGORY)
                                       .append(OF_PRODUCT);
    Rows& row = session.query(SQL, {supplierId, MARKETPLACE, supplierId, productId});
    if (!row.next())
        return std::nullopt;
    ReadProduct read;
    ProductDetail& product = read.product;
    product.supplierId = supplierId;
    readSummary(row, images != nullptr, product);
    readDetail(row, product);
    read.is.shown = {product.version, row.integer(CategoryVersion)};
    read.is.changeSeq = row.integer(ChangeSeq);
    read.is.asOf = {row.integer(SupplierSeq), row.integer(MarketplaceSeq)};
    const bool hasVariants = row.boolean(HasVariants);
    const bool hasImages = product.primaryImage.has_value();
    if (hasImages)
        product.images = images->imagesOf(session, productId);
    // The last statement says whether all before it are of the version that it sees itself.
    read.is.isWhole = !hasVariants && !hasImages;
    if (!read.is.isWhole) {
        Rows& variants = session.query(SELECT_VARIANTS, {supplierId, productId});
        while (variants.next()) {
            read.is.isWhole = variants.integer(variant::ProductVersion) == product.version;
            if (!variants.isNull(variant::Id))
                product.variants.push_back(readVariant(variants, product.minOrderQty));
        }
    }
    return read;
}

} // namespace

std::optional<WrittenProduct> writeProduct(SqlSession& session, ImageIngest* images, std::int64_t supplierId,
                                           std::int64_t productId, JsonWriter& json) {
    const auto read = readProduct(session, images, supplierId, productId);
    if (!read)
        return std::nullopt;
    json.key("product");
    writeJson(json, read->product, Audience::Supplier);
    return read->is;
}

std::optional<ProductDetail> CatalogueService::find(SqlSession& session, std::int64_t productId) {
    Rows& owner = session.query(SELECT_OWNER, {productId});
    if (!owner.next())
        return std::nullopt;
    const std::int64_t supplierId = owner.integer(0);
    auto read = readProduct(session, _images, supplierId, productId);
    if (!read)
        return std::nullopt;
    nameSuppliers(session, _accounts, std::span(&read->product, 1));
    return std::move(read->product);
}

} // namespace supplierd::catalog
