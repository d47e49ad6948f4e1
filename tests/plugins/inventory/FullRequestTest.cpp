#include "InventoryFixture.h"
#include "tests/support/Test.h"

#include <string>

namespace supplierd::tests {

class FullRequestTest : public CppUnit::TestFixture {
protected:
    InventoryClient _supplier;
};

TEST(FullRequestTest, fiveHundredStocksInOneRequest) {
    const std::vector<std::int64_t> ids = _supplier.fill(500);
    json byId = json::array();
    json bySku = json::array();
    for (std::size_t i = 0; i < ids.size(); ++i) {
        byId.push_back({{"product_id", ids[ids.size() - 1 - i]}, {"stock_qty", i}});
        bySku.push_back({{"sku", "f-" + std::to_string(i + 1)}, {"stock_qty", 3 * i}});
    }
    CPPUNIT_ASSERT_EQUAL(allUpdated(500), _supplier.stock(byId));
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{250}, std::size_t{499}})
        CPPUNIT_ASSERT_EQUAL(static_cast<std::int64_t>(499 - i), _supplier.stockOf(ids[i]));
    CPPUNIT_ASSERT_EQUAL(allUpdated(500), _supplier.stock(bySku));
    TestDatabase& database = fixture().database();
    CPPUNIT_ASSERT_EQUAL(
        std::int64_t{500},
        database.integer("SELECT COUNT(*) FROM products WHERE supplier_id = " + std::to_string(_supplier.id()) +
                         " AND stock_qty = 3 * (CAST(SUBSTR(sku, 3) AS SIGNED) - 1)"));
    _supplier.requireTrueTotals();
}

TEST(FullRequestTest, fiveHundredPricesInOneRequest) {
    const std::vector<std::int64_t> ids = _supplier.fill(500);
    json items = json::array();
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (i % 2 == 0)
            items.push_back({{"product_id", ids[i]}, {"base_price", static_cast<double>(i) / 4}});
        else
            items.push_back({{"sku", "F-" + std::to_string(i + 1)}, {"base_price", static_cast<double>(i) / 4}});
    CPPUNIT_ASSERT_EQUAL(allUpdated(500), _supplier.prices(items));
    TestDatabase& database = fixture().database();
    CPPUNIT_ASSERT_EQUAL(
        std::int64_t{500},
        database.integer("SELECT COUNT(*) FROM products WHERE supplier_id = " + std::to_string(_supplier.id()) +
                         " AND base_price = (CAST(SUBSTR(sku, 3) AS SIGNED) - 1) / 4"));
}

} // namespace supplierd::tests
