#include "InventoryFixture.h"
#include "tests/support/Test.h"

#include <memory>
#include <string>

namespace supplierd::tests {

using nlohmann::json;

/// Which product or variant a SKU names.
class SkuMatchTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<InventoryClient>(); }

protected:
    json withVariants() {
        return _supplier->create({{"stock_qty", 8},
                                  {"variants",
                                   {{{"name", "40 cm"}, {"sku", "V-40"}, {"stock_qty", 4}},
                                    {{"name", "60 cm"}, {"sku", "V-60"}, {"stock_qty", 5}}}}});
    }

    /// The product is as expected, but for what every change moves.
    void requireChangedFrom(json expected, const json& id) {
        const json after = _supplier->read(id);
        CPPUNIT_ASSERT_EQUAL(json(expected["version"].get<int>() + 1), after["version"]);
        for (const char* moved : {"version", "updated_at", "change_seq"})
            if (after.contains(moved))
                expected[moved] = after[moved];
        CPPUNIT_ASSERT_EQUAL(expected, after);
    }

    std::unique_ptr<InventoryClient> _supplier;
};

TEST(SkuMatchTest, caseMakesNoDifferenceAndAccentsDo) {
    const json product = _supplier->create({{"sku", "Rosé-Ünique"}});
    for (const char* sku : {"ROSÉ-ÜNIQUE", "rosé-ünique", "RoSE\u0301-u\u0308NIQUE"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(sku, allUpdated(1), _supplier->stock({{{"sku", sku}, {"stock_qty", 1}}}));
    for (const char* sku : {"ROSE-UNIQUE", "Rosé Ünique", "Rosé-\u200BÜnique", "\u00ADRosé-Ünique"})
        CPPUNIT_ASSERT_EQUAL(outcome(0, {failure(0, sku, "Product not found")}),
                             _supplier->stock({{{"sku", sku}, {"stock_qty", 9}}}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _supplier->stockOf(product["id"]));
}

TEST(SkuMatchTest, lookAlikesAreProductsOfTheirOwn) {
    for (const auto& [one, other] : {std::pair{"ROSE-E", "ROSE-É"}, {"BOX1", "BOX①"}, {"か-1", "が-1"}}) {
        const json first = _supplier->create({{"sku", one}});
        CPPUNIT_ASSERT_EQUAL(outcome(0, {failure(0, other, "Product not found")}),
                             _supplier->stock({{{"sku", other}, {"stock_qty", 9}}}));
        const json second = _supplier->create({{"sku", other}});
        CPPUNIT_ASSERT_EQUAL(allUpdated(2),
                             _supplier->stock({{{"sku", other}, {"stock_qty", 2}}, {{"sku", one}, {"stock_qty", 1}}}));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _supplier->stockOf(first["id"]));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, _supplier->stockOf(second["id"]));
    }
}

TEST(SkuMatchTest, everyCharacterIsTakenAsItIs) {
    const char* skus[] = {"\"quoted\"", "back\\slash", "a\\u0041", "per%cent", "under_score", "tab\tin",
                          "💐",          "🌹",           "a'b",      "/slash/",  "{\"a\":1}",   "[1,null]",
                          "null",       "x\x7F",       "\x01\x1F", "<&>",      "ß-ẞ",         "日本"};
    json items = json::array();
    int quantity = 0;
    for (const char* sku : skus) {
        _supplier->create({{"sku", sku}});
        items.push_back({{"sku", sku}, {"stock_qty", ++quantity}});
    }
    CPPUNIT_ASSERT_EQUAL(allUpdated(items.size()), _supplier->stock(items));
    TestDatabase& database = fixture().database();
    quantity = 0;
    for (const char* sku : skus)
        CPPUNIT_ASSERT_EQUAL_MESSAGE(
            sku, std::int64_t{++quantity},
            database.integer("SELECT stock_qty FROM products WHERE supplier_id = " + std::to_string(_supplier->id()) +
                             " AND sku = CAST(" + database.quote(sku) + " AS CHAR(64)) COLLATE utf8mb4_bin"));
    CPPUNIT_ASSERT_EQUAL(outcome(0, {failure(0, "🌻", "Product not found")}),
                         _supplier->stock({{{"sku", "🌻"}, {"stock_qty", 1}}}));
}

TEST(SkuMatchTest, blanksAroundItAreDropped) {
    const json product = _supplier->create({{"sku", "A B"}});
    CPPUNIT_ASSERT_EQUAL(allUpdated(1), _supplier->stock({{{"sku", " \tA B\u00A0"}, {"stock_qty", 3}}}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, _supplier->stockOf(product["id"]));
}

TEST(SkuMatchTest, aSkuOfSixtyFourCharactersIsFound) {
    std::string sku;
    for (int i = 0; i < 64; ++i)
        sku += "💐";
    const json product = _supplier->create({{"sku", sku}});
    CPPUNIT_ASSERT_EQUAL(outcome(1, {failure(1, sku + "x", "Product not found")}),
                         _supplier->stock({{{"sku", sku}, {"stock_qty", 3}}, {{"sku", sku + "x"}, {"stock_qty", 4}}}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, _supplier->stockOf(product["id"]));
}

TEST(SkuMatchTest, aVariantIsReachedByItsSku) {
    const json product = withVariants();
    const std::int64_t seq = _supplier->changeSeq();
    CPPUNIT_ASSERT_EQUAL(allUpdated(1), _supplier->stock({{{"sku", "v-60"}, {"stock_qty", 12}}}));
    json expected = product;
    expected["variants"][1]["stock_qty"] = 12;
    expected["variants"][1]["stock_status"] = "in_stock";
    requireChangedFrom(expected, product["id"]);
    const json changed = _supplier->changedAfter(seq);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, changed.size());
    CPPUNIT_ASSERT_EQUAL(product["id"], changed[0]["id"]);
}

TEST(SkuMatchTest, aVariantsProductMayBeNamedToo) {
    const json product = withVariants();
    const json other = _supplier->create();
    CPPUNIT_ASSERT_EQUAL(outcome(1, {failure(1, "V-60", "Product not found")}),
                         _supplier->stock({{{"product_id", product["id"]}, {"sku", "V-60"}, {"stock_qty", 2}},
                                           {{"product_id", other["id"]}, {"sku", "V-60"}, {"stock_qty", 3}}}));
    const json after = _supplier->read(product["id"]);
    CPPUNIT_ASSERT_EQUAL(json(2), after["variants"][1]["stock_qty"]);
    CPPUNIT_ASSERT_EQUAL(product["stock_qty"], after["stock_qty"]);
    CPPUNIT_ASSERT_EQUAL(other, _supplier->read(other["id"]));
}

TEST(SkuMatchTest, aVariantAndItsProductInOneRequest) {
    const json product = withVariants();
    CPPUNIT_ASSERT_EQUAL(allUpdated(4), _supplier->stock({{{"sku", "V-40"}, {"stock_qty", 1}},
                                                          {{"product_id", product["id"]}, {"stock_qty", 2}},
                                                          {{"sku", "V-60"}, {"stock_qty", 3}},
                                                          {{"sku", "V-40"}, {"stock_qty", 4}}}));
    const json after = _supplier->read(product["id"]);
    CPPUNIT_ASSERT_EQUAL(json(2), after["stock_qty"]);
    CPPUNIT_ASSERT_EQUAL(json(4), after["variants"][0]["stock_qty"]);
    CPPUNIT_ASSERT_EQUAL(json(3), after["variants"][1]["stock_qty"]);
    CPPUNIT_ASSERT_EQUAL(json(2), after["version"]);
}

TEST(SkuMatchTest, aVariantsStockIsAdjustedAndExpected) {
    const json product = withVariants();
    CPPUNIT_ASSERT_EQUAL(outcome(2, {changed(2, "V-60", 5)}),
                         _supplier->stock({{{"sku", "V-40"}, {"stock_qty", 7}, {"adjust", true}},
                                           {{"sku", "V-40"}, {"stock_qty", 9}, {"expected_stock_qty", 11}},
                                           {{"sku", "V-60"}, {"stock_qty", 9}, {"expected_stock_qty", 4}}}));
    const json after = _supplier->read(product["id"]);
    CPPUNIT_ASSERT_EQUAL(json(9), after["variants"][0]["stock_qty"]);
    CPPUNIT_ASSERT_EQUAL(json(5), after["variants"][1]["stock_qty"]);
}

TEST(SkuMatchTest, aRemovedVariantIsNotFound) {
    const json product = withVariants();
    _supplier->update(product["id"], {{"variants", {{{"id", product["variants"][0]["id"]}, {"delete", true}}}}});
    CPPUNIT_ASSERT_EQUAL(outcome(1, {failure(0, "V-40", "Product not found")}),
                         _supplier->stock({{{"sku", "V-40"}, {"stock_qty", 1}}, {{"sku", "V-60"}, {"stock_qty", 1}}}));
}

TEST(SkuMatchTest, manyVariantsOfManyProducts) {
    json items = json::array();
    std::vector<std::int64_t> ids;
    for (int p = 0; p < 5; ++p) {
        json variants = json::array();
        for (int v = 0; v < 100; ++v) {
            const std::string sku = "P" + std::to_string(p) + "-" + std::to_string(v);
            variants.push_back({{"name", sku}, {"sku", sku}});
            items.push_back({{"sku", sku}, {"stock_qty", 100 * p + v}});
        }
        ids.push_back(_supplier->create({{"variants", variants}})["id"]);
    }
    CPPUNIT_ASSERT_EQUAL(allUpdated(500), _supplier->stock(items));
    for (std::size_t p = 0; p < ids.size(); ++p) {
        const json product = _supplier->read(ids[p]);
        CPPUNIT_ASSERT_EQUAL(json(2), product["version"]);
        for (std::size_t v = 0; v < 100; ++v)
            CPPUNIT_ASSERT_EQUAL(json(100 * p + v), product["variants"][v]["stock_qty"]);
    }
}

} // namespace supplierd::tests
