#include "imports/OrderImportRoutes.h"

#include "imports/OrderImportRun.h"
#include "imports/OrderSplitter.h"

#include <array>
#include <string>
#include <utility>

namespace supplierd::orders {

namespace {

constexpr std::int64_t MAX_FILE = std::int64_t{256} << 20;
constexpr std::int64_t MAX_ORDERS = 1'000'000;
constexpr std::size_t BUFFER = 64 * 1'024;

/// Stores the orders of a file in batches.
class Intake {
public:
    Intake(OrderImportStore& store, std::int64_t id) : _store(store), _id(id) {}

    void add(std::string order) {
        constexpr std::size_t BYTES_AT_ONCE = 256 * 1'024;
        if (++_total > MAX_ORDERS)
            throw ApiError::validation(
                {{"orders", "too_many", "a file may have at most " + std::to_string(MAX_ORDERS) + " orders"}});
        _bytes += order.size();
        _orders.push_back(std::move(order));
        if (_bytes >= BYTES_AT_ONCE)
            flush();
    }
    void flush() {
        if (_orders.empty())
            return;
        _store.addOrders(_id, _total - static_cast<std::int64_t>(_orders.size()) + 1, _orders);
        _orders.clear();
        _bytes = 0;
    }
    std::int64_t total() const { return _total; }

private:
    OrderImportStore& _store;
    const std::int64_t _id;
    std::vector<std::string> _orders;
    std::size_t _bytes = 0;
    std::int64_t _total = 0;
};

} // namespace

void OrderImportRoutes::add(std::vector<Route>& routes, const std::function<OrderImportRoutes&()>& self) {
    const auto route = [&](Method method, std::string pattern, Response (OrderImportRoutes::*handler)(Request&)) {
        return Route{
            method, std::move(pattern), Audience::Operator,
            {},     Body::None,         [self, handler](Request& request) {
                         return (self().*handler)(request); }};
    };
    Route upload = route(Method::Post, "/order-imports", &OrderImportRoutes::upload);
    upload.body = Body::Raw;
    upload.maxBody = MAX_FILE;
    upload.accepts = {"application/json"};
    routes.push_back(std::move(upload));
    routes.push_back(route(Method::Get, "/order-imports", &OrderImportRoutes::list));
    routes.push_back(route(Method::Get, "/order-imports/{id:int}", &OrderImportRoutes::read));
    routes.push_back(route(Method::Post, "/order-imports/{id:int}/cancel", &OrderImportRoutes::cancel));
}

/// What ends before it is whole, whatever the reason, is seen by nobody and removed later.
Response OrderImportRoutes::upload(Request& request) {
    Details details;
    QueryReader query(request.query(), details);
    const bool stopsOnError = query.boolean("stop_on_error").value_or(false);
    details.throwIfAny();
    const std::int64_t id = _store.begin(stopsOnError, actorOf(request));
    Intake intake(_store, id);
    OrderSplitter splitter([&](std::string order) { intake.add(std::move(order)); });
    std::array<char, BUFFER> buffer{};
    BodyStream& body = request.rawBody();
    for (std::size_t size = body.read(buffer); size > 0; size = body.read(buffer))
        splitter.add({buffer.data(), size});
    splitter.end();
    intake.flush();
    return request.transact([&](Transaction& transaction) {
        OrderImportStore::receive(transaction, id, intake.total());
        _jobs.wake(transaction, IMPORT_JOB);
        Response response = show(request, transaction, id);
        response.status = 202;
        response.addHeader("Location", "/api/v1/platform/order-imports/" + std::to_string(id));
        return response;
    });
}

Response OrderImportRoutes::list(Request& request) {
    const auto imports = _store.list(request.query());
    Response response = request.reply();
    JsonWriter json(response.data);
    json.beginObject();
    writeList(json, "imports", imports);
    json.endObject();
    return response;
}

Response OrderImportRoutes::read(Request& request) {
    return request.database().snapshot(
        [&](SqlSession& snapshot) { return show(request, snapshot, request.pathInteger("id")); });
}

Response OrderImportRoutes::cancel(Request& request) {
    return request.transact([&](Transaction& transaction) {
        const std::int64_t id = request.pathInteger("id");
        OrderImportStore::end(transaction, id, ImportState::Stopped, "cancelled by " + actorOf(request).name);
        return show(request, transaction, id);
    });
}

Response OrderImportRoutes::show(Request& request, SqlSession& session, std::int64_t id) {
    const auto import = OrderImportStore::find(session, id);
    if (!import)
        throw ApiError::notFound("Import not found");
    Response response = request.reply();
    JsonWriter json(response.data);
    json.beginObject().key("import");
    writeJson(json, *import, OrderImportStore::failures(session, id));
    json.endObject();
    return response;
}

} // namespace supplierd::orders
