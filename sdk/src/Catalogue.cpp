#include <supplierd/services/Catalogue.h>

namespace supplierd {

namespace {

void writeCommon(JsonWriter& json, const ProductSummary& product) {
    json.field("id", product.id).field("name", product.name).field("sku", product.sku).field("type", product.type);
    json.field("base_price", product.basePrice).field("unit", product.unit).field("stock_qty", product.stockQty);
    json.field("stock_status", product.stockStatus).field("is_active", product.isActive);
    json.field("is_approved", product.approval == "approved");
    json.key("category").beginObject();
    json.field("id", product.categoryId).field("name", product.categoryName).endObject();
    json.field("primary_image", product.primaryImage);
}

void writeApproval(JsonWriter& json, const ProductSummary& product) {
    json.key("approval").beginObject();
    json.field("status", product.approval).field("reason", product.approvalReason).endObject();
}

void writeSupplier(JsonWriter& json, const ProductSummary& product) {
    json.key("supplier").beginObject();
    json.field("id", product.supplierId).field("name", product.supplierName).endObject();
}

} // namespace

void writeJson(JsonWriter& json, const ProductImage& image) {
    json.beginObject();
    json.field("id", image.id).field("url", image.url).field("thumbnail_url", image.thumbnailUrl);
    json.field("is_primary", image.isPrimary).endObject();
}

void writeJson(JsonWriter& json, const ProductVariant& variant) {
    json.beginObject();
    json.field("id", variant.id).field("sku", variant.sku).field("name", variant.name).field("color", variant.color);
    json.field("stem_length", variant.stemLength).field("base_price", variant.basePrice);
    json.field("stock_qty", variant.stockQty).field("stock_status", variant.stockStatus);
    json.field("is_active", variant.isActive).endObject();
}

void writeJson(JsonWriter& json, const ProductSummary& product) {
    json.beginObject();
    writeCommon(json, product);
    writeApproval(json, product);
    writeSupplier(json, product);
    json.endObject();
}

void writeJson(JsonWriter& json, const ProductDetail& product, Audience audience) {
    json.beginObject();
    writeCommon(json, product);
    json.field("description", product.description).field("min_order_qty", product.minOrderQty);
    json.field("color", product.color).field("stem_length", product.stemLength);
    json.field("country_of_origin", product.countryOfOrigin).field("vat_rate", product.vatRate);
    writeApproval(json, product);
    json.field("created_at", product.createdAt).field("updated_at", product.updatedAt);
    json.field("version", product.version).key("images").beginArray();
    for (const ProductImage& image : product.images)
        writeJson(json, image);
    json.endArray().key("variants").beginArray();
    for (const ProductVariant& variant : product.variants)
        writeJson(json, variant);
    json.endArray();
    if (audience == Audience::Operator)
        writeSupplier(json, product);
    json.endObject();
}

} // namespace supplierd
