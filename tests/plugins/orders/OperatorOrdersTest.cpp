#include "tests/plugins/platform/PlatformWorld.h"

#include <cppunit/extensions/HelperMacros.h>

#include <atomic>
#include <memory>
#include <string>

namespace supplierd::tests {

using nlohmann::json;
using Ids = std::vector<std::int64_t>;

/// Orders as the platform feeds and follows them; the plugin orders has tests of its own for the suppliers' side.
class OperatorOrdersTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(OperatorOrdersTest);
    CPPUNIT_TEST(testAnOrderBecomesOneGroupPerSupplier);
    CPPUNIT_TEST(testAnOrderThatOversellsTakesNothing);
    CPPUNIT_TEST(testWhatIsNotOnSaleIsNamed);
    CPPUNIT_TEST(testEveryProblemOfTheBodyIsNamed);
    CPPUNIT_TEST(testTheSameOrderNumberIsTheSameOrder);
    CPPUNIT_TEST(testRacingFeedsOfOneOrderAreOneOrder);
    CPPUNIT_TEST(testManyBuyersNeverOversell);
    CPPUNIT_TEST(testOrderGroupsOfAllSuppliersAreListed);
    CPPUNIT_TEST(testOneOrderGroupIsReadWithItsSupplier);
    CPPUNIT_TEST(testOnlyADeliveredGroupIsCompleted);
    CPPUNIT_TEST(testTwoRacingCompletionsAreOne);
    CPPUNIT_TEST(testOrdersAndTheirMovesAreAudited);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override {
        _operator = std::make_unique<Operator>();
        _seller = std::make_unique<Seller>(*_operator);
        _number = "PO-" + _operator->key().substr(3, 8);
    }

    void tearDown() override { // an idle connection holds a thread of the server
        _seller.reset();
        _operator.reset();
    }

