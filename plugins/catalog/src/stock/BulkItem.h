#pragma once

#include <supplierd/services/Stock.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace supplierd::catalog {

/// What a bulk request sets.
enum class Subject { Stock, Price };

/// A quantity, or a price in 1/10,000. Nothing: no price of its own (a variant that has its product's).
using Amount = std::optional<std::int64_t>;

/// A StockItem or a PriceItem, which outlives it.
struct BulkItem {
    std::optional<std::int64_t> productId;
    std::string_view sku; ///< "": none
    Amount amount;
    bool isAdjustment = false; ///< `amount` is added to the stock
    std::optional<std::int64_t> expected;
};

} // namespace supplierd::catalog
