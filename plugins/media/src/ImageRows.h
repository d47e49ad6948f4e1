#pragma once

#include "shared/ImageType.h"

#include <supplierd/Database.h>
#include <supplierd/Errors.h>
#include <supplierd/internal/ImageIngest.h>
#include <supplierd/internal/ProductImages.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::media {

/// An image whose files are stored and that no product has yet.
struct NewImage {
    ImageType type = ImageType::Jpeg;
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint64_t bytes = 0;
    std::uint64_t thumbnailBytes = 0;
    std::string fileKey;
    std::string thumbnailKey;
};

/// The images of one product in the database. What changes them needs the lock of the supplier's catalog; none of it
/// stamps the product, touch() does. Thread: one. Lifetime: the transaction's.
class ImageRows {
public:
    ImageRows(Transaction& transaction, ProductImages& products, std::int64_t supplierId, std::int64_t productId)
        : _transaction(transaction), _products(products), _supplierId(supplierId), _productId(productId) {}

    /// Whether the image is the primary one; nothing when the product has no such image.
    std::optional<bool> isPrimary(std::int64_t imageId);

    /// Takes the lock of the catalog and stamps the live product as changed; false when there is none.
    bool touch();
    /// Throws ApiError (Validation, `too_many`).
    void requireRoomFor(std::size_t added);
    /// Behind those there are, for which there must be room; the first of all becomes the primary one.
    void append(std::span<const NewImage> images);
    /// Makes the next one primary when this one was. The keys of its files; none when the product has no such image.
    std::vector<std::string> remove(std::int64_t imageId);
    void makePrimary(std::int64_t imageId);
    /// All of the product's images, each once.
    void setOrder(std::span<const std::int64_t> imageIds);
    /// The keys of their files.
    std::vector<std::string> removeAll();

    /// No gaps between places, one primary image, and the catalog names it.
    void putInOrder();

private:
    std::vector<std::string> keysOf(std::string_view sql, std::initializer_list<SqlParam> params);
    void nameInProduct(const std::optional<std::string>& fileKey);

    Transaction& _transaction;
    ProductImages& _products;
    std::int64_t _supplierId;
    std::int64_t _productId;
};

/// For a product that has so many images already.
ApiError tooManyImages(std::size_t present);

/// `/media/` and the key.
std::string pathOf(std::string_view key);

struct ImagesAsOf {
    std::vector<ProductImage> images;
    /// The number of the supplier's last change: they are as of that.
    std::int64_t number = 0;
};

/// In their order. One statement, as with the number.
std::vector<ProductImage> imagesOfProduct(SqlSession& session, std::int64_t productId);
ImagesAsOf imagesAsOf(SqlSession& session, std::int64_t supplierId, std::int64_t productId);
/// The same for each of them, in their order.
std::vector<std::vector<ProductImage>> imagesOfProducts(SqlSession& session, std::span<const std::int64_t> productIds);

/// Of products `p` in a statement of somebody else's: their images as one text, NULL where there are none.
inline constexpr std::string_view IMAGES_OF_P = R"((
    SELECT GROUP_CONCAT(i.id, ' ', i.file_key, ' ', i.thumbnail_key, ' ', i.is_primary ORDER BY i.position SEPARATOR ' ')
    FROM product_images i WHERE i.product_id = p.id))";
/// What such a text names. Throws std::invalid_argument.
std::vector<ProductImage> imagesNamedIn(std::string_view text);

/// How many a product has, and which; nothing when the supplier has no such live product. Two statements.
std::optional<std::size_t> countOfLiveProduct(SqlSession& session, ProductImages& products, std::int64_t supplierId,
                                              std::int64_t productId);
std::optional<ImagesAsOf> imagesOfLiveProduct(SqlSession& session, ProductImages& products, std::int64_t supplierId,
                                              std::int64_t productId);

} // namespace supplierd::media
