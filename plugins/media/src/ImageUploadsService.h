#pragma once

#include "ImageIngestService.h"

#include <supplierd/internal/ImageUploads.h>
#include <supplierd/services/AuditLog.h>

namespace supplierd::media {

/// The service ImageUploads. Thread: any.
class ImageUploadsService final : public ImageUploads {
public:
    ImageUploadsService(ImageIngestService& ingest, ProductImages& products, AuditLog& audit)
        : _ingest(ingest), _products(products), _audit(audit) {}

    std::unique_ptr<FetchedImages> take(Database& database, std::int64_t supplierId, std::int64_t productId,
                                        const std::string& name, std::string bytes) override;
    std::vector<ProductImage> add(Transaction& transaction, std::int64_t supplierId, std::int64_t productId,
                                  FetchedImages& images, const Actor& actor) override;

private:
    ImageIngestService& _ingest;
    ProductImages& _products;
    AuditLog& _audit;
};

} // namespace supplierd::media
