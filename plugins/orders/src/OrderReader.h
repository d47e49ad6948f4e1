#pragma once

#include "OrderStatus.h"

#include <supplierd/Database.h>
#include <supplierd/services/Orders.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace supplierd::orders {

struct ReadGroup {
    OrderGroup group;
    /// The number of its supplier's last change, when it was read.
    std::int64_t asOf = 0;
};

/// As its supplier sees it; nothing when that supplier has no such order group. None of these functions fills in the
/// supplier's name. Three statements: ask isWhole(), unless they are those of a snapshot or of a transaction that has
/// the group's lock.
std::optional<ReadGroup> readGroupAsOf(SqlSession& session, std::int64_t supplierId, std::int64_t groupId);
std::optional<OrderGroup> readGroup(SqlSession& session, std::int64_t supplierId, std::int64_t groupId, Party viewer);
/// Of whatever supplier, as the platform sees it.
std::optional<OrderGroup> readGroup(SqlSession& session, std::int64_t groupId);
/// Status and history are of one moment. Otherwise the group was moved between the statements that read them, which
/// cannot be in a snapshot. (Nothing else of a group changes but with its status.)
bool isWhole(const OrderGroup& group);
/// All groups of an order in id order, as the platform sees them, in three statements: for a transaction that has their
/// locks.
std::vector<OrderGroup> readGroupsOfOrder(SqlSession& session, std::int64_t orderId);

} // namespace supplierd::orders
