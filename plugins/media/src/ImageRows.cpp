#include "ImageRows.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/internal/LastChange.h>
#include <supplierd/services/ChangeLog.h>

#include <Poco/NumberParser.h>
#include <Poco/StringTokenizer.h>

#include <stdexcept>
#include <unordered_map>

namespace supplierd::media {

namespace {

constexpr std::string_view LIST = R"(
SELECT id, file_key, thumbnail_key, is_primary FROM product_images WHERE product_id = ? ORDER BY position)";

// The number comes without images, too.
constexpr std::string_view IMAGES_BESIDE_NUMBER = R"( AS number
FROM (SELECT 1) one LEFT JOIN product_images i ON i.product_id = ? ORDER BY i.position)";

constexpr std::string_view LIST_OF_MANY = R"(
SELECT i.id, i.file_key, i.thumbnail_key, i.is_primary, i.product_id
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    STRAIGHT_JOIN product_images i ON i.product_id = t.id
ORDER BY i.product_id, i.position)";

constexpr std::string_view IS_PRIMARY = "SELECT is_primary FROM product_images WHERE product_id = ? AND id = ?";

constexpr std::string_view COUNT = "SELECT COUNT(*) FROM product_images WHERE product_id = ?";

constexpr std::string_view INSERT = R"(
INSERT INTO product_images
    (product_id, supplier_id, position, is_primary, type, width, height, bytes, thumbnail_bytes, file_key, thumbnail_key)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))";

constexpr std::string_view KEYS_OF_IMAGE = R"(
SELECT file_key, thumbnail_key FROM product_images WHERE product_id = ? AND id = ?)";

constexpr std::string_view KEYS_OF_PRODUCT = "SELECT file_key, thumbnail_key FROM product_images WHERE product_id = ?";

constexpr std::string_view DELETE_IMAGE = "DELETE FROM product_images WHERE product_id = ? AND id = ?";

constexpr std::string_view DELETE_ALL = "DELETE FROM product_images WHERE product_id = ?";

constexpr std::string_view PLACES = R"(
SELECT id, position, is_primary, file_key FROM product_images WHERE product_id = ? ORDER BY position)";

constexpr std::string_view SET_PLACE = "UPDATE product_images SET position = ? WHERE id = ?";

// A place has one image at any moment.
constexpr std::string_view CLEAR_PLACES = "UPDATE product_images SET position = -1 - position WHERE product_id = ?";
constexpr std::string_view SET_PLACES = R"(
UPDATE product_images i
    JOIN JSON_TABLE(?, '$[*]' COLUMNS (place FOR ORDINALITY, id BIGINT PATH '$')) t ON t.id = i.id
SET i.position = t.place - 1
WHERE i.product_id = ?)";

constexpr std::string_view CLEAR_PRIMARY = R"(
UPDATE product_images SET is_primary = 0 WHERE product_id = ? AND is_primary = 1)";

constexpr std::string_view SET_PRIMARY = "UPDATE product_images SET is_primary = 1 WHERE product_id = ? AND id = ?";

constexpr std::string_view FILE_OF_IMAGE = "SELECT file_key FROM product_images WHERE product_id = ? AND id = ?";

ProductImage imageOf(const Rows& row) {
    return {row.integer(0), pathOf(row.text(1)), pathOf(row.text(2)), row.boolean(3)};
}

std::size_t countRows(SqlSession& session, std::int64_t productId) {
    Rows& row = session.query(COUNT, {productId});
    return row.next() ? static_cast<std::size_t>(row.integer(0)) : 0;
}

} // namespace

std::optional<bool> ImageRows::isPrimary(std::int64_t imageId) {
    Rows& row = _transaction.query(IS_PRIMARY, {_productId, imageId});
    if (!row.next())
        return std::nullopt;
    return row.boolean(0);
}

bool ImageRows::touch() {
    return _products.noteImages(_transaction, _supplierId, _productId);
}

void ImageRows::requireRoomFor(std::size_t added) {
    const std::size_t present = countRows(_transaction, _productId);
    if (present + added > ImageIngest::MAX_IMAGES)
        throw tooManyImages(present);
}

void ImageRows::append(std::span<const NewImage> images) {
    const std::size_t before = countRows(_transaction, _productId);
    std::size_t place = before;
    for (const NewImage& image : images) {
        _transaction.execute(INSERT,
                             {_productId, _supplierId, place, place == 0, static_cast<int>(image.type), image.width,
                              image.height, image.bytes, image.thumbnailBytes, image.fileKey, image.thumbnailKey});
        ++place;
    }
    if (before == 0 && !images.empty())
        nameInProduct(images.front().fileKey);
}

std::vector<std::string> ImageRows::remove(std::int64_t imageId) {
    auto keys = keysOf(KEYS_OF_IMAGE, {_productId, imageId});
    if (keys.empty())
        return keys;
    _transaction.execute(DELETE_IMAGE, {_productId, imageId});
    putInOrder();
    return keys;
}

void ImageRows::makePrimary(std::int64_t imageId) {
    _transaction.execute(CLEAR_PRIMARY, {_productId});
    _transaction.execute(SET_PRIMARY, {_productId, imageId});
    std::string fileKey;
    {
        Rows& row = _transaction.query(FILE_OF_IMAGE, {_productId, imageId});
        if (!row.next())
            throw ApiError::notFound("Image not found");
        fileKey = row.text(0);
    }
    nameInProduct(fileKey);
}

