#include "ProductInput.h"

#include "FieldReader.h"
#include "RequestedImages.h"

namespace supplierd::catalog {

namespace {

constexpr std::size_t MAX_IMAGE_URL = 32'768; // ten of the longest URLs that the media plugin takes, and blanks

std::vector<std::string> readImageUrls(ObjectReader& reader, const ImageIngest* images) {
    const Field<std::string> text = reader.text("image_url", {MAX_IMAGE_URL});
    if (!text.hasValue())
        return {};
    if (images == nullptr) {
        reader.details().add("image_url", "unsupported",
                             "image_url is not supported: the media plugin is not enabled on this server");
        return {};
    }
    std::vector<std::string> urls = images->split(*text.value);
    if (const std::size_t count = RequestedImages::countOf(urls); count > ImageIngest::MAX_IMAGES) {
        reader.details().add("image_url", "too_many",
                             "image_url has " + std::to_string(count) + " URLs; a product has at most " +
                                 std::to_string(ImageIngest::MAX_IMAGES) + " images");
        return {};
    }
    return urls;
}

} // namespace

ProductInput ProductInput::read(const JsonObject& body, Purpose purpose, const ImageIngest* images, Details& details) {
    const bool creating = purpose == Purpose::Create;
    ObjectReader reader(body, details);
    ProductInput input;
    input.values = readFields<ProductValues>(reader, PRODUCT_FIELDS, creating);
    input.imageUrls = readImageUrls(reader, images);
    input.variants = VariantInput::readAll(reader, creating);
    return input;
}

} // namespace supplierd::catalog
