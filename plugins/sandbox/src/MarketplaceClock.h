#pragma once

#include "SandboxServices.h"

#include <supplierd/Json.h>
#include <supplierd/Request.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::sandbox {

/// Lets the states of a sandbox go on, as its supplier, its customers and the marketplace would make them: a number of
/// steps, or up to a state. Made per request.
class MarketplaceClock {
public:
    /// Reads the body and what there is to move. Throws ApiError: Validation, NotFound.
    MarketplaceClock(const SandboxServices& services, Request& request);

    /// Throws ApiError (Validation) when the one order that it is about cannot go there.
    void advance(Transaction& transaction);
    void write(JsonWriter& json) const;

private:
    struct Moved {
        OrderGroupSummary order;
        std::string from;
    };

    void readBody(const JsonObject& body);
    void findOrder(Database& database);
    void findOrders(Database& database);
    void findProducts(Database& database);
    void advance(Transaction& transaction, const OrderGroupSummary& order);
    OrderGroup move(Transaction& transaction, const OrderGroupSummary& order, const std::string& status) const;

    const SandboxServices& _services;
    const Actor _actor;
    const Actor _marketplace;
    const std::int64_t _supplierId;
    std::optional<std::int64_t> _orderId;
    std::int64_t _steps = 1;
    std::optional<std::string> _to;
    std::vector<OrderGroupSummary> _orders;
    std::vector<std::int64_t> _pendingProducts;
    bool _isMore = false;
    std::vector<Moved> _moved;
    std::vector<std::int64_t> _approved;
};

} // namespace supplierd::sandbox
