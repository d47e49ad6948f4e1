#pragma once

#include "stock/BulkItem.h"
#include "stock/ResolvedItems.h"
#include "stock/SkuCache.h"

#include <supplierd/Database.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace supplierd::catalog {

/// These are the products that items name when each item is plain: it names no variant, and what it does depends on no
/// earlier value. It is not known yet whether there are products of these ids that have these SKUs. The items outlive
/// it.
class PlainItems {
public:
    /// Reads with at most one statement, which finds the products whose SKUs the cache does not know.
    PlainItems(SqlSession& session, std::int64_t supplierId, std::span<const BulkItem> items, SkuCache& skus);

    /// False: it is not so, and products() is meaningless.
    bool areAll() const { return _areAll; }
    /// Each once, with the value that the last item gives it; in id order.
    ResolvedList products() const;
    /// The products turned out not to have their SKUs.
    void forgetSkus(SkuCache& skus) const;

private:
    bool find(SqlSession& session, std::span<const BulkItem> items, SkuCache& skus);
    bool lookUp(SqlSession& session, std::span<const BulkItem> items, const std::vector<std::size_t>& places,
                SkuCache& skus);
    bool keepLastOfEach();

    const std::int64_t _supplierId;
    std::vector<ResolvedItem> _resolved; ///< at first one for each item
    bool _areAll;
};

} // namespace supplierd::catalog