    void testAnOrderBecomesOneGroupPerSupplier() {
        Seller other(*_operator);
        const json roses = onSale(*_seller);
        const json tulips = onSale(other, {{"base_price", 0.0850}});
        const json order = feed({item(tulips, 100), item(roses, 3)});
        CPPUNIT_ASSERT_EQUAL(json(_number), order["order_number"]);
        const json groups = order.at("groups");
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, groups.size());
        CPPUNIT_ASSERT_EQUAL(json({{"id", _seller->id()}, {"name", _seller->name()}}), groups[0]["supplier"]);
        CPPUNIT_ASSERT_EQUAL(json(other.id()), groups[1]["supplier"]["id"]);
        CPPUNIT_ASSERT_EQUAL(json(8.5), groups[1]["subtotal"]);
        CPPUNIT_ASSERT_EQUAL(json(97), _seller->read(idOf(roses))["stock_qty"]);
        CPPUNIT_ASSERT_EQUAL(json(0), other.read(idOf(tulips))["stock_qty"]);
        CPPUNIT_ASSERT(idsOf(_seller->get("/orders")["orders"]) == Ids{idOf(groups[0])});
        CPPUNIT_ASSERT(idsOf(other.get("/orders")["orders"]) == Ids{idOf(groups[1])});
    }

    void testAnOrderThatOversellsTakesNothing() {
        Seller other(*_operator);
        const json roses = onSale(*_seller);
        const json tulips = onSale(other, {{"stock_qty", 4}});
        requireProblems(post({item(roses, 5), item(tulips, 5)}), {"items[1].quantity:out_of_range"});
        requireProblems(post({item(roses, 60), item(tulips, 4), item(roses, 41)}), {"items[2].quantity:out_of_range"});
        CPPUNIT_ASSERT_EQUAL(json(100), _seller->read(idOf(roses))["stock_qty"]);
        CPPUNIT_ASSERT_EQUAL(json(4), other.read(idOf(tulips))["stock_qty"]);
        CPPUNIT_ASSERT_EQUAL(json::array(), groupsOf(*_seller)["orders"]);
        CPPUNIT_ASSERT_EQUAL(json(0), groupsOf(other)["pagination"]["total_items"]);
        feed({item(roses, 5), item(tulips, 4)}); // the number is still free
    }

    void testWhatIsNotOnSaleIsNamed() {
        const json pending = _seller->create();
        const json rejected = _seller->create();
        _operator->post("/products/" + rejected["id"].dump() + "/reject", {{"reason", "Blurred"}});
        const json inactive = onSale(*_seller);
        requireStatus(200, _seller->http().post("/products/" + inactive["id"].dump(), {{"is_active", false}}));
        const json unknown{{"id", 999'999'999}};
        requireProblems(
            post({item(pending, 1), item(rejected, 1), item(inactive, 1), item(unknown, 1), item(onSale(*_seller), 1)}),
            {"items[0].product_id:unknown_reference", "items[1].product_id:unknown_reference",
             "items[2].product_id:unknown_reference", "items[3].product_id:unknown_reference"});
    }

    void testEveryProblemOfTheBodyIsNamed() {
        requireProblems(_operator->http().post("/orders", json::object()),
                        {"order_number:required", "customer:required", "items:required"});
        requireProblems(_operator->http().post("/orders", {{"order_number", 5},
                                                           {"currency", "Euro"},
                                                           {"customer", {{"company_name", " "}}},
                                                           {"items", {{{"product_id", "1"}, {"quantity", 0}}, 5}}}),
                        {"order_number:type", "currency:not_in_set", "customer.company_name:required",
                         "items[0].product_id:type", "items[0].quantity:out_of_range", "items[1]:type"});
    }

    void testTheSameOrderNumberIsTheSameOrder() {
        const json roses = onSale(*_seller);
        const json order = feed({item(roses, 10)});
        const HttpResponse again = post({item(roses, 10)});
        requireStatus(200, again);
        CPPUNIT_ASSERT_EQUAL(order, again.data()["order"]);
        requireProblems(post({item(roses, 11)}), {"order_number:duplicate"});
        CPPUNIT_ASSERT_EQUAL(json(90), _seller->read(idOf(roses))["stock_qty"]);
        CPPUNIT_ASSERT_EQUAL(json(1), groupsOf(*_seller)["pagination"]["total_items"]);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _operator->audit("order", idOf(order)).size());
    }

    void testRacingFeedsOfOneOrderAreOneOrder() {
        const json roses = onSale(*_seller);
        std::atomic<int> made{0};
        race(8, [&](Operator& op, int) {
            const HttpResponse response = op.http().post("/orders", body(_number, json::array({item(roses, 10)})));
            made += response.status == 201 ? 1 : 0;
            if (response.status != 201)
                requireStatus(200, response);
        });
        CPPUNIT_ASSERT_EQUAL(1, made.load());
        CPPUNIT_ASSERT_EQUAL(json(90), _seller->read(idOf(roses))["stock_qty"]);
        CPPUNIT_ASSERT_EQUAL(json(1), groupsOf(*_seller)["pagination"]["total_items"]);
    }

    void testManyBuyersNeverOversell() {
        const json roses = onSale(*_seller, {{"stock_qty", 10}});
        std::atomic<int> sold{0};
        race(25, [&](Operator& op, int i) {
            const auto own = _number + "-" + std::to_string(i);
            const HttpResponse response = op.http().post("/orders", body(own, json::array({item(roses, 1)})));
            if (response.status == 201)
                ++sold;
            else
                requireProblems(response, {"items[0].quantity:out_of_range"});
        });
        CPPUNIT_ASSERT_EQUAL(10, sold.load());
        CPPUNIT_ASSERT_EQUAL(json(0), _seller->read(idOf(roses))["stock_qty"]);
        CPPUNIT_ASSERT_EQUAL(json(10), groupsOf(*_seller)["pagination"]["total_items"]);
    }

    void testOrderGroupsOfAllSuppliersAreListed() {
        Seller other(*_operator);
        const json roses = onSale(*_seller);
        const json tulips = onSale(other);
        const json both = feed({item(roses, 1), item(tulips, 1)})["groups"];
        _number += "-2";
        const json one = feed({item(roses, 1)})["groups"];
        move(*_seller, one[0], "confirmed");
        const Ids newest = idsOf(_operator->get("/order-groups?per_page=3")["orders"]);
        CPPUNIT_ASSERT(newest == (Ids{idOf(one[0]), idOf(both[1]), idOf(both[0])}));
        const json ours = groupsOf(*_seller);
        CPPUNIT_ASSERT(idsOf(ours["orders"]) == (Ids{idOf(one[0]), idOf(both[0])}));
        CPPUNIT_ASSERT_EQUAL(json(2), ours["pagination"]["total_items"]);
        json summary = _seller->get("/orders?status=confirmed")["orders"].at(0);
        summary["supplier"] = {{"id", _seller->id()}, {"name", _seller->name()}};
        CPPUNIT_ASSERT_EQUAL(summary, groupsOf(*_seller, "&status=confirmed")["orders"].at(0));
        CPPUNIT_ASSERT(idsOf(groupsOf(*_seller, "&status=pending")["orders"]) == Ids{idOf(both[0])});
        requireProblems(_operator->http().get("/order-groups?page=0&per_page=x&status=open&supplier_id=0"),
                        {"page:out_of_range", "per_page:type", "status:not_in_set", "supplier_id:out_of_range"});
    }

    void testOneOrderGroupIsReadWithItsSupplier() {
        const json group = feed({item(onSale(*_seller), 7)})["groups"][0];
        const json read = _operator->get(path(group))["order"];
        CPPUNIT_ASSERT_EQUAL(group, read);
        CPPUNIT_ASSERT_EQUAL(json(_seller->id()), read["supplier"]["id"]);
        CPPUNIT_ASSERT_EQUAL(json("Bloemist Jansen"), read["customer"]["company_name"]);
        CPPUNIT_ASSERT_EQUAL(json(7), read["items"][0]["quantity"]);
        CPPUNIT_ASSERT_EQUAL(json("platform"), read["status_history"][0]["changed_by"]);
        CPPUNIT_ASSERT(!_seller->get("/orders/" + group["id"].dump())["order"].contains("supplier"));
    }

    void testOnlyADeliveredGroupIsCompleted() {
        const json group = feed({item(onSale(*_seller), 1)})["groups"][0];
        for (const char* status : {"confirmed", "processing", "shipped", "delivered"}) {
            requireRefused(group, _operator->get(path(group))["order"]["status"]);
            move(*_seller, group, status);
        }
        CPPUNIT_ASSERT_EQUAL(json({"completed"}), _operator->get(path(group))["order"]["allowed_statuses"]);
        const json completed = _operator->postEmpty(path(group, "/complete"))["order"];
        CPPUNIT_ASSERT_EQUAL(json("completed"), completed["status"]);
        CPPUNIT_ASSERT_EQUAL(completed, _operator->get(path(group))["order"]);
        CPPUNIT_ASSERT_EQUAL(json("completed"), _seller->get("/orders/" + group["id"].dump())["order"]["status"]);
        requireRefused(group, "completed");

        _number += "-2";
        const json cancelled = feed({item(onSale(*_seller), 1)})["groups"][0];
        move(*_seller, cancelled, "cancelled");
        requireRefused(cancelled, "cancelled");
    }

    void testTwoRacingCompletionsAreOne() {
        const json group = feed({item(onSale(*_seller), 1)})["groups"][0];
        for (const char* status : {"confirmed", "processing", "shipped", "delivered"})
            move(*_seller, group, status);
        std::atomic<int> done{0};
        race(8, [&](Operator& op, int) {
            const HttpResponse response = op.http().postEmpty(path(group, "/complete"));
            if (response.status == 200)
                ++done;
            else
                requireProblems(response, {"status:unsupported"});
        });
        CPPUNIT_ASSERT_EQUAL(1, done.load());
        CPPUNIT_ASSERT_EQUAL(json(1), groupsOf(*_seller, "&status=completed")["pagination"]["total_items"]);
    }

    void testOrdersAndTheirMovesAreAudited() {
        const json order = feed({item(onSale(*_seller), 1)});
        const json group = order["groups"][0];
        const json made = _operator->audit("order", idOf(order)).at(0);
        CPPUNIT_ASSERT_EQUAL(json("order.create"), made["action"]);
        CPPUNIT_ASSERT_EQUAL(json(_operator->prefix()), made["actor"]);
        CPPUNIT_ASSERT(made["before"].is_null());
        CPPUNIT_ASSERT_EQUAL(json(_number), made["after"]["order_number"]);
        for (const char* status : {"confirmed", "processing", "shipped", "delivered"})
            move(*_seller, group, status);
        _operator->postEmpty(path(group, "/complete"));
        requireRefused(group, "completed");
        const json entries = _operator->audit("order_group", idOf(group));
        CPPUNIT_ASSERT_EQUAL(std::size_t{5}, entries.size());
        CPPUNIT_ASSERT_EQUAL(json("order_group.complete"), entries[0]["action"]);
        CPPUNIT_ASSERT_EQUAL(json(_operator->prefix()), entries[0]["actor"]);
        CPPUNIT_ASSERT_EQUAL(json("delivered"), entries[0]["before"]["status"]);
        CPPUNIT_ASSERT_EQUAL(json("completed"), entries[0]["after"]["status"]);
        CPPUNIT_ASSERT_EQUAL(json("order_group.move"), entries[1]["action"]);
        CPPUNIT_ASSERT_EQUAL(json(_seller->key().substr(0, 11)), entries[1]["actor"]);
        CPPUNIT_ASSERT_EQUAL(json(_seller->id()), entries[1]["supplier_id"]);
    }

