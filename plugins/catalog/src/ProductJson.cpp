#include "ProductJson.h"

#include "ProductTerms.h"

namespace supplierd::catalog {

void readSummary(const Rows& row, bool withImages, ProductSummary& product) {
    product.id = row.integer(column::Id);
    product.name = row.text(column::Name);
    product.sku = row.maybeText(column::Sku);
    product.type = termAt(TYPES, row.integer(column::Type));
    product.basePrice = row.decimal(column::BasePrice);
    product.unit = termAt(PRODUCT_UNITS, row.integer(column::Unit));
    product.stockQty = row.integer(column::StockQty);
    product.stockStatus = stockStatus(product.stockQty, row.integer(column::MinOrderQty));
    product.isActive = row.boolean(column::IsActive);
    product.approval = termAt(APPROVALS, row.integer(column::Approval));
    product.categoryId = row.integer(column::CategoryId);
    product.categoryName = row.text(column::CategoryName);
    if (withImages)
        product.primaryImage = row.maybeText(column::PrimaryImage);
}

void writeListFields(JsonWriter& json, const Rows& row, bool withImages) {
    const std::int64_t stock = row.integer(column::StockQty);
    json.field("id", row.integer(column::Id));
    json.field("name", row.text(column::Name));
    json.key("sku");
    if (row.isNull(column::Sku))
        json.null();
    else
        json.value(row.text(column::Sku));
    json.field("type", termAt(TYPES, row.integer(column::Type)));
    json.field("base_price", row.decimal(column::BasePrice));
    json.field("unit", termAt(PRODUCT_UNITS, row.integer(column::Unit)));
    json.field("stock_qty", stock);
    json.field("stock_status", stockStatus(stock, row.integer(column::MinOrderQty)));
    json.field("is_active", row.boolean(column::IsActive));
    json.field("is_approved", static_cast<Approval>(row.integer(column::Approval)) == Approval::Approved);
    json.key("category").beginObject();
    json.field("id", row.integer(column::CategoryId)).field("name", row.text(column::CategoryName)).endObject();
    json.key("primary_image");
    if (!withImages || row.isNull(column::PrimaryImage))
        json.null();
    else
        json.value(row.text(column::PrimaryImage));
}

} // namespace supplierd::catalog
