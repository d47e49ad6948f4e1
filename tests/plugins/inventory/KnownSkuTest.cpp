#include "InventoryFixture.h"
#include "tests/support/Test.h"

#include <memory>
#include <string>

namespace supplierd::tests {

using nlohmann::json;

/// SKUs that earlier requests have named, and that mean something else by now.
class KnownSkuTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _supplier = std::make_unique<InventoryClient>();
        _a = _supplier->create({{"sku", "A"}, {"stock_qty", 5}})["id"];
        _b = _supplier->create({{"sku", "B"}, {"stock_qty", 6}})["id"];
        // From here on the server knows both.
        CPPUNIT_ASSERT_EQUAL(allUpdated(2),
                             _supplier->stock({{{"sku", "A"}, {"stock_qty", 1}}, {{"sku", "B"}, {"stock_qty", 2}}}));
    }

protected:
    void update(std::int64_t product, const json& fields) {
        requireStatus(200, _supplier->post("/products/" + std::to_string(product), fields));
    }

    void requireStocks(std::int64_t ofA, std::int64_t ofB) {
        CPPUNIT_ASSERT_EQUAL(ofA, _supplier->stockOf(_a));
        CPPUNIT_ASSERT_EQUAL(ofB, _supplier->stockOf(_b));
    }

    std::unique_ptr<InventoryClient> _supplier;
    std::int64_t _a = 0;
    std::int64_t _b = 0;
};

TEST(KnownSkuTest, aMovedSkuNamesItsNewProduct) {
    update(_a, {{"sku", nullptr}});
    update(_b, {{"sku", "A"}});
    CPPUNIT_ASSERT_EQUAL(allUpdated(1), _supplier->stock({{{"sku", "A"}, {"stock_qty", 7}}}));
    requireStocks(1, 7);
    CPPUNIT_ASSERT_EQUAL(allUpdated(1), _supplier->prices({{{"sku", "A"}, {"base_price", 0.0725}}}));
    CPPUNIT_ASSERT_EQUAL(json(0.0725), _supplier->read(_b)["base_price"]);
    CPPUNIT_ASSERT_EQUAL(json(0.85), _supplier->read(_a)["base_price"]);
}

TEST(KnownSkuTest, aSkuThatWasTakenAwayIsNotFound) {
    update(_a, {{"sku", "C"}});
    CPPUNIT_ASSERT_EQUAL(outcome(1, {failure(0, "A", NOT_FOUND)}),
                         _supplier->stock({{{"sku", "A"}, {"stock_qty", 7}}, {{"sku", "B"}, {"stock_qty", 8}}}));
    requireStocks(1, 8);
}

