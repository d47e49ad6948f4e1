#include "ListServers.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>

namespace supplierd::tests {

namespace {

constexpr int SOME_PRODUCTS = 120;
constexpr int MANY_PRODUCTS = 1'800;
constexpr int LONG_NAME = 240;
constexpr auto AFTER_A_KILL = std::chrono::milliseconds(20);

ServerOptions optionsOf(std::size_t server) {
    ServerOptions options;
    options.plugins = {"categories", "catalog", "inventory"};
    options.pluginFiles = {SUPPLIERD_TEST_PLUGIN_DIR "/test-images.so", SUPPLIERD_TEST_PLUGIN_DIR "/test-stock.so"};
    options.configuration = "[rate_limit]\nrequests_per_hour = 1000000000\n";
    if (server == 1)
        options.configuration += "[plugins.catalog]\nindex_memory = \"1MiB\"\n";
    return options;
}

} // namespace

std::int64_t ListedSupplier::anyProduct(std::mt19937& random) const {
    const std::lock_guard lock(_mutex);
    return _products[std::uniform_int_distribution<std::size_t>(0, _products.size() - 1)(random)];
}

void ListedSupplier::add(std::int64_t product) {
    const std::lock_guard lock(_mutex);
    _products.push_back(product);
}

void ListedSupplier::remove(std::int64_t product) {
    const std::lock_guard lock(_mutex);
    if (const auto place = std::find(_products.begin(), _products.end(), product);
        place != _products.end() && _products.size() > 1)
        _products.erase(place);
}

std::size_t ListedSupplier::products() const {
    const std::lock_guard lock(_mutex);
    return _products.size();
}

ListServers::ListServers() {
    for (std::size_t i = 0; i < _servers.size(); ++i) {
        _servers[i] = std::make_unique<ServerProcess>(_database, optionsOf(i));
        _urls[i] = _servers[i]->url();
    }
    for (const char* name : {"Cut flowers", "Pot plants"})
        _categories.push_back(server(0).createCategory(name));
    _categories.push_back(server(0).createCategory("Ribbons", "supply"));
    _operatorKey = server(0).createOperatorKey({{"hourly_limit", "1000000000"}});
    for (std::size_t i = 0; i < SUPPLIERS; ++i) {
        auto supplier = std::make_unique<ListedSupplier>();
        supplier->id = server(0).createSupplier("Supplier");
        supplier->key = server(0).createKey(supplier->id, {{"hourly_limit", "1000000000"}});
        fill(*supplier, i + 1 < SUPPLIERS ? SOME_PRODUCTS : MANY_PRODUCTS, i + 1 < SUPPLIERS ? 0 : LONG_NAME);
        _suppliers.push_back(std::move(supplier));
    }
    _log = std::make_unique<CommitLog>(_database);
}

void ListServers::fill(ListedSupplier& supplier, int products, int nameLength) {
    const std::string id = std::to_string(supplier.id);
    const std::string category = std::to_string(_categories.front());
    _database.exec("UPDATE supplier_state SET change_seq = 1 WHERE supplier_id = " + id);
    _database.exec(
        "INSERT INTO products (supplier_id, name, category_id, base_price, unit, stock_qty, change_seq) SELECT " + id +
        ", RPAD(CONCAT('tulipa ', seq MOD 90), GREATEST(" + std::to_string(nameLength) + ", 9), ' red'), " + category +
        ", 1 + seq MOD 7, 1, seq MOD 50, 1 FROM seq_1_to_" + std::to_string(products));
    _database.exec("UPDATE products SET name = TRIM(name) WHERE supplier_id = " + id);
    for (const TestRow& row : _database.query("SELECT id FROM products WHERE supplier_id = " + id))
        supplier.add(std::stoll(row[0].value()));
    supplier.heardOf.raise(1);
}

std::int64_t ListServers::committed(std::int64_t supplierId) {
    return _database.integer("SELECT change_seq FROM supplier_state WHERE supplier_id = " + std::to_string(supplierId));
}

std::string ListServers::url(std::size_t server) const {
    const std::lock_guard lock(_mutex);
    return _urls[server];
}

void ListServers::killAndStart(std::size_t server) {
    _servers[server]->kill();
    _servers[server]->start();
    const std::lock_guard lock(_mutex);
    _urls[server] = _servers[server]->url();
}

HttpClient& ServerConnections::to(std::size_t server, const std::string& key) {
    auto& client = _clients[{server, key}];
    if (!client)
        client = std::make_unique<HttpClient>(_servers.url(server), key);
    return *client;
}

void ServerConnections::forget(std::size_t server) {
    std::erase_if(_clients, [&](const auto& client) { return client.first.first == server; });
    std::this_thread::sleep_for(AFTER_A_KILL);
}

} // namespace supplierd::tests
