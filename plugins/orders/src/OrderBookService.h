#pragma once

#include <supplierd/AuditLog.h>
#include <supplierd/OrderBook.h>

namespace supplierd::orders {

/// The platform's side. The AuditLog outlives it.
class OrderBookService final : public OrderBook {
public:
    explicit OrderBookService(AuditLog& audit) : _audit(audit) {}

    Response feed(Transaction& transaction, const JsonObject& order, const OrderActor& actor) override;
    Response complete(Transaction& transaction, std::int64_t orderGroupId, const OrderActor& actor) override;
    Response list(Request& request) override;
    Response read(Request& request, std::int64_t orderGroupId) override;

private:
    AuditLog& _audit;
};

} // namespace supplierd::orders
