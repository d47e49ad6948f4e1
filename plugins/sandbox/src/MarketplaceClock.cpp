#include "MarketplaceClock.h"

#include <supplierd/JsonBody.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/Validation.h>

#include <algorithm>
#include <array>

namespace supplierd::sandbox {

namespace {

/// The way of an order that nothing happens to.
constexpr std::array<std::string_view, 6> WAY{"pending", "confirmed", "processing",
                                              "shipped", "delivered", "completed"};
constexpr std::string_view SHIPPED = "shipped";
constexpr std::string_view COMPLETED = "completed";
constexpr std::string_view CANCELLED = "cancelled";
constexpr std::array<std::string_view, 6> GOALS{"confirmed", "processing", "shipped",
                                                "delivered", COMPLETED,    CANCELLED};

/// WAY.size() for a state that is not on it.
std::size_t stepOf(std::string_view status) {
    return static_cast<std::size_t>(std::find(WAY.begin(), WAY.end(), status) - WAY.begin());
}

} // namespace

MarketplaceClock::MarketplaceClock(const SandboxServices& services, Request& request)
    : _services(services),
      _actor(actorOf(request)),
      _marketplace{"sandbox", _actor.requestId, Actor::Kind::Server},
      _supplierId(request.principal().supplierId) {
    readBody(request.body());
    if (_orderId) {
        findOrder(request.database());
        return;
    }
    findOrders(request.database());
    if (!_to)
        findProducts(request.database());
}

void MarketplaceClock::readBody(const JsonObject& body) {
    Details details;
    ObjectReader reader(body, details);
    _orderId = reader.integer("order_id", {.min = 1}).value;
    const auto steps = reader.integer("steps", {.min = 1, .max = WAY.size() - 1}).value;
    _to = reader.oneOf("to", GOALS).value;
    if (steps && _to)
        details.add("to", "unsupported", "steps or to, not both");
    details.throwIfAny();
    _steps = steps.value_or(1);
}

void MarketplaceClock::findOrder(Database& database) {
    const auto order = database.snapshot(
        [&](SqlSession& snapshot) { return _services.orders->findOwn(snapshot, _supplierId, *_orderId); });
    if (!order)
        throw ApiError::notFound("Order not found");
    _orders.push_back(*order);
}

/// Those that can go on, oldest first, so that calls one after the other come to each.
void MarketplaceClock::findOrders(Database& database) {
    const std::size_t goal = _to ? stepOf(*_to) : stepOf(COMPLETED);
    // A cancellation is possible until the order has left.
    const std::size_t end = std::min(goal, stepOf(_to == CANCELLED ? SHIPPED : COMPLETED));
    for (std::size_t step = 0; step < end; ++step) {
        const auto found = _services.orders->list(database, pageOf(_supplierId, WAY[step]));
        _isMore = _isMore || found.pagination.totalItems > std::ssize(found.items);
        _orders.insert(_orders.end(), found.items.begin(), found.items.end());
    }
    std::sort(_orders.begin(), _orders.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    if (_orders.size() > PAGE) {
        _orders.resize(PAGE);
        _isMore = true;
    }
}

/// Those that nobody has judged yet: what is rejected stays so.
void MarketplaceClock::findProducts(Database& database) {
    QueryParameters query = pageOf(_supplierId, "pending");
    for (;;) {
        const auto found = _services.products->list(database, query);
        for (const ProductRecord& product : found.items)
            if (product.read().get("approval").object().get("status").text() == "pending")
                _pendingProducts.push_back(product.id);
        if (!found.pagination.nextCursor)
            return;
        if (_pendingProducts.size() >= PAGE) {
            _isMore = true;
            return;
        }
        query = pageOf(_supplierId, "pending");
        query.emplace_back("cursor", *found.pagination.nextCursor);
    }
}

void MarketplaceClock::advance(Transaction& transaction) {
    _moved.clear();
    _approved.clear();
    if (!_pendingProducts.empty())
        for (const auto& outcome : _services.products->approve(transaction, _pendingProducts, _marketplace))
            if (outcome.isChanged)
                _approved.push_back(outcome.productId);
    for (const OrderGroupSummary& order : _orders) {
        try {
            advance(transaction, order);
        } catch (const ApiError& error) {
            // Of all orders, one that somebody else moved meanwhile is left to him.
            if (_orderId || error.kind() != ErrorKind::Validation)
                throw;
        }
    }
}

void MarketplaceClock::advance(Transaction& transaction, const OrderGroupSummary& order) {
    OrderGroupSummary now = order;
    const std::size_t start = stepOf(order.status);
    if (_to == CANCELLED || start == WAY.size() || start + 1 == WAY.size()) {
        // Where there is no way on, the refusal says so.
        now = move(transaction, now, _to.value_or(std::string(COMPLETED)));
    } else {
        const std::size_t end = _to ? stepOf(*_to) : std::min(start + static_cast<std::size_t>(_steps), WAY.size() - 1);
        if (end <= start)
            now = move(transaction, now, std::string(WAY[end])); // likewise
        for (std::size_t step = start; step < end; ++step)
            now = move(transaction, now, std::string(WAY[step + 1]));
    }
    _moved.push_back({now, order.status});
}

OrderGroup MarketplaceClock::move(Transaction& transaction, const OrderGroupSummary& order,
                                  const std::string& status) const {
    if (status == COMPLETED) // which is the marketplace's alone
        return _services.orders->complete(transaction, order.id, _marketplace);
    std::string fields;
    JsonWriter json(fields);
    json.beginObject().field("status", status).field("comment", "Moved by the clock of the sandbox");
    if (status == SHIPPED)
        json.key("tracking").beginObject().field("carrier", "Sandbox").field("number", order.orderNumber).endObject();
    json.endObject();
    return _services.orders->changeStatus(transaction, _supplierId, order.id,
                                          parseJsonObject(std::move(fields)).object(), _actor);
}

void MarketplaceClock::write(JsonWriter& json) const {
    json.beginObject().key("orders").beginArray();
    for (const Moved& moved : _moved) {
        json.beginObject().field("id", moved.order.id).field("order_number", moved.order.orderNumber);
        json.field("from_status", moved.from).field("status", moved.order.status).endObject();
    }
    json.endArray().key("approved_products").beginArray();
    for (const std::int64_t product : _approved)
        json.value(product);
    json.endArray().field("has_more", _isMore).endObject();
}

} // namespace supplierd::sandbox
