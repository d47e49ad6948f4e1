#include "tests/support/OperatorClient.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"

#include <atomic>
#include <memory>
#include <string>

namespace supplierd::tests {

using nlohmann::json;
using Ids = std::vector<std::int64_t>;

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

    /// Its completion is a 422 that names the present state and the wanted one.
    void requireRefused(const json& group, const std::string& status) {
        const HttpResponse response = _operator->postEmpty(path(group, "/complete"));
        requireProblems(response, {"status:unsupported"});
        const std::string message = response.error()["message"];
        CPPUNIT_ASSERT_MESSAGE(message, message.find("from " + status + " to completed") != std::string::npos);
    }

    std::unique_ptr<OperatorClient> _operator;
    std::unique_ptr<SupplierClient> _supplier;
    std::string _number;
};

TEST(OperatorOrdersTest, anOrderBecomesOneGroupPerSupplier) {
    SupplierClient other = _operator->createSupplier();
    const json roses = onSale(*_supplier);
    const json tulips = onSale(other, {{"base_price", 0.0850}});
    const json order = place({item(tulips, 100), item(roses, 3)});
    CPPUNIT_ASSERT_EQUAL(json(_number), order["order_number"]);
    const json groups = order.at("groups");
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, groups.size());
    CPPUNIT_ASSERT_EQUAL(json({{"id", _supplier->id()}, {"name", _supplier->name()}}), groups[0]["supplier"]);
    CPPUNIT_ASSERT_EQUAL(json(other.id()), groups[1]["supplier"]["id"]);
    CPPUNIT_ASSERT_EQUAL(json(8.5), groups[1]["subtotal"]);
    CPPUNIT_ASSERT_EQUAL(json(97), _supplier->read(idOf(roses))["stock_qty"]);
    CPPUNIT_ASSERT_EQUAL(json(0), other.read(idOf(tulips))["stock_qty"]);
    CPPUNIT_ASSERT(idsOf(dataOf(_supplier->get("/orders"))["orders"]) == Ids{idOf(groups[0])});
    CPPUNIT_ASSERT(idsOf(dataOf(other.get("/orders"))["orders"]) == Ids{idOf(groups[1])});
}

TEST(OperatorOrdersTest, anOrderThatOversellsTakesNothing) {
    SupplierClient other = _operator->createSupplier();
    const json roses = onSale(*_supplier);
    const json tulips = onSale(other, {{"stock_qty", 4}});
    requireProblems(post({item(roses, 5), item(tulips, 5)}), {"items[1].quantity:out_of_range"});
    requireProblems(post({item(roses, 60), item(tulips, 4), item(roses, 41)}), {"items[2].quantity:out_of_range"});
    CPPUNIT_ASSERT_EQUAL(json(100), _supplier->read(idOf(roses))["stock_qty"]);
    CPPUNIT_ASSERT_EQUAL(json(4), other.read(idOf(tulips))["stock_qty"]);
    CPPUNIT_ASSERT_EQUAL(json::array(), groupsOf(*_supplier)["orders"]);
    CPPUNIT_ASSERT_EQUAL(json(0), groupsOf(other)["pagination"]["total_items"]);
    place({item(roses, 5), item(tulips, 4)}); // the number is still free
}

TEST(OperatorOrdersTest, whatIsNotOnSaleIsNamed) {
    const json pending = _supplier->create({{"stock_qty", 100}});
    const json rejected = _supplier->create({{"stock_qty", 100}});
    requireStatus(200, _operator->post("/products/" + rejected["id"].dump() + "/reject", {{"reason", "Blurred"}}));
    const json inactive = onSale(*_supplier);
    requireStatus(200, _supplier->post("/products/" + inactive["id"].dump(), {{"is_active", false}}));
    const json unknown{{"id", 999'999'999}};
    requireProblems(
        post({item(pending, 1), item(rejected, 1), item(inactive, 1), item(unknown, 1), item(onSale(*_supplier), 1)}),
        {"items[0].product_id:unknown_reference", "items[1].product_id:unknown_reference",
         "items[2].product_id:unknown_reference", "items[3].product_id:unknown_reference"});
}

TEST(OperatorOrdersTest, everyProblemOfTheBodyIsNamed) {
    requireProblems(_operator->post("/orders", json::object()),
                    {"order_number:required", "customer:required", "items:required"});
    requireProblems(_operator->post("/orders", {{"order_number", 5},
                                                {"currency", "Euro"},
                                                {"customer", {{"company_name", " "}}},
                                                {"items", {{{"product_id", "1"}, {"quantity", 0}}, 5}}}),
                    {"order_number:type", "currency:not_in_set", "customer.company_name:required",
                     "items[0].product_id:type", "items[0].quantity:out_of_range", "items[1]:type"});
}

TEST(OperatorOrdersTest, theSameOrderNumberIsTheSameOrder) {
    const json roses = onSale(*_supplier);
    const json order = place({item(roses, 10)});
    const HttpResponse again = post({item(roses, 10)});
    requireStatus(200, again);
    CPPUNIT_ASSERT_EQUAL(order, again.data()["order"]);
    requireProblems(post({item(roses, 11)}), {"order_number:duplicate"});
    CPPUNIT_ASSERT_EQUAL(json(90), _supplier->read(idOf(roses))["stock_qty"]);
    CPPUNIT_ASSERT_EQUAL(json(1), groupsOf(*_supplier)["pagination"]["total_items"]);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _operator->audit("order", idOf(order)).size());
}

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

