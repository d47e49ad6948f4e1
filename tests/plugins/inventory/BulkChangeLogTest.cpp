#include "InventoryWorld.h"
#include "tests/support/ChangesOf.h"

#include <cppunit/extensions/HelperMacros.h>

#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

using nlohmann::json;
using Texts = std::vector<std::string>;

/// A bulk request is one entry of the change log, with the ids of its products.
class BulkChangeLogTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(BulkChangeLogTest);
    CPPUNIT_TEST(testFiveHundredItemsAreOneEntry);
    CPPUNIT_TEST(testOnlyWhatWasFoundIsNoted);
    CPPUNIT_TEST(testAVariantIsItsProduct);
    CPPUNIT_TEST(testLookedUpItemsAreNotedWhereTheyChange);
    CPPUNIT_TEST(testAnUnchangedRequestCarriesThePresentNumber);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override { _store = std::make_unique<Store>(); }

    void testFiveHundredItemsAreOneEntry() {
        const std::vector<std::int64_t> products = _store->fill(500);
        json items = json::array();
        std::string ids;
        for (const std::int64_t product : products) {
            items.push_back({{"product_id", product}, {"stock_qty", 7}});
            ids += (ids.empty() ? "" : ",") + std::to_string(product);
        }
        const std::int64_t before = _store->changeSeq();
        const HttpResponse response = _store->http().post("/stock", {{"items", items}});
        CPPUNIT_ASSERT_EQUAL(std::to_string(before + 1), response.header("X-Change-Seq"));
        CPPUNIT_ASSERT((Texts{"product.stock_changed " + ids}) == changesAfter(before));
    }

    void testOnlyWhatWasFoundIsNoted() {
        const std::int64_t known = _store->create({{"sku", "A"}})["id"];
        _store->stock({{{"product_id", known}, {"stock_qty", 1}}, {{"product_id", 999'999'999}, {"stock_qty", 1}}});
        _store->prices({{{"product_id", 999'999'999}, {"base_price", 1}}});
        CPPUNIT_ASSERT((Texts{"product.stock_changed " + std::to_string(known), ""}) == changesAfter(1));
    }

    void testAVariantIsItsProduct() {
        const std::int64_t product =
            _store->create({{"sku", "A"}, {"variants", {{{"name", "v"}, {"sku", "V"}}}}})["id"];
        _store->prices({{{"sku", "V"}, {"base_price", 3}}});
        CPPUNIT_ASSERT((Texts{"product.price_changed " + std::to_string(product)}) == changesAfter(1));
    }

    void testLookedUpItemsAreNotedWhereTheyChange() {
        const std::int64_t first = _store->create({{"sku", "A"}, {"stock_qty", 5}})["id"];
        _store->create({{"sku", "B"}, {"stock_qty", 5}});
        _store->stock({{{"sku", "A"}, {"stock_qty", 1}, {"adjust", true}}, {{"sku", "B"}, {"stock_qty", 5}}});
        CPPUNIT_ASSERT((Texts{"product.stock_changed " + std::to_string(first)}) == changesAfter(2));
    }

    void testAnUnchangedRequestCarriesThePresentNumber() {
        _store->create({{"sku", "A"}, {"stock_qty", 5}});
        _store->create({{"sku", "B"}});
        for (const json& item :
             {json{{"sku", "A"}, {"stock_qty", 5}, {"expected_stock_qty", 5}}, json{{"sku", "NONE"}, {"stock_qty", 5}},
              json{{"sku", "A"}, {"stock_qty", 1}, {"expected_stock_qty", 4}}}) {
            const HttpResponse response = _store->http().post("/stock", {{"items", json::array({item})}});
            CPPUNIT_ASSERT_EQUAL(200, response.status);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(item.dump(), std::string("2"), response.header("X-Change-Seq"));
        }
        CPPUNIT_ASSERT(changesAfter(2).empty());
    }

private:
    Texts changesAfter(std::int64_t seq) const {
        return changesOf(InventoryWorld::instance().database(), _store->id(), seq);
    }

    std::unique_ptr<Store> _store;
};

CPPUNIT_TEST_SUITE_REGISTRATION(BulkChangeLogTest);

} // namespace supplierd::tests
