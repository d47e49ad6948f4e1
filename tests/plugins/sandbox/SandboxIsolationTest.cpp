#include "SandboxFixture.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <memory>

namespace supplierd::tests {

using nlohmann::json;

/// What is in a sandbox is in no list of the platform that does not ask for it, and never beside what is real.
class SandboxIsolationTest : public CppUnit::TestFixture {
public:
    void setUp() override { _on = std::make_unique<SandboxFixture>(); }
    void tearDown() override { _on.reset(); }

protected:
    /// The newest of the list is not `testing` but `real`; both are there, one more in number, when asked for.
    void requireLeftOut(const std::string& path, const std::string& name, std::int64_t testing, std::int64_t real) {
        const auto list = [&](const std::string& more) {
            return dataOf(_on->marketplace.get(path + "per_page=100" + more));
        };
        const auto has = [&](const json& data, std::int64_t id) {
            const auto ids = idsOf(data.at(name));
            return std::find(ids.begin(), ids.end(), id) != ids.end();
        };
        const json without = list("");
        const json with = list("&sandbox=true");
        CPPUNIT_ASSERT_MESSAGE(path, has(without, real));
        CPPUNIT_ASSERT_MESSAGE(path, !has(without, testing));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(path, without, list("&sandbox=false"));
        CPPUNIT_ASSERT_MESSAGE(path, has(with, real) && has(with, testing));
        const auto total = [](const json& data) {
            return data.at("pagination").at("total_items").template get<std::int64_t>();
        };
        CPPUNIT_ASSERT_MESSAGE(path, total(with) > total(without));
        if (total(without) <= 100)
            CPPUNIT_ASSERT_EQUAL_MESSAGE(path, total(without), std::int64_t(without.at(name).size()));
    }

    bool namesProduct(const std::string& path, std::int64_t product) {
        const json entries = dataOf(_on->marketplace.get(path))["entries"];
        return std::any_of(entries.begin(), entries.end(), [&](const json& entry) {
            return entry["object"] == "product" && entry["object_id"] == product;
        });
    }

    json orderOf(const std::vector<std::int64_t>& products) {
        static int number = 0;
        json body{{"order_number", "ISOLATED-" + std::to_string(_on->live.id()) + "-" + std::to_string(++number)},
                  {"customer", {{"company_name", "Bloom BV"}}},
                  {"items", json::array()}};
        for (const std::int64_t product : products)
            body["items"].push_back({{"product_id", product}, {"quantity", 1}});
        return body;
    }

    std::int64_t placeReal(std::int64_t product) {
        return idOf(dataOf(_on->marketplace.post("/orders", orderOf({product})), 201)["order"]["groups"].at(0));
    }

    std::unique_ptr<SandboxFixture> _on;
};

TEST(SandboxIsolationTest, suppliersLeaveSandboxesOut) {
    requireLeftOut("/suppliers?", "suppliers", _on->twin.id(), _on->live.id());
    requireLeftOut("/suppliers?status=verified&", "suppliers", _on->twin.id(), _on->live.id());
    requireStatus(200, _on->marketplace.get(_on->twin.path())); // by its id it is there
}

TEST(SandboxIsolationTest, productsAndApprovalsLeaveSandboxesOut) {
    const std::int64_t waiting = idOf(_on->live.create());
    const std::int64_t testing = _on->product(json::object(), false);
    requireLeftOut("/products?", "products", testing, waiting);
    requireLeftOut("/products?status=pending&", "products", testing, waiting);
    const std::string own = "/products?supplier_id=" + std::to_string(_on->twin.id());
    CPPUNIT_ASSERT(idsOf(dataOf(_on->marketplace.get(own))["products"]) == std::vector{testing});
}

TEST(SandboxIsolationTest, ordersAndTheirTotalsLeaveSandboxesOut) {
    const std::int64_t real = placeReal(_on->liveProduct());
    const std::int64_t test = idOf(_on->order(_on->product()));
    requireLeftOut("/order-groups?", "orders", test, real);
    requireLeftOut("/order-groups?status=pending&", "orders", test, real);
    requireLeftOut("/order-groups?created_from=2026-01-01T00:00:00Z&", "orders", test, real);
    requireLeftOut("/order-groups?updated_since=2026-01-01T00:00:00Z&", "orders", test, real);
    const std::string own = "/order-groups?supplier_id=" + std::to_string(_on->twin.id());
    CPPUNIT_ASSERT(idsOf(dataOf(_on->marketplace.get(own))["orders"]) == std::vector{test});
}

TEST(SandboxIsolationTest, theAuditLogLeavesSandboxesOut) {
    const std::int64_t testing = _on->product(json::object(), false);
    const std::int64_t real = idOf(_on->live.create());
    for (const std::string filter : {"/audit?per_page=100&", "/audit?per_page=100&object=product&"}) {
        CPPUNIT_ASSERT_MESSAGE(filter, namesProduct(filter, real));
        CPPUNIT_ASSERT_MESSAGE(filter, !namesProduct(filter, testing));
        CPPUNIT_ASSERT_MESSAGE(filter, namesProduct(filter + "sandbox=true&", testing));
    }
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _on->marketplace.audit("product", testing).size()); // asked for by id
    CPPUNIT_ASSERT(namesProduct("/audit?actor=" + _on->twin.key().substr(0, 16) + "&", testing));
}

