#pragma once

#include "OrderGroup.h"

#include <supplierd/Database.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace supplierd::orders {

/// Nothing when that supplier has no such order group. Three statements: ask isWhole(), unless they are those of a
/// snapshot or of a transaction that has the group's lock.
std::optional<OrderGroup> readGroup(SqlSession& session, std::int64_t supplierId, std::int64_t groupId);
/// Of whatever supplier.
std::optional<OrderGroup> readGroup(SqlSession& session, std::int64_t groupId);
/// `read` with a session, and once more in a snapshot when the group was moved meanwhile: a snapshot for every order
/// would cost nearly as much as reading it.
template <class Read>
std::optional<OrderGroup> readWhole(Database& database, const Read& read) {
    std::optional<OrderGroup> group = database.read(read);
    return group && !group->isWhole() ? database.snapshot(read) : std::move(group);
}
/// All groups of an order in id order, in three statements: for a transaction that has their locks.
std::vector<OrderGroup> readGroupsOfOrder(SqlSession& session, std::int64_t orderId);

} // namespace supplierd::orders
