#pragma once

#include "ProductChanges.h"
#include "ProductInput.h"
#include "RequestedImages.h"
#include "SkuRegister.h"

#include <supplierd/CategoryTree.h>
#include <supplierd/Request.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::catalog {

/// POST /products, POST /products/{id} and POST /products/{id}/delete. Each takes the lock of the supplier's catalogue
/// first, so what it then reads stays as it is until it commits. Images are fetched before, outside the transaction,
/// and only for a product that would not be refused as things are. Made per request.
class ProductWriter {
public:
    /// `images` is null when products have none here.
    ProductWriter(Request& request, ImageIngest* images, CategoryTree& categories, AuditLog& audit)
        : _request(request),
          _images(images),
          _categories(categories),
          _audit(audit),
          _supplierId(request.principal().supplierId) {}

    /// Each throws ApiError: Validation with every problem, NotFound, PreconditionFailed.
    Response create();
    Response update();
    Response remove();

private:
    struct Current {
        std::int64_t version = 0;
        StoredProduct fields;
    };

    /// Each throws NotFound, and PreconditionFailed when If-Match names another version. look() waits for nobody: who
    /// only says what is wrong with a request has no place at the catalogue, and must not wait on a session for those
    /// who have.
    Current look(SqlSession& session, std::int64_t productId) const;
    Current lock(Transaction& transaction, std::int64_t productId) const;
    Current currentOf(Rows& row) const;
    /// What only the database knows: the category, the variants' ids, SKUs in use.
    void findProblems(SqlSession& session, const ProductInput& input, std::int64_t productId,
                      const std::optional<std::string>& currentSku, Details& details) const;
    /// Ends a request whose body is wrong, with the problems that the database knows beside the body's own.
    void throwWithAllProblems(const ProductInput& input, std::int64_t productId, const Details& details) const;

    /// Throws what the transaction would throw as things are: problems, NotFound, PreconditionFailed.
    void refuseBeforeFetching(const ProductInput& input, std::int64_t productId) const;

    std::int64_t insert(Transaction& transaction, const ProductInput& input, std::int64_t seq) const;
    void change(Transaction& transaction, const ProductInput& input, std::int64_t productId, std::int64_t seq) const;
    void addImages(Transaction& transaction, RequestedImages& images, std::int64_t productId,
                   ProductChanges& changes) const;
    void record(Transaction& transaction, ProductChanges& changes, std::string_view verb, std::int64_t productId) const;
    Response answer(SqlSession& session, std::int64_t productId, const RequestedImages& images, bool created) const;

    Request& _request;
    ImageIngest* _images;
    CategoryTree& _categories;
    AuditLog& _audit;
    std::int64_t _supplierId;
};

} // namespace supplierd::catalog
