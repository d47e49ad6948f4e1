#include "InventoryWorld.h"

#include <cppunit/TestAssert.h>

#include <map>

namespace supplierd::tests {

using nlohmann::json;

namespace {

ServerOptions serverOptions() {
    ServerOptions options;
    options.plugins = {"categories", "catalog", "inventory"};
    return options;
}

std::map<std::string, std::string> keyColumns(const std::string& scopes) {
    std::map<std::string, std::string> columns{{"hourly_limit", "10000000"}};
    if (!scopes.empty())
        columns["scopes"] = "'" + scopes + "'";
    return columns;
}

} // namespace

InventoryWorld::InventoryWorld()
    : _server(_database, serverOptions()), _category(_server.createCategory("Cut flowers")) {}

InventoryWorld& InventoryWorld::instance() {
    static InventoryWorld world;
    return world;
}

Store::Store(const std::string& scopes)
    : _id(InventoryWorld::instance().server().createSupplier("Store")),
      _key(InventoryWorld::instance().server().createKey(_id, keyColumns(scopes))),
      _http(InventoryWorld::instance().server().client(_key)) {}

HttpClient Store::anotherClient() const {
    return InventoryWorld::instance().server().client(_key);
}

json Store::create(const json& changes) {
    json body{{"name", "Rosa Avalanche"},
              {"category_id", InventoryWorld::instance().category()},
              {"base_price", 0.85},
              {"unit", "stem"}};
    body.merge_patch(changes);
    const HttpResponse response = _http.post("/products", body);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 201, response.status);
    return response.data()["product"];
}

json Store::read(std::int64_t product) {
    const HttpResponse response = _http.get("/products/" + std::to_string(product));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
    return response.data()["product"];
}

json Store::update(std::int64_t product, const json& changes) {
    const HttpResponse response = _http.post("/products/" + std::to_string(product), changes);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
    return response.data()["product"];
}

void Store::remove(std::int64_t product) {
    const HttpResponse response = _http.postEmpty("/products/" + std::to_string(product) + "/delete");
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
}

std::vector<std::int64_t> Store::fill(int count) {
    TestDatabase& database = InventoryWorld::instance().database();
    const std::string supplier = std::to_string(_id);
    const std::string category = std::to_string(InventoryWorld::instance().category());
    const std::string number = std::to_string(count);
    database.exec("UPDATE supplier_state SET change_seq = change_seq + 1, products_pending = products_pending + " +
                  number + " WHERE supplier_id = " + supplier);
    database.exec("INSERT INTO products (supplier_id, name, sku, category_id, base_price, unit, change_seq) SELECT " +
                  supplier + ", CONCAT('Tulipa ', seq), CONCAT('F-', seq), " + category + ", 1, 1, " +
                  std::to_string(changeSeq()) + " FROM seq_1_to_" + number);
    database.exec("INSERT INTO product_skus (supplier_id, sku, product_id) SELECT supplier_id, sku, id FROM products "
                  "WHERE name LIKE 'Tulipa %' AND supplier_id = " +
                  supplier);
    database.exec("INSERT INTO product_totals VALUES (" + supplier + ", " + category + ", 0, 0, " + number +
                  ") ON DUPLICATE KEY UPDATE products = products + VALUES(products)");
    std::vector<std::int64_t> ids;
    for (const TestRow& row : database.query(
             "SELECT id FROM products WHERE name LIKE 'Tulipa %' AND supplier_id = " + supplier + " ORDER BY id"))
        ids.push_back(std::stoll(*row[0]));
    return ids;
}

json Store::bulk(HttpClient& http, const std::string& path, const json& items, const HttpHeaders& headers) {
    const HttpResponse response = http.post(path, {{"items", items}}, headers);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
    return response.data();
}

std::int64_t Store::changeSeq() const {
    return InventoryWorld::instance().database().integer("SELECT change_seq FROM supplier_state WHERE supplier_id = " +
                                                         std::to_string(_id));
}

json Store::changedAfter(std::int64_t seq) {
    const HttpResponse response = _http.get("/products?per_page=100&changed_after=" + std::to_string(seq));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
    return response.data()["products"];
}

void Store::requireTrueTotals() const {
    TestDatabase& database = InventoryWorld::instance().database();
    const std::string supplier = std::to_string(_id);
    const char* columns[] = {"products_pending", "products_active", "products_inactive", "products_deleted"};
    for (int state = 0; state < 4; ++state)
        CPPUNIT_ASSERT_EQUAL_MESSAGE(columns[state],
                                     database.integer("SELECT COUNT(*) FROM products WHERE supplier_id = " + supplier +
                                                      " AND state = " + std::to_string(state)),
                                     database.integer(std::string("SELECT ") + columns[state] +
                                                      " FROM supplier_state WHERE supplier_id = " + supplier));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(
        "products of product_totals", database.integer("SELECT COUNT(*) FROM products WHERE supplier_id = " + supplier),
        database.integer("SELECT COALESCE(SUM(products), 0) FROM product_totals WHERE supplier_id = " + supplier));
}

json allUpdated(std::size_t count) {
    return outcome(count, {});
}

json outcome(std::size_t updated, const std::vector<json>& errors) {
    return {{"updated", updated}, {"failed", errors.size()}, {"errors", errors}};
}

json failure(std::size_t index, const std::string& sku, const std::string& error) {
    return {{"index", index}, {"sku", sku}, {"error", error}};
}

} // namespace supplierd::tests
