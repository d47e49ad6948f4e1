#pragma once

#include "ImageIngestService.h"

#include <supplierd/Request.h>

namespace supplierd::media {

/// The images of one product of the caller. Made per request. Each function throws ApiError: NotFound, Validation with
/// every problem, Unavailable.
class ImageRoutes {
public:
    ImageRoutes(Request& request, ImageIngestService& ingest)
        : _request(request),
          _ingest(ingest),
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

private:
    ImageRows rows(SqlSession& session) const { return {session, _supplierId, _productId}; }
    /// The distinct URLs fit into the product as it is now.
    std::vector<std::string> readUrls() const;
    /// Takes the lock and stamps the product.
    void touch(Transaction& transaction) const;
    Response answerWithAll(SqlSession& session) const;

    Request& _request;
    ImageIngestService& _ingest;
    std::int64_t _supplierId;
    std::int64_t _productId;
};

} // namespace supplierd::media
