#include "InventoryFixture.h"
#include "tests/support/Test.h"

#include <chrono>
#include <future>
#include <memory>
#include <string>

namespace supplierd::tests {

namespace {

constexpr auto LOOK_LIMIT = std::chrono::seconds(60);

} // namespace

/// A request that has looked its products up waits for the catalog's lock; whoever holds it changes them meanwhile.
class WaitingRequestTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _supplier = std::make_unique<InventoryClient>();
        _a = _supplier->create({{"sku", "A"}, {"stock_qty", 5}})["id"];
        _b = _supplier->create({{"stock_qty", 6}})["id"];
    }

protected:
    std::string moveSku() const {
        const std::string from = std::to_string(_a);
        const std::string to = std::to_string(_b);
        return "UPDATE products SET sku = NULL WHERE id = " + from +
               "; UPDATE products SET sku = 'A' WHERE id = " + to + "; UPDATE product_skus SET product_id = " + to +
               " WHERE product_id = " + from;
    }

    std::int64_t integer(const std::string& select, std::int64_t id) {
        return fixture().database().integer(select + std::to_string(id));
    }

    /// Sends the request while this test holds the catalog's lock, changes the catalog once the request waits for
    /// the lock, and lets it go on. Returns the response's `data`.
    json whileItWaits(const std::string& change, const std::string& path, const json& items) {
        TestDatabase& database = fixture().database();
        database.exec("START TRANSACTION; UPDATE supplier_state SET change_seq = change_seq + 1 WHERE supplier_id = " +
                      std::to_string(_supplier->id()));
        auto response = std::async(std::launch::async, [&] {
            HttpClient client = _supplier->anotherClient();
            return bulk(client, path, items);
        });
        const auto deadline = std::chrono::steady_clock::now() + LOOK_LIMIT;
        while (database.integer("SELECT COUNT(*) FROM information_schema.processlist WHERE DB = DATABASE() AND "
                                "TRIM(LEADING '\n' FROM INFO) LIKE 'UPDATE supplier_state%'") == 0)
            if (response.wait_for(std::chrono::seconds(0)) == std::future_status::ready ||
                std::chrono::steady_clock::now() > deadline) {
                database.exec("ROLLBACK");
                CPPUNIT_FAIL("the request does not wait for the lock: " + response.get().dump());
            }
        database.exec(change);
        database.exec("COMMIT");
        return response.get();
    }

    std::unique_ptr<InventoryClient> _supplier;
    std::int64_t _a = 0;
    std::int64_t _b = 0;
};

TEST(WaitingRequestTest, aChangeOfOtherProductsMakesNoDifference) {
    const json data = whileItWaits("UPDATE products SET stock_qty = 1 WHERE id = " + std::to_string(_b), "/stock",
                                   {{{"sku", "A"}, {"stock_qty", 7}}, {{"product_id", _a}, {"stock_qty", 8}}});
    CPPUNIT_ASSERT_EQUAL(allUpdated(2), data);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{8}, _supplier->stockOf(_a));
    CPPUNIT_ASSERT_EQUAL(json(2), _supplier->read(_a)["version"]);
}

TEST(WaitingRequestTest, aDeletedProductIsNotFound) {
    for (const bool bySku : {false, true}) {
        const json named = bySku ? json{{"sku", "A"}, {"stock_qty", 7}} : json{{"product_id", _a}, {"stock_qty", 7}};
        const json data =
            whileItWaits("UPDATE products SET deleted = 1, deleted_at = NOW(6) WHERE id = " + std::to_string(_a) +
                             "; DELETE FROM product_skus WHERE product_id = " + std::to_string(_a),
                         "/stock", {{{"product_id", _b}, {"stock_qty", 8}}, named});
        CPPUNIT_ASSERT_EQUAL(outcome(1, {failure(1, bySku ? "A" : "", NOT_FOUND)}), data);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{8}, _supplier->stockOf(_b));
        CPPUNIT_ASSERT_EQUAL(json(2), _supplier->read(_b)["version"]);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, integer("SELECT stock_qty FROM products WHERE id = ", _a));
        setUp();
    }
}

TEST(WaitingRequestTest, aMovedSkuNamesItsNewProduct) {
    const json data = whileItWaits(moveSku(), "/stock", {{{"sku", "a"}, {"stock_qty", 7}}});
    CPPUNIT_ASSERT_EQUAL(allUpdated(1), data);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, _supplier->stockOf(_a));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, _supplier->stockOf(_b));
    CPPUNIT_ASSERT_EQUAL(json(1), _supplier->read(_a)["version"]);
}

