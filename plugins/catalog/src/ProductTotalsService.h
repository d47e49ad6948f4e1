#pragma once

#include <supplierd/KeptTotals.h>

namespace supplierd::catalog {

/// The service "supplierd.product-totals/1". Holds nothing. Thread: any.
class ProductTotalsService final : public supplierd::ProductTotals {
public:
    std::vector<TotalsDifference> compare(SqlSession& session, std::int64_t supplierId) override;
    void recount(Transaction& transaction, std::int64_t supplierId) override;
};

} // namespace supplierd::catalog