void ImageRows::setOrder(std::span<const std::int64_t> imageIds) {
    _transaction.execute(CLEAR_PLACES, {_productId});
    _transaction.execute(SET_PLACES, {jsonArray(imageIds), _productId});
}

std::vector<std::string> ImageRows::removeAll() {
    auto keys = keysOf(KEYS_OF_PRODUCT, {_productId});
    _transaction.execute(DELETE_ALL, {_productId});
    nameInProduct(std::nullopt);
    return keys;
}

void ImageRows::putInOrder() {
    struct Place {
        std::int64_t id;
        std::int64_t position;
    };
    std::vector<Place> places;
    std::optional<std::int64_t> primary;
    std::string fileKey;
    {
        Rows& rows = _transaction.query(PLACES, {_productId});
        while (rows.next()) {
            places.push_back({rows.integer(0), rows.integer(1)});
            if (rows.boolean(2)) {
                primary = rows.integer(0);
                fileKey = rows.text(3);
            }
        }
    }
    for (std::size_t i = 0; i < places.size(); ++i)
        if (places[i].position != static_cast<std::int64_t>(i))
            _transaction.execute(SET_PLACE, {i, places[i].id});
    if (places.empty())
        nameInProduct(std::nullopt);
    else if (primary)
        nameInProduct(fileKey);
    else
        makePrimary(places.front().id);
}

std::vector<std::string> ImageRows::keysOf(std::string_view sql, std::initializer_list<SqlParam> params) {
    std::vector<std::string> keys;
    Rows& rows = _transaction.query(sql, params);
    while (rows.next()) {
        keys.emplace_back(rows.text(0));
        keys.emplace_back(rows.text(1));
    }
    return keys;
}

void ImageRows::nameInProduct(const std::optional<std::string>& fileKey) {
    _products.setPrimaryImage(_transaction, _productId, fileKey ? std::optional(pathOf(*fileKey)) : std::nullopt);
}

ApiError tooManyImages(std::size_t present) {
    std::string message = "a product has at most " + std::to_string(ImageIngest::MAX_IMAGES) + " images";
    if (present > 0)
        message += ", and this one has " + std::to_string(present);
    return ApiError::validation({{"image_url", "too_many", std::move(message)}});
}

std::string pathOf(std::string_view key) {
    return "/media/" + std::string(key);
}

std::vector<ProductImage> imagesOfProduct(SqlSession& session, std::int64_t productId) {
    std::vector<ProductImage> images;
    Rows& rows = session.query(LIST, {productId});
    while (rows.next())
        images.push_back(imageOf(rows));
    return images;
}

std::vector<ProductImage> imagesNamedIn(std::string_view text) {
    constexpr std::size_t WORDS = 4;
    const Poco::StringTokenizer words{std::string(text), " "};
    if (words.count() % WORDS != 0)
        throw std::invalid_argument("a text of " + std::to_string(words.count()) + " words names no images");
    std::vector<ProductImage> images;
    for (std::size_t i = 0; i < words.count(); i += WORDS) {
        Poco::Int64 id = 0;
        if (!Poco::NumberParser::tryParse64(words[i], id))
            throw std::invalid_argument("'" + words[i] + "' is no image's id");
        images.push_back({id, pathOf(words[i + 1]), pathOf(words[i + 2]), words[i + 3] == "1"});
    }
    return images;
}

ImagesAsOf imagesAsOf(SqlSession& session, std::int64_t supplierId, std::int64_t productId) {
    static const std::string SQL = std::string("SELECT i.id, i.file_key, i.thumbnail_key, i.is_primary, ")
                                       .append(LAST_CHANGE)
                                       .append(IMAGES_BESIDE_NUMBER);
    ImagesAsOf read;
    Rows& rows = session.query(SQL, {supplierId, productId});
    while (rows.next()) {
        read.number = rows.integer(4);
        if (!rows.isNull(0))
            read.images.push_back(imageOf(rows));
    }
    return read;
}

std::vector<std::vector<ProductImage>> imagesOfProducts(SqlSession& session, std::span<const std::int64_t> productIds) {
    std::unordered_map<std::int64_t, std::size_t> places;
    for (std::size_t i = 0; i < productIds.size(); ++i)
        places.emplace(productIds[i], i);
    std::vector<std::vector<ProductImage>> images(productIds.size());
    Rows& rows = session.query(LIST_OF_MANY, {jsonArray(productIds)});
    while (rows.next())
        images[places.at(rows.integer(4))].push_back(imageOf(rows));
    return images;
}

std::optional<std::size_t> countOfLiveProduct(SqlSession& session, ProductImages& products, std::int64_t supplierId,
                                              std::int64_t productId) {
    const std::size_t count = countRows(session, productId);
    return products.products().offer(session, supplierId, productId) ? std::optional(count) : std::nullopt;
}

std::optional<ImagesAsOf> imagesOfLiveProduct(SqlSession& session, ProductImages& products, std::int64_t supplierId,
                                              std::int64_t productId) {
    std::optional images = imagesAsOf(session, supplierId, productId);
    // A product that is there now was there before, and had those.
    if (!products.products().offer(session, supplierId, productId))
        images.reset();
    return images;
}

} // namespace supplierd::media
