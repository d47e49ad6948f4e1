#include "InventoryFixture.h"
#include "tests/support/Test.h"

#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

using nlohmann::json;

/// A bulk request is one entry of the audit log.
class BulkAuditTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<InventoryClient>(); }

protected:
    json entry(const std::string& object, int items, int updated, int failed) const {
        return {{"actor", _supplier->key().substr(0, 11)},
                {"action", object + ".update"},
                {"object", object},
                {"object_id", _supplier->id()},
                {"after", {{"items", items}, {"updated", updated}, {"failed", failed}}}};
    }
    /// Those of this supplier, oldest first.
    json entries() const {
        json entries = json::array();
        for (const TestRow& row : fixture().database().query(
                 "SELECT actor, action, object, object_id, after_json FROM audit_log WHERE supplier_id = " +
                 std::to_string(_supplier->id()) +
                 " AND object IN ('stock', 'price') AND before_json IS NULL ORDER BY id"))
            entries.push_back({{"actor", *row[0]},
                               {"action", *row[1]},
                               {"object", *row[2]},
                               {"object_id", std::stoll(*row[3])},
                               {"after", json::parse(*row[4])}});
        return entries;
    }

    std::unique_ptr<InventoryClient> _supplier;
};

TEST(BulkAuditTest, aRequestIsOneEntryWithItsCounts) {
    _supplier->create({{"sku", "A"}});
    _supplier->create({{"sku", "B"}, {"variants", {{{"name", "v"}, {"sku", "V"}}}}});
    // Plain values of products; with a failure before the database is asked; with a look-up; prices.
    _supplier->stock({{{"sku", "A"}, {"stock_qty", 1}}, {{"sku", "B"}, {"stock_qty", 1}}});
    _supplier->stock({{{"sku", "A"}, {"stock_qty", 2}}, {{"sku", "B"}, {"stock_qty", -1}}});
    _supplier->stock(
        {{{"sku", "V"}, {"stock_qty", 3}}, {{"sku", "NONE"}, {"stock_qty", 3}}, {{"sku", "A"}, {"stock_qty", 3}}});
    _supplier->prices({{{"sku", "A"}, {"base_price", 3}}});
    CPPUNIT_ASSERT_EQUAL(
        json({entry("stock", 2, 2, 0), entry("stock", 2, 1, 1), entry("stock", 3, 2, 1), entry("price", 1, 1, 0)}),
        entries());
}

TEST(BulkAuditTest, whatIsSetBesideUnknownProductsIsAudited) {
    const std::int64_t known = _supplier->create()["id"];
    _supplier->stock({{{"product_id", known}, {"stock_qty", 1}}, {{"product_id", 999'999'999}, {"stock_qty", 1}}});
    CPPUNIT_ASSERT_EQUAL(json({entry("stock", 2, 1, 1)}), entries());
}

TEST(BulkAuditTest, aRequestThatChangesNothingLeavesNone) {
    _supplier->create({{"sku", "A"}, {"stock_qty", 5}});
    _supplier->stock({{{"sku", "A"}, {"stock_qty", -1}}});
    _supplier->stock({{{"sku", "NONE"}, {"stock_qty", 1}}});
    _supplier->stock({{{"sku", "A"}, {"stock_qty", 5}, {"expected_stock_qty", 5}}});
    for (int i = 0; i < 2; ++i)
        _supplier->stock({{{"sku", "A"}, {"stock_qty", 5}}});
    CPPUNIT_ASSERT_EQUAL(json::array(), entries());
}

TEST(BulkAuditTest, aRepeatWithTheSameKeyLeavesNone) {
    _supplier->create({{"sku", "A"}});
    for (int i = 0; i < 2; ++i)
        bulk(*_supplier, "/stock", {{{"sku", "A"}, {"stock_qty", 1}, {"adjust", true}}}, {{"Idempotency-Key", "once"}});
    CPPUNIT_ASSERT_EQUAL(json({entry("stock", 1, 1, 0)}), entries());
}

} // namespace supplierd::tests