private:
    /// A product that can be bought.
    json onSale(Seller& seller, const json& changes = json::object()) {
        const json made = seller.create(changes);
        return _operator->postEmpty("/products/" + made["id"].dump() + "/approve").at("product");
    }

    static json item(const json& product, int quantity) {
        return {{"product_id", product.at("id")}, {"quantity", quantity}};
    }

    static json body(const std::string& number, const json& items) {
        return {{"order_number", number}, {"customer", {{"company_name", "Bloemist Jansen"}}}, {"items", items}};
    }

    HttpResponse post(const std::vector<json>& items) {
        return _operator->http().post("/orders", body(_number, json(items)));
    }

    json feed(const std::vector<json>& items) {
        const HttpResponse response = post(items);
        requireStatus(201, response);
        return response.data().at("order");
    }

    json groupsOf(const Seller& seller, const std::string& more = {}) {
        return _operator->get("/order-groups?supplier_id=" + std::to_string(seller.id()) + more);
    }

    static std::string path(const json& group, const std::string& rest = {}) {
        return "/order-groups/" + std::to_string(idOf(group)) + rest;
    }

    static void move(Seller& seller, const json& group, const std::string& status) {
        requireStatus(200, seller.http().post("/orders/" + group["id"].dump() + "/status", {{"status", status}}));
    }

    /// Its completion is a 422 that names the present state and the wanted one.
    void requireRefused(const json& group, const std::string& status) {
        const HttpResponse response = _operator->http().postEmpty(path(group, "/complete"));
        requireProblems(response, {"status:unsupported"});
        const std::string message = response.error()["message"];
        CPPUNIT_ASSERT_MESSAGE(message, message.find("from " + status + " to completed") != std::string::npos);
    }

    std::unique_ptr<Operator> _operator;
    std::unique_ptr<Seller> _seller;
    std::string _number;
};

CPPUNIT_TEST_SUITE_REGISTRATION(OperatorOrdersTest);

} // namespace supplierd::tests