TEST(WaitingRequestTest, aSkuThatWasTakenAwayIsNotFound) {
    const std::string id = std::to_string(_a);
    const json data = whileItWaits(
        "UPDATE products SET sku = NULL WHERE id = " + id + "; DELETE FROM product_skus WHERE product_id = " + id,
        "/stock", {{{"sku", "A"}, {"stock_qty", 7}}, {{"product_id", _b}, {"stock_qty", 8}}});
    CPPUNIT_ASSERT_EQUAL(outcome(1, {failure(0, "A", NOT_FOUND)}), data);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, _supplier->stockOf(_a));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{8}, _supplier->stockOf(_b));
}

TEST(WaitingRequestTest, aSkuThatWasGivenIsFound) {
    const std::string id = std::to_string(_b);
    const json data = whileItWaits("UPDATE products SET sku = 'B' WHERE id = " + id +
                                       "; INSERT INTO product_skus (supplier_id, sku_key, sku, product_id) VALUES (" +
                                       std::to_string(_supplier->id()) + ", 'b', 'B', " + id + ")",
                                   "/stock", {{{"sku", "A"}, {"stock_qty", 7}}, {{"sku", "B"}, {"stock_qty", 8}}});
    CPPUNIT_ASSERT_EQUAL(allUpdated(2), data);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{8}, _supplier->stockOf(_b));
}

TEST(WaitingRequestTest, anAdjustmentCountsOnTheNewStock) {
    const json data = whileItWaits(
        "UPDATE products SET stock_qty = 1 WHERE id = " + std::to_string(_a), "/stock",
        {{{"sku", "A"}, {"stock_qty", -2}, {"adjust", true}}, {{"sku", "A"}, {"stock_qty", -1}, {"adjust", true}}});
    CPPUNIT_ASSERT_EQUAL(
        outcome(1, {failure(0, "A", "stock_qty must be an integer from 0 to 1000000000", "out_of_range")}), data);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _supplier->stockOf(_a));
}

TEST(WaitingRequestTest, anExpectationIsHeldAgainstTheNewStock) {
    const json data = whileItWaits("UPDATE products SET stock_qty = 9 WHERE id = " + std::to_string(_a), "/stock",
                                   {{{"sku", "A"}, {"stock_qty", 7}, {"expected_stock_qty", 5}}});
    CPPUNIT_ASSERT_EQUAL(outcome(0, {changed(0, "A", 9)}), data);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{9}, _supplier->stockOf(_a));
}

TEST(WaitingRequestTest, aValueThatWasThereIsSetAgain) {
    const json data = whileItWaits("UPDATE products SET stock_qty = 9 WHERE id = " + std::to_string(_a), "/stock",
                                   {{{"sku", "A"}, {"stock_qty", 5}}, {{"product_id", _b}, {"stock_qty", 7}}});
    CPPUNIT_ASSERT_EQUAL(allUpdated(2), data);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, _supplier->stockOf(_a));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, _supplier->stockOf(_b));
}

TEST(WaitingRequestTest, aRemovedVariantIsNotFound) {
    const json product = _supplier->create({{"variants", {{{"name", "60 cm"}, {"sku", "V"}, {"stock_qty", 3}}}}});
    const std::string variant = product["variants"][0]["id"].dump();
    const json data = whileItWaits("DELETE FROM product_variants WHERE id = " + variant +
                                       "; DELETE FROM product_skus WHERE variant_id = " + variant,
                                   "/stock", {{{"sku", "V"}, {"stock_qty", 7}}, {{"sku", "A"}, {"stock_qty", 7}}});
    CPPUNIT_ASSERT_EQUAL(outcome(1, {failure(0, "V", NOT_FOUND)}), data);
    CPPUNIT_ASSERT_EQUAL(json(1), _supplier->read(product["id"])["version"]);
}

TEST(WaitingRequestTest, pricesAreLookedUpAgainToo) {
    const json data = whileItWaits(moveSku(), "/prices", {{{"sku", "A"}, {"base_price", 0.0925}}});
    CPPUNIT_ASSERT_EQUAL(allUpdated(1), data);
    CPPUNIT_ASSERT_EQUAL(json(0.85), _supplier->read(_a)["base_price"]);
    CPPUNIT_ASSERT_EQUAL(json(0.0925), _supplier->read(_b)["base_price"]);
}

} // namespace supplierd::tests
