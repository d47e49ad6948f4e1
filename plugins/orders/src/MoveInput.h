#pragma once

#include "OrderStatus.h"

#include <supplierd/Validation.h>
#include <supplierd/services/Orders.h>

#include <optional>
#include <string>
#include <vector>

namespace supplierd::orders {

/// The body of POST /orders/{id}/status, checked.
struct MoveInput {
    /// Nothing when the body names no state that there is; `details` says so then.
    std::optional<OrderStatus> status;
    std::optional<std::string> comment;
    OrderTracking tracking;
    /// What is ignored, for the client.
    std::vector<Detail> warnings;

    static MoveInput read(const JsonObject& body, Details& details);
};

} // namespace supplierd::orders
