#include "ImageRoutes.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/Validation.h>
#include <supplierd/services/ChangeLog.h>

#include <algorithm>
#include <set>

namespace supplierd::media {

namespace {

constexpr std::string_view FIELD = "image_url";
constexpr std::string_view IDS = "image_ids";
// Ten of the longest URLs that are accepted, with what may stand between them.
constexpr std::size_t MAX_CODE_POINTS = 32'768;

ApiError noSuchImage() {
    return ApiError::notFound("Image not found");
}

void writeImages(JsonWriter& json, const std::vector<ProductImage>& images) {
    json.key("images").beginArray();
    for (const ProductImage& image : images)
        writeJson(json, image);
    json.endArray();
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

std::vector<std::int64_t> idsOf(const std::vector<ProductImage>& images) {
    std::vector<std::int64_t> ids;
    for (const ProductImage& image : images)
        ids.push_back(image.id);
    return ids;
}

/// Each id stands there once.
void requireAllOf(const std::vector<ProductImage>& images, const std::vector<std::int64_t>& wanted) {
    const std::vector<std::int64_t> present = idsOf(images);
    for (const std::int64_t id : wanted)
        if (std::find(present.begin(), present.end(), id) == present.end())
            throw noSuchImage();
    for (const std::int64_t id : present)
        if (std::find(wanted.begin(), wanted.end(), id) == wanted.end())
            throw ApiError::validation(
                {{std::string(IDS), "required",
                  "image_ids must name all images of the product; " + std::to_string(id) + " is missing"}});
}

} // namespace

Response ImageRoutes::list() {
    const auto images = _request.database().read(
        [&](SqlSession& session) { return imagesOfLiveProduct(session, _products, _supplierId, _productId); });
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
        const std::vector<ProductImage> after = change(transaction).add(*fetched, actorOf(_request));
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
        ImageChange edit = change(transaction);
        const std::vector<ProductImage> before = edit.begin();
        keys = rows(transaction).remove(imageId);
        if (keys.empty())
            throw noSuchImage();
        return answerWith(edit.record(before, actorOf(_request)));
    });
    _ingest.removeFiles(keys);
    return response;
}

Response ImageRoutes::makePrimary() {
    const std::int64_t imageId = _request.pathInteger("image_id");
    return _request.transact([&](Transaction& transaction) {
        ImageRows images = rows(transaction);
        if (!_products.products().offer(transaction, _supplierId, _productId))
            throw noSuchProduct();
        const auto before = images.isPrimary(imageId);
        if (!before)
            throw noSuchImage();
        if (*before)
            return answerWith(imagesAsOf(transaction, _supplierId, _productId));
        ImageChange edit = change(transaction);
        const std::vector<ProductImage> were = edit.begin();
        if (!images.isPrimary(imageId)) // until the lock it could go
            throw noSuchImage();
        images.makePrimary(imageId);
        return answerWith(edit.record(were, actorOf(_request)));
    });
}

Response ImageRoutes::setOrder() {
    const std::vector<std::int64_t> wanted = readOrder();
    return _request.transact([&](Transaction& transaction) {
        if (!_products.products().offer(transaction, _supplierId, _productId))
            throw noSuchProduct();
        const ImagesAsOf present = imagesAsOf(transaction, _supplierId, _productId);
        if (idsOf(present.images) == wanted)
            return answerWith(present);
        ImageChange edit = change(transaction);
        const std::vector<ProductImage> before = edit.begin();
        requireAllOf(before, wanted);
        rows(transaction).setOrder(wanted);
        return answerWith(edit.record(before, actorOf(_request)));
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
        [&](SqlSession& session) { return countOfLiveProduct(session, _products, _supplierId, _productId); });
    if (!present)
        throw noSuchProduct(); // whatever the body says
    details.throwIfAny();
    const std::size_t distinct = std::set<std::string_view>(urls.begin(), urls.end()).size();
    if (*present + distinct > ImageIngest::MAX_IMAGES)
        throw tooManyImages(*present);
    return urls;
}

std::vector<std::int64_t> ImageRoutes::readOrder() const {
    Details details;
    std::vector<std::int64_t> ids;
    if (const auto given = ObjectReader(_request.body(), details).array(IDS, ImageIngest::MAX_IMAGES, true)) {
        std::size_t index = 0;
        for (const JsonValue value : *given) {
            const std::string field = std::string(IDS) + "[" + std::to_string(index++) + "]";
            if (!value.isInteger() || value.integer() < 1)
                details.add(field, "type", field + " must be an image's id");
            else if (std::find(ids.begin(), ids.end(), value.integer()) != ids.end())
                details.add(field, "duplicate", field + " names an image for the second time");
            else
                ids.push_back(value.integer());
        }
    }
    details.throwIfAny();
    return ids;
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
    response.addHeader(std::string(CHANGE_SEQ_HEADER), std::to_string(read.number));
    return response;
}

} // namespace supplierd::media
