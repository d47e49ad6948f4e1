#include "CachedOrders.h"

#include <supplierd/EntityTag.h>
#include <supplierd/Errors.h>
#include <supplierd/JsonWriter.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>

namespace supplierd::orders {

namespace {

constexpr std::string_view HELP = "Orders that were read one by one, by whether memory had them";
constexpr std::string_view ORDER_GROUP = "order_group.";
/// Each is a question of the database's, and whoever walks asks for each once. Without its supplier it is read again.
constexpr double WORTH = 0.5;
/// Where the log has more than that, his groups are read again: most who change so much ask for few of them.
constexpr std::int64_t ENTRIES_AT_MOST = 1'000;

/// It changes with its status alone, and each of those is in its history. With the last one's time, since a database
/// that was restored comes to as many another way.
std::string tagOf(const OrderGroup& group) {
    std::string tag = '"' + std::to_string(group.history.size());
    if (!group.history.empty()) {
        tag += '-';
        std::copy_if(group.history.back().createdAt.begin(), group.history.back().createdAt.end(),
                     std::back_inserter(tag), [](char c) { return c >= '0' && c <= '9'; });
    }
    return tag += '"';
}

} // namespace

/// A supplier whose changes are followed: each group of his in memory that names him, and was read at `from` or later,
/// is unchanged up to `upTo`.
struct CachedOrders::Supplier {
    Supplier(std::int64_t supplierId, std::int64_t committed) : id(supplierId), from(committed), upTo(committed) {}

    const std::int64_t id;
    /// Held while the log is read: whoever needs it waits, and finds it done.
    mutable std::mutex mutex;
    mutable std::int64_t from;
    mutable std::int64_t upTo;
};

CachedOrders::CachedOrders(const Dependencies& dependencies)
    : _dependencies(dependencies),
      _suppliers(dependencies.memory, "orders: suppliers", 4 * WORTH),
      _orders(dependencies.memory, "orders: groups", WORTH),
      _hits(dependencies.metrics.counter("details_total", HELP, {{"result", "hit"}})),
      _misses(dependencies.metrics.counter("details_total", HELP, {{"result", "miss"}})) {}

Response CachedOrders::respond(Request& request) {
    const std::int64_t supplierId = request.principal().supplierId;
    const std::int64_t groupId = request.pathInteger("id");
    std::optional<Found> found;
    if (_orders.find(groupId)) { // one that is read says itself as of which number it is
        const std::int64_t committed = request.database().committed(supplierId).supplier;
        found = find(supplierOf(supplierId, committed), groupId, committed);
    }
    (found ? _hits : _misses).add();
    if (!found)
        found = read(request, supplierId, groupId);
    const auto known = request.header("If-None-Match");
    const bool isKnown = known && namesTagWeakly(*known, found->order->tag);
    Response response = isKnown ? Response::notModified() : request.reply();
    if (!isKnown)
        response.data = found->order->data;
    response.addHeader("ETag", found->order->tag);
    response.addHeader(std::string(CHANGE_SEQ_HEADER), std::to_string(found->asOf));
    return response;
}

CachedOrders::SupplierPointer CachedOrders::supplierOf(std::int64_t supplierId, std::int64_t committed) {
    if (auto followed = _suppliers.find(supplierId))
        return followed;
    auto made = std::make_shared<const Supplier>(supplierId, committed);
    _suppliers.keep(supplierId, made, sizeof(Supplier), [](const Supplier&) { return false; });
    auto followed = _suppliers.find(supplierId); // somebody else's, when he was faster
    return followed ? followed : made;
}

std::optional<CachedOrders::Found> CachedOrders::find(const SupplierPointer& supplier, std::int64_t groupId,
                                                      std::int64_t committed) {
    const std::lock_guard lock(supplier->mutex);
    if (supplier->upTo < committed)
        follow(*supplier, committed);
    const CachedPointer order = _orders.find(groupId);
    if (!order || order->supplier != supplier || order->asOf < supplier->from || supplier->upTo < committed)
        return std::nullopt;
    return Found{order, std::max(order->asOf, supplier->upTo)};
}

/// With the supplier's lock.
void CachedOrders::follow(const Supplier& supplier, std::int64_t committed) {
    const auto startAt = [&](std::int64_t number) { supplier.from = supplier.upTo = number; };
    if (committed - supplier.upTo > ENTRIES_AT_MOST)
        return startAt(committed);
    const ChangePage page = _dependencies.database.read([&](SqlSession& session) {
        return _dependencies.changes.after(session, supplier.id, supplier.upTo, ENTRIES_AT_MOST);
    });
    if (!page.isComplete)
        return startAt(page.committed); // he changed what nobody wrote down
    for (const ChangeEntry& entry : page.entries) {
        supplier.upTo = entry.seq;
        for (const ChangedObjects& objects : entry.objects) {
            if (!std::string_view(objects.kind).starts_with(ORDER_GROUP))
                continue;
            if (objects.areAll)
                supplier.from = entry.seq;
            for (const std::int64_t id : objects.ids)
                _orders.remove(id);
        }
    }
}

CachedOrders::Found CachedOrders::read(Request& request, std::int64_t supplierId, std::int64_t groupId) {
    const auto readOnce = [&](SqlSession& session) { return readGroupAsOf(session, supplierId, groupId); };
    auto group = request.database().read(readOnce);
    // A snapshot for every order would cost nearly as much as reading it.
    if (group && !isWhole(group->group))
        group = request.database().snapshot(readOnce);
    if (!group)
        throw ApiError::notFound("Order not found");
    const SupplierPointer supplier = supplierOf(supplierId, group->asOf);
    const auto order = std::make_shared<Cached>();
    order->supplier = supplier;
    order->asOf = group->asOf;
    order->tag = tagOf(group->group);
    JsonWriter json(order->data);
    json.beginObject().key("order");
    writeJson(json, group->group, Audience::Supplier);
    json.endObject();
    order->data.shrink_to_fit();
    const std::lock_guard lock(supplier->mutex);
    // What the log said up to `upTo` was not looked for in it.
    if (order->asOf >= supplier->upTo)
        _orders.keep(groupId, order, sizeof(*order) + order->tag.capacity() + order->data.capacity(),
                     [&](const Cached& cached) { return cached.supplier != supplier || cached.asOf <= order->asOf; });
    return {order, order->asOf};
}

} // namespace supplierd::orders
