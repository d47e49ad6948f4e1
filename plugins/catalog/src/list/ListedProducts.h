#pragma once

#include "index/RenderedProducts.h"

#include <supplierd/Database.h>
#include <supplierd/internal/ImageIngest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace supplierd::catalog {

/// What a list shows of each product beside its usual fields.
struct ListInclusions {
    bool variants = false;
    bool images = false;
    bool description = false;
    bool approval = false;

    bool any() const { return variants || images || description || approval; }
    std::int64_t number() const {
        return (variants ? 1 : 0) + (images ? 2 : 0) + (description ? 4 : 0) + (approval ? 8 : 0);
    }
};

/// Products as lists show them, in any order, those that the supplier has. One statement, and one more each for
/// variants and images, which the caller has in one snapshot. Without `images` (null) they have none. Throws
/// DatabaseError.
std::vector<std::shared_ptr<const RenderedProduct>> readListedProducts(SqlSession& session, ImageIngest* images,
                                                                       std::int64_t supplierId,
                                                                       std::span<const std::int64_t> ids,
                                                                       ListInclusions include);

} // namespace supplierd::catalog
