#include "ImageChange.h"

#include <supplierd/JsonWriter.h>

#include <optional>
#include <string>

namespace supplierd::media {

namespace {

/// As the plugin `catalog` writes them for the images of a create or an update.
std::string auditedImages(const std::vector<ProductImage>& images) {
    std::string text;
    std::optional<std::int64_t> primary;
    JsonWriter json(text);
    json.beginObject().key("images").beginArray();
    for (const ProductImage& image : images) {
        json.value(image.id);
        if (image.isPrimary)
            primary = image.id;
    }
    json.endArray().field("primary_image", primary).endObject();
    return text;
}

} // namespace

ApiError noSuchProduct() {
    return ApiError::notFound("Product not found");
}

std::vector<ProductImage> ImageChange::begin() {
    if (!ImageRows(_transaction, _products, _supplierId, _productId).touch())
        throw noSuchProduct();
    return imagesOfProduct(_transaction, _productId);
}

std::vector<ProductImage> ImageChange::record(const std::vector<ProductImage>& before, const Actor& actor) {
    std::vector<ProductImage> after = imagesOfProduct(_transaction, _productId);
    AuditEntry entry = auditEntry(actor, "product", "update", _productId, _supplierId);
    entry.before = auditedImages(before);
    entry.after = auditedImages(after);
    _audit.record(_transaction, entry);
    return after;
}

std::vector<ProductImage> ImageChange::add(FetchedImages& images, const Actor& actor) {
    const std::vector<ProductImage> before = begin();
    images.add(_transaction, _productId);
    return record(before, actor);
}

} // namespace supplierd::media