TEST(KnownSkuTest, theSkuOfADeletedProductNamesTheOneThatHasItNow) {
    requireStatus(200, _supplier->postEmpty("/products/" + std::to_string(_a) + "/delete"));
    CPPUNIT_ASSERT_EQUAL(outcome(0, {failure(0, "A", NOT_FOUND)}),
                         _supplier->stock({{{"sku", "A"}, {"stock_qty", 7}}}));
    const std::int64_t next = _supplier->create({{"sku", "A"}})["id"];
    CPPUNIT_ASSERT_EQUAL(allUpdated(1), _supplier->stock({{{"sku", "A"}, {"stock_qty", 9}}}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{9}, _supplier->stockOf(next));
}

TEST(KnownSkuTest, aSkuThatAVariantHasNowNamesTheVariant) {
    update(_a, {{"sku", nullptr}});
    update(_b, {{"variants", {{{"name", "60 cm"}, {"sku", "A"}, {"stock_qty", 3}}}}});
    CPPUNIT_ASSERT_EQUAL(allUpdated(1), _supplier->stock({{{"sku", "A"}, {"stock_qty", 7}}}));
    requireStocks(1, 2);
    CPPUNIT_ASSERT_EQUAL(json(7), _supplier->read(_b)["variants"][0]["stock_qty"]);
}

TEST(KnownSkuTest, anOldAndTheNewSkuOfAProductAreNotTheSame) {
    update(_a, {{"sku", nullptr}});
    update(_b, {{"sku", nullptr}});
    update(_a, {{"sku", "B"}});
    // "A" was the product's, "B" is.
    CPPUNIT_ASSERT_EQUAL(allUpdated(1), _supplier->stock({{{"sku", "B"}, {"stock_qty", 3}}}));
    for (const bool oldFirst : {true, false}) {
        const json old{{"sku", "A"}, {"stock_qty", 7}};
        const json present{{"sku", "B"}, {"stock_qty", 8}};
        CPPUNIT_ASSERT_EQUAL(outcome(1, {failure(oldFirst ? 0 : 1, "A", NOT_FOUND)}),
                             _supplier->stock(oldFirst ? json{old, present} : json{present, old}));
        requireStocks(8, 2);
    }
}

TEST(KnownSkuTest, exchangedSkusNameTheOtherProduct) {
    update(_a, {{"sku", nullptr}});
    update(_b, {{"sku", "A"}});
    update(_a, {{"sku", "B"}});
    CPPUNIT_ASSERT_EQUAL(allUpdated(2),
                         _supplier->stock({{{"sku", "A"}, {"stock_qty", 7}}, {{"sku", "B"}, {"stock_qty", 8}}}));
    requireStocks(8, 7);
}

TEST(KnownSkuTest, aSkuInOtherLettersIsTheSame) {
    CPPUNIT_ASSERT_EQUAL(allUpdated(1), _supplier->stock({{{"sku", "a"}, {"stock_qty", 7}}}));
    update(_a, {{"sku", "a"}});
    CPPUNIT_ASSERT_EQUAL(allUpdated(2),
                         _supplier->stock({{{"sku", "A"}, {"stock_qty", 8}}, {{"sku", "a"}, {"stock_qty", 9}}}));
    requireStocks(9, 2);
}

TEST(KnownSkuTest, suppliersHaveSkusOfTheirOwn) {
    InventoryClient other;
    CPPUNIT_ASSERT_EQUAL(outcome(0, {failure(0, "A", NOT_FOUND)}), other.stock({{{"sku", "A"}, {"stock_qty", 7}}}));
    const std::int64_t product = other.create({{"sku", "A"}})["id"];
    CPPUNIT_ASSERT_EQUAL(allUpdated(1), other.stock({{{"sku", "A"}, {"stock_qty", 9}}}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{9}, other.stockOf(product));
    requireStocks(1, 2);
}

TEST(KnownSkuTest, anIdBesideAKnownSkuMustBeItsProduct) {
    CPPUNIT_ASSERT_EQUAL(outcome(1, {failure(0, "A", NOT_FOUND)}),
                         _supplier->stock({{{"product_id", _b}, {"sku", "A"}, {"stock_qty", 7}},
                                           {{"product_id", _b}, {"sku", "B"}, {"stock_qty", 8}}}));
    requireStocks(1, 8);
}

/// The statement that finds one SKU gone has set the other product already.
TEST(KnownSkuTest, whatWasChangedInTheSameRequestBeforeIsStamped) {
    update(_b, {{"sku", "C"}});
    const std::int64_t before = _supplier->changeSeq();
    const json version = _supplier->read(_a)["version"];
    CPPUNIT_ASSERT_EQUAL(outcome(1, {failure(1, "B", NOT_FOUND)}),
                         _supplier->stock({{{"sku", "A"}, {"stock_qty", 7}}, {{"sku", "B"}, {"stock_qty", 8}}}));
    CPPUNIT_ASSERT_EQUAL(json(version.get<int>() + 1), _supplier->read(_a)["version"]);
    const json changed = _supplier->changedAfter(before);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, changed.size());
    CPPUNIT_ASSERT_EQUAL(json(_a), changed[0]["id"]);
}

} // namespace supplierd::tests
