#pragma once

#include <supplierd/services/AuditLog.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace supplierd::orders {

/// The state of an order group. The value is the number stored in the database: append, never reorder.
enum class OrderStatus : std::int64_t { Pending, Confirmed, Processing, Shipped, Delivered, Completed, Cancelled };

inline constexpr std::array<std::string_view, 7> STATUS_NAMES{"pending",   "confirmed", "processing", "shipped",
                                                              "delivered", "completed", "cancelled"};

/// Who may make a move; the value is the number stored in the database.
enum class Party : std::int64_t { Supplier, Platform };

inline constexpr std::array<std::string_view, 2> PARTY_NAMES{"supplier", "platform"};

struct StatusMove {
    OrderStatus from;
    OrderStatus to;
    Party by;
};

/// The states table: every move that there is.
inline constexpr std::array<StatusMove, 8> STATUS_MOVES{{
    {OrderStatus::Pending, OrderStatus::Confirmed, Party::Supplier},
    {OrderStatus::Pending, OrderStatus::Cancelled, Party::Supplier},
    {OrderStatus::Confirmed, OrderStatus::Processing, Party::Supplier},
    {OrderStatus::Confirmed, OrderStatus::Cancelled, Party::Supplier},
    {OrderStatus::Processing, OrderStatus::Shipped, Party::Supplier},
    {OrderStatus::Processing, OrderStatus::Cancelled, Party::Supplier},
    {OrderStatus::Shipped, OrderStatus::Delivered, Party::Supplier},
    {OrderStatus::Delivered, OrderStatus::Completed, Party::Platform},
}};

bool isAllowed(OrderStatus from, OrderStatus to, Party by);
/// Where `by` may move a group that is in that state, in the order of the table.
std::vector<OrderStatus> allowedFrom(OrderStatus from, Party by);

/// Everybody but the supplier is the platform.
Party partyOf(const Actor& actor);

std::string_view nameOf(OrderStatus status);
std::string_view nameOf(Party party);
std::optional<OrderStatus> statusNamed(std::string_view name);
/// Throws std::out_of_range for a number that no release wrote.
OrderStatus statusNumbered(std::int64_t number);
Party partyNumbered(std::int64_t number);

} // namespace supplierd::orders
