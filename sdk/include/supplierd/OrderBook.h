#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>
#include <supplierd/Json.h>
#include <supplierd/Request.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace supplierd {

/// Who changes orders, for the audit log.
struct SUPPLIERD_API OrderActor {
    /// As AuditEntry::actor.
    std::string name;
    /// As AuditEntry::requestId.
    std::string requestId = {};
};

/// A service of the plugin `orders`: the platform's side of orders. What it writes is JSON as the supplier reads it,
/// with `supplier: { id, name }` in every order group, and `allowed_statuses` being the platform's. Thread: any. Since
/// 1.0.
class SUPPLIERD_API OrderBook {
public:
    static constexpr std::string_view ID = "supplierd.order-book/1";

    /// Takes in an order (the body of `POST /api/v1/platform/orders`): splits it into
    /// one order group per supplier and takes the quantities from stock, all or nothing. 201 with
    /// `{ order: { id, order_number, groups } }`; the same order_number with the same body again is 200 with the first
    /// order, as it is now. Takes the locks of the suppliers' catalogues, so it must be the first to do so in the
    /// transaction. Throws ApiError (Validation) with every bad field and item.
    virtual Response feed(Transaction& transaction, const JsonObject& order, const OrderActor& actor) = 0;
    /// delivered → completed, `{ order }`. Throws ApiError: NotFound, or Validation naming both states.
    virtual Response complete(Transaction& transaction, std::int64_t orderGroupId, const OrderActor& actor) = 0;

    /// `{ orders, pagination }` of every supplier; the query of `GET /orders` and `supplier_id`. Throws ApiError
    /// (Validation) with every problem of the query.
    virtual Response list(Request& request) = 0;
    /// `{ order }`. Throws ApiError (NotFound).
    virtual Response read(Request& request, std::int64_t orderGroupId) = 0;

protected:
    ~OrderBook() = default;
};

} // namespace supplierd
