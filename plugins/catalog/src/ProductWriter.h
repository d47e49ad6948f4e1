#pragma once

#include "ProductInput.h"
#include "ProductTotals.h"
#include "SkuRegister.h"

#include <supplierd/Request.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::catalog {

/// POST /products, POST /products/{id} and POST /products/{id}/delete. Each takes the lock of the supplier's catalogue
/// first, so what it then reads stays as it is until it commits. Made per request.
class ProductWriter {
public:
    explicit ProductWriter(Request& request) : _request(request), _supplierId(request.principal().supplierId) {}

    /// Each throws ApiError: Validation with every problem, NotFound, PreconditionFailed.
    Response create();
    Response update();
    Response remove();

private:
    struct Current {
        std::int64_t version = 0;
        std::optional<std::string> sku;
        TotalsPlace place;
        Approval approval = Approval::Pending;
        bool isActive = true;
    };

    /// Throws NotFound, and PreconditionFailed when If-Match names another version.
    Current require(SqlSession& session, std::int64_t productId) const;
    /// What only the database knows: the category, the variants' ids, SKUs in use.
    void findProblems(SqlSession& session, const ProductInput& input, std::int64_t productId,
                      const std::optional<std::string>& currentSku, Details& details) const;
    /// Ends a request whose body is wrong, with the problems that the database knows beside the body's own.
    void throwWithAllProblems(const ProductInput& input, std::int64_t productId, const Details& details) const;

    std::int64_t insert(Transaction& transaction, const ProductInput& input, std::int64_t seq) const;
    void change(Transaction& transaction, const ProductInput& input, std::int64_t productId, std::int64_t seq) const;
    TotalsPlace placeAfter(const Current& current, const ProductInput& input) const;
    Response answer(SqlSession& session, std::int64_t productId, bool created) const;

    Request& _request;
    std::int64_t _supplierId;
};

} // namespace supplierd::catalog
