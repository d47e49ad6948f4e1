#pragma once

#include "ProductReader.h"
#include "index/CatalogCache.h"

#include <supplierd/BoundedCache.h>
#include <supplierd/Request.h>
#include <supplierd/internal/ImageIngest.h>
#include <supplierd/services/ChangeLog.h>

#include <atomic>
#include <cstdint>
#include <string>

namespace supplierd::catalog {

/// GET /products/{id}, from memory as long as nothing says that the product has changed: first the supplier's last
/// number, then, where its products are in memory for lists, the product's own. Thread: any.
class CachedProducts {
public:
    /// Both outlive it.
    CachedProducts(CatalogCache& indexes, CacheMemory& memory)
        : _indexes(indexes), _products(memory, "catalog: products", WORTH) {}

    /// Throws DatabaseError, ApiError (NotFound).
    Response respond(Request& request, ImageIngest* images);

private:
    static constexpr double WORTH = 0.5; ///< as for RenderedProducts, but each is a question of the database's

    struct Cached {
        std::int64_t supplierId = 0;
        WrittenProduct is;
        std::string data;
        /// The greatest number of the supplier under which it is known to be so.
        mutable std::atomic<std::int64_t> asOf{0};
    };
    using CachedPointer = std::shared_ptr<const Cached>;

    bool isCurrent(const Cached& cached, std::int64_t supplierId, std::int64_t productId, const CommittedNumbers& now);
    /// Null when the supplier has no such product.
    CachedPointer read(Request& request, ImageIngest* images, std::int64_t supplierId, std::int64_t productId);

    CatalogCache& _indexes;
    BoundedCache<std::int64_t, Cached> _products;
};

} // namespace supplierd::catalog
