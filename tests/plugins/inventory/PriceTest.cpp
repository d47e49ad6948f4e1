#include "InventoryFixture.h"
#include "tests/support/Test.h"

#include <memory>
#include <string>
#include <utility>

namespace supplierd::tests {

using nlohmann::json;

namespace {

constexpr const char* WRONG_PRICE = "base_price must be a number from 0 to 99999999.9999 with at most 4 decimals";

} // namespace

class PriceTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<InventoryClient>(); }

protected:
    void requireWrongPrice(const std::string& wrong, const std::string& code) {
        const HttpResponse response =
            _supplier->postText("/prices", R"({"items": [{"sku": "A", "base_price": )" + wrong + "}]}");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(wrong, 200, response.status);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(wrong, outcome(0, {failure(0, "A", WRONG_PRICE, code)}), response.data());
    }

    static std::string priceOf(const json& product) {
        return fixture().database().text("SELECT CAST(base_price AS CHAR(20)) FROM products WHERE id = " +
                                         product.dump());
    }

    std::unique_ptr<InventoryClient> _supplier;
};

TEST(PriceTest, pricesAreSetByIdAndBySku) {
    const json a = _supplier->create({{"stock_qty", 3}});
    const json b = _supplier->create({{"sku", "Rosé"}});
    CPPUNIT_ASSERT_EQUAL(outcome(2, {failure(1, "NONE", "Product not found")}),
                         _supplier->prices({{{"product_id", a["id"]}, {"base_price", 1.5}},
                                            {{"sku", "NONE"}, {"base_price", 2}},
                                            {{"sku", "ROSÉ"}, {"base_price", 0.29}}}));
    CPPUNIT_ASSERT_EQUAL(json(1.5), _supplier->read(a["id"])["base_price"]);
    CPPUNIT_ASSERT_EQUAL(json(3), _supplier->read(a["id"])["stock_qty"]);
    CPPUNIT_ASSERT_EQUAL(json(0.29), _supplier->read(b["id"])["base_price"]);
    _supplier->requireTrueTotals();
}

TEST(PriceTest, pricesAreExact) {
    const json product = _supplier->create();
    const std::pair<const char*, const char*> prices[] = {
        {"0", "0.0000"},     {"0.085", "0.0850"}, {"0.0001", "0.0001"}, {"99999999.9999", "99999999.9999"},
        {"1e2", "100.0000"}, {"12.0", "12.0000"}, {"4.35", "4.3500"},   {"19.990000", "19.9900"},
        {"85E-3", "0.0850"}, {"0.29", "0.2900"},  {"-0", "0.0000"}};
    for (const auto& [sent, stored] : prices) {
        const HttpResponse response = _supplier->postText(
            "/prices", R"({"items": [{"product_id": )" + product["id"].dump() + R"(, "base_price": )" + sent + "}]}");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(sent, allUpdated(1), response.data());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(sent, std::string(stored), priceOf(product["id"]));
    }
}

TEST(PriceTest, whatIsNoPriceIsAnErrorOfItsItem) {
    const json product = _supplier->create({{"sku", "A"}});
    for (const char* wrong :
         {"-0.0001", "-1", "0.00001", "100000000", "99999999.99991", "1e8", "1e300", "99999999999999999999"})
        requireWrongPrice(wrong, "out_of_range");
    for (const char* wrong : {"\"1\"", "true", "[]", "{}", "[1]"})
        requireWrongPrice(wrong, "type");
    CPPUNIT_ASSERT_EQUAL(outcome(0, {failure(0, "A", WRONG_PRICE, "required")}), _supplier->prices({{{"sku", "A"}}}));
    CPPUNIT_ASSERT_EQUAL(product, _supplier->read(product["id"]));
}

TEST(PriceTest, lastItemOfAProductWinsAndAllCount) {
    const json product = _supplier->create({{"sku", "A"}});
    CPPUNIT_ASSERT_EQUAL(allUpdated(3), _supplier->prices({{{"product_id", product["id"]}, {"base_price", 3}},
                                                           {{"sku", "A"}, {"base_price", 1}},
                                                           {{"sku", "a"}, {"base_price", 2.25}}}));
    CPPUNIT_ASSERT_EQUAL(json(2.25), _supplier->read(product["id"])["base_price"]);
}

TEST(PriceTest, unchangedPriceCountsAsUpdatedAndIsNoChange) {
    const json product = _supplier->create({{"base_price", 0.85}});
    const HttpResponse response = _supplier->postText(
        "/prices", R"({"items": [{"product_id": )" + product["id"].dump() + R"(, "base_price": 0.8500}]})");
    CPPUNIT_ASSERT_EQUAL(allUpdated(1), response.data());
    CPPUNIT_ASSERT_EQUAL(product, _supplier->read(product["id"]));
}

