#include "CachedOrders.h"
#include "GroupMove.h"
#include "OrderDays.h"
#include "OrderList.h"
#include "OrderReader.h"
#include "OrdersService.h"
#include "TotalsJob.h"
#include "imports/OrderImportRoutes.h"
#include "imports/OrderImportRun.h"
#include "ordersMigrations.h"
#include "ordersOpenApi.h"

#include <supplierd/EntityTag.h>
#include <supplierd/Plugin.h>

#include <chrono>
#include <optional>
#include <string>

namespace supplierd::orders {

namespace {

constexpr std::int64_t KEEP_IMPORTS_DAYS = 7;
constexpr std::string_view RENUMBER_GROUPS = R"(
UPDATE order_groups r
    JOIN (SELECT id, (ROW_NUMBER() OVER (PARTITION BY supplier_id ORDER BY change_seq DESC, id DESC) - 1) DIV 100 AS later
          FROM order_groups) o ON o.id = r.id
    JOIN {last_changes} s ON s.supplier_id = r.supplier_id
SET r.change_seq = s.change_seq - o.later)";

Response orderResponse(Response response, const OrderGroup& group, Audience audience) {
    JsonWriter json(response.data);
    json.beginObject().key("order");
    writeJson(json, group, audience);
    json.endObject();
    return response;
}

Response& setChangeSeq(Response& response, std::int64_t number) {
    return response.addHeader(std::string(CHANGE_SEQ_HEADER), std::to_string(number));
}

Response listResponse(Response response, const Listed<OrderGroupSummary>& orders, Audience audience) {
    JsonWriter json(response.data);
    json.beginObject();
    writeList(json, "orders", orders,
              [audience](JsonWriter& to, const OrderGroupSummary& order) { writeJson(to, order, audience); });
    json.endObject();
    return response;
}

Response listOwnOrders(Request& request) {
    OrderList list(request.query(), request.principal().supplierId);
    if (const auto known = request.header("If-None-Match")) {
        const OrdersState present = list.presentState(request.database());
        if (const std::string tag = list.entityTag(present, request.rawQuery()); namesTagWeakly(*known, tag)) {
            Response unchanged = Response::notModified();
            unchanged.addHeader("ETag", tag);
            return setChangeSeq(unchanged, present.committed);
        }
    }
    const auto orders = list.select(request.database());
    Response response = listResponse(request.reply(), orders, Audience::Supplier);
    response.addHeader("ETag", list.entityTag(list.state(), request.rawQuery()));
    return setChangeSeq(response, list.state().committed);
}

ApiError noSuchOrder() {
    return ApiError::notFound("Order not found");
}

/// Ends a request whose body is wrong: an order that is not there is 404 whatever the body says, and whether the group
/// may be moved at all is reported with the rest.
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

/// An order of several suppliers is as of no one number.
Response placeOrder(Request& request, Orders& orders, ChangeLog& changes) {
    return request.transact([&](Transaction& transaction) {
        const PlacedOrder order = orders.place(transaction, request.body(), actorOf(request));
        Response response = request.reply(order.isNew ? 201 : 200);
        if (!order.isNew && order.groups.size() == 1) // which nobody moves until the end of the transaction
            setChangeSeq(response, changes.committed(transaction, order.groups.front().supplierId));
        JsonWriter json(response.data);
        json.beginObject().key("order");
        writeJson(json, order);
        json.endObject();
        return response;
    });
}

Response completeGroup(Request& request, Orders& orders) {
    return request.transact([&](Transaction& transaction) {
        return orderResponse(request.reply(), orders.complete(transaction, request.pathInteger("id"), actorOf(request)),
                             Audience::Operator);
    });
}

Response readGroupOfAny(Request& request, OrdersService& orders, ChangeLog& changes) {
    return request.database().snapshot([&](SqlSession& snapshot) {
        const auto group = orders.find(snapshot, request.pathInteger("id"));
        if (!group)
            throw ApiError::notFound("Order group not found");
        Response response = orderResponse(request.reply(), *group, Audience::Operator);
        return setChangeSeq(response, changes.committed(snapshot, group->supplierId));
    });
}

/// Order groups: /orders and below for their supplier, /orders and /order-groups for operators, whose actions the
/// service Orders has for everybody else.
class OrdersPlugin : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription description;
        description.summary = "Orders: list, read, move to another state; for operators: place, list, read, complete";
        description.openapi = supplierd_orders_generated::openapi();
        description.migrations = supplierd_orders_generated::migrations();
        description.renumber = {std::string(RENUMBER_GROUPS)};
        description.needs = {"catalog"};
        description.offers = {std::string(Orders::ID)};
        description.scopes = {{"orders:read", "Read orders"}, {"orders:write", "Move orders to another state"}};
        addSuppliersRoutes(description.routes);
        addOperatorsRoutes(description.routes);
        OrderImportRoutes::add(description.routes, [this]() -> OrderImportRoutes& { return *_importRoutes; });
        return description;
    }

    void start(Host& host) override {
        _changes = &host.require<ChangeLog>();
        _orders.emplace(
            CachedOrders::Dependencies{host.database(), *_changes, host.require<CacheMemory>(), host.metrics()});
        _services.emplace(OrderServices{host.require<AuditLog>(), host.require<Accounts>(), host.require<Products>(),
                                        host.require<Stock>()});
        host.offer<Orders>(_operated.emplace(*_services));
        auto& jobs = host.require<Jobs>();
        _totals.emplace(host.database(), jobs, _services->accounts, _services->audit);
        jobs.add({"totals", {}, [this](JobRun& run) { _totals->run(run); }});
        host.require<Operations>().addCheck({"totals", [this] { return _totals->check(); }});
        addImports(host);
    }

    void stop() noexcept override { _orders.reset(); }

