#pragma once

#include <supplierd/services/ProductLookup.h>

namespace supplierd::catalog {

/// The service "supplierd.product-lookup/1". Holds nothing. Thread: any.
class ProductLookupService final : public ProductLookup {
public:
    std::vector<ProductOffer> offers(SqlSession& session, std::span<const ProductRef> products) override;
    std::vector<std::optional<ProductRef>> bySku(SqlSession& session, std::int64_t supplierId,
                                                 std::span<const std::string> skus) override;
};

} // namespace supplierd::catalog
