#include "Trader.h"

#include <cppunit/extensions/HelperMacros.h>

namespace supplierd::tests {

using nlohmann::json;

/// A cancelled order puts back what it took.
class OrderCancelTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(OrderCancelTest);
    CPPUNIT_TEST(testQuantitiesComeBackFromEveryState);
    CPPUNIT_TEST(testQuantitiesComeBackOnce);
    CPPUNIT_TEST(testVariantsGetTheirsBack);
    CPPUNIT_TEST(testLinesOfOneProductComeBackTogether);
    CPPUNIT_TEST(testInactiveProductsGetTheirsBack);
    CPPUNIT_TEST(testDeletedProductsAndVariantsAreLeftOut);
    CPPUNIT_TEST(testNothingIsLostAboveTheLimitOfStock);
    CPPUNIT_TEST(testOtherSuppliersPartsStay);
    CPPUNIT_TEST(testChangedProductsAreStamped);
    CPPUNIT_TEST_SUITE_END();

public:
    void tearDown() override { requireSoundOrders(world().database()); }

    void testQuantitiesComeBackFromEveryState() {
        const auto product = _trader.product(10);
        for (const char* state : {"pending", "confirmed", "processing"}) {
            const auto group = _trader.groupIn(state, product, 4);
            CPPUNIT_ASSERT_EQUAL(std::int64_t{6}, Trader::stock(product));
            cancel(group);
            CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, Trader::stock(product));
        }
    }

    void testQuantitiesComeBackOnce() {
        const auto product = _trader.product(10);
        const auto group = _trader.sell(product, 4);
        cancel(group);
        requireProblems(_trader.move(group, "cancelled"), {"status:unsupported"});
        CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, Trader::stock(product));
    }

    void testVariantsGetTheirsBack() {
        const auto product = _trader.product(10);
        const auto variant = _trader.variant(product, 5);
        const auto group = feed({{{"product_id", product}, {"variant_id", variant}, {"quantity", 3}},
                                 {{"product_id", product}, {"quantity", 2}}});
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, Trader::variantStock(variant));
        cancel(group);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, Trader::variantStock(variant));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, Trader::stock(product));
    }

    void testLinesOfOneProductComeBackTogether() {
        const auto product = _trader.product(10);
        const auto other = _trader.product(10);
        const auto group = feed({{{"product_id", product}, {"quantity", 3}},
                                 {{"product_id", other}, {"quantity", 1}},
                                 {{"product_id", product}, {"quantity", 4}}});
        CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, Trader::stock(product));
        cancel(group);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, Trader::stock(product));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, Trader::stock(other));
        // One change when it was taken, one when it came back.
        CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, version(product));
    }

    void testInactiveProductsGetTheirsBack() {
        const auto product = _trader.product(10);
        const auto group = _trader.sell(product, 4);
        const auto path = "/products/" + std::to_string(product);
        CPPUNIT_ASSERT_EQUAL(200, _trader.http().post(path, {{"is_active", false}}).status);
        cancel(group);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, Trader::stock(product));
    }

    void testDeletedProductsAndVariantsAreLeftOut() {
        const auto gone = _trader.product(10);
        const auto kept = _trader.product(10);
        const auto variant = _trader.variant(kept, 10);
        const auto onlyVaried = _trader.product(10);
        const auto removed = _trader.variant(onlyVaried, 10);
        const auto group = feed({{{"product_id", gone}, {"quantity", 1}},
                                 {{"product_id", kept}, {"variant_id", variant}, {"quantity", 1}},
                                 {{"product_id", kept}, {"quantity", 2}},
                                 {{"product_id", onlyVaried}, {"variant_id", removed}, {"quantity", 1}}});
        CPPUNIT_ASSERT_EQUAL(200, _trader.http().postEmpty("/products/" + std::to_string(gone) + "/delete").status);
        removeVariant(kept, variant);
        removeVariant(onlyVaried, removed);
        const auto before = version(onlyVaried);
        cancel(group);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{9}, Trader::stock(gone));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, Trader::stock(kept));
        CPPUNIT_ASSERT_EQUAL(before, version(onlyVaried));
    }

    void testNothingIsLostAboveTheLimitOfStock() {
        const auto product = _trader.product(10);
        const auto variant = _trader.variant(product, 10);
        const auto group = feed({{{"product_id", product}, {"quantity", 5}},
                                 {{"product_id", product}, {"variant_id", variant}, {"quantity", 5}}});
        world().database().exec("UPDATE products SET stock_qty = 999999998 WHERE id = " + std::to_string(product));
        world().database().exec("UPDATE product_variants SET stock_qty = 999999998 WHERE id = " +
                                std::to_string(variant));
        cancel(group);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1'000'000'003}, Trader::stock(product));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1'000'000'003}, Trader::variantStock(variant));

        const auto path = "/products/" + std::to_string(product);
        CPPUNIT_ASSERT_EQUAL(json(1'000'000'003), _trader.http().get(path).data()["product"]["stock_qty"]);
        requireProblems(_trader.http().post(path, {{"stock_qty", 1'000'000'001}}), {"stock_qty:out_of_range"});
        feed({{{"product_id", product}, {"quantity", 4}}});
        CPPUNIT_ASSERT_EQUAL(std::int64_t{999'999'999}, Trader::stock(product));
    }

    void testOtherSuppliersPartsStay() {
        Trader other;
        const auto own = _trader.product(10);
        const auto others = other.product(10);
        const json order =
            world().place({{{"product_id", own}, {"quantity", 3}}, {{"product_id", others}, {"quantity", 3}}});
        cancel(order["groups"][0]["id"]);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, Trader::stock(own));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, Trader::stock(others));
        CPPUNIT_ASSERT_EQUAL(json("pending"), other.read(order["groups"][1]["id"])["status"]);
    }

    void testChangedProductsAreStamped() {
        const auto product = _trader.product(10);
        const auto group = _trader.sell(product, 1);
        const auto changes = [&](std::int64_t after) {
            return _trader.http().get("/products?changed_after=" + std::to_string(after)).data();
        };
        const std::int64_t before = changes(0)["pagination"]["last_change_seq"];
        cancel(group);
        const json after = changes(before);
        CPPUNIT_ASSERT(idsOf(after["products"]) == std::vector<std::int64_t>{product});
        CPPUNIT_ASSERT_EQUAL(json(10), after["products"][0]["stock_qty"]);
    }

private:
    static OrdersWorld& world() { return OrdersWorld::instance(); }

    static std::int64_t feed(const json& items) { return world().place(items)["groups"][0]["id"]; }

    void cancel(std::int64_t group) {
        const HttpResponse response = _trader.move(group, "cancelled");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
        CPPUNIT_ASSERT_EQUAL(json::array(), response.data()["order"]["allowed_statuses"]);
    }

    void removeVariant(std::int64_t product, std::int64_t variant) {
        const json removed{{"id", variant}, {"delete", true}};
        const HttpResponse response =
            _trader.http().post("/products/" + std::to_string(product), {{"variants", json::array({removed})}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
    }

    static std::int64_t version(std::int64_t product) {
        return world().database().integer("SELECT version FROM products WHERE id = " + std::to_string(product));
    }

    Trader _trader;
};

CPPUNIT_TEST_SUITE_REGISTRATION(OrderCancelTest);

} // namespace supplierd::tests
