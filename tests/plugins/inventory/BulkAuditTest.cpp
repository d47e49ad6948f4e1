#include "InventoryWorld.h"

#include <cppunit/extensions/HelperMacros.h>

#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

using nlohmann::json;

/// A bulk request is one entry of the audit log.
class BulkAuditTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(BulkAuditTest);
    CPPUNIT_TEST(testARequestIsOneEntryWithItsCounts);
    CPPUNIT_TEST(testWhatIsSetBesideUnknownProductsIsAudited);
    CPPUNIT_TEST(testARequestThatChangesNothingLeavesNone);
    CPPUNIT_TEST(testARepeatWithTheSameKeyLeavesNone);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override { _store = std::make_unique<Store>(); }

    void testARequestIsOneEntryWithItsCounts() {
        _store->create({{"sku", "A"}});
        _store->create({{"sku", "B"}, {"variants", {{{"name", "v"}, {"sku", "V"}}}}});
        // Plain values of products; with a failure before the database is asked; with a look-up; prices.
        _store->stock({{{"sku", "A"}, {"stock_qty", 1}}, {{"sku", "B"}, {"stock_qty", 1}}});
        _store->stock({{{"sku", "A"}, {"stock_qty", 2}}, {{"sku", "B"}, {"stock_qty", -1}}});
        _store->stock(
            {{{"sku", "V"}, {"stock_qty", 3}}, {{"sku", "NONE"}, {"stock_qty", 3}}, {{"sku", "A"}, {"stock_qty", 3}}});
        _store->prices({{{"sku", "A"}, {"base_price", 3}}});
        CPPUNIT_ASSERT_EQUAL(
            json({entry("stock", 2, 2, 0), entry("stock", 2, 1, 1), entry("stock", 3, 2, 1), entry("price", 1, 1, 0)}),
            entries());
    }

    void testWhatIsSetBesideUnknownProductsIsAudited() {
        const std::int64_t known = _store->create()["id"];
        _store->stock({{{"product_id", known}, {"stock_qty", 1}}, {{"product_id", 999'999'999}, {"stock_qty", 1}}});
        CPPUNIT_ASSERT_EQUAL(json({entry("stock", 2, 1, 1)}), entries());
    }

    void testARequestThatChangesNothingLeavesNone() {
        _store->create({{"sku", "A"}, {"stock_qty", 5}});
        _store->stock({{{"sku", "A"}, {"stock_qty", -1}}});
        _store->stock({{{"sku", "NONE"}, {"stock_qty", 1}}});
        _store->stock({{{"sku", "A"}, {"stock_qty", 5}, {"expected_stock_qty", 5}}});
        CPPUNIT_ASSERT_EQUAL(json::array(), entries());
    }

    void testARepeatWithTheSameKeyLeavesNone() {
        _store->create({{"sku", "A"}});
        for (int i = 0; i < 2; ++i)
            Store::bulk(_store->http(), "/stock", {{{"sku", "A"}, {"stock_qty", 1}, {"adjust", true}}},
                        {{"Idempotency-Key", "once"}});
        CPPUNIT_ASSERT_EQUAL(json({entry("stock", 1, 1, 0)}), entries());
    }

private:
    json entry(const std::string& object, int items, int updated, int failed) const {
        return {{"actor", _store->key().substr(0, 11)},
                {"action", object + ".update"},
                {"object", object},
                {"object_id", _store->id()},
                {"after", {{"items", items}, {"updated", updated}, {"failed", failed}}}};
    }
    /// Those of this supplier, oldest first.
    json entries() const {
        json entries = json::array();
        for (const TestRow& row : InventoryWorld::instance().database().query(
                 "SELECT actor, action, object, object_id, after_json FROM audit_log WHERE supplier_id = " +
                 std::to_string(_store->id()) +
                 " AND object IN ('stock', 'price') AND before_json IS NULL ORDER BY id"))
            entries.push_back({{"actor", *row[0]},
                               {"action", *row[1]},
                               {"object", *row[2]},
                               {"object_id", std::stoll(*row[3])},
                               {"after", json::parse(*row[4])}});
        return entries;
    }

    std::unique_ptr<Store> _store;
};

CPPUNIT_TEST_SUITE_REGISTRATION(BulkAuditTest);

} // namespace supplierd::tests
