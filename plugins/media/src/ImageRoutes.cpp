#include "ImageRoutes.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/Validation.h>
#include <supplierd/services/ChangeLog.h>

#include <set>

namespace supplierd::media {

namespace {

constexpr std::string_view FIELD = "image_url";
// Ten of the longest URLs that are accepted, with what may stand between them.
constexpr std::size_t MAX_CODE_POINTS = 32'768;

ApiError noSuchProduct() {
    return ApiError::notFound("Product not found");
}

ApiError noSuchImage() {
    return ApiError::notFound("Image not found");
}

void writeImages(JsonWriter& json, const std::vector<ProductImage>& images) {
    json.key("images").beginArray();
    for (const ProductImage& image : images)
        json.beginObject()
            .field("id", image.id)
            .field("url", image.url)
            .field("thumbnail_url", image.thumbnailUrl)
            .field("is_primary", image.isPrimary)
            .endObject();
    json.endArray();
}

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

void writeErrors(JsonWriter& json, std::span<const ImageError> errors) {
    json.key("errors").beginArray();
    for (const ImageError& error : errors)
        json.beginObject()
            .field("index", error.index)
            .field("url", error.url)
            .field("code", error.code)
            .field("error", error.error)
            .endObject();
    json.endArray();
}

/// The entry of `errors`, and of `details` at once.
Detail detailOf(const ImageError& error) {
    Detail detail{std::string(FIELD), error.code, error.error};
    std::string url;
    std::string text;
    appendJsonString(url, error.url);
    appendJsonString(text, error.error);
    detail.members = {{"index", std::to_string(error.index)}, {"url", std::move(url)}, {"error", std::move(text)}};
    return detail;
}

ApiError nothingTaken(std::span<const ImageError> errors) {
    std::vector<Detail> details;
    for (const ImageError& error : errors)
        details.push_back(detailOf(error));
    return ApiError::validation(std::move(details));
}

} // namespace

Response ImageRoutes::list() {
    const auto images = _request.database().read(
        [&](SqlSession& session) { return imagesOfLiveProduct(session, _primaryImages, _supplierId, _productId); });
    if (!images)
        throw noSuchProduct();
    return answerWith(*images);
}

Response ImageRoutes::add() {
    const auto urls = readUrls();
    const auto fetched = _ingest.fetch(_supplierId, urls);
    if (fetched->count() == 0)
        throw nothingTaken(fetched->errors());
    return _request.transact([&](Transaction& transaction) {
        const std::vector<ProductImage> before = touch(transaction);
        fetched->add(transaction, _productId);
        const std::vector<ProductImage> after = imagesOfProduct(transaction, _productId);
        record(transaction, before, after);
        Response response = _request.reply(201);
        JsonWriter json(response.data);
        json.beginObject();
        writeImages(json, after);
        json.field("added", fetched->count()).field("failed", fetched->errors().size());
        writeErrors(json, fetched->errors());
        json.endObject();
        return response;
    });
}

Response ImageRoutes::remove() {
    const std::int64_t imageId = _request.pathInteger("image_id");
    std::vector<std::string> keys;
    Response response = _request.transact([&](Transaction& transaction) {
        const std::vector<ProductImage> before = touch(transaction);
        keys = rows(transaction).remove(imageId);
        if (keys.empty())
            throw noSuchImage();
        const std::vector<ProductImage> after = imagesOfProduct(transaction, _productId);
        record(transaction, before, after);
        return answerWith(after);
    });
    _ingest.removeFiles(keys);
    return response;
}

Response ImageRoutes::makePrimary() {
    const std::int64_t imageId = _request.pathInteger("image_id");
    return _request.transact([&](Transaction& transaction) {
        ImageRows images = rows(transaction);
        if (!_primaryImages.isLive(transaction, _supplierId, _productId))
            throw noSuchProduct();
        const auto before = images.isPrimary(imageId);
        if (!before)
            throw noSuchImage();
        if (*before)
            return answerWith(imagesAsOf(transaction, _supplierId, _productId));
        const std::vector<ProductImage> were = touch(transaction);
        if (!images.isPrimary(imageId)) // until the lock it could go
            throw noSuchImage();
        images.makePrimary(imageId);
        const std::vector<ProductImage> are = imagesOfProduct(transaction, _productId);
        record(transaction, were, are);
        return answerWith(are);
    });
}

std::vector<std::string> ImageRoutes::readUrls() const {
    Details details;
    std::vector<std::string> urls;
    const auto given = ObjectReader(_request.body(), details).text(FIELD, {MAX_CODE_POINTS, true, true});
    if (given.hasValue()) {
        urls = _ingest.split(*given.value);
        if (urls.empty())
            details.add(std::string(FIELD), "required", "image_url must hold a URL");
    }
    const auto present = _request.database().read(
        [&](SqlSession& session) { return countOfLiveProduct(session, _primaryImages, _supplierId, _productId); });
    if (!present)
        throw noSuchProduct(); // whatever the body says
    details.throwIfAny();
    const std::size_t distinct = std::set<std::string_view>(urls.begin(), urls.end()).size();
    if (*present + distinct > ImageIngest::MAX_IMAGES)
        throw tooManyImages(*present);
    return urls;
}

std::vector<ProductImage> ImageRoutes::touch(Transaction& transaction) const {
    if (!rows(transaction).touch())
        throw noSuchProduct();
    return imagesOfProduct(transaction, _productId);
}

void ImageRoutes::record(Transaction& transaction, const std::vector<ProductImage>& before,
                         const std::vector<ProductImage>& after) const {
    AuditEntry entry = auditEntry(actorOf(_request), "product", "update", _productId, _supplierId);
    entry.before = auditedImages(before);
    entry.after = auditedImages(after);
    _audit.record(transaction, entry);
}

Response ImageRoutes::answerWith(const std::vector<ProductImage>& images) const {
    Response response = _request.reply();
    JsonWriter json(response.data);
    json.beginObject();
    writeImages(json, images);
    json.endObject();
    return response;
}

/// What nobody changed.
Response ImageRoutes::answerWith(const ImagesAsOf& read) const {
    Response response = answerWith(read.images);
    response.header(std::string(CHANGE_SEQ_HEADER), std::to_string(read.number));
    return response;
}

} // namespace supplierd::media
