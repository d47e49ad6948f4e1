#include "PlatformWorld.h"

#include <cppunit/TestAssert.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <exception>
#include <memory>
#include <sstream>
#include <thread>

namespace supplierd::tests {

using nlohmann::json;

namespace {

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    return text;
}

json dataOf(const HttpResponse& response, int status) {
    requireStatus(status, response);
    return response.data();
}

} // namespace

ServerOptions platformServer() {
    ServerOptions options;
    options.plugins.clear();
    std::istringstream names(SUPPLIERD_TEST_PLUGINS);
    for (std::string name; std::getline(names, name, ',');)
        options.plugins.push_back(name);
    options.configuration = "[auth]\nfailures_per_minute = 100000\n[rate_limit]\nrequests_per_hour = 10000000\n";
    return options;
}

std::string platformUrl(const ServerProcess& server) {
    return server.url().substr(0, server.url().find("/api/")) + "/api/v1/platform";
}

PlatformWorld::PlatformWorld() : _server(_database, platformServer()), _category(_server.createCategory("Roses")) {}

PlatformWorld& PlatformWorld::instance() {
    static PlatformWorld world;
    return world;
}

Operator::Operator()
    : _key(PlatformWorld::instance().server().createOperatorKey()),
      _http(PlatformWorld::instance().platformClient(_key)) {}

json Operator::get(const std::string& path) {
    return dataOf(_http.get(path), 200);
}

json Operator::post(const std::string& path, const json& body, int status) {
    return dataOf(_http.post(path, body), status);
}

json Operator::postEmpty(const std::string& path, int status) {
    return dataOf(_http.postEmpty(path), status);
}

json Operator::audit(const std::string& object, std::int64_t id) {
    return get("/audit?object=" + object + "&id=" + std::to_string(id)).at("entries");
}

Seller::Seller(Operator& op, const json& supplier) : _id(0), _http(PlatformWorld::instance().server().client()) {
    json body{{"name", "Rozenhof"}, {"status", "verified"}};
    body.merge_patch(supplier);
    const json made = op.post("/suppliers", body, 201).at("supplier");
    _id = idOf(made);
    _name = made.at("name").get<std::string>();
    _key = op.post(path("/keys"), json::object(), 201).at("key").at("secret").get<std::string>();
    _http.setKey(_key);
}

json Seller::create(const json& changes) {
    json body{{"name", "Rosa Avalanche"},
              {"category_id", PlatformWorld::instance().category()},
              {"base_price", 0.85},
              {"unit", "stem"},
              {"stock_qty", 100}};
    body.merge_patch(changes);
    return dataOf(_http.post("/products", body), 201).at("product");
}

json Seller::read(std::int64_t product) {
    return dataOf(_http.get("/products/" + std::to_string(product)), 200).at("product");
}

json Seller::get(const std::string& path) {
    return dataOf(_http.get(path), 200);
}

std::vector<std::int64_t> Seller::listed(const std::string& query) {
    return idsOf(get("/products" + (query.empty() ? query : "?" + query)).at("products"));
}

void Seller::fill(int count) {
    TestDatabase& database = PlatformWorld::instance().database();
    const std::string supplier = std::to_string(_id);
    const std::string category = std::to_string(PlatformWorld::instance().category());
    const std::string many = std::to_string(count);
    database.exec("INSERT INTO products (supplier_id, name, category_id, base_price, unit, change_seq) SELECT " +
                  supplier + ", CONCAT('Tulipa ', seq), " + category + ", 1 + seq MOD 7, 1, 1 FROM seq_1_to_" + many);
    database.exec("UPDATE supplier_state SET change_seq = change_seq + 1, products_pending = products_pending + " +
                  many + " WHERE supplier_id = " + supplier);
    database.exec("INSERT INTO product_totals VALUES (" + supplier + ", " + category + ", 0, 0, " + many +
                  ") ON DUPLICATE KEY UPDATE products = products + VALUES(products)");
}

void Seller::requireTrueTotals() const {
    TestDatabase& database = PlatformWorld::instance().database();
    const std::string supplier = std::to_string(_id);
    const char* columns[] = {"products_pending", "products_active", "products_inactive", "products_deleted"};
    for (int state = 0; state < 4; ++state)
        CPPUNIT_ASSERT_EQUAL_MESSAGE(columns[state],
                                     database.integer("SELECT COUNT(*) FROM products WHERE supplier_id = " + supplier +
                                                      " AND state = " + std::to_string(state)),
                                     database.integer(std::string("SELECT ") + columns[state] +
                                                      " FROM supplier_state WHERE supplier_id = " + supplier));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(
        "places of product_totals that differ from a recount", std::int64_t{0},
        database.integer("SELECT COUNT(*) FROM (SELECT category_id, type, state, SUM(n) AS n FROM ("
                         "SELECT category_id, type, state, 1 AS n FROM products WHERE supplier_id = " +
                         supplier +
                         " UNION ALL SELECT category_id, type, state, -products FROM product_totals "
                         "WHERE supplier_id = " +
                         supplier + ") a GROUP BY category_id, type, state) b WHERE n <> 0"));
}

std::int64_t idOf(const json& object) {
    return object.at("id").get<std::int64_t>();
}

std::vector<std::int64_t> idsOf(const json& objects) {
    std::vector<std::int64_t> ids;
    for (const json& object : objects)
        ids.push_back(idOf(object));
    return ids;
}

void requireStatus(int status, const HttpResponse& response) {
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, status, response.status);
}

void requireError(int status, const std::string& code, const HttpResponse& response) {
    requireStatus(status, response);
    const json error = response.error();
    CPPUNIT_ASSERT_EQUAL(code, error.at("code").get<std::string>());
    CPPUNIT_ASSERT(!error.at("message").get<std::string>().empty());
    CPPUNIT_ASSERT_EQUAL(response.header("X-Request-Id"), error.at("request_id").get<std::string>());
}

void requireProblems(const HttpResponse& response, std::vector<std::string> problems) {
    requireError(422, "VALIDATION_ERROR", response);
    const json error = response.error();
    std::vector<std::string> found;
    for (const json& detail : error.at("details")) {
        found.push_back(detail.at("field").get<std::string>() + ":" + detail.at("code").get<std::string>());
        CPPUNIT_ASSERT(!detail.at("message").get<std::string>().empty());
    }
    CPPUNIT_ASSERT_EQUAL(error["details"][0]["message"].get<std::string>(), error["message"].get<std::string>());
    std::sort(found.begin(), found.end());
    std::sort(problems.begin(), problems.end());
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, joined(problems), joined(found));
}

void requireForbidden(const std::string& code, const HttpResponse& response) {
    requireError(403, "FORBIDDEN", response);
    CPPUNIT_ASSERT_EQUAL(code, response.error().at("details").at(0).at("code").get<std::string>());
}

void waitForKeys() {
    std::this_thread::sleep_for(std::chrono::seconds(2)); // what the API promises
}

void race(int count, const std::function<void(Operator&, int)>& work) {
    std::vector<std::unique_ptr<Operator>> operators;
    for (int i = 0; i < count; ++i) {
        operators.push_back(std::make_unique<Operator>());
        operators.back()->get("/categories");
    }
    std::barrier start(count);
    std::vector<std::exception_ptr> failures(operators.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < operators.size(); ++i)
        threads.emplace_back([&, i] {
            start.arrive_and_wait();
            try {
                work(*operators[i], static_cast<int>(i));
            } catch (...) {
                failures[i] = std::current_exception();
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    for (const auto& failure : failures)
        if (failure)
            std::rethrow_exception(failure);
}

} // namespace supplierd::tests
