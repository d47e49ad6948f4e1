#pragma once

#include <supplierd/Decimal.h>
#include <supplierd/Validation.h>
#include <supplierd/services/Orders.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::orders {

inline constexpr std::int64_t MAX_QUANTITY = 1'000'000'000;

struct OrderLine {
    /// Its place in the body's `items`.
    std::size_t index = 0;
    std::int64_t productId = 0;
    std::optional<std::int64_t> variantId;
    /// 0 when the body's is wrong: the rest of such a line is still looked at, so that all its problems are reported.
    std::int64_t quantity = 0;
    /// Nothing: the base price.
    std::optional<Decimal> unitPrice;

    /// "items[3].quantity"
    std::string place(std::string_view field) const;
};

/// The body of POST /api/v1/platform/orders, checked as far as it can be without the database.
struct OrderInput {
    std::string number;
    std::string currency;
    /// Of what sandboxes sell, and of nothing else.
    bool isSandbox = false;
    OrderCustomer customer;
    /// Those whose product_id is one.
    std::vector<OrderLine> lines;

    static OrderInput read(const JsonObject& body, Details& details);
    /// SHA-256, 32 bytes, of what the body means: defaults filled in, texts trimmed, numbers in shortest form, unknown
    /// fields left out.
    std::string hash() const;
};

} // namespace supplierd::orders
