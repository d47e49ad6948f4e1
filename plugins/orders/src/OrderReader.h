#pragma once

#include "OrderGroup.h"

#include <supplierd/Database.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace supplierd::orders {

/// Nothing when that supplier has no such order group. Three statements, which have to see one state: those of a
/// snapshot, or of a transaction that has the group's lock.
std::optional<OrderGroup> readGroup(SqlSession& session, std::int64_t supplierId, std::int64_t groupId);
/// Of whatever supplier.
std::optional<OrderGroup> readGroup(SqlSession& session, std::int64_t groupId);
/// All groups of an order in id order, in three statements.
std::vector<OrderGroup> readGroupsOfOrder(SqlSession& session, std::int64_t orderId);

} // namespace supplierd::orders
