#include "OrdersFixture.h"
#include "tests/support/Test.h"

namespace supplierd::tests {

using nlohmann::json;

/// A cancelled order puts back what it took.
class OrderCancelTest : public CppUnit::TestFixture {
public:
    void tearDown() override { fixture().requireSoundOrders(); }

protected:
    static std::int64_t placeGroup(const json& items) { return place(items)["groups"][0]["id"]; }

    void cancel(std::int64_t group) {
        const HttpResponse response = _supplier.move(group, "cancelled");
        requireStatus(200, response);
        CPPUNIT_ASSERT_EQUAL(json::array(), response.data()["order"]["allowed_statuses"]);
    }

    void removeVariant(std::int64_t product, std::int64_t variant) {
        const json removed{{"id", variant}, {"delete", true}};
        const HttpResponse response =
            _supplier.post("/products/" + std::to_string(product), {{"variants", json::array({removed})}});
        requireStatus(200, response);
    }

    static std::int64_t version(std::int64_t product) {
        return fixture().database().integer("SELECT version FROM products WHERE id = " + std::to_string(product));
    }

    OrdersClient _supplier;
};

TEST(OrderCancelTest, quantitiesComeBackFromEveryState) {
    const auto product = _supplier.product(10);
    for (const char* state : {"pending", "confirmed", "processing"}) {
        const auto group = _supplier.groupIn(state, product, 4);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{6}, stockOf(product));
        cancel(group);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, stockOf(product));
    }
}

TEST(OrderCancelTest, quantitiesComeBackOnce) {
    const auto product = _supplier.product(10);
    const auto group = _supplier.sell(product, 4);
    cancel(group);
    requireProblems(_supplier.move(group, "cancelled"), {"status:unsupported"});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, stockOf(product));
}

TEST(OrderCancelTest, variantsGetTheirsBack) {
    const auto product = _supplier.product(10);
    const auto variant = _supplier.variant(product, 5);
    const auto group = placeGroup({{{"product_id", product}, {"variant_id", variant}, {"quantity", 3}},
                                   {{"product_id", product}, {"quantity", 2}}});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, variantStockOf(variant));
    cancel(group);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, variantStockOf(variant));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, stockOf(product));
}

TEST(OrderCancelTest, linesOfOneProductComeBackTogether) {
    const auto product = _supplier.product(10);
    const auto other = _supplier.product(10);
    const auto group = placeGroup({{{"product_id", product}, {"quantity", 3}},
                                   {{"product_id", other}, {"quantity", 1}},
                                   {{"product_id", product}, {"quantity", 4}}});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, stockOf(product));
    cancel(group);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, stockOf(product));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, stockOf(other));
    // One change when it was taken, one when it came back.
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, version(product));
}

TEST(OrderCancelTest, inactiveProductsGetTheirsBack) {
    const auto product = _supplier.product(10);
    const auto group = _supplier.sell(product, 4);
    const auto path = "/products/" + std::to_string(product);
    requireStatus(200, _supplier.post(path, {{"is_active", false}}));
    cancel(group);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, stockOf(product));
}

TEST(OrderCancelTest, deletedProductsAndVariantsAreLeftOut) {
    const auto deleted = _supplier.product(10);
    const auto kept = _supplier.product(10);
    const auto variant = _supplier.variant(kept, 10);
    const auto onlyVaried = _supplier.product(10);
    const auto removed = _supplier.variant(onlyVaried, 10);
    const auto group = placeGroup({{{"product_id", deleted}, {"quantity", 1}},
                                   {{"product_id", kept}, {"variant_id", variant}, {"quantity", 1}},
                                   {{"product_id", kept}, {"quantity", 2}},
                                   {{"product_id", onlyVaried}, {"variant_id", removed}, {"quantity", 1}}});
    requireStatus(200, _supplier.postEmpty("/products/" + std::to_string(deleted) + "/delete"));
    removeVariant(kept, variant);
    removeVariant(onlyVaried, removed);
    const auto before = version(onlyVaried);
    cancel(group);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{9}, stockOf(deleted));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, stockOf(kept));
    CPPUNIT_ASSERT_EQUAL(before, version(onlyVaried));
}

TEST(OrderCancelTest, nothingIsLostAboveTheLimitOfStock) {
    const auto product = _supplier.product(10);
    const auto variant = _supplier.variant(product, 10);
    const auto group = placeGroup({{{"product_id", product}, {"quantity", 5}},
                                   {{"product_id", product}, {"variant_id", variant}, {"quantity", 5}}});
    fixture().database().exec("UPDATE products SET stock_qty = 999999998 WHERE id = " + std::to_string(product));
    fixture().database().exec("UPDATE product_variants SET stock_qty = 999999998 WHERE id = " +
                              std::to_string(variant));
    cancel(group);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1'000'000'003}, stockOf(product));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1'000'000'003}, variantStockOf(variant));

    const auto path = "/products/" + std::to_string(product);
    CPPUNIT_ASSERT_EQUAL(json(1'000'000'003), _supplier.get(path).data()["product"]["stock_qty"]);
    requireProblems(_supplier.post(path, {{"stock_qty", 1'000'000'001}}), {"stock_qty:out_of_range"});
    placeGroup({{{"product_id", product}, {"quantity", 4}}});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{999'999'999}, stockOf(product));
}

TEST(OrderCancelTest, otherSuppliersPartsStay) {
    OrdersClient other;
    const auto own = _supplier.product(10);
    const auto others = other.product(10);
    const json order = place({{{"product_id", own}, {"quantity", 3}}, {{"product_id", others}, {"quantity", 3}}});
    cancel(order["groups"][0]["id"]);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, stockOf(own));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, stockOf(others));
    CPPUNIT_ASSERT_EQUAL(json("pending"), other.order(order["groups"][1]["id"])["status"]);
}

TEST(OrderCancelTest, changedProductsAreStamped) {
    const auto product = _supplier.product(10);
    const auto group = _supplier.sell(product, 1);
    const auto changes = [&](std::int64_t after) {
        return _supplier.get("/products?changed_after=" + std::to_string(after)).data();
    };
    const std::int64_t before = changes(0)["pagination"]["last_change_seq"];
    cancel(group);
    const json after = changes(before);
    CPPUNIT_ASSERT(idsOf(after["products"]) == std::vector<std::int64_t>{product});
    CPPUNIT_ASSERT_EQUAL(json(10), after["products"][0]["stock_qty"]);
}

} // namespace supplierd::tests
