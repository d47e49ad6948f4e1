#include "ImageIngestService.h"

#include <supplierd/Errors.h>

namespace supplierd::media {

ImageIngestService::ImageIngestService(const ImageIntake::Dependencies& dependencies)
    : _dependencies(dependencies),
      _limit(dependencies.settings.maxRequests, dependencies.settings.maxRequestsPerSupplier) {}

void ImageIngestService::open() {
    const std::lock_guard lock(_mutex);
    _intake.emplace(_dependencies);
}

void ImageIngestService::close() noexcept {
    {
        const std::shared_lock lock(_mutex);
        if (_intake)
            _intake->stop();
    }
    const std::lock_guard lock(_mutex);
    _intake.reset();
}

std::vector<std::string> ImageIngestService::split(std::string_view imageUrl) const {
    return splitUrls(imageUrl);
}

std::unique_ptr<FetchedImages> ImageIngestService::fetch(std::int64_t supplierId, std::span<const std::string> urls) {
    const ConcurrencyLimit::Pass pass(_limit, supplierId);
    const std::shared_lock lock(_mutex);
    if (!_intake)
        throw ApiError::unavailable("Images cannot be taken now");
    return _intake->take(supplierId, urls);
}

std::unique_ptr<FetchedImages> ImageIngestService::takeFile(std::int64_t supplierId, const std::string& name,
                                                            std::string bytes) {
    const ConcurrencyLimit::Pass pass(_limit, supplierId);
    const std::shared_lock lock(_mutex);
    if (!_intake)
        throw ApiError::unavailable("Images cannot be taken now");
    return _intake->takeFile(supplierId, name, std::move(bytes));
}

std::vector<ProductImage> ImageIngestService::imagesOf(SqlSession& session, std::int64_t productId) {
    return imagesOfProduct(session, productId);
}

std::vector<std::vector<ProductImage>> ImageIngestService::imagesOfAll(SqlSession& session,
                                                                       std::span<const std::int64_t> productIds) {
    return imagesOfProducts(session, productIds);
}

std::string_view ImageIngestService::column() const {
    return IMAGES_OF_P;
}

std::vector<ProductImage> ImageIngestService::fromColumn(std::string_view text) const {
    return imagesNamedIn(text);
}

std::vector<std::string> ImageIngestService::removeAll(Transaction& transaction, std::int64_t productId) {
    return ImageRows(transaction, _dependencies.products, 0, productId).removeAll();
}

void ImageIngestService::removeFiles(std::span<const std::string> keys) noexcept {
    try {
        for (const auto& key : keys)
            _dependencies.store.remove(key);
    } catch (const std::exception& failure) {
        _dependencies.log.warning("files of removed images are left to the janitor",
                                  {{"reason", std::string(failure.what())}});
    }
}

} // namespace supplierd::media
