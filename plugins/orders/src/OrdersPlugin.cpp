#include "GroupMove.h"
#include "OrderBookService.h"
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

Response orderResponse(Response response, const OrderGroup& group, Audience audience) {
    JsonWriter json(response.data);
    json.beginObject().key("order");
    writeJson(json, group, audience);
    json.endObject();
    return response;
}

Response listResponse(Response response, const Listed<OrderSummary>& orders, Audience audience) {
    JsonWriter json(response.data);
    json.beginObject().key("orders").beginArray();
    for (const OrderSummary& order : orders.items)
        writeJson(json, order, audience);
    json.endArray().key("pagination");
    orders.pagination.write(json);
    json.endObject();
    return response;
}

ApiError noSuchOrder() {
    return ApiError::notFound("Order not found");
}

Response readOrder(Request& request) {
    const auto group = readWhole(request.database(), [&](SqlSession& session) {
        return readGroup(session, request.principal().supplierId, request.pathInteger("id"), Party::Supplier);
    });
    if (!group)
        throw noSuchOrder();
    return orderResponse(request.reply(), *group, Audience::Supplier);
}

/// Ends a request whose body is wrong: an order that is not there is 404 whatever the body says, and whether the group
/// may be moved at all is told with the rest.
[[noreturn]] void refuse(Request& request, const MoveInput& move, Details& details) {
    const auto from = request.database().read([&](SqlSession& session) {
        return currentStatus(session, request.principal().supplierId, request.pathInteger("id"));
    });
    if (!from)
        throw noSuchOrder();
    if (auto problem = move.status ? problemOfMove(*from, *move.status, Party::Supplier) : std::nullopt)
        details.add(std::move(*problem));
    throw ApiError::validation(details.entries());
}

Response moveOrder(Request& request, const OrderServices& services) {
    Details details;
    const MoveInput move = MoveInput::read(request.body(), details);
    if (!details.empty())
        refuse(request, move, details);
    const std::int64_t supplierId = request.principal().supplierId;
    const std::int64_t groupId = request.pathInteger("id");
    const Actor actor = actorOf(request);
    return request.transact([&](Transaction& transaction) {
        GroupMove(transaction, services, actor).make(supplierId, groupId, move);
        Response response = request.reply();
        response.warnings = move.warnings;
        return orderResponse(std::move(response), readGroup(transaction, supplierId, groupId, Party::Supplier).value(),
                             Audience::Supplier);
    });
}

Response placeOrder(Request& request, OrderBook& orders) {
    return request.transact([&](Transaction& transaction) {
        const PlacedOrder order = orders.place(transaction, request.body(), actorOf(request));
        Response response = request.reply(order.isNew ? 201 : 200);
        JsonWriter json(response.data);
        json.beginObject().key("order");
        writeJson(json, order);
        json.endObject();
        return response;
    });
}

Response completeGroup(Request& request, OrderBook& orders) {
    return request.transact([&](Transaction& transaction) {
        return orderResponse(request.reply(), orders.complete(transaction, request.pathInteger("id"), actorOf(request)),
                             Audience::Operator);
    });
}

Response readGroupOfAny(Request& request, OrderBook& orders) {
    const auto group = orders.find(request.database(), request.pathInteger("id"));
    if (!group)
        throw ApiError::notFound("Order group not found");
    return orderResponse(request.reply(), *group, Audience::Operator);
}

template <class Service>
Service& serviceOf(Host& host) {
    if (Service* const service = host.service<Service>())
        return *service;
    throw std::runtime_error("nobody offers the service " + std::string(Service::ID));
}

/// Order groups: /orders and below for their supplier, /orders and /order-groups for operators, whose actions the
/// service OrderBook has for everybody else.
class OrdersPlugin : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription description;
        description.summary = "Orders: list, read, move to another state; for operators: place, list, read, complete";
        description.openapi = supplierd_orders_generated::openapi();
        description.migrations = supplierd_orders_generated::migrations();
        description.needs = {"catalog"};
        description.offers = {std::string(OrderBook::ID), std::string(OrderTotals::ID)};
        description.scopes = {{"orders:read", "Read orders"}, {"orders:write", "Move orders to another state"}};
        addSuppliersRoutes(description.routes);
        addOperatorsRoutes(description.routes);
        return description;
    }

    void start(Host& host) override {
        _services.emplace(OrderServices{serviceOf<AuditLog>(host), serviceOf<Accounts>(host),
                                        serviceOf<ProductLookup>(host), serviceOf<ProductStock>(host)});
        host.offer<OrderBook>(_orderBook.emplace(*_services));
        host.offer<OrderTotals>(_totals);
    }

private:
    void addSuppliersRoutes(std::vector<Route>& routes) {
        const auto route = [&routes](Method method, std::string pattern, std::string scope, Body body,
                                     Handler handler) {
            routes.push_back(
                {method, std::move(pattern), Audience::Supplier, std::move(scope), body, std::move(handler)});
        };
        route(Method::Get, "/orders", "orders:read", Body::None, [](Request& request) {
            const auto orders = listOrders(request.database(), request.query(), request.principal().supplierId);
            return listResponse(request.reply(), orders, Audience::Supplier);
        });
        route(Method::Get, "/orders/{id:int}", "orders:read", Body::None, readOrder);
        route(Method::Post, "/orders/{id:int}/status", "orders:write", Body::Json,
              [this](Request& request) { return moveOrder(request, *_services); });
    }

    void addOperatorsRoutes(std::vector<Route>& routes) {
        const auto route = [&routes](Method method, std::string pattern, Body body, Handler handler) {
            routes.push_back({method, std::move(pattern), Audience::Operator, {}, body, std::move(handler)});
        };
        route(Method::Post, "/orders", Body::Json,
              [this](Request& request) { return placeOrder(request, *_orderBook); });
        route(Method::Get, "/order-groups", Body::None, [this](Request& request) {
            return listResponse(request.reply(), _orderBook->list(request.database(), request.query()),
                                Audience::Operator);
        });
        route(Method::Get, "/order-groups/{id:int}", Body::None,
              [this](Request& request) { return readGroupOfAny(request, *_orderBook); });
        route(Method::Post, "/order-groups/{id:int}/complete", Body::None,
              [this](Request& request) { return completeGroup(request, *_orderBook); });
    }

    std::optional<OrderServices> _services;
    std::optional<OrderBookService> _orderBook;
    OrderTotalsService _totals;
};

} // namespace

} // namespace supplierd::orders

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::orders::OrdersPlugin)
