#pragma once

#include <supplierd/JsonWriter.h>
#include <supplierd/services/Stock.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::inventory {

inline constexpr std::string_view NOT_FOUND = "Product not found";
inline constexpr std::string_view NO_ID = "product_id or sku is required";
inline constexpr std::string_view WRONG_STOCK = "stock_qty must be an integer from 0 to 1000000000";
inline constexpr std::string_view WRONG_PRICE =
    "base_price must be a number from 0 to 99999999.9999 with at most 4 decimals";
inline constexpr std::string_view WRONG_EXPECTATION = "expected_stock_qty must be an integer of at least 0";
inline constexpr std::string_view WRONG_ADJUST = "adjust must be true or false";
inline constexpr std::string_view WRONG_ID = "product_id must be an integer";
inline constexpr std::string_view WRONG_SKU = "sku must be a text";
inline constexpr std::string_view NO_OBJECT = "item must be an object";

/// What a program goes by: one of the five below.
namespace code {
inline constexpr std::string_view NOT_FOUND = "not_found";
inline constexpr std::string_view REQUIRED = "required";
inline constexpr std::string_view TYPE = "type";
inline constexpr std::string_view OUT_OF_RANGE = "out_of_range";
inline constexpr std::string_view CHANGED = "changed";
} // namespace code

/// What is wrong with an item. `code` is one of the constants above.
struct ItemError {
    std::string_view code;
    std::string text;
    std::optional<std::int64_t> stockQty = std::nullopt; ///< the present one, where the code is `changed`
};

/// Whether an item is good, and what is wrong with it otherwise.
using Problem = std::optional<ItemError>;

ItemError notFound();
/// Why the catalog did not do an item.
Problem problemOf(const ItemResult& result);

/// What is wrong with which items of a request; each has at most one error. A value type.
class ItemErrors {
public:
    /// For as many items, all without an error yet. The SKUs are those that were sent.
    explicit ItemErrors(std::vector<std::string> sentSkus) : _skus(std::move(sentSkus)), _errors(_skus.size()) {}

    void set(std::size_t index, Problem error) { _errors[index] = std::move(error); }
    std::size_t items() const { return _errors.size(); }
    std::size_t failed() const;
    /// Writes `{ updated, failed, errors: [{ index, sku, error, code, stock_qty? }] }`.
    void write(JsonWriter& json) const;

private:
    std::vector<std::string> _skus;
    std::vector<Problem> _errors;
};

} // namespace supplierd::inventory
