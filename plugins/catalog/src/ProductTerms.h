#pragma once

#include <supplierd/services/ProductOffer.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace supplierd::catalog {

/// What the list's status filter sees; the value of products.state.
enum class ProductState : std::int64_t { Pending = 0, Active = 1, Inactive = 2, Deleted = 3 };

enum class Approval : std::int64_t { Pending = 0, Approved = 1, Rejected = 2 };

// The position in each array is the number stored in the database: append, never reorder.
inline constexpr std::array<std::string_view, 2> TYPES{"flower", "supply"};
inline constexpr std::array<std::string_view, 3> STATUSES{"pending", "active", "inactive"};
inline constexpr std::array<std::string_view, 3> APPROVALS{"pending", "approved", "rejected"};

/// The position of `term`; nothing when it is none of them.
std::optional<std::int64_t> numberOf(std::span<const std::string_view> terms, std::string_view term);
/// The term at a number read from the database; empty for a number that no release wrote.
std::string_view termAt(std::span<const std::string_view> terms, std::int64_t number);

/// `in_stock`, `low_stock` (above 0, below the least that can be ordered) or `out_of_stock`.
std::string_view stockStatus(std::int64_t stockQty, std::int64_t minOrderQty);

} // namespace supplierd::catalog
