#pragma once

#include "Money.h"
#include "MoveInput.h"
#include "OrderInput.h"
#include "OrderStatus.h"

#include <supplierd/Decimal.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::orders {

struct OrderItem {
    std::int64_t id = 0;
    std::int64_t productId = 0;
    std::optional<std::int64_t> variantId;
    std::optional<std::string> sku;
    std::string name;
    std::int64_t unit = 0; ///< as stored in products.unit
    std::int64_t quantity = 0;
    Decimal unitPrice;
    Decimal vatRate;
    Decimal lineTotal;
};

struct StatusChange {
    std::optional<OrderStatus> from;
    OrderStatus to = OrderStatus::Pending;
    std::optional<std::string> comment;
    Mover changedBy = Mover::Platform;
    std::string createdAt; ///< ISO 8601 UTC
};

/// One supplier's part of an order, with everything that its detail shows.
struct OrderGroup {
    std::int64_t id = 0;
    std::int64_t orderId = 0;
    std::int64_t supplierId = 0;
    std::string supplierName;
    std::string orderNumber;
    OrderStatus status = OrderStatus::Pending;
    std::string currency;
    Sums sums;
    std::int64_t itemsCount = 0;
    std::string createdAt; ///< ISO 8601 UTC
    std::string updatedAt;
    Customer customer;
    Tracking tracking;
    std::vector<OrderItem> items;
    std::vector<StatusChange> history;

    /// Status and history are of one moment. Otherwise the group was moved between the statements that read them, which
    /// cannot be in a snapshot. (Nothing else of a group changes but with its status.)
    bool isWhole() const { return !history.empty() && history.back().to == status; }
};

} // namespace supplierd::orders
