#include "ListServers.h"

#include "CatalogTables.h"
#include "tests/support/Numbers.h"
#include "tests/support/Places.h"

#include <algorithm>

namespace supplierd::tests {

namespace {

constexpr int SOME_PRODUCTS = 120;
constexpr int MANY_PRODUCTS = 1'800;
constexpr int LONG_NAME = 240;

} // namespace

ServerOptions ListServers::serverOptions(std::size_t server) {
    ServerOptions options;
    options.plugins = {"categories", "catalog", "inventory"};
    options.pluginFiles = {buildPath("test-plugins/test-images.so"), buildPath("test-plugins/test-stock.so")};
    options.configuration = "[rate_limit]\nrequests_per_hour = 1000000000\n";
    if (server == 1)
        options.configuration += "[server]\nmemory = \"1MiB\"\n";
    return options;
}

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

ListServers::ListServers() : ListServers(std::vector{serverOptions(0), serverOptions(1)}) {}

ListServers::ListServers(const std::vector<ServerOptions>& options, const std::string& settings)
    : ServerGroup(options, settings) {
    for (const char* name : {"Cut flowers", "Pot plants"})
        _categories.push_back(server(0).createCategory(name));
    _categories.push_back(server(0).createCategory("Ribbons", "supply"));
    for (std::size_t i = 0; i < SUPPLIERS; ++i) {
        auto supplier = std::make_unique<ListedSupplier>();
        supplier->id = server(0).createSupplier("Supplier");
        supplier->key = server(0).createKey(supplier->id, {{"hourly_limit", "1000000000"}});
        fill(*supplier, i + 1 < SUPPLIERS ? SOME_PRODUCTS : MANY_PRODUCTS, i + 1 < SUPPLIERS ? 0 : LONG_NAME);
        _suppliers.push_back(std::move(supplier));
    }
    _log = std::make_unique<CommitLog>(database(), catalogTables());
}

void ListServers::demandAcknowledgedOnly() {
    _marketplaceHeard.acknowledgedOnly();
    for (const auto& supplier : _suppliers)
        supplier->heard.acknowledgedOnly();
}

void ListServers::fill(ListedSupplier& supplier, int products, int nameLength) {
    const std::string id = std::to_string(supplier.id);
    const std::string category = std::to_string(_categories.front());
    database().exec("UPDATE supplier_state SET change_seq = 1 WHERE supplier_id = " + id +
                    "; INSERT INTO changes (supplier_id, change_seq, kind, ids, actor) VALUES (" + id +
                    ", 1, '', '', 'test')");
    database().exec(
        "INSERT INTO products (supplier_id, name, category_id, base_price, unit, stock_qty, change_seq) SELECT " + id +
        ", RPAD(CONCAT('tulipa ', seq MOD 90), GREATEST(" + std::to_string(nameLength) + ", 9), ' red'), " + category +
        ", 1 + seq MOD 7, 1, seq MOD 50, 1 FROM " + numbersTo(products));
    database().exec("UPDATE products SET name = TRIM(name) WHERE supplier_id = " + id);
    for (const TestRow& row : database().query("SELECT id FROM products WHERE supplier_id = " + id))
        supplier.add(std::stoll(row[0].value()));
    supplier.heard.acknowledge(1);
}

} // namespace supplierd::tests
