#pragma once

#include <supplierd/OrderBook.h>

namespace supplierd::orders {

/// The operators' side. The AuditLog outlives it.
class OrderBookService final : public OrderBook {
public:
    explicit OrderBookService(AuditLog& audit) : _audit(audit) {}

    PlacedOrder place(Transaction& transaction, const JsonObject& order, const Actor& actor) override;
    OrderGroup complete(Transaction& transaction, std::int64_t orderGroupId, const Actor& actor) override;
    Listed<OrderSummary> list(Database& database, const QueryParameters& query) override;
    std::optional<OrderGroup> find(Database& database, std::int64_t orderGroupId) override;

private:
    AuditLog& _audit;
};

} // namespace supplierd::orders
