#include "OrderServers.h"

#include "OrderReplay.h"

#include <algorithm>

namespace supplierd::tests {

namespace {

constexpr int PRODUCTS = 4;
/// Those are written and read, so that they meet.
constexpr std::size_t NEWEST = 25;
constexpr std::size_t ONE_OF_ALL = 6;

ServerOptions optionsOf(std::size_t server) {
    ServerOptions options;
    options.plugins = {"categories", "catalog", "inventory", "orders"};
    options.configuration = "[rate_limit]\nrequests_per_hour = 1000000000\n";
    if (server == 1)
        options.configuration += "[server]\nmemory = \"1MiB\"\n";
    return options;
}

} // namespace

std::optional<std::int64_t> OrderedSupplier::anyOrder(std::mt19937& random) const {
    const std::lock_guard lock(_mutex);
    if (_orders.empty())
        return std::nullopt;
    const auto below = [&](std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random); };
    const std::size_t from = below(ONE_OF_ALL) == 0 ? _orders.size() : std::min(_orders.size(), NEWEST);
    return _orders[_orders.size() - 1 - below(from)];
}

void OrderedSupplier::add(std::int64_t order) {
    const std::lock_guard lock(_mutex);
    _orders.push_back(order);
}

std::optional<std::int64_t> OrderedSupplier::takeDelivered() {
    const std::lock_guard lock(_mutex);
    if (_delivered.empty())
        return std::nullopt;
    const std::int64_t order = _delivered.back();
    _delivered.pop_back();
    return order;
}

void OrderedSupplier::addDelivered(std::int64_t order) {
    const std::lock_guard lock(_mutex);
    _delivered.push_back(order);
}

OrderServers::OrderServers() : ServerGroup({optionsOf(0), optionsOf(1)}) {
    const std::string category = std::to_string(server(0).createCategory("Cut flowers"));
    for (std::size_t i = 0; i < SUPPLIERS; ++i) {
        auto supplier = std::make_unique<OrderedSupplier>();
        supplier->id = server(0).createSupplier("Supplier");
        supplier->key = server(0).createKey(supplier->id, {{"hourly_limit", "1000000000"}});
        for (int product = 0; product < PRODUCTS; ++product)
            supplier->products.push_back(
                database().insert("products", {{"supplier_id", std::to_string(supplier->id)},
                                               {"name", "'Rosa " + std::to_string(product) + "'"},
                                               {"category_id", category},
                                               {"base_price", "0.85"},
                                               {"unit", "1"},
                                               {"stock_qty", "1000000000"},
                                               {"approval", "1"},
                                               {"change_seq", "0"}}));
        _suppliers.push_back(std::move(supplier));
    }
    _log = std::make_unique<CommitLog>(database(), orderTables());
}

} // namespace supplierd::tests
