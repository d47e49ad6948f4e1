#pragma once

#include <supplierd/services/OrderTotals.h>

namespace supplierd::orders {

/// The service "supplierd.order-totals/1". Holds nothing. Thread: any.
class OrderTotalsService final : public supplierd::OrderTotals {
public:
    std::vector<TotalsDifference> compare(SqlSession& session, std::int64_t supplierId) override;
    void recount(Transaction& transaction, std::int64_t supplierId) override;
};

} // namespace supplierd::orders
