#pragma once

#include "OrderReader.h"

#include <supplierd/BoundedCache.h>
#include <supplierd/Metrics.h>
#include <supplierd/Request.h>
#include <supplierd/services/ChangeLog.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace supplierd::orders {

/// GET /orders/{id}, from memory as long as nothing says that the order group has changed. Each request asks for the
/// number of its supplier's last commit; what the change log says since then is read once for all who come meanwhile,
/// and the groups that it names leave memory. So what is there is as of the number to which the log was read, and stock
/// that a supplier pushes all day costs his orders nothing but that. Thread: any.
class CachedOrders {
public:
    struct Dependencies {
        Database& database;
        ChangeLog& changes;
        CacheMemory& memory;
        Metrics& metrics;
    };

    explicit CachedOrders(const Dependencies& dependencies);

    /// Throws DatabaseError, ApiError (NotFound).
    Response respond(Request& request);

private:
    struct Supplier;
    using SupplierPointer = std::shared_ptr<const Supplier>;
    /// One group as its supplier sees it.
    struct Cached {
        /// Who follows its supplier's changes since it was kept.
        SupplierPointer supplier;
        /// The number of its supplier's last change, when it was read.
        std::int64_t asOf = 0;
        std::string tag;
        std::string data;
    };
    using CachedPointer = std::shared_ptr<const Cached>;
    struct Found {
        CachedPointer order;
        /// All of it is as of this number.
        std::int64_t asOf = 0;
    };

    SupplierPointer supplierOf(std::int64_t supplierId, std::int64_t committed);
    std::optional<Found> find(const SupplierPointer& supplier, std::int64_t groupId, std::int64_t committed);
    void follow(const Supplier& supplier, std::int64_t committed);
    /// Throws ApiError (NotFound).
    Found read(Request& request, std::int64_t supplierId, std::int64_t groupId);

    Dependencies _dependencies;
    BoundedCache<std::int64_t, Supplier> _suppliers;
    BoundedCache<std::int64_t, Cached> _orders;
    Counter& _hits;
    Counter& _misses;
};

} // namespace supplierd::orders
