#pragma once

#include <supplierd/BoundedCache.h>
#include <supplierd/Metrics.h>

#include <cstdint>
#include <memory>
#include <string>

namespace supplierd::catalog {

/// A product as a list shows it.
struct RenderedProduct {
    /// Numbers are his: a database that comes back without its last commits gives ids to others.
    std::int64_t supplierId = 0;
    std::int64_t id = 0;
    /// Of the product's last change.
    std::int64_t changeSeq = 0;
    /// The categories are as of this number of the marketplace, or later.
    std::int64_t marketplaceSeq = 0;
    /// The members of the JSON object, without its braces.
    std::string fields;
    /// The value of deleted_at.
    std::string deletedAt;
};

/// Products that lists have shown. Thread: any.
class RenderedProducts {
public:
    RenderedProducts(CacheMemory& memory, Metrics& metrics);

    /// Null when it is not there just as it is asked for.
    std::shared_ptr<const RenderedProduct> find(std::int64_t supplierId, std::int64_t id, std::int64_t changeSeq,
                                                std::int64_t marketplaceSeq);
    void keep(const std::shared_ptr<const RenderedProduct>& product);

private:
    BoundedCache<std::int64_t, RenderedProduct> _products;
    Counter& _hits;
    Counter& _misses;
};

} // namespace supplierd::catalog
