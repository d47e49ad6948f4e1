#pragma once

#include "stock/BulkItem.h"
#include "stock/Targets.h"

#include <supplierd/Database.h>

#include <cstdint>
#include <map>
#include <span>

namespace supplierd::catalog {

/// What the items name when each of them is a plain value of a product: no variant, and its effect does not depend on
/// what the value was. Whether there are products of these ids is not known yet. The items outlive it.
class NamedProducts {
public:
    /// Reads with at most one statement, which finds the products that are named by their SKUs only.
    NamedProducts(SqlSession& session, std::int64_t supplierId, std::span<const BulkItem> items);

    /// False: it is not so, and products() is meaningless.
    bool areAll() const { return _areAll; }
    /// Each once, with the value that the last item gives it; in id order.
    TargetList products() const;

private:
    bool find(SqlSession& session, std::int64_t supplierId, std::span<const BulkItem> items);
    Target& keep(std::int64_t productId, const Amount& amount);

    std::map<std::int64_t, Target> _byId;
    bool _areAll;
};

} // namespace supplierd::catalog