TEST(SandboxIsolationTest, aCursorIsOfItsOwnListOnly) {
    _on->live.create();
    _on->live.create();
    const json page = dataOf(_on->marketplace.get("/products?per_page=1"))["pagination"];
    const std::string cursor = "&cursor=" + page["next_cursor"].get<std::string>();
    requireStatus(200, _on->marketplace.get("/products?per_page=1" + cursor));
    requireProblems(_on->marketplace.get("/products?per_page=1&sandbox=true" + cursor), {"cursor:not_in_set"});
    requireProblems(_on->marketplace.get("/products?sandbox=perhaps"), {"sandbox:not_in_set"});
}

TEST(SandboxIsolationTest, neitherSeesTheOthersData) {
    const std::int64_t real = idOf(_on->live.create({{"sku", "R-1"}}));
    const std::int64_t test = idOf(_on->twin.create({{"sku", "R-1"}})); // SKUs are each one's own
    CPPUNIT_ASSERT(_on->live.ids() == std::vector{real});
    CPPUNIT_ASSERT(_on->twin.ids() == std::vector{test});
    requireStatus(404, _on->live.get("/products/" + std::to_string(test)));
    requireStatus(404, _on->twin.get("/products/" + std::to_string(real)));
    const json stock{{"items", json::array({{{"sku", "R-1"}, {"stock_qty", 7}}})}};
    CPPUNIT_ASSERT_EQUAL(json(1), dataOf(_on->twin.post("/stock", stock))["updated"]);
    CPPUNIT_ASSERT_EQUAL(json(0), _on->live.read(real)["stock_qty"]);
    requireError(404, "NOT_FOUND", _on->twin.postEmpty("/sandbox/products/" + std::to_string(real) + "/approve"));
    CPPUNIT_ASSERT_EQUAL(json("pending"), _on->live.read(real)["approval"]["status"]);
    const std::int64_t order = placeReal(_on->liveProduct());
    requireStatus(404, _on->twin.get("/orders/" + std::to_string(order)));
    requireError(404, "NOT_FOUND", _on->twin.post("/sandbox/clock", {{"order_id", order}}));
}

TEST(SandboxIsolationTest, aRealOrderHasNothingOfASandbox) {
    const std::int64_t real = _on->liveProduct();
    const std::int64_t test = _on->product();
    requireProblems(_on->marketplace.post("/orders", orderOf({real, test})), {"items[1].product_id:unknown_reference"});
    requireProblems(_on->marketplace.post("/orders", orderOf({test})), {"items[0].product_id:unknown_reference"});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{100}, _on->stockOf(test));
    CPPUNIT_ASSERT_EQUAL(json(100), _on->live.read(real)["stock_qty"]);
}

TEST(SandboxIsolationTest, aTestOrderHasNothingReal) {
    const std::int64_t real = _on->liveProduct();
    const std::int64_t test = _on->product();
    json body = orderOf({test, real});
    body["sandbox"] = true;
    requireProblems(_on->marketplace.post("/orders", body), {"items[1].product_id:unknown_reference"});
    body = orderOf({test});
    body["sandbox"] = true;
    const std::int64_t group = idOf(dataOf(_on->marketplace.post("/orders", body), 201)["order"]["groups"].at(0));
    CPPUNIT_ASSERT_EQUAL(group, idOf(dataOf(_on->twin.get("/orders"))["orders"].at(0)));
    body["sandbox"] = false; // another order than the one of that number
    requireProblems(_on->marketplace.post("/orders", body), {"order_number:duplicate"});
    requireProblems(_on->twin.post("/sandbox/orders", {{"items", json::array({{{"product_id", real}}})}}),
                    {"items[0].product_id:unknown_reference"});
}

} // namespace supplierd::tests
