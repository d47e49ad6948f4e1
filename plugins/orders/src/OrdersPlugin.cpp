#include "GroupMove.h"
#include "OrderBookService.h"
#include "OrderJson.h"
#include "OrderList.h"
#include "OrderReader.h"
#include "OrderTotalsService.h"
#include "ordersMigrations.h"
#include "ordersOpenApi.h"

#include <supplierd/Plugin.h>

#include <optional>
#include <stdexcept>
#include <string>

namespace supplierd::orders {

namespace {

void writeAnswer(const OrderGroup& group, Response& response) {
    JsonWriter json(response.data);
    json.beginObject().key("order");
    writeGroup(json, group, Mover::Supplier);
    json.endObject();
}

ApiError noSuchOrder() {
    return ApiError::notFound("Order not found");
}

Response readOrder(Request& request) {
    const auto group = readWhole(request.database(), [&](SqlSession& session) {
        return readGroup(session, request.principal().supplierId, request.pathInteger("id"));
    });
    if (!group)
        throw noSuchOrder();
    Response response = request.reply();
    writeAnswer(*group, response);
    return response;
}

/// Ends a request whose body is wrong: an order that is not there is 404 whatever the body says, and whether the group
/// may be moved at all is told with the rest.
[[noreturn]] void refuse(Request& request, const MoveInput& move, Details& details) {
    const auto from = request.database().read([&](SqlSession& session) {
        return currentStatus(session, request.principal().supplierId, request.pathInteger("id"));
    });
    if (!from)
        throw noSuchOrder();
    if (auto problem = move.status ? problemOfMove(*from, *move.status, Mover::Supplier) : std::nullopt)
        details.add(std::move(*problem));
    throw ApiError::validation(details.entries());
}

Response moveOrder(Request& request, AuditLog& audit) {
    Details details;
    const MoveInput move = MoveInput::read(request.body(), details);
    if (!details.empty())
        refuse(request, move, details);
    const std::int64_t supplierId = request.principal().supplierId;
    const std::int64_t groupId = request.pathInteger("id");
    const OrderActor actor{actorOf(request.principal()), std::string(request.requestId())};
    return request.transact([&](Transaction& transaction) {
        GroupMove(transaction, audit, actor, Mover::Supplier).make(supplierId, groupId, move);
        Response response = request.reply();
        response.warnings = move.warnings;
        writeAnswer(readGroup(transaction, supplierId, groupId).value(), response);
        return response;
    });
}

/// Order groups of a supplier: /orders and below; and the service OrderBook for the platform's side.
class OrdersPlugin : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription description;
        description.summary = "Order groups: list, read, move to another state; the order book of the platform";
        description.openapi = supplierd_orders_generated::openapi();
        description.migrations = supplierd_orders_generated::migrations();
        description.needs = {"catalog"};
        description.offers = {std::string(OrderBook::ID), std::string(OrderTotals::ID)};
        const auto route = [&description](Method method, std::string pattern, std::string scope, Body body,
                                          Handler handler) {
            description.routes.push_back(
                {method, std::move(pattern), Audience::Supplier, std::move(scope), body, std::move(handler)});
        };
        route(Method::Get, "/orders", "orders:read", Body::None,
              [](Request& request) { return OrderList(request, Mover::Supplier).answer(); });
        route(Method::Get, "/orders/{id:int}", "orders:read", Body::None, readOrder);
        route(Method::Post, "/orders/{id:int}/status", "orders:write", Body::Json,
              [this](Request& request) { return moveOrder(request, *_audit); });
        return description;
    }

    void start(Host& host) override {
        _audit = host.service<AuditLog>();
        if (_audit == nullptr)
            throw std::runtime_error("the host offers no service " + std::string(AuditLog::ID));
        host.offer<OrderBook>(_orderBook.emplace(*_audit));
        host.offer<OrderTotals>(_totals);
    }

private:
    AuditLog* _audit = nullptr;
    std::optional<OrderBookService> _orderBook;
    OrderTotalsService _totals;
};

} // namespace

} // namespace supplierd::orders

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::orders::OrdersPlugin)
