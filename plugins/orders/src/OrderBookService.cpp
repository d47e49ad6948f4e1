#include "OrderBookService.h"

#include "GroupMove.h"
#include "OrderFeed.h"
#include "OrderJson.h"
#include "OrderList.h"
#include "OrderReader.h"

#include <string_view>

namespace supplierd::orders {

namespace {

constexpr std::string_view SELECT_SUPPLIER = R"(
SELECT g.supplier_id FROM order_groups g FORCE INDEX (order_groups_id) WHERE g.id = ?)";

std::optional<std::int64_t> supplierOf(SqlSession& session, std::int64_t groupId) {
    Rows& rows = session.query(SELECT_SUPPLIER, {groupId});
    if (!rows.next())
        return std::nullopt;
    return rows.integer(0);
}

ApiError noSuchGroup() {
    return ApiError::notFound("Order group not found");
}

} // namespace

Response OrderBookService::feed(Transaction& transaction, const JsonObject& order, const OrderActor& actor) {
    return OrderFeed(transaction, _audit, actor).take(order);
}

Response OrderBookService::complete(Transaction& transaction, std::int64_t orderGroupId, const OrderActor& actor) {
    const std::optional<std::int64_t> supplierId = supplierOf(transaction, orderGroupId);
    if (!supplierId)
        throw noSuchGroup();
    MoveInput move;
    move.status = OrderStatus::Completed;
    GroupMove(transaction, _audit, actor, Mover::Platform).make(*supplierId, orderGroupId, move);
    Response response;
    JsonWriter json(response.data);
    json.beginObject().key("order");
    writeGroup(json, readGroup(transaction, *supplierId, orderGroupId).value(), Mover::Platform);
    json.endObject();
    return response;
}

Response OrderBookService::list(Request& request) {
    return OrderList(request, Mover::Platform).answer();
}

Response OrderBookService::read(Request& request, std::int64_t orderGroupId) {
    const auto group =
        readWhole(request.database(), [&](SqlSession& session) { return readGroup(session, orderGroupId); });
    if (!group)
        throw noSuchGroup();
    Response response = request.reply();
    JsonWriter json(response.data);
    json.beginObject().key("order");
    writeGroup(json, *group, Mover::Platform);
    json.endObject();
    return response;
}

} // namespace supplierd::orders
