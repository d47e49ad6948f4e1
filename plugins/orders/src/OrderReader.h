#pragma once

#include "OrderStatus.h"

#include <supplierd/Database.h>
#include <supplierd/services/OrderBook.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace supplierd::orders {

/// Nothing when that supplier has no such order group; none of these functions fills in the supplier's name. Three
/// statements: ask isWhole(), unless they are those of a snapshot or of a transaction that has the group's lock.
std::optional<OrderGroup> readGroup(SqlSession& session, std::int64_t supplierId, std::int64_t groupId, Party viewer);
/// Of whatever supplier, as the platform sees it.
std::optional<OrderGroup> readGroup(SqlSession& session, std::int64_t groupId);
/// Status and history are of one moment. Otherwise the group was moved between the statements that read them, which
/// cannot be in a snapshot. (Nothing else of a group changes but with its status.)
bool isWhole(const OrderGroup& group);
/// `read` with a session, and once more in a snapshot when the group was moved meanwhile: a snapshot for every order
/// would cost nearly as much as reading it.
template <class Read>
std::optional<OrderGroup> readWhole(Database& database, const Read& read) {
    std::optional<OrderGroup> group = database.read(read);
    return group && !isWhole(*group) ? database.snapshot(read) : std::move(group);
}
/// All groups of an order in id order, as the platform sees them, in three statements: for a transaction that has their
/// locks.
std::vector<OrderGroup> readGroupsOfOrder(SqlSession& session, std::int64_t orderId);

} // namespace supplierd::orders
