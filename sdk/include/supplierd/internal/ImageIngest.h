#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>
#include <supplierd/JsonWriter.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

/// An image of a product, as the API shows it. Both paths are relative to the server's root. Since 1.0.
struct SUPPLIERD_API ProductImage {
    std::int64_t id = 0;
    std::string url;
    std::string thumbnailUrl;
    bool isPrimary = false;
    Reserved reserved = {};
};

/// What the API shows, as a value.
SUPPLIERD_API void writeJson(JsonWriter& json, const ProductImage& image);

/// Why one URL gave no image. `index` counts the URLs of the request from 0; `code` is for programs ("dns", "address",
/// "too_large", ...), `error` for people. Since 1.0.
struct SUPPLIERD_API ImageError {
    std::size_t index = 0;
    std::string url;
    std::string code;
    std::string error;
    Reserved reserved = {};
};

/// Images that were fetched, checked and stored, and that no product has yet. Destroying it removes those files that
/// add() was never called for; once it was, they stay, since only the database knows whether they are in use (the
/// janitor asks it). Thread: one at a time. Lifetime: ends before the plugin that made it stops. Since 1.0.
class SUPPLIERD_API FetchedImages {
public:
    virtual ~FetchedImages() = default;

    virtual std::size_t count() const = 0;
    /// One for each URL that gave no image, by index.
    virtual std::span<const ImageError> errors() const = 0;

    /// Gives the images to a live product, behind those it has; the first of a product becomes its primary image
    /// (`products.primary_image` is set too). The transaction has the supplier's Change; the caller stamps the product
    /// and notes it. May be called again when the transaction is repeated. Throws DatabaseError, and ApiError
    /// (Validation, `too_many`) when the product would have more than ImageIngest::MAX_IMAGES.
    virtual void add(Transaction& transaction, std::int64_t productId) = 0;
};

/// The images of products, for the plugin that has the products. Offered by the plugin `media`, which needs `catalog`:
/// look it up in Plugin::ready(), not in start(). Thread: any. Since 1.0.
class SUPPLIERD_API ImageIngest {
public:
    static constexpr std::string_view ID = "supplierd.image-ingest/1";
    static constexpr std::size_t MAX_IMAGES = 10;

    /// The URLs in a field `image_url`: parts between semicolons, trimmed, without empty ones; duplicates are kept,
    /// and fetched once. No URL is judged here.
    virtual std::vector<std::string> split(std::string_view imageUrl) const = 0;

    /// Fetches all URLs in parallel, checks and stores what they give. Takes up to the configured deadline of a
    /// request; call it outside any transaction. An URL that gives no image is among errors(). Throws ApiError
    /// (Unavailable) when the server cannot take images now.
    virtual std::unique_ptr<FetchedImages> fetch(std::int64_t supplierId, std::span<const std::string> urls) = 0;

    /// In their order, the primary one marked. One statement.
    virtual std::vector<ProductImage> imagesOf(SqlSession& session, std::int64_t productId) = 0;

    /// The same for each of the products, in their order. One statement.
    virtual std::vector<std::vector<ProductImage>> imagesOfAll(SqlSession& session,
                                                               std::span<const std::int64_t> productIds) = 0;

    /// For a statement of one's own that reads products `p`: an expression that gives the images of each as one text.
    /// It is NULL where a product has none. Lifetime: the program's.
    virtual std::string_view column() const = 0;
    /// The images that such a text names, as imagesOf() gives them. Throws std::invalid_argument for another text.
    virtual std::vector<ProductImage> fromColumn(std::string_view text) const = 0;

    /// Removes all images of a product from the database, in the transaction that deletes the product. Hand what it
    /// returns to removeFiles() once that has committed. Throws DatabaseError.
    virtual std::vector<std::string> removeAll(Transaction& transaction, std::int64_t productId) = 0;
    /// What cannot be removed now is left to the janitor.
    virtual void removeFiles(std::span<const std::string> keys) noexcept = 0;

protected:
    ~ImageIngest() = default;
};

} // namespace supplierd
