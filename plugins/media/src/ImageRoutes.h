#pragma once

#include "ImageChange.h"
#include "ImageIngestService.h"

#include <supplierd/Request.h>
#include <supplierd/services/AuditLog.h>

#include <vector>

namespace supplierd::media {

/// The images of one product of the caller. Made per request. Each function throws ApiError: NotFound, Validation with
/// every problem, Unavailable.
class ImageRoutes {
public:
    ImageRoutes(Request& request, ImageIngestService& ingest, ProductImages& products, AuditLog& audit)
        : _request(request),
          _ingest(ingest),
          _products(products),
          _audit(audit),
          _supplierId(request.principal().supplierId),
          _productId(request.pathInteger("id")) {}

    /// GET /products/{id}/images
    Response list();
    /// POST /products/{id}/images
    Response add();
    /// POST /products/{id}/images/{imageId}/delete
    Response remove();
    /// POST /products/{id}/images/{imageId}/primary
    Response makePrimary();
    /// POST /products/{id}/images/order
    Response setOrder();

private:
    ImageRows rows(Transaction& transaction) const { return {transaction, _products, _supplierId, _productId}; }
    ImageChange change(Transaction& transaction) const {
        return {transaction, _products, _audit, _supplierId, _productId};
    }
    /// The distinct URLs fit into the product as it is now.
    std::vector<std::string> readUrls() const;
    std::vector<std::int64_t> readOrder() const;
    Response answerWith(const std::vector<ProductImage>& images) const;
    Response answerWith(const ImagesAsOf& read) const;

    Request& _request;
    ImageIngestService& _ingest;
    ProductImages& _products;
    AuditLog& _audit;
    std::int64_t _supplierId;
    std::int64_t _productId;
};

} // namespace supplierd::media
