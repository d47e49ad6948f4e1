#pragma once

#include "ImageRows.h"
#include "MediaStore.h"

#include <supplierd/Log.h>
#include <supplierd/internal/ImageIngest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace supplierd::media {

/// The images of one request between the store and the database. While they are collected (put(), refuse()) from
/// several threads; afterwards as FetchedImages says.
class StoredImages final : public FetchedImages {
public:
    struct Context {
        MediaStore& store;
        ProductImages& products;
        Logger& log;
        std::int64_t supplierId;
        /// So long after the first file was stored no product gets the images any more: the janitor would soon take
        /// the files for forgotten ones.
        std::chrono::milliseconds usableFor;
    };

    explicit StoredImages(const Context& context) : _context(context) {}
    ~StoredImages() override;
    StoredImages(const StoredImages&) = delete;
    StoredImages& operator=(const StoredImages&) = delete;

    /// The image of the URL at `index`; its keys are set here. Throws MediaStoreError.
    void put(std::size_t index, NewImage image, std::string_view original, std::string_view thumbnail);
    void refuse(ImageError error);

    std::size_t count() const override { return _images.size(); }
    std::span<const ImageError> errors() const override { return _errors; }
    void add(Transaction& transaction, std::int64_t productId) override;

    /// Of all files.
    std::uint64_t bytes() const;

private:
    const Context _context;
    std::mutex _mutex;
    std::map<std::size_t, NewImage> _images; ///< by index
    std::vector<ImageError> _errors;         ///< by index
    std::optional<std::chrono::steady_clock::time_point> _storedSince;
    bool _isGivenAway = false;
};

} // namespace supplierd::media
