#include "tests/support/TestSupplier.h"

#include "tests/support/Answers.h"

#include <cppunit/TestAssert.h>

#include <map>

namespace supplierd::tests {

using nlohmann::json;

namespace {

std::map<std::string, std::string> keyColumns(const std::string& scopes) {
    std::map<std::string, std::string> columns{{"hourly_limit", "10000000"}};
    if (!scopes.empty())
        columns["scopes"] = "'" + scopes + "'";
    return columns;
}

std::string pathOf(std::int64_t product) {
    return "/products/" + std::to_string(product);
}

} // namespace

TestSupplier::TestSupplier(TestMarket& market, const std::string& name, const std::string& scopes)
    : _market(market),
      _id(market.server().createSupplier(name)),
      _key(market.server().createKey(_id, keyColumns(scopes))),
      _http(market.server().client(_key)) {}

TestSupplier::TestSupplier(TestMarket& market, std::int64_t id, const std::string& key)
    : _market(market), _id(id), _key(key), _http(market.server().client(key)) {}

json TestSupplier::get(const std::string& path) {
    return dataOf(_http.get(path));
}

json TestSeller::productBody(const json& changes) const {
    json body{{"name", "Rosa Avalanche"}, {"category_id", market().category()}, {"base_price", 0.85}, {"unit", "stem"}};
    body.merge_patch(changes);
    return body;
}

json TestSeller::create(const json& changes) {
    return dataOf(http().post("/products", productBody(changes)), 201).at("product");
}

json TestSeller::read(std::int64_t product) {
    return get(pathOf(product)).at("product");
}

json TestSeller::update(std::int64_t product, const json& changes) {
    return dataOf(http().post(pathOf(product), changes)).at("product");
}

void TestSeller::remove(std::int64_t product) {
    requireStatus(200, http().postEmpty(pathOf(product) + "/delete"));
}

json TestSeller::list(const std::string& query) {
    return get("/products" + (query.empty() ? query : "?" + query));
}

std::vector<std::int64_t> TestSeller::ids(const std::string& query) {
    return idsOf(list(query).at("products"));
}

std::int64_t TestSeller::changeSeq() const {
    return market().database().integer("SELECT change_seq FROM supplier_state WHERE supplier_id = " +
                                       std::to_string(id()));
}

void TestSeller::requireTrueTotals() {
    const std::string rows = "SELECT COUNT(*) FROM products WHERE supplier_id = " + std::to_string(id());
    for (const char* status : {"pending", "active", "inactive"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(
            status,
            market().database().integer(rows + " AND state = " +
                                        (*status == 'p'   ? "0"
                                         : *status == 'a' ? "1"
                                                          : "2")),
            list(std::string("per_page=1&status=") + status).at("pagination").at("total_items").get<std::int64_t>());
    CPPUNIT_ASSERT_EQUAL_MESSAGE(
        "all, deleted ones too", market().database().integer(rows),
        list("per_page=1&include_deleted=true").at("pagination").at("total_items").get<std::int64_t>());
}

} // namespace supplierd::tests
