#pragma once

#include "stock/BulkItem.h"
#include "stock/SkuCache.h"
#include "stock/Targets.h"

#include <supplierd/Database.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace supplierd::catalog {

/// What the items name when each of them is a plain value of a product: no variant, and its effect does not depend on
/// what the value was. Whether there are products of these ids that have these SKUs is not known yet. The items outlive
/// it.
class NamedProducts {
public:
    /// Reads with at most one statement, which finds the products whose SKUs the cache does not know.
    NamedProducts(SqlSession& session, std::int64_t supplierId, std::span<const BulkItem> items, SkuCache& skus);

    /// False: it is not so, and products() is meaningless.
    bool areAll() const { return _areAll; }
    /// Each once, with the value that the last item gives it; in id order.
    TargetList products() const;
    /// The products turned out not to have their SKUs.
    void forgetSkus(SkuCache& skus) const;

private:
    bool find(SqlSession& session, std::span<const BulkItem> items, SkuCache& skus);
    bool lookUp(SqlSession& session, std::span<const BulkItem> items, const std::vector<std::size_t>& places,
                SkuCache& skus);
    bool keepLastOfEach();

    const std::int64_t _supplierId;
    std::vector<Target> _targets; ///< at first one for each item
    bool _areAll;
};

} // namespace supplierd::catalog
