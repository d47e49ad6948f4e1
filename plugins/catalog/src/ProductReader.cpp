#include "ProductReader.h"

#include "ProductJson.h"
#include "ProductTerms.h"
#include "list/ListStatement.h"

#include <string_view>

namespace supplierd::catalog {

namespace {

// Begins like the lists' statements, so that writeListFields() can read it.
constexpr std::string_view SELECT_PRODUCT = R"(
SELECT p.id, p.category_id, p.stock_qty, p.min_order_qty, p.type, p.unit, p.is_active, p.approval, p.base_price, p.name,
    p.sku, c.name, p.primary_image, p.description, p.color, p.stem_length, p.country_of_origin, p.vat_rate, p.approval_reason,
    p.created_at, p.updated_at, p.version, EXISTS (SELECT 1 FROM product_variants v WHERE v.product_id = p.id),
    c.version
FROM products p FORCE INDEX (PRIMARY) STRAIGHT_JOIN categories c FORCE INDEX (PRIMARY) ON c.id = p.category_id
WHERE p.supplier_id = ? AND p.deleted = 0 AND p.id = ?)";

enum : std::size_t {
    Description = column::PrimaryImage + 1,
    Color,
    StemLength,
    CountryOfOrigin,
    VatRate,
    ApprovalReason,
    CreatedAt,
    UpdatedAt,
    Version,
    HasVariants,
    CategoryVersion
};

constexpr std::string_view SELECT_VARIANTS = R"(
SELECT p.version, v.id, v.sku, v.name, v.color, v.stem_length, v.base_price, v.stock_qty, v.is_active
FROM products p FORCE INDEX (PRIMARY) LEFT JOIN product_variants v ON v.product_id = p.id
WHERE p.supplier_id = ? AND p.deleted = 0 AND p.id = ?
ORDER BY v.id)";

/// Of SELECT_VARIANTS.
namespace variant {
enum : std::size_t { ProductVersion, Id, Sku, Name, Color, StemLength, BasePrice, StockQty, IsActive };
}

void textOrNull(JsonWriter& json, std::string_view name, const Rows& row, std::size_t column) {
    json.key(name);
    if (row.isNull(column))
        json.null();
    else
        json.value(row.text(column));
}

void writeDetailFields(JsonWriter& json, const Rows& row) {
    textOrNull(json, "description", row, Description);
    json.field("min_order_qty", row.integer(column::MinOrderQty));
    textOrNull(json, "color", row, Color);
    json.field("stem_length", row.maybeInteger(StemLength));
    textOrNull(json, "country_of_origin", row, CountryOfOrigin);
    json.field("vat_rate", row.decimal(VatRate));
    json.key("approval").beginObject();
    json.field("status", termAt(APPROVALS, row.integer(column::Approval)));
    textOrNull(json, "reason", row, ApprovalReason);
    json.endObject();
    json.field("created_at", row.time(CreatedAt));
    json.field("updated_at", row.time(UpdatedAt));
    json.field("version", row.integer(Version));
}

void writeVariant(JsonWriter& json, const Rows& row, std::int64_t minOrderQty) {
    json.beginObject();
    json.field("id", row.integer(variant::Id));
    textOrNull(json, "sku", row, variant::Sku);
    json.field("name", row.text(variant::Name));
    textOrNull(json, "color", row, variant::Color);
    json.field("stem_length", row.maybeInteger(variant::StemLength));
    json.field("base_price", row.maybeDecimal(variant::BasePrice));
    json.field("stock_qty", row.integer(variant::StockQty));
    json.field("stock_status", stockStatus(row.integer(variant::StockQty), minOrderQty));
    json.field("is_active", row.boolean(variant::IsActive));
    json.endObject();
}

void writeImage(JsonWriter& json, const ProductImage& image) {
    json.beginObject();
    json.field("id", image.id).field("url", image.url).field("thumbnail_url", image.thumbnailUrl);
    json.field("is_primary", image.isPrimary);
    json.endObject();
}

/// The row of SELECT_PRODUCT, into an object that the caller opened and closes.
WrittenProduct writeFields(SqlSession& session, ImageIngest* images, std::int64_t supplierId, std::int64_t productId,
                           const Rows& row, JsonWriter& json) {
    writeListFields(json, row, images != nullptr);
    writeDetailFields(json, row);
    const ShownVersion shown{row.integer(Version), row.integer(CategoryVersion)};
    const std::int64_t minOrderQty = row.integer(column::MinOrderQty);
    const bool hasVariants = row.boolean(HasVariants);
    const bool hasImages = images != nullptr && !row.isNull(column::PrimaryImage);

    json.key("images").beginArray();
    if (hasImages)
        for (const ProductImage& image : images->imagesOf(session, productId))
            writeImage(json, image);
    json.endArray();
    json.key("variants").beginArray();
    // The last statement says whether all before it are of the version that it sees itself.
    bool isWhole = !hasVariants && !hasImages;
    if (!isWhole) {
        Rows& variants = session.query(SELECT_VARIANTS, {supplierId, productId});
        while (variants.next()) {
            isWhole = variants.integer(variant::ProductVersion) == shown.product;
            if (!variants.isNull(variant::Id))
                writeVariant(json, variants, minOrderQty);
        }
    }
    json.endArray();
    return {shown, isWhole};
}

} // namespace

std::optional<WrittenProduct> writeProduct(SqlSession& session, ImageIngest* images, std::int64_t supplierId,
                                           std::int64_t productId, JsonWriter& json) {
    Rows& row = session.query(SELECT_PRODUCT, {supplierId, productId});
    if (!row.next())
        return std::nullopt;
    json.key("product").beginObject();
    const WrittenProduct written = writeFields(session, images, supplierId, productId, row, json);
    json.endObject();
    return written;
}

bool writeProductOf(SqlSession& session, ImageIngest* images, const ProductOwner& owner, std::int64_t productId,
                    JsonWriter& json) {
    Rows& row = session.query(SELECT_PRODUCT, {owner.id, productId});
    if (!row.next())
        return false;
    json.beginObject();
    writeFields(session, images, owner.id, productId, row, json);
    json.key("supplier").beginObject().field("id", owner.id).field("name", owner.name).endObject();
    json.endObject();
    return true;
}

} // namespace supplierd::catalog
