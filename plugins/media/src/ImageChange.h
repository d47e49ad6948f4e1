#pragma once

#include "ImageRows.h"

#include <supplierd/services/AuditLog.h>

#include <vector>

namespace supplierd::media {

/// A change of the images of one product: the lock and the stamp before, the audit entry after. Thread: one. Lifetime:
/// the transaction's. Each function throws ApiError (NotFound) when the supplier has no such live product.
class ImageChange {
public:
    ImageChange(Transaction& transaction, ProductImages& products, AuditLog& audit, std::int64_t supplierId,
                std::int64_t productId)
        : _transaction(transaction),
          _products(products),
          _audit(audit),
          _supplierId(supplierId),
          _productId(productId) {}

    /// Takes the lock and stamps the product, whose images it returns.
    std::vector<ProductImage> begin();
    /// Writes into the audit log what became of `before`; what the product has now.
    std::vector<ProductImage> record(const std::vector<ProductImage>& before, const Actor& actor);
    /// All of it, for images that were taken.
    std::vector<ProductImage> add(FetchedImages& images, const Actor& actor);

private:
    Transaction& _transaction;
    ProductImages& _products;
    AuditLog& _audit;
    std::int64_t _supplierId;
    std::int64_t _productId;
};

ApiError noSuchProduct();

} // namespace supplierd::media
