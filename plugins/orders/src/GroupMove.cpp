#include "GroupMove.h"

#include "OrderTotals.h"

#include <supplierd/services/ChangeLog.h>

#include <string_view>

namespace supplierd::orders {

namespace {

constexpr std::string_view SELECT_STATUS = R"(
SELECT g.status FROM order_groups g FORCE INDEX (PRIMARY) WHERE g.supplier_id = ? AND g.id = ?)";

// Of two racing moves one finds no row.
constexpr std::string_view MOVE = R"(
UPDATE order_groups SET status = ?, updated_at = NOW(6), change_seq = ?
WHERE supplier_id = ? AND id = ? AND status = ?)";

constexpr std::string_view SHIP = R"(
UPDATE order_groups
SET status = ?, updated_at = NOW(6), change_seq = ?, tracking_carrier = ?, tracking_number = ?, tracking_url = ?
WHERE supplier_id = ? AND id = ? AND status = ?)";

constexpr std::string_view SELECT_TAKEN = R"(
SELECT i.product_id, i.variant_id, i.quantity FROM order_items i FORCE INDEX (PRIMARY) WHERE i.order_group_id = ?)";

constexpr std::string_view INSERT_HISTORY = R"(
INSERT INTO order_status_history (order_group_id, from_status, to_status, changed_by, comment)
VALUES (?, ?, ?, ?, ?))";

std::int64_t numberOf(OrderStatus status) {
    return static_cast<std::int64_t>(status);
}

std::string between(OrderStatus from, OrderStatus to) {
    return "from " + std::string(nameOf(from)) + " to " + std::string(nameOf(to));
}

ApiError noSuchOrder() {
    return ApiError::notFound("Order not found");
}

std::string_view verbOf(OrderStatus to) {
    switch (to) {
    case OrderStatus::Cancelled:
        return "cancel";
    case OrderStatus::Completed:
        return "complete";
    default:
        return "move";
    }
}

} // namespace

std::optional<OrderStatus> currentStatus(SqlSession& session, std::int64_t supplierId, std::int64_t groupId) {
    Rows& rows = session.query(SELECT_STATUS, {supplierId, groupId});
    if (!rows.next())
        return std::nullopt;
    return statusNumbered(rows.integer(0));
}

std::optional<Detail> problemOfMove(OrderStatus from, OrderStatus to, Party by) {
    if (isAllowed(from, to, by))
        return std::nullopt;
    std::string message = "an order cannot go " + between(from, to);
    if (from == to)
        message += ": it is " + std::string(nameOf(from)) + " already";
    else if (by == Party::Supplier && isAllowed(from, to, Party::Platform))
        message += ": only the platform does that";
    return Detail{"status", "unsupported", std::move(message)};
}

void GroupMove::make(std::int64_t supplierId, std::int64_t groupId, const MoveInput& move) {
    const OrderStatus to = move.status.value();
    // The catalog before the group: the order in which everybody takes their locks.
    Change& change = _transaction.change(supplierId);
    const std::optional<OrderStatus> from = currentStatus(_transaction, supplierId, groupId);
    if (!from)
        throw noSuchOrder();
    if (auto problem = problemOfMove(*from, to, _by))
        throw ApiError::validation({std::move(*problem)});
    changeStatus(supplierId, groupId, *from, move, change.seq());
    change.note(ChangeKind::ORDER_MOVED, groupId);
    if (to == OrderStatus::Cancelled)
        putBack(supplierId, groupId);
    moveInTotals(_transaction, supplierId, *from, to);
    record(supplierId, groupId, *from, move);
}

void GroupMove::changeStatus(std::int64_t supplierId, std::int64_t groupId, OrderStatus from, const MoveInput& move,
                             std::int64_t seq) {
    const OrderStatus to = *move.status;
    const OrderTracking& tracking = move.tracking;
    const std::int64_t moved =
        to == OrderStatus::Shipped
            ? _transaction.execute(SHIP, {numberOf(to), seq, tracking.carrier, tracking.number, tracking.url,
                                          supplierId, groupId, numberOf(from)})
            : _transaction.execute(MOVE, {numberOf(to), seq, supplierId, groupId, numberOf(from)});
    if (moved == 1)
        return;
    // Another move came first.
    const std::optional<OrderStatus> now = currentStatus(_transaction, supplierId, groupId);
    if (!now)
        throw noSuchOrder();
    const std::string message = "the order went " + between(from, *now) + " meanwhile, so it did not go to " +
                                std::string(nameOf(to)) + "; look at it again";
    throw ApiError::validation({{"status", "unsupported", message}});
}

void GroupMove::putBack(std::int64_t supplierId, std::int64_t groupId) {
    std::vector<StockMove> moves;
    Rows& items = _transaction.query(SELECT_TAKEN, {groupId});
    while (items.next())
        moves.push_back({supplierId, items.integer(0), items.maybeInteger(1), items.integer(2)});
    _services.stock.putBack(_transaction, moves);
}

void GroupMove::record(std::int64_t supplierId, std::int64_t groupId, OrderStatus from, const MoveInput& move) {
    const OrderStatus to = *move.status;
    _transaction.execute(INSERT_HISTORY,
                         {groupId, numberOf(from), numberOf(to), static_cast<std::int64_t>(_by), move.comment});
    AuditEntry entry = auditEntry(_actor, "order_group", verbOf(to), groupId, supplierId);
    JsonWriter(entry.before).beginObject().field("status", nameOf(from)).endObject();
    JsonWriter after(entry.after);
    after.beginObject().field("status", nameOf(to));
    if (move.comment)
        after.field("comment", *move.comment);
    if (!move.tracking.isEmpty()) {
        after.key("tracking");
        writeJson(after, move.tracking);
    }
    after.endObject();
    _services.audit.record(_transaction, entry);
}

} // namespace supplierd::orders
