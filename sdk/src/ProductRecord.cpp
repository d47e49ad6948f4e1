#include <supplierd/internal/ImageIngest.h>
#include <supplierd/internal/ProductUnits.h>
#include <supplierd/services/ProductOffer.h>
#include <supplierd/services/ProductRecord.h>

namespace supplierd {

std::span<const std::string_view> productUnits() {
    return PRODUCT_UNITS;
}

void writeJson(JsonWriter& json, const ProductRecord& product, Audience audience) {
    if (audience != Audience::Operator) {
        json.raw(product.json);
        return;
    }
    std::string text = product.json;
    text.back() = ',';
    JsonWriter more(text);
    more.key("supplier").beginObject();
    more.field("id", product.supplierId).field("name", product.supplierName).endObject().endObject();
    json.raw(text);
}

void writeJson(JsonWriter& json, const ProductImage& image) {
    json.beginObject();
    json.field("id", image.id).field("url", image.url).field("thumbnail_url", image.thumbnailUrl);
    json.field("is_primary", image.isPrimary).endObject();
}

} // namespace supplierd