private:
    void addImports(Host& host) {
        Jobs& jobs = host.require<Jobs>();
        OrderImportStore& imports = _imports.emplace(host.database());
        _importRoutes.emplace(imports, jobs);
        // Also now and then: an import whose server has gone is continued.
        jobs.add({std::string(IMPORT_JOB), std::chrono::minutes(1),
                  [this, log = &host.log()](JobRun& run) { OrderImportRun(*_imports, *_operated, *log, run).work(); }});
        jobs.add({"remove-imports", std::chrono::hours(1), [](JobRun& run) {
                      const std::int64_t removed = run.inPieces([](Transaction& transaction) {
                          return OrderImportStore::removeOld(transaction, KEEP_IMPORTS_DAYS);
                      });
                      run.report("removed " + std::to_string(removed) + " rows");
                  }});
    }

    void addSuppliersRoutes(std::vector<Route>& routes) {
        const auto route = [&routes](Method method, std::string pattern, std::string scope, Body body,
                                     Handler handler) {
            routes.push_back(
                {method, std::move(pattern), Audience::Supplier, std::move(scope), body, std::move(handler)});
        };
        route(Method::Get, "/orders", "orders:read", Body::None, listOwnOrders);
        route(Method::Get, "/orders/{id:int}", "orders:read", Body::None,
              [this](Request& request) { return _orders->respond(request); });
        route(Method::Post, "/orders/{id:int}/status", "orders:write", Body::Json,
              [this](Request& request) { return moveOrder(request, *_services); });
    }

    void addOperatorsRoutes(std::vector<Route>& routes) {
        const auto route = [&routes](Method method, std::string pattern, Body body, Handler handler) {
            routes.push_back({method, std::move(pattern), Audience::Operator, {}, body, std::move(handler)});
        };
        route(Method::Post, "/orders", Body::Json,
              [this](Request& request) { return placeOrder(request, *_operated, *_changes); });
        route(Method::Get, "/order-groups", Body::None, [this](Request& request) {
            return listResponse(request.reply(), _operated->list(request.database(), request.query()),
                                Audience::Operator);
        });
        route(Method::Get, "/order-groups/{id:int}", Body::None,
              [this](Request& request) { return readGroupOfAny(request, *_operated, *_changes); });
        route(Method::Get, "/order-days", Body::None, [this](Request& request) {
            Response response = request.reply();
            JsonWriter json(response.data);
            writeJson(json, OrderDays::read(request.database(), request.query(), _services->accounts));
            return response;
        });
        route(Method::Post, "/order-groups/{id:int}/complete", Body::None,
              [this](Request& request) { return completeGroup(request, *_operated); });
        route(Method::Post, "/order-totals/verify", Body::Json,
              [this](Request& request) { return _totals->request(request); });
    }

    ChangeLog* _changes = nullptr;
    std::optional<CachedOrders> _orders;
    std::optional<OrderServices> _services;
    std::optional<OrdersService> _operated;
    std::optional<TotalsJob> _totals;
    std::optional<OrderImportStore> _imports;
    std::optional<OrderImportRoutes> _importRoutes;
};

} // namespace

} // namespace supplierd::orders

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::orders::OrdersPlugin)