TEST(PriceTest, aChangedProductIsSeenOnceByWhoeverFollowsChanges) {
    const json a = _supplier->create({{"sku", "A"}});
    _supplier->create();
    const std::int64_t seq = _supplier->changeSeq();
    _supplier->prices({{{"product_id", a["id"]}, {"base_price", 1}}, {{"sku", "A"}, {"base_price", 2}}});
    const json changed = _supplier->changedAfter(seq);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, changed.size());
    CPPUNIT_ASSERT_EQUAL(a["id"], changed[0]["id"]);
    CPPUNIT_ASSERT_EQUAL(json(2), changed[0]["base_price"]);
    CPPUNIT_ASSERT_EQUAL(json(2), _supplier->read(a["id"])["version"]);
}

TEST(PriceTest, nullGivesAVariantItsProductsPrice) {
    const json product = _supplier->create(
        {{"variants", {{{"name", "60 cm"}, {"sku", "V-60"}, {"base_price", 1.5}}, {{"name", "40 cm"}}}}});
    CPPUNIT_ASSERT_EQUAL(allUpdated(1), _supplier->prices({{{"sku", "V-60"}, {"base_price", nullptr}}}));
    json after = _supplier->read(product["id"]);
    CPPUNIT_ASSERT_EQUAL(json(nullptr), after["variants"][0]["base_price"]);
    CPPUNIT_ASSERT_EQUAL(product["base_price"], after["base_price"]);
    CPPUNIT_ASSERT_EQUAL(json(2), after["version"]);
    CPPUNIT_ASSERT_EQUAL(allUpdated(2), _supplier->prices({{{"sku", "V-60"}, {"base_price", 0.0925}},
                                                           {{"product_id", product["id"]}, {"base_price", 4}}}));
    after = _supplier->read(product["id"]);
    CPPUNIT_ASSERT_EQUAL(json(0.0925), after["variants"][0]["base_price"]);
    CPPUNIT_ASSERT_EQUAL(json(4), after["base_price"]);
    CPPUNIT_ASSERT_EQUAL(json(3), after["version"]);
}

TEST(PriceTest, nullIsNoPriceOfAProduct) {
    const json product = _supplier->create({{"sku", "A"}});
    CPPUNIT_ASSERT_EQUAL(
        outcome(0, {failure(0, "A", WRONG_PRICE, "required"), failure(1, "NONE", "Product not found")}),
        _supplier->prices({{{"sku", "A"}, {"base_price", nullptr}}, {{"sku", "NONE"}, {"base_price", nullptr}}}));
    CPPUNIT_ASSERT_EQUAL(product, _supplier->read(product["id"]));
}

TEST(PriceTest, fieldsOfStockItemsMeanNothingHere) {
    const json product = _supplier->create({{"sku", "A"}, {"stock_qty", 4}});
    CPPUNIT_ASSERT_EQUAL(
        allUpdated(1),
        _supplier->prices(
            {{{"sku", "A"}, {"base_price", 2}, {"adjust", true}, {"stock_qty", -1}, {"expected_stock_qty", "x"}}}));
    const json after = _supplier->read(product["id"]);
    CPPUNIT_ASSERT_EQUAL(json(2), after["base_price"]);
    CPPUNIT_ASSERT_EQUAL(json(4), after["stock_qty"]);
}

TEST(PriceTest, fiveHundredItemsInOneRequest) {
    const std::vector<std::int64_t> ids = _supplier->fill(500);
    json items = json::array();
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (i % 2 == 0)
            items.push_back({{"product_id", ids[i]}, {"base_price", static_cast<double>(i) / 4}});
        else
            items.push_back({{"sku", "F-" + std::to_string(i + 1)}, {"base_price", static_cast<double>(i) / 4}});
    CPPUNIT_ASSERT_EQUAL(allUpdated(500), _supplier->prices(items));
    TestDatabase& database = fixture().database();
    CPPUNIT_ASSERT_EQUAL(
        std::int64_t{500},
        database.integer("SELECT COUNT(*) FROM products WHERE supplier_id = " + std::to_string(_supplier->id()) +
                         " AND base_price = (CAST(SUBSTR(sku, 3) AS SIGNED) - 1) / 4"));
}

TEST(PriceTest, aRepeatWithTheSameKeyIsReplayed) {
    const json product = _supplier->create({{"sku", "A"}});
    const HttpHeaders key{{"Idempotency-Key", "once"}};
    const json first{{"items", {{{"sku", "A"}, {"base_price", 1}}}}};
    requireStatus(200, _supplier->post("/prices", first, key));
    _supplier->prices({{{"sku", "A"}, {"base_price", 2}}});
    CPPUNIT_ASSERT(_supplier->post("/prices", first, key).hasHeader("Idempotent-Replayed"));
    CPPUNIT_ASSERT_EQUAL(json(2), _supplier->read(product["id"])["base_price"]);
    const json other{{"items", {{{"sku", "A"}, {"base_price", 3}}}}};
    requireStatus(422, _supplier->post("/prices", other, key));
}

} // namespace supplierd::tests
