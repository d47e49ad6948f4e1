#include "library/StoredImages.h"

#include <supplierd/Errors.h>

#include <algorithm>
#include <array>

namespace supplierd::media {

StoredImages::~StoredImages() {
    if (_isGivenAway)
        return;
    try {
        for (const auto& [index, image] : _images) {
            _context.store.remove(image.fileKey);
            _context.store.remove(image.thumbnailKey);
        }
    } catch (const MediaStoreError& failure) {
        _context.log.warning("files of images that no product got are left to the janitor",
                             {{"reason", std::string(failure.what())}});
    }
}

void StoredImages::put(std::size_t index, NewImage image, std::string_view original, std::string_view thumbnail) {
    const auto now = std::chrono::steady_clock::now();
    const std::array contents{MediaContent{original, image.type},
                              MediaContent{thumbnail, imageTypeOf(thumbnail).value_or(image.type)}};
    auto keys = _context.store.put(contents);
    const std::lock_guard lock(_mutex);
    image.fileKey = std::move(keys.at(0));
    image.thumbnailKey = std::move(keys.at(1));
    image.bytes = original.size();
    image.thumbnailBytes = thumbnail.size();
    _images.emplace(index, std::move(image));
    _storedSince = std::min(_storedSince.value_or(now), now);
}

void StoredImages::refuse(ImageError error) {
    const std::lock_guard lock(_mutex);
    const auto place = std::upper_bound(_errors.begin(), _errors.end(), error.index,
                                        [](std::size_t index, const ImageError& other) { return index < other.index; });
    _errors.insert(place, std::move(error));
}

void StoredImages::add(Transaction& transaction, std::int64_t productId) {
    if (_images.empty())
        return;
    if (std::chrono::steady_clock::now() - *_storedSince > _context.usableFor)
        throw ApiError::unavailable("Storing the images took too long; try again");
    std::vector<NewImage> images;
    for (const auto& [index, image] : _images)
        images.push_back(image);
    ImageRows rows(transaction, _context.products, _context.supplierId, productId);
    rows.requireRoomFor(images.size());
    _isGivenAway = true;
    rows.append(images);
}

std::uint64_t StoredImages::bytes() const {
    std::uint64_t sum = 0;
    for (const auto& [index, image] : _images)
        sum += image.bytes + image.thumbnailBytes;
    return sum;
}

} // namespace supplierd::media
