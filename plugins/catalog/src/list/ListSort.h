#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace supplierd::catalog {

enum class SortKey : std::uint8_t { Id, Name, BasePrice, StockQty, UpdatedAt };

/// The order of a list. Products of one key value follow each other by id, in the same direction.
struct ListSort {
    SortKey key = SortKey::Id;
    bool descending = true;

    /// The position in SORT_NAMES, and back.
    std::size_t number() const { return static_cast<std::size_t>(key) * 2 + (descending ? 1 : 0); }
    static ListSort fromNumber(std::size_t number) { return {static_cast<SortKey>(number / 2), number % 2 == 1}; }

    friend bool operator==(const ListSort&, const ListSort&) = default;
};

inline constexpr std::array<std::string_view, 10> SORT_NAMES{
    "id", "-id", "name", "-name", "base_price", "-base_price", "stock_qty", "-stock_qty", "updated_at", "-updated_at"};

} // namespace supplierd::catalog
