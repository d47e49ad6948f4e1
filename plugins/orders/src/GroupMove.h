#pragma once

#include "MoveInput.h"
#include "OrderServices.h"
#include "OrderStatus.h"

#include <supplierd/Database.h>

#include <cstdint>
#include <optional>

namespace supplierd::orders {

/// The state that the group is in; nothing when that supplier has no such group.
std::optional<OrderStatus> currentStatus(SqlSession& session, std::int64_t supplierId, std::int64_t groupId);
/// What is wrong with that move, as a problem of the field `status`; nothing when it is allowed.
std::optional<Detail> problemOfMove(OrderStatus from, OrderStatus to, Party by);

/// Moves one order group to another state, with everything that belongs to it: totals, history, audit, and for a
/// cancellation the stock. Made per transaction.
class GroupMove {
public:
    GroupMove(Transaction& transaction, const OrderServices& services, const Actor& actor)
        : GroupMove(transaction, services, actor, partyOf(actor)) {}
    /// In the name of `by`, whoever does it.
    GroupMove(Transaction& transaction, const OrderServices& services, const Actor& actor, Party by)
        : _transaction(transaction), _services(services), _actor(actor), _by(by) {}

    /// Throws ApiError: NotFound, or Validation naming both states when the move is not allowed, or no longer.
    void make(std::int64_t supplierId, std::int64_t groupId, const MoveInput& move);

private:
    /// Stamps the group with the number of the change.
    void changeStatus(std::int64_t supplierId, std::int64_t groupId, OrderStatus from, const MoveInput& move,
                      std::int64_t seq);
    /// What the cancelled group took.
    void putBack(std::int64_t supplierId, std::int64_t groupId);
    void record(std::int64_t supplierId, std::int64_t groupId, OrderStatus from, const MoveInput& move);

    Transaction& _transaction;
    const OrderServices& _services;
    const Actor& _actor;
    Party _by;
};

} // namespace supplierd::orders
