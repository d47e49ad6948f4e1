#include "InventoryWorld.h"

#include "tests/support/Answers.h"

namespace supplierd::tests {

using nlohmann::json;

namespace {

ServerOptions serverOptions() {
    ServerOptions options;
    options.plugins = {"categories", "catalog", "inventory"};
    return options;
}

} // namespace

InventoryWorld::InventoryWorld() : TestMarket(serverOptions()) {}

InventoryWorld& InventoryWorld::instance() {
    static InventoryWorld world;
    return world;
}

Store::Store(const std::string& scopes) : TestSeller(InventoryWorld::instance(), "Store", scopes) {}

std::vector<std::int64_t> Store::fill(int count) {
    TestDatabase& database = market().database();
    const std::string supplier = std::to_string(id());
    const std::string category = std::to_string(market().category());
    const std::string number = std::to_string(count);
    database.exec("UPDATE supplier_state SET change_seq = change_seq + 1 WHERE supplier_id = " + supplier);
    database.exec("INSERT INTO products (supplier_id, name, sku, category_id, base_price, unit, change_seq) SELECT " +
                  supplier + ", CONCAT('Tulipa ', seq), CONCAT('F-', seq), " + category + ", 1, 1, " +
                  std::to_string(changeSeq()) + " FROM seq_1_to_" + number);
    database.exec("INSERT INTO product_skus (supplier_id, sku_key, sku, product_id) SELECT supplier_id, LOWER(sku), "
                  "sku, id FROM products "
                  "WHERE name LIKE 'Tulipa %' AND supplier_id = " +
                  supplier);
    std::vector<std::int64_t> ids;
    for (const TestRow& row : database.query(
             "SELECT id FROM products WHERE name LIKE 'Tulipa %' AND supplier_id = " + supplier + " ORDER BY id"))
        ids.push_back(std::stoll(*row[0]));
    return ids;
}

json Store::bulk(HttpClient& http, const std::string& path, const json& items, const HttpHeaders& headers) {
    return dataOf(http.post(path, {{"items", items}}, headers));
}

json Store::changedAfter(std::int64_t seq) {
    return list("per_page=100&changed_after=" + std::to_string(seq))["products"];
}

json allUpdated(std::size_t count) {
    return outcome(count, {});
}

json outcome(std::size_t updated, const std::vector<json>& errors) {
    return {{"updated", updated}, {"failed", errors.size()}, {"errors", errors}};
}

json failure(std::size_t index, const std::string& sku, const std::string& error, const std::string& code) {
    return {{"index", index}, {"sku", sku}, {"error", error}, {"code", code}};
}

json changed(std::size_t index, const std::string& sku, std::int64_t now) {
    json error = failure(index, sku, "Stock changed, now " + std::to_string(now), "changed");
    error["stock_qty"] = now;
    return error;
}

} // namespace supplierd::tests
