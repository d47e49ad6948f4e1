#include "CatalogWorld.h"

#include <Poco/URI.h>

#include <cppunit/TestAssert.h>

#include <algorithm>
#include <map>
#include <utility>

namespace supplierd::tests {

using nlohmann::json;

namespace {

std::map<std::string, std::string> keyColumns(const std::string& scopes) {
    std::map<std::string, std::string> columns{{"hourly_limit", "10000000"}};
    if (!scopes.empty())
        columns["scopes"] = "'" + scopes + "'";
    return columns;
}

ServerOptions& serverOptions() {
    static ServerOptions options;
    return options;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    return text;
}

} // namespace

CatalogWorld::CatalogWorld()
    : _server(_database, serverOptions()),
      _flowers(_server.createCategory("Cut flowers")),
      _ribbons(_server.createCategory("Ribbons", "supply")) {}

void CatalogWorld::setOptions(ServerOptions options) {
    serverOptions() = std::move(options);
}

CatalogWorld& CatalogWorld::instance() {
    static CatalogWorld world;
    return world;
}

Shop::Shop(const std::string& scopes)
    : _id(CatalogWorld::instance().server().createSupplier("Shop")),
      _key(CatalogWorld::instance().server().createKey(_id, keyColumns(scopes))),
      _http(CatalogWorld::instance().server().client(_key)) {}

HttpClient Shop::anotherClient() const {
    return CatalogWorld::instance().server().client(_key);
}

json Shop::body(const json& changes) {
    json body{{"name", "Rosa Avalanche"},
              {"category_id", CatalogWorld::instance().flowers()},
              {"base_price", 0.85},
              {"unit", "stem"}};
    body.merge_patch(changes);
    return body;
}

json Shop::create(const json& changes) {
    const HttpResponse response = _http.post("/products", body(changes));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 201, response.status);
    return response.data()["product"];
}

json Shop::update(std::int64_t product, const json& changes) {
    const HttpResponse response = _http.post("/products/" + std::to_string(product), changes);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
    return response.data()["product"];
}

void Shop::remove(std::int64_t product) {
    const HttpResponse response = _http.postEmpty("/products/" + std::to_string(product) + "/delete");
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
}

json Shop::read(std::int64_t product) {
    const HttpResponse response = _http.get("/products/" + std::to_string(product));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
    return response.data()["product"];
}

json Shop::list(const std::string& query) {
    const HttpResponse response = _http.get("/products" + (query.empty() ? query : "?" + query));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
    return response.data();
}

std::vector<std::int64_t> Shop::ids(const std::string& query) {
    return idsOf(list(query)["products"]);
}

std::vector<std::int64_t> Shop::fill(int count) {
    TestDatabase& database = CatalogWorld::instance().database();
    const std::string supplier = std::to_string(_id);
    const std::string flowers = std::to_string(CatalogWorld::instance().flowers());
    const std::string seq = database.text("SELECT change_seq FROM supplier_state WHERE supplier_id = " + supplier);
    database.exec("INSERT INTO products (supplier_id, name, category_id, base_price, unit, stock_qty, change_seq) "
                  "SELECT " +
                  supplier + ", CONCAT('Tulipa ', LPAD(seq, 6, '0')), " + flowers + ", 1 + seq MOD 7, 1, seq MOD 5, " +
                  seq + " + seq FROM seq_1_to_" + std::to_string(count));
    database.exec("UPDATE supplier_state SET change_seq = change_seq + " + std::to_string(count) +
                  " WHERE supplier_id = " + supplier);
    std::vector<std::int64_t> ids;
    for (const TestRow& row : database.query("SELECT id FROM products WHERE supplier_id = " + supplier +
                                             " AND change_seq > " + seq + " ORDER BY id"))
        ids.push_back(std::stoll(*row[0]));
    return ids;
}

void Shop::requireProblems(const HttpResponse& response, std::vector<std::string> problems) {
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 422, response.status);
    const json error = response.error();
    CPPUNIT_ASSERT_EQUAL(std::string("VALIDATION_ERROR"), error["code"].get<std::string>());
    std::vector<std::string> found;
    for (const json& detail : error["details"]) {
        found.push_back(detail["field"].get<std::string>() + ":" + detail["code"].get<std::string>());
        CPPUNIT_ASSERT(!detail["message"].get<std::string>().empty());
    }
    CPPUNIT_ASSERT_EQUAL(error["details"][0]["message"].get<std::string>(), error["message"].get<std::string>());
    std::sort(found.begin(), found.end());
    std::sort(problems.begin(), problems.end());
    CPPUNIT_ASSERT_EQUAL(joined(problems), joined(found));
}

void Shop::requireTrueTotals() {
    TestDatabase& database = CatalogWorld::instance().database();
    const std::string rows = "SELECT COUNT(*) FROM products WHERE supplier_id = " + std::to_string(_id);
    for (const char* status : {"pending", "active", "inactive"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(
            status,
            database.integer(rows + " AND state = " +
                             (*status == 'p'   ? "0"
                              : *status == 'a' ? "1"
                                               : "2")),
            list(std::string("per_page=1&status=") + status).at("pagination").at("total_items").get<std::int64_t>());
    CPPUNIT_ASSERT_EQUAL_MESSAGE(
        "all, deleted ones too", database.integer(rows),
        list("per_page=1&include_deleted=true").at("pagination").at("total_items").get<std::int64_t>());
}

std::string escaped(const std::string& value) {
    std::string out;
    Poco::URI::encode(value, "&=+#?/;:,%", out);
    return out;
}

} // namespace supplierd::tests
