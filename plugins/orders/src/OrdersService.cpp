#include "OrdersService.h"

#include "GroupMove.h"
#include "OrderIntake.h"
#include "OrderList.h"
#include "OrderReader.h"

#include <string_view>

namespace supplierd::orders {

namespace {

constexpr std::string_view SELECT_SUPPLIER = R"(
SELECT g.supplier_id FROM order_groups g FORCE INDEX (order_groups_id) WHERE g.id = ?)";

std::int64_t supplierOf(SqlSession& session, std::int64_t groupId) {
    Rows& rows = session.query(SELECT_SUPPLIER, {groupId});
    if (!rows.next())
        throw ApiError::notFound("Order group not found");
    return rows.integer(0);
}

} // namespace

PlacedOrder OrdersService::place(Transaction& transaction, const JsonObject& order, const Actor& actor) {
    return OrderIntake(transaction, _services, actor).place(order);
}

OrderGroup OrdersService::complete(Transaction& transaction, std::int64_t orderGroupId, const Actor& actor) {
    const std::int64_t supplierId = supplierOf(transaction, orderGroupId);
    MoveInput move;
    move.status = OrderStatus::Completed;
    GroupMove(transaction, _services, actor).make(supplierId, orderGroupId, move);
    OrderGroup group = readGroup(transaction, supplierId, orderGroupId, Party::Platform).value();
    nameSuppliers(transaction, _services.accounts, std::span(&group, 1));
    return group;
}

OrderGroup OrdersService::changeStatus(Transaction& transaction, std::int64_t supplierId, std::int64_t orderGroupId,
                                       const JsonObject& fields, const Actor& actor) {
    Details details;
    const MoveInput move = MoveInput::read(fields, details);
    details.throwIfAny();
    GroupMove(transaction, _services, actor, Party::Supplier).make(supplierId, orderGroupId, move);
    return readGroup(transaction, supplierId, orderGroupId, Party::Supplier).value();
}

Listed<OrderGroupSummary> OrdersService::list(Database& database, const QueryParameters& query) {
    OrderList list(query, std::nullopt);
    list.loadSandboxes(database, _services.accounts);
    Listed<OrderGroupSummary> orders = list.select(database);
    database.withSession(
        [&](SqlSession& session) { nameSuppliers(session, _services.accounts, std::span(orders.items)); });
    return orders;
}

std::optional<OrderGroup> OrdersService::find(SqlSession& snapshot, std::int64_t orderGroupId) {
    auto group = readGroup(snapshot, orderGroupId);
    if (group)
        nameSuppliers(snapshot, _services.accounts, std::span(&*group, 1));
    return group;
}

std::optional<OrderGroup> OrdersService::findOwn(SqlSession& snapshot, std::int64_t supplierId,
                                                 std::int64_t orderGroupId) {
    auto group = readGroup(snapshot, supplierId, orderGroupId, Party::Supplier);
    if (group)
        nameSuppliers(snapshot, _services.accounts, std::span(&*group, 1));
    return group;
}

} // namespace supplierd::orders
