#include "ImageUploadsService.h"

#include "ImageChange.h"

namespace supplierd::media {

std::unique_ptr<FetchedImages> ImageUploadsService::take(Database& database, std::int64_t supplierId,
                                                         std::int64_t productId, const std::string& name,
                                                         std::string bytes) {
    const auto present = database.read(
        [&](SqlSession& session) { return countOfLiveProduct(session, _products, supplierId, productId); });
    if (!present)
        throw noSuchProduct();
    if (*present >= ImageIngest::MAX_IMAGES)
        throw tooManyImages(*present);
    return _ingest.takeFile(supplierId, name, std::move(bytes));
}

std::vector<ProductImage> ImageUploadsService::add(Transaction& transaction, std::int64_t supplierId,
                                                   std::int64_t productId, FetchedImages& images, const Actor& actor) {
    return ImageChange(transaction, _products, _audit, supplierId, productId).add(images, actor);
}

} // namespace supplierd::media
