#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace supplierd::inventory {

/// What a bulk request sets.
enum class Subject { Stock, Price };

inline constexpr std::int64_t MAX_STOCK = 1'000'000'000;

/// A quantity, or a price in 1/10,000. Nothing: no price of its own (a variant that has its product's).
using Amount = std::optional<std::int64_t>;

/// One of a request's items, in order as far as that can be told without the database. It names its product or variant
/// by `productId`, by `sku`, or by both.
struct BulkItem {
    std::size_t index = 0; ///< in the request
    std::optional<std::int64_t> productId;
    std::string sku; ///< trimmed; "": none
    Amount amount;
    bool adjust = false; ///< `amount` is added to the stock
    std::optional<std::int64_t> expected;
};

} // namespace supplierd::inventory
