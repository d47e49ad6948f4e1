#include "tests/support/Test.h"

#include "SandboxFixture.h"

#include <memory>

namespace supplierd::tests {

using nlohmann::json;

class TestOrderTest : public CppUnit::TestFixture {
public:
    void setUp() override { _on = std::make_unique<SandboxFixture>(); }
    void tearDown() override { _on.reset(); }

protected:
    std::unique_ptr<SandboxFixture> _on;
};

TEST(TestOrderTest, anOrderArrivesAsARealOneWouldAndTakesStock) {
    const std::int64_t product = _on->product();
    const json item{{"product_id", product}, {"quantity", 30}};
    const HttpResponse response = _on->twin.post("/sandbox/orders", {{"items", json::array({item})}});
    const json order = dataOf(response, 201).at("order");
    CPPUNIT_ASSERT_EQUAL(json("pending"), order["status"]);
    CPPUNIT_ASSERT(
        order["order_number"].get<std::string>().starts_with("TEST-" + std::to_string(_on->twin.id()) + "-"));
    CPPUNIT_ASSERT_EQUAL("/api/v1/supplier/orders/" + order["id"].dump(), response.header("Location"));
    CPPUNIT_ASSERT_EQUAL(std::to_string(_on->twin.changeSeq()), response.header("X-Change-Seq"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{70}, _on->stockOf(product));
    const json whole = dataOf(_on->twin.get("/orders/" + order["id"].dump())).at("order");
    CPPUNIT_ASSERT_EQUAL(json(30), whole.at("items").at(0).at("quantity"));
    CPPUNIT_ASSERT_EQUAL(json({"confirmed", "cancelled"}), whole.at("allowed_statuses"));
}

TEST(TestOrderTest, itemsAreNamedByIdOrSku) {
    const std::int64_t first = _on->product({{"stock_qty", 10}, {"sku", "S-1"}});
    const std::int64_t second = _on->product(
        {{"stock_qty", 10}, {"variants", json::array({{{"name", "60 cm"}, {"sku", "S-2-60"}, {"stock_qty", 5}}})}});
    const json items = json::array({{{"sku", "s-1"}}, {{"sku", "S-2-60"}, {"quantity", 2}}, {{"product_id", second}}});
    const json order = dataOf(_on->twin.post("/sandbox/orders", {{"items", items}}), 201).at("order");
    CPPUNIT_ASSERT_EQUAL(json(3), order["items_count"]);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{9}, _on->stockOf(first));
    const json product = _on->twin.read(second);
    CPPUNIT_ASSERT_EQUAL(json(9), product["stock_qty"]);
    CPPUNIT_ASSERT_EQUAL(json(3), product["variants"].at(0)["stock_qty"]);
}

TEST(TestOrderTest, anyOrdersWhatIsOnSale) {
    const std::int64_t onSale = _on->product({{"stock_qty", 1}});
    _on->product({{"stock_qty", 0}});
    _on->product({{"stock_qty", 5}}, false);
    const json order = dataOf(_on->twin.post("/sandbox/orders", {{"items", "any"}}), 201).at("order");
    CPPUNIT_ASSERT_EQUAL(json(1), order["items_count"]);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _on->stockOf(onSale));
}

TEST(TestOrderTest, nothingOnSaleIsToldSo) {
    _on->product({{"stock_qty", 5}}, false);
    requireProblems(_on->twin.post("/sandbox/orders", json::object()), {"items:out_of_range"});
}

TEST(TestOrderTest, theStockRulesAreTheMarketplaces) {
    const std::int64_t product = _on->product({{"stock_qty", 3}});
    const std::int64_t waiting = _on->product({{"stock_qty", 3}}, false);
    const json items = json::array({{{"product_id", product}, {"quantity", 4}}, {{"product_id", waiting}}});
    requireProblems(_on->twin.post("/sandbox/orders", {{"items", items}}),
                    {"items[0].quantity:out_of_range", "items[1].product_id:unknown_reference"});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, _on->stockOf(product));
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, dataOf(_on->twin.get("/orders"))["orders"].size());
}

TEST(TestOrderTest, everyProblemIsNamed) {
    const auto order = [&](const json& items) { return _on->twin.post("/sandbox/orders", {{"items", items}}); };
    requireProblems(order(json::array()), {"items:required"});
    requireProblems(order("all"), {"items:type"});
    requireProblems(order(json::array({5, json::object(), {{"sku", "none"}}, {{"product_id", 1}, {"sku", "X"}}})),
                    {"items[0]:type", "items[1].product_id:required", "items[2].sku:unknown_reference",
                     "items[3].sku:unsupported", "items[3].product_id:unknown_reference"});
    const json item{{"product_id", _on->product()}, {"quantity", 0}};
    requireProblems(order(json::array({item})), {"items[0].quantity:out_of_range"});
}

TEST(TestOrderTest, theCustomerIsPassedOn) {
    _on->product();
    const json customer{{"company_name", "Fleurs \"Ö\""}, {"shipping_address", {{"city", "Gent"}}}};
    const json made = dataOf(_on->twin.post("/sandbox/orders", {{"customer", customer}, {"currency", "USD"}}), 201);
    const json order = dataOf(_on->twin.get("/orders/" + made["order"]["id"].dump()))["order"];
    CPPUNIT_ASSERT_EQUAL(json("Fleurs \"Ö\""), order["customer"]["company_name"]);
    CPPUNIT_ASSERT_EQUAL(json("Gent"), order["customer"]["shipping_address"]["city"]);
    CPPUNIT_ASSERT_EQUAL(json("USD"), order["currency"]);
    requireProblems(_on->twin.post("/sandbox/orders", {{"customer", json::object()}}),
                    {"customer.company_name:required"});
}

TEST(TestOrderTest, aRepeatIsOneOrder) {
    const std::int64_t product = _on->product();
    const HttpHeaders headers{{"Idempotency-Key", "once"}};
    const HttpResponse first = _on->twin.post("/sandbox/orders", {{"items", "any"}}, headers);
    requireStatus(201, first);
    CPPUNIT_ASSERT_EQUAL(first.body, _on->twin.post("/sandbox/orders", {{"items", "any"}}, headers).body);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{99}, _on->stockOf(product));
}

TEST(TestOrderTest, productsAreJudgedAsByTheMarketplace) {
    const std::string path = "/sandbox/products/" + std::to_string(_on->product(json::object(), false));
    const json rejected = dataOf(_on->twin.post(path + "/reject", {{"reason", "Blurred"}}))["product"];
    CPPUNIT_ASSERT_EQUAL(json({{"status", "rejected"}, {"reason", "Blurred"}}), rejected["approval"]);
    requireProblems(_on->twin.post(path + "/reject", json::object()), {"reason:required"});
    const json approved = dataOf(_on->twin.postEmpty(path + "/approve"))["product"];
    CPPUNIT_ASSERT_EQUAL(json({{"status", "approved"}, {"reason", nullptr}}), approved["approval"]);
    requireError(404, "NOT_FOUND", _on->twin.postEmpty("/sandbox/products/4711000/approve"));
}

} // namespace supplierd::tests
