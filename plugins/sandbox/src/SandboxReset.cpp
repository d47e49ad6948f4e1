#include "SandboxReset.h"

#include <supplierd/JsonBody.h>
#include <supplierd/JsonWriter.h>

#include <utility>

namespace supplierd::sandbox {

namespace {

constexpr int PARTS = 10;

} // namespace

SandboxReset::SandboxReset(const SandboxServices& services, Request& request)
    : _services(services),
      _database(request.database()),
      _actor(actorOf(request)),
      _marketplace{"sandbox", _actor.requestId, Actor::Kind::Server},
      _supplierId(request.principal().supplierId) {}

void SandboxReset::run() {
    for (int part = 0; part < PARTS && _isMore; ++part) {
        const bool hasOrders = endOrders();
        const bool hasProducts = removeProducts();
        _isMore = hasOrders || hasProducts;
    }
}

/// False: there are no open ones any more.
bool SandboxReset::endOrders() {
    const JsonDocument cancel = parseJsonObject(R"({"status":"cancelled","comment":"The sandbox was reset"})");
    const JsonDocument deliver = parseJsonObject(R"({"status":"delivered","comment":"The sandbox was reset"})");
    std::vector<OrderGroupSummary> open;
    for (const std::string_view status : {"pending", "confirmed", "processing", "shipped", "delivered"}) {
        auto found = _services.orders->list(_database, pageOf(_supplierId, status));
        std::move(found.items.begin(), found.items.end(), std::back_inserter(open));
        if (open.size() >= PAGE)
            break;
    }
    if (open.empty())
        return false;
    _database.withTransaction([&](Transaction& transaction) {
        for (const OrderGroupSummary& order : open) {
            const bool hasLeft = order.status == "shipped" || order.status == "delivered";
            if (!hasLeft)
                _services.orders->changeStatus(transaction, _supplierId, order.id, cancel.object(), _actor);
            if (order.status == "shipped")
                _services.orders->changeStatus(transaction, _supplierId, order.id, deliver.object(), _actor);
            if (hasLeft)
                _services.orders->complete(transaction, order.id, _marketplace);
        }
    });
    _ended += std::ssize(open);
    return true;
}

/// False: there are none any more.
bool SandboxReset::removeProducts() {
    const auto products = _services.products->list(_database, pageOf(_supplierId)).items;
    if (products.empty())
        return false;
    _database.withTransaction([&](Transaction& transaction) {
        for (const ProductRecord& product : products)
            _services.products->remove(transaction, _supplierId, product.id, _actor);
    });
    _removed += std::ssize(products);
    return true;
}

void SandboxReset::write(JsonWriter& json) const {
    json.beginObject().field("orders_ended", _ended).field("products_deleted", _removed);
    json.field("has_more", _isMore).endObject();
}

} // namespace supplierd::sandbox