TEST(OperatorOrdersTest, orderGroupsOfAllSuppliersAreListed) {
    SupplierClient other = _operator->createSupplier();
    const json roses = onSale(*_supplier);
    const json tulips = onSale(other);
    const json both = place({item(roses, 1), item(tulips, 1)})["groups"];
    _number += "-2";
    const json one = place({item(roses, 1)})["groups"];
    move(*_supplier, one[0], "confirmed");
    const Ids newest = idsOf(dataOf(_operator->get("/order-groups?per_page=3"))["orders"]);
    CPPUNIT_ASSERT(newest == (Ids{idOf(one[0]), idOf(both[1]), idOf(both[0])}));
    const json ours = groupsOf(*_supplier);
    CPPUNIT_ASSERT(idsOf(ours["orders"]) == (Ids{idOf(one[0]), idOf(both[0])}));
    CPPUNIT_ASSERT_EQUAL(json(2), ours["pagination"]["total_items"]);
    json summary = dataOf(_supplier->get("/orders?status=confirmed"))["orders"].at(0);
    summary["supplier"] = {{"id", _supplier->id()}, {"name", _supplier->name()}};
    CPPUNIT_ASSERT_EQUAL(summary, groupsOf(*_supplier, "&status=confirmed")["orders"].at(0));
    CPPUNIT_ASSERT(idsOf(groupsOf(*_supplier, "&status=pending")["orders"]) == Ids{idOf(both[0])});
    requireProblems(_operator->get("/order-groups?page=0&per_page=x&status=open&supplier_id=0"),
                    {"page:out_of_range", "per_page:type", "status:not_in_set", "supplier_id:out_of_range"});
}

TEST(OperatorOrdersTest, oneOrderGroupIsReadWithItsSupplier) {
    const json group = place({item(onSale(*_supplier), 7)})["groups"][0];
    const json read = dataOf(_operator->get(path(group)))["order"];
    CPPUNIT_ASSERT_EQUAL(group, read);
    CPPUNIT_ASSERT_EQUAL(json(_supplier->id()), read["supplier"]["id"]);
    CPPUNIT_ASSERT_EQUAL(json("Bloemist Jansen"), read["customer"]["company_name"]);
    CPPUNIT_ASSERT_EQUAL(json(7), read["items"][0]["quantity"]);
    CPPUNIT_ASSERT_EQUAL(json("platform"), read["status_history"][0]["changed_by"]);
    CPPUNIT_ASSERT(!dataOf(_supplier->get("/orders/" + group["id"].dump()))["order"].contains("supplier"));
}

TEST(OperatorOrdersTest, onlyADeliveredGroupIsCompleted) {
    const json group = place({item(onSale(*_supplier), 1)})["groups"][0];
    for (const char* status : {"confirmed", "processing", "shipped", "delivered"}) {
        requireRefused(group, dataOf(_operator->get(path(group)))["order"]["status"]);
        move(*_supplier, group, status);
    }
    CPPUNIT_ASSERT_EQUAL(json({"completed"}), dataOf(_operator->get(path(group)))["order"]["allowed_statuses"]);
    const json completed = dataOf(_operator->postEmpty(path(group, "/complete")))["order"];
    CPPUNIT_ASSERT_EQUAL(json("completed"), completed["status"]);
    CPPUNIT_ASSERT_EQUAL(completed, dataOf(_operator->get(path(group)))["order"]);
    CPPUNIT_ASSERT_EQUAL(json("completed"), dataOf(_supplier->get("/orders/" + group["id"].dump()))["order"]["status"]);
    requireRefused(group, "completed");

    _number += "-2";
    const json cancelled = place({item(onSale(*_supplier), 1)})["groups"][0];
    move(*_supplier, cancelled, "cancelled");
    requireRefused(cancelled, "cancelled");
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

TEST(OperatorOrdersTest, ordersAndTheirMovesAreAudited) {
    const json order = place({item(onSale(*_supplier), 1)});
    const json group = order["groups"][0];
    const json made = _operator->audit("order", idOf(order)).at(0);
    CPPUNIT_ASSERT_EQUAL(json("order.create"), made["action"]);
    CPPUNIT_ASSERT_EQUAL(json(_operator->prefix()), made["actor"]);
    CPPUNIT_ASSERT(made["before"].is_null());
    CPPUNIT_ASSERT_EQUAL(json(_number), made["after"]["order_number"]);
    for (const char* status : {"confirmed", "processing", "shipped", "delivered"})
        move(*_supplier, group, status);
    requireStatus(200, _operator->postEmpty(path(group, "/complete")));
    requireRefused(group, "completed");
    const json entries = _operator->audit("order_group", idOf(group));
    CPPUNIT_ASSERT_EQUAL(std::size_t{5}, entries.size());
    CPPUNIT_ASSERT_EQUAL(json("order_group.complete"), entries[0]["action"]);
    CPPUNIT_ASSERT_EQUAL(json(_operator->prefix()), entries[0]["actor"]);
    CPPUNIT_ASSERT_EQUAL(json("delivered"), entries[0]["before"]["status"]);
    CPPUNIT_ASSERT_EQUAL(json("completed"), entries[0]["after"]["status"]);
    CPPUNIT_ASSERT_EQUAL(json("order_group.move"), entries[1]["action"]);
    CPPUNIT_ASSERT_EQUAL(json(_supplier->key().substr(0, 11)), entries[1]["actor"]);
    CPPUNIT_ASSERT_EQUAL(json(_supplier->id()), entries[1]["supplier_id"]);
}

} // namespace supplierd::tests
