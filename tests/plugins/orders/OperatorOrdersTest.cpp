#include "tests/support/OperatorClient.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"

#include <atomic>
#include <memory>
#include <string>

namespace supplierd::tests {

/// Orders as the platform places and follows them; the plugin orders has tests of its own for the suppliers' side.
class OperatorOrdersTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _operator = std::make_unique<OperatorClient>();
        _supplier = std::make_unique<SupplierClient>(_operator->createSupplier());
        _number = "PO-" + _operator->key().substr(3, 8);
    }

    void tearDown() override { // an idle connection holds a thread of the server
        _supplier.reset();
        _operator.reset();
    }

protected:
    /// A product that can be bought.
    json onSale(SupplierClient& supplier, const json& changes = json::object()) {
        json all{{"stock_qty", 100}};
        all.update(changes);
        const json made = supplier.create(all);
        return dataOf(_operator->postEmpty("/products/" + made["id"].dump() + "/approve")).at("product");
    }

    static json item(const json& product, int quantity) {
        return {{"product_id", product.at("id")}, {"quantity", quantity}};
    }

    static json body(const std::string& number, const json& items) {
        return {{"order_number", number}, {"customer", {{"company_name", "Bloemist Jansen"}}}, {"items", items}};
    }

    HttpResponse post(const std::vector<json>& items) { return _operator->post("/orders", body(_number, json(items))); }

    json place(const std::vector<json>& items) { return dataOf(post(items), 201).at("order"); }

    json groupsOf(const SupplierClient& supplier, const std::string& more = {}) {
        return dataOf(_operator->get("/order-groups?supplier_id=" + std::to_string(supplier.id()) + more));
    }

    static std::string path(const json& group, const std::string& rest = {}) {
        return "/order-groups/" + std::to_string(idOf(group)) + rest;
    }

    static void move(SupplierClient& supplier, const json& group, const std::string& status) {
        requireStatus(200, supplier.post("/orders/" + group["id"].dump() + "/status", {{"status", status}}));
    }

    std::unique_ptr<OperatorClient> _operator;
    std::unique_ptr<SupplierClient> _supplier;
    std::string _number;
};

TEST(OperatorOrdersTest, racingRequestsForOneOrderMakeOneOrder) {
    const json roses = onSale(*_supplier);
    std::atomic<int> made{0};
    race(8, [&](OperatorClient& op, int) {
        const HttpResponse response = op.post("/orders", body(_number, json::array({item(roses, 10)})));
        made += response.status == 201 ? 1 : 0;
        if (response.status != 201)
            requireStatus(200, response);
    });
    CPPUNIT_ASSERT_EQUAL(1, made.load());
    CPPUNIT_ASSERT_EQUAL(json(90), _supplier->read(idOf(roses))["stock_qty"]);
    CPPUNIT_ASSERT_EQUAL(json(1), groupsOf(*_supplier)["pagination"]["total_items"]);
}

TEST(OperatorOrdersTest, manyBuyersNeverOversell) {
    const json roses = onSale(*_supplier, {{"stock_qty", 10}});
    std::atomic<int> sold{0};
    race(25, [&](OperatorClient& op, int i) {
        const auto own = _number + "-" + std::to_string(i);
        const HttpResponse response = op.post("/orders", body(own, json::array({item(roses, 1)})));
        if (response.status == 201)
            ++sold;
        else
            requireProblems(response, {"items[0].quantity:out_of_range"});
    });
    CPPUNIT_ASSERT_EQUAL(10, sold.load());
    CPPUNIT_ASSERT_EQUAL(json(0), _supplier->read(idOf(roses))["stock_qty"]);
    CPPUNIT_ASSERT_EQUAL(json(10), groupsOf(*_supplier)["pagination"]["total_items"]);
}

TEST(OperatorOrdersTest, twoRacingCompletionsAreOne) {
    const json group = place({item(onSale(*_supplier), 1)})["groups"][0];
    for (const char* status : {"confirmed", "processing", "shipped", "delivered"})
        move(*_supplier, group, status);
    std::atomic<int> done{0};
    race(8, [&](OperatorClient& op, int) {
        const HttpResponse response = op.postEmpty(path(group, "/complete"));
        if (response.status == 200)
            ++done;
        else
            requireProblems(response, {"status:unsupported"});
    });
    CPPUNIT_ASSERT_EQUAL(1, done.load());
    CPPUNIT_ASSERT_EQUAL(json(1), groupsOf(*_supplier, "&status=completed")["pagination"]["total_items"]);
}

} // namespace supplierd::tests
