#pragma once

#include "ProductTerms.h"
#include "ProductWriter.h"

#include <supplierd/Request.h>
#include <supplierd/services/AuditLog.h>
#include <supplierd/services/CategoryTree.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd::catalog {

/// Creates, changes, submits and deletes a product of a supplier: for POST /products, POST /products/{id}, POST
/// /products/{id}/submit and POST /products/{id}/delete. It finds what is wrong; ProductWriter writes.
/// Each action takes the lock of the supplier's catalog first, so what it then reads stays as it is until it commits.
/// Images are fetched before, outside the transaction, and only for a product that would not be refused as things are.
/// Made per request.
class ProductEditor {
public:
    struct Dependencies {
        ImageIngest* images; ///< null: products have none here
        CategoryTree& categories;
        AuditLog& audit;
        Sandboxes& sandboxes;
    };
    /// `ifMatch`: the header, which names the versions that may be written. Lifetime: it outlives this.
    ProductEditor(const Dependencies& dependencies, std::int64_t supplierId, Actor actor,
                  std::optional<std::string_view> ifMatch = std::nullopt)
        : _images(dependencies.images),
          _categories(dependencies.categories),
          _audit(dependencies.audit),
          _sandboxes(dependencies.sandboxes),
          _supplierId(supplierId),
          _actor(std::move(actor)),
          _ifMatch(ifMatch) {}

    /// Each throws ApiError: Validation with every problem, NotFound, PreconditionFailed.
    Response create(Request& request);
    Response update(Request& request);
    Response submit(Request& request);
    Response remove(Request& request);
    /// The same within a transaction.
    void remove(Transaction& transaction, std::int64_t productId);

private:
    void create(Transaction& transaction, ProductWrite& product);
    void update(Transaction& transaction, ProductWrite& product);

    struct Current {
        std::int64_t version = 0;
        Approval approval = Approval::Pending;
        ProductValues fields;
    };

    /// Each throws NotFound, and PreconditionFailed when If-Match names another version. read() waits for nobody: who
    /// only says what is wrong with a request has no place at the catalog, and must not wait on a session for those
    /// who have.
    Current read(SqlSession& session, std::int64_t productId) const;
    Current lock(Transaction& transaction, std::int64_t productId) const;
    Current currentOf(Rows& row) const;
    /// What only the database knows: the category, the variants' ids, SKUs in use.
    void findProblems(SqlSession& session, const ProductInput& input, std::int64_t productId,
                      const ProductValues& current, Details& details) const;
    /// Ends a request whose body is wrong, with the problems that the database knows beside the body's own.
    void throwWithAllProblems(SqlSession& session, const ProductInput& input, std::int64_t productId,
                              const Details& details) const;

    /// Throws what the transaction would throw as things are: problems, NotFound, PreconditionFailed.
    void refuseBeforeFetching(Database& database, const ProductInput& input, std::int64_t productId) const;

    void write(Transaction& transaction, ProductWrite& product) const;
    Response answer(Request& request, SqlSession& session, std::int64_t productId, const RequestedImages& images,
                    bool created) const;

    ImageIngest* _images;
    CategoryTree& _categories;
    AuditLog& _audit;
    Sandboxes& _sandboxes;
    std::int64_t _supplierId;
    Actor _actor;
    std::optional<std::string_view> _ifMatch;
};

} // namespace supplierd::catalog
