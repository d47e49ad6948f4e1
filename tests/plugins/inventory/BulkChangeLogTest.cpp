#include "InventoryFixture.h"
#include "tests/support/ChangesOf.h"
#include "tests/support/Test.h"

#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

using Texts = std::vector<std::string>;

/// A bulk request is one entry of the change log, with the ids of its products.
class BulkChangeLogTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<InventoryClient>(); }

protected:
    /// What fill() made.
    static json itemsOf(const std::vector<std::int64_t>& products) {
        json items = json::array();
        for (const std::int64_t product : products)
            items.push_back({{"product_id", product}, {"stock_qty", 0}, {"base_price", 1}});
        return items;
    }
    Texts changesAfter(std::int64_t seq) const { return changesOf(fixture().database(), _supplier->id(), seq); }

    std::unique_ptr<InventoryClient> _supplier;
};

TEST(BulkChangeLogTest, fiveHundredItemsAreOneEntry) {
    const std::vector<std::int64_t> products = _supplier->fill(500);
    json items = json::array();
    std::string ids;
    for (const std::int64_t product : products) {
        items.push_back({{"product_id", product}, {"stock_qty", 7}});
        ids += (ids.empty() ? "" : ",") + std::to_string(product);
    }
    const std::int64_t before = _supplier->changeSeq();
    const HttpResponse response = _supplier->post("/stock", {{"items", items}});
    CPPUNIT_ASSERT_EQUAL(std::to_string(before + 1), response.header("X-Change-Seq"));
    CPPUNIT_ASSERT((Texts{"product.stock_changed " + ids}) == changesAfter(before));
}

TEST(BulkChangeLogTest, onlyWhatWasFoundIsNoted) {
    const std::int64_t known = _supplier->create({{"sku", "A"}})["id"];
    _supplier->stock({{{"product_id", known}, {"stock_qty", 1}}, {{"product_id", 999'999'999}, {"stock_qty", 1}}});
    _supplier->prices({{{"product_id", 999'999'999}, {"base_price", 1}}});
    CPPUNIT_ASSERT((Texts{"product.stock_changed " + std::to_string(known)}) == changesAfter(1));
}

TEST(BulkChangeLogTest, aVariantIsItsProduct) {
    const std::int64_t product = _supplier->create({{"sku", "A"}, {"variants", {{{"name", "v"}, {"sku", "V"}}}}})["id"];
    _supplier->prices({{{"sku", "V"}, {"base_price", 3}}});
    CPPUNIT_ASSERT((Texts{"product.price_changed " + std::to_string(product)}) == changesAfter(1));
}

TEST(BulkChangeLogTest, lookedUpItemsAreNotedWhereTheyChange) {
    const std::int64_t first = _supplier->create({{"sku", "A"}, {"stock_qty", 5}})["id"];
    _supplier->create({{"sku", "B"}, {"stock_qty", 5}});
    _supplier->stock({{{"sku", "A"}, {"stock_qty", 1}, {"adjust", true}}, {{"sku", "B"}, {"stock_qty", 5}}});
    CPPUNIT_ASSERT((Texts{"product.stock_changed " + std::to_string(first)}) == changesAfter(2));
}

TEST(BulkChangeLogTest, anUnchangedRequestCarriesThePresentNumber) {
    _supplier->create({{"sku", "A"}, {"stock_qty", 5}});
    _supplier->create({{"sku", "B"}});
    for (const json& item :
         {json{{"sku", "A"}, {"stock_qty", 5}, {"expected_stock_qty", 5}}, json{{"sku", "NONE"}, {"stock_qty", 5}},
          json{{"sku", "A"}, {"stock_qty", 1}, {"expected_stock_qty", 4}}}) {
        const HttpResponse response = _supplier->post("/stock", {{"items", json::array({item})}});
        requireStatus(200, response);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(item.dump(), std::string("2"), response.header("X-Change-Seq"));
    }
    CPPUNIT_ASSERT(changesAfter(2).empty());
}

TEST(BulkChangeLogTest, onlyWhatHadAnotherValueIsNoted) {
    const std::vector<std::int64_t> products = _supplier->fill(50);
    const std::int64_t before = _supplier->changeSeq();
    for (int round = 1; round <= 4; ++round) { // from the second on they are looked at first
        json items = itemsOf(products);
        items[3]["stock_qty"] = round;
        const HttpResponse response = _supplier->post("/stock", {{"items", items}});
        CPPUNIT_ASSERT_EQUAL(std::to_string(before + round), response.header("X-Change-Seq"));
    }
    const std::string one = "product.stock_changed " + std::to_string(products[3]);
    CPPUNIT_ASSERT((Texts{one, one, one, one}) == changesAfter(before));
}

TEST(BulkChangeLogTest, pushesThatChangeNothingAreNoChange) {
    const std::vector<std::int64_t> products = _supplier->fill(500);
    const std::int64_t before = _supplier->changeSeq();
    const auto tag = [this] { return _supplier->get("/products").header("ETag"); };
    const std::string listed = tag();
    for (int round = 0; round < 3; ++round)
        for (const char* route : {"/stock", "/prices"}) {
            const HttpResponse response = _supplier->post(route, {{"items", itemsOf(products)}});
            requireStatus(200, response);
            CPPUNIT_ASSERT_EQUAL(std::size_t{500}, response.data().at("updated").get<std::size_t>());
            CPPUNIT_ASSERT_EQUAL(std::to_string(before), response.header("X-Change-Seq"));
        }
    CPPUNIT_ASSERT(changesAfter(before).empty());
    CPPUNIT_ASSERT_EQUAL(listed, tag());
    // Another's product, looked for and not found, is none of it.
    CPPUNIT_ASSERT_EQUAL(std::to_string(before),
                         _supplier->post("/stock", {{"items", {{{"product_id", 999'999'999}, {"stock_qty", 1}}}}})
                             .header("X-Change-Seq"));
    CPPUNIT_ASSERT(changesAfter(before).empty());
    // The number was given back: the next change has it.
    json items = itemsOf(products);
    items[0]["stock_qty"] = 8;
    CPPUNIT_ASSERT_EQUAL(std::to_string(before + 1),
                         _supplier->post("/stock", {{"items", items}}).header("X-Change-Seq"));
}

} // namespace supplierd::tests
