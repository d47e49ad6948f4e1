#pragma once

#include "OrderServices.h"

#include <supplierd/services/Orders.h>

namespace supplierd::orders {

/// The operators' side.
class OrdersService final : public Orders {
public:
    explicit OrdersService(const OrderServices& services) : _services(services) {}

    PlacedOrder place(Transaction& transaction, const JsonObject& order, const Actor& actor) override;
    OrderGroup complete(Transaction& transaction, std::int64_t orderGroupId, const Actor& actor) override;
    Listed<OrderGroupSummary> list(Database& database, const QueryParameters& query) override;
    std::optional<OrderGroup> find(SqlSession& snapshot, std::int64_t orderGroupId) override;
    OrderGroup changeStatus(Transaction& transaction, std::int64_t supplierId, std::int64_t orderGroupId,
                            const JsonObject& fields, const Actor& actor) override;
    std::optional<OrderGroup> findOwn(SqlSession& snapshot, std::int64_t supplierId,
                                      std::int64_t orderGroupId) override;

private:
    const OrderServices _services;
};

} // namespace supplierd::orders
