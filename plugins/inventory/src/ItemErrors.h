#pragma once

#include <supplierd/JsonWriter.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::inventory {

inline constexpr std::string_view NOT_FOUND = "Product not found";
inline constexpr std::string_view NO_ID = "product_id or sku is required";
inline constexpr std::string_view WRONG_STOCK = "stock_qty must be an integer from 0 to 1000000000";
inline constexpr std::string_view WRONG_PRICE =
    "base_price must be a number from 0 to 99999999.9999 with at most 4 decimals";
inline constexpr std::string_view WRONG_EXPECTATION = "expected_stock_qty must be an integer from 0 to 1000000000";
inline constexpr std::string_view WRONG_ADJUST = "adjust must be true or false";
inline constexpr std::string_view WRONG_ID = "product_id must be an integer";
inline constexpr std::string_view WRONG_SKU = "sku must be a text";
inline constexpr std::string_view NO_OBJECT = "item must be an object";

/// "Stock changed, now 7".
std::string stockChanged(std::int64_t now);

/// What is wrong with which items of a request; each has at most one error. A value type.
class ItemErrors {
public:
    /// For as many items, all without an error yet. The SKUs are those that were sent.
    explicit ItemErrors(std::vector<std::string> sentSkus) : _skus(std::move(sentSkus)), _errors(_skus.size()) {}

    void set(std::size_t index, std::string error) { _errors[index] = std::move(error); }
    /// Writes `{ updated, failed, errors: [{ index, sku, error }] }`.
    void write(JsonWriter& json) const;

private:
    std::vector<std::string> _skus;
    std::vector<std::string> _errors; ///< "": none
};

} // namespace supplierd::inventory
