#include "InventoryFixture.h"
#include "tests/support/Test.h"

#include <limits>
#include <memory>
#include <string>

namespace supplierd::tests {

using nlohmann::json;

class StockTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<InventoryClient>(); }

protected:
    std::unique_ptr<InventoryClient> _supplier;
};

TEST(StockTest, stockIsSetByIdAndBySku) {
    const json a = _supplier->create();
    const json b = _supplier->create({{"sku", "ROSE-1"}});
    CPPUNIT_ASSERT_EQUAL(allUpdated(2), _supplier->stock({{{"product_id", a["id"]}, {"stock_qty", 7}},
                                                          {{"sku", "ROSE-1"}, {"stock_qty", 1'000'000'000}}}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, _supplier->stockOf(a["id"]));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1'000'000'000}, _supplier->stockOf(b["id"]));
    CPPUNIT_ASSERT_EQUAL(allUpdated(1), _supplier->stock({{{"product_id", a["id"]}, {"stock_qty", 0}}}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _supplier->stockOf(a["id"]));
    CPPUNIT_ASSERT_EQUAL(a["base_price"], _supplier->read(a["id"])["base_price"]);
    _supplier->requireTrueTotals();
}

TEST(StockTest, failedItemsAreNamedAndStopNoOther) {
    const json a = _supplier->create({{"sku", "A"}});
    const json b = _supplier->create({{"sku", "B"}});
    const json expected = outcome(2, {failure(0, "NONE", NOT_FOUND), failure(2, "", NOT_FOUND),
                                      failure(3, "A", WRONG_STOCK, "out_of_range"),
                                      failure(5, "", "product_id or sku is required", "required")});
    CPPUNIT_ASSERT_EQUAL(expected, _supplier->stock({{{"sku", "NONE"}, {"stock_qty", 1}},
                                                     {{"sku", "A"}, {"stock_qty", 2}},
                                                     {{"product_id", 999'999'999}, {"stock_qty", 3}},
                                                     {{"sku", "A"}, {"stock_qty", -1}},
                                                     {{"product_id", b["id"]}, {"stock_qty", 5}},
                                                     {{"stock_qty", 6}}}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, _supplier->stockOf(a["id"]));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, _supplier->stockOf(b["id"]));
    CPPUNIT_ASSERT_EQUAL(outcome(0, {failure(0, " NONE ", NOT_FOUND)}),
                         _supplier->stock({{{"sku", " NONE "}, {"stock_qty", 1}}}));
}

TEST(StockTest, lastItemOfAProductWinsAndAllCount) {
    const json product = _supplier->create({{"sku", "A"}});
    CPPUNIT_ASSERT_EQUAL(allUpdated(3), _supplier->stock({{{"product_id", product["id"]}, {"stock_qty", 1}},
                                                          {{"sku", "a"}, {"stock_qty", 2}},
                                                          {{"product_id", product["id"]}, {"stock_qty", 3}}}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, _supplier->stockOf(product["id"]));
    // A bad one in between, or at the end, takes nothing back.
    CPPUNIT_ASSERT_EQUAL(
        outcome(1, {failure(1, "A", WRONG_STOCK, "out_of_range")}),
        _supplier->stock({{{"sku", "A"}, {"stock_qty", 4}}, {{"sku", "A"}, {"stock_qty", 1'000'000'001}}}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{4}, _supplier->stockOf(product["id"]));
}

TEST(StockTest, unchangedStockCountsAsUpdatedAndIsNoChange) {
    const json product = _supplier->create({{"stock_qty", 5}});
    const std::int64_t seq = _supplier->changeSeq();
    CPPUNIT_ASSERT_EQUAL(allUpdated(1), _supplier->stock({{{"product_id", product["id"]}, {"stock_qty", 5}}}));
    CPPUNIT_ASSERT_EQUAL(allUpdated(2), _supplier->stock({{{"product_id", product["id"]}, {"stock_qty", 9}},
                                                          {{"product_id", product["id"]}, {"stock_qty", 5}}}));
    CPPUNIT_ASSERT_EQUAL(product, _supplier->read(product["id"]));
    CPPUNIT_ASSERT_EQUAL(json::array(), _supplier->changedAfter(seq));
}

TEST(StockTest, aChangedProductIsSeenOnceByWhoeverFollowsChanges) {
    const json a = _supplier->create({{"sku", "A"}});
    const json b = _supplier->create({{"stock_qty", 8}});
    _supplier->create();
    const std::int64_t seq = _supplier->changeSeq();
    _supplier->stock({{{"product_id", a["id"]}, {"stock_qty", 1}},
                      {{"product_id", b["id"]}, {"stock_qty", 2}},
                      {{"sku", "A"}, {"stock_qty", 3}}});
    const json changed = _supplier->changedAfter(seq);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, changed.size());
    CPPUNIT_ASSERT_EQUAL(a["id"], changed[0]["id"]);
    CPPUNIT_ASSERT_EQUAL(json(3), changed[0]["stock_qty"]);
    CPPUNIT_ASSERT_EQUAL(b["id"], changed[1]["id"]);
    CPPUNIT_ASSERT_EQUAL(json(seq + 1), changed[0]["change_seq"]);
    CPPUNIT_ASSERT_EQUAL(json(seq + 1), changed[1]["change_seq"]);

    const HttpResponse read = _supplier->get("/products/" + a["id"].dump(), {{"If-None-Match", "\"1\""}});
    requireStatus(200, read);
    CPPUNIT_ASSERT_EQUAL(std::string("\"2\""), read.header("ETag"));
    CPPUNIT_ASSERT_EQUAL(json(2), read.data()["product"]["version"]);
    CPPUNIT_ASSERT_EQUAL(
        412, _supplier->post("/products/" + a["id"].dump(), {{"name", "Stale"}}, {{"If-Match", "\"1\""}}).status);
}

TEST(StockTest, bothIdsMustNameTheSameProduct) {
    const json a = _supplier->create({{"sku", "A"}});
    const json b = _supplier->create({{"sku", "B"}});
    const json expected = outcome(1, {failure(1, "B", NOT_FOUND), failure(2, "NONE", NOT_FOUND)});
    CPPUNIT_ASSERT_EQUAL(expected, _supplier->stock({{{"product_id", a["id"]}, {"sku", "a"}, {"stock_qty", 1}},
                                                     {{"product_id", a["id"]}, {"sku", "B"}, {"stock_qty", 2}},
                                                     {{"product_id", b["id"]}, {"sku", "NONE"}, {"stock_qty", 3}}}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _supplier->stockOf(a["id"]));
    CPPUNIT_ASSERT_EQUAL(b, _supplier->read(b["id"]));
    // null and blank are as good as not given.
    CPPUNIT_ASSERT_EQUAL(allUpdated(2),
                         _supplier->stock({{{"product_id", a["id"]}, {"sku", nullptr}, {"stock_qty", 4}},
                                           {{"product_id", nullptr}, {"sku", " B "}, {"stock_qty", 5}}}));
}

TEST(StockTest, othersAndDeletedProductsAreNotFound) {
    InventoryClient other;
    const json theirs = other.create({{"sku", "THEIRS"}, {"stock_qty", 4}});
    const json gone = _supplier->create({{"sku", "GONE"}});
    _supplier->remove(gone["id"]);
    const std::vector<json> errors{failure(0, "", NOT_FOUND), failure(1, "THEIRS", NOT_FOUND),
                                   failure(2, "", NOT_FOUND), failure(3, "GONE", NOT_FOUND),
                                   failure(4, "GONE", NOT_FOUND)};
    CPPUNIT_ASSERT_EQUAL(outcome(0, errors),
                         _supplier->stock({{{"product_id", theirs["id"]}, {"stock_qty", 1}},
                                           {{"sku", "THEIRS"}, {"stock_qty", 1}},
                                           {{"product_id", gone["id"]}, {"stock_qty", 1}},
                                           {{"sku", "GONE"}, {"stock_qty", 1}},
                                           {{"product_id", gone["id"]}, {"sku", "GONE"}, {"stock_qty", 1}}}));
    CPPUNIT_ASSERT_EQUAL(theirs, other.read(theirs["id"]));
}

TEST(StockTest, aFreedSkuNamesItsNewProduct) {
    const json old = _supplier->create({{"sku", "SKU"}});
    _supplier->remove(old["id"]);
    const json heir = _supplier->create({{"sku", "SKU"}});
    CPPUNIT_ASSERT_EQUAL(allUpdated(1), _supplier->stock({{{"sku", "SKU"}, {"stock_qty", 6}}}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{6}, _supplier->stockOf(heir["id"]));
}

TEST(StockTest, fiveHundredItemsInOneRequest) {
    const std::vector<std::int64_t> ids = _supplier->fill(500);
    json byId = json::array();
    json bySku = json::array();
    for (std::size_t i = 0; i < ids.size(); ++i) {
        byId.push_back({{"product_id", ids[ids.size() - 1 - i]}, {"stock_qty", i}});
        bySku.push_back({{"sku", "f-" + std::to_string(i + 1)}, {"stock_qty", 3 * i}});
    }
    CPPUNIT_ASSERT_EQUAL(allUpdated(500), _supplier->stock(byId));
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{250}, std::size_t{499}})
        CPPUNIT_ASSERT_EQUAL(static_cast<std::int64_t>(499 - i), _supplier->stockOf(ids[i]));
    CPPUNIT_ASSERT_EQUAL(allUpdated(500), _supplier->stock(bySku));
    TestDatabase& database = fixture().database();
    CPPUNIT_ASSERT_EQUAL(
        std::int64_t{500},
        database.integer("SELECT COUNT(*) FROM products WHERE supplier_id = " + std::to_string(_supplier->id()) +
                         " AND stock_qty = 3 * (CAST(SUBSTR(sku, 3) AS SIGNED) - 1)"));
    _supplier->requireTrueTotals();
}

TEST(StockTest, stockStatusFollows) {
    const json product = _supplier->create({{"min_order_qty", 10}});
    const auto statusAt = [&](int quantity) {
        _supplier->stock({{{"product_id", product["id"]}, {"stock_qty", quantity}}});
        return _supplier->read(product["id"])["stock_status"].get<std::string>();
    };
    CPPUNIT_ASSERT_EQUAL(std::string("in_stock"), statusAt(10));
    CPPUNIT_ASSERT_EQUAL(std::string("low_stock"), statusAt(9));
    CPPUNIT_ASSERT_EQUAL(std::string("out_of_stock"), statusAt(0));
}

TEST(StockTest, adjustAddsInOrder) {
    const json product = _supplier->create({{"sku", "A"}, {"stock_qty", 10}});
    CPPUNIT_ASSERT_EQUAL(allUpdated(4), _supplier->stock({{{"sku", "A"}, {"stock_qty", -4}, {"adjust", true}},
                                                          {{"sku", "A"}, {"stock_qty", 100}, {"adjust", true}},
                                                          {{"sku", "A"}, {"stock_qty", 0}, {"adjust", true}},
                                                          {{"sku", "A"}, {"stock_qty", -6}, {"adjust", true}}}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{100}, _supplier->stockOf(product["id"]));
    CPPUNIT_ASSERT_EQUAL(allUpdated(3), _supplier->stock({{{"sku", "A"}, {"stock_qty", 5}, {"adjust", true}},
                                                          {{"sku", "A"}, {"stock_qty", 20}, {"adjust", false}},
                                                          {{"sku", "A"}, {"stock_qty", -1}, {"adjust", true}}}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{19}, _supplier->stockOf(product["id"]));
}

TEST(StockTest, adjustStaysWithinTheRange) {
    const json product = _supplier->create({{"sku", "A"}, {"stock_qty", 10}});
    const std::vector<json> errors{
        failure(0, "A", WRONG_STOCK, "out_of_range"), failure(1, "A", WRONG_STOCK, "out_of_range"),
        failure(2, "A", WRONG_STOCK, "out_of_range"), failure(3, "A", WRONG_STOCK, "out_of_range")};
    CPPUNIT_ASSERT_EQUAL(
        outcome(2, errors),
        _supplier->stock({{{"sku", "A"}, {"stock_qty", -11}, {"adjust", true}},
                          {{"sku", "A"}, {"stock_qty", 1'000'000'000}, {"adjust", true}},
                          {{"sku", "A"}, {"stock_qty", 9'223'372'036'854'775'807}, {"adjust", true}},
                          {{"sku", "A"}, {"stock_qty", std::numeric_limits<std::int64_t>::min()}, {"adjust", true}},
                          {{"sku", "A"}, {"stock_qty", -10}, {"adjust", true}},
                          {{"sku", "A"}, {"stock_qty", 1'000'000'000}, {"adjust", true}}}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1'000'000'000}, _supplier->stockOf(product["id"]));
}

TEST(StockTest, expectedStockSetsOnlyWhatIsStillSo) {
    const json a = _supplier->create({{"stock_qty", 5}});
    const json b = _supplier->create({{"sku", "B"}, {"stock_qty", 6}});
    CPPUNIT_ASSERT_EQUAL(outcome(1, {changed(1, "B", 6)}),
                         _supplier->stock({{{"product_id", a["id"]}, {"stock_qty", 1}, {"expected_stock_qty", 5}},
                                           {{"sku", "B"}, {"stock_qty", 1}, {"expected_stock_qty", 5}}}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _supplier->stockOf(a["id"]));
    CPPUNIT_ASSERT_EQUAL(b, _supplier->read(b["id"]));
    CPPUNIT_ASSERT_EQUAL(allUpdated(1),
                         _supplier->stock({{{"sku", "B"}, {"stock_qty", 2}, {"expected_stock_qty", nullptr}}}));
}

TEST(StockTest, expectedStockSeesEarlierItems) {
    const json product = _supplier->create({{"sku", "A"}, {"stock_qty", 5}});
    CPPUNIT_ASSERT_EQUAL(outcome(2, {changed(1, "A", 8)}),
                         _supplier->stock({{{"sku", "A"}, {"stock_qty", 8}, {"expected_stock_qty", 5}},
                                           {{"sku", "A"}, {"stock_qty", 9}, {"expected_stock_qty", 5}},
                                           {{"sku", "A"}, {"stock_qty", 7}, {"expected_stock_qty", 8}}}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, _supplier->stockOf(product["id"]));
}

TEST(StockTest, adjustCanExpectAStock) {
    const json product = _supplier->create({{"sku", "A"}, {"stock_qty", 5}});
    CPPUNIT_ASSERT_EQUAL(
        outcome(1, {changed(0, "A", 5)}),
        _supplier->stock({{{"sku", "A"}, {"stock_qty", -1}, {"adjust", true}, {"expected_stock_qty", 4}},
                          {{"sku", "A"}, {"stock_qty", -1}, {"adjust", true}, {"expected_stock_qty", 5}}}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{4}, _supplier->stockOf(product["id"]));
}

TEST(StockTest, aRepeatWithTheSameKeyAdjustsOnce) {
    const json product = _supplier->create({{"sku", "A"}, {"stock_qty", 5}});
    const json body{
        {"items", {{{"sku", "A"}, {"stock_qty", -2}, {"adjust", true}}, {{"sku", "NONE"}, {"stock_qty", 1}}}}};
    const HttpHeaders key{{"Idempotency-Key", "once"}};
    const HttpResponse first = _supplier->post("/stock", body, key);
    CPPUNIT_ASSERT_EQUAL(outcome(1, {failure(1, "NONE", NOT_FOUND)}), first.data());
    const HttpResponse again = _supplier->post("/stock", body, key);
    CPPUNIT_ASSERT_EQUAL(std::string("true"), again.header("Idempotent-Replayed"));
    CPPUNIT_ASSERT_EQUAL(first.data(), again.data());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, _supplier->stockOf(product["id"]));
    // An response that needed no transaction is kept too.
    const json bad{{"items", {{{"stock_qty", 1}}}}};
    const HttpHeaders other{{"Idempotency-Key", "nothing to do"}};
    CPPUNIT_ASSERT(!_supplier->post("/stock", bad, other).hasHeader("Idempotent-Replayed"));
    CPPUNIT_ASSERT(_supplier->post("/stock", bad, other).hasHeader("Idempotent-Replayed"));
}

TEST(StockTest, theScopeIsNeeded) {
    InventoryClient priced({.scopes = "prices:write products:write products:read"});
    const json product = priced.create();
    const json stock{{"items", {{{"product_id", product["id"]}, {"stock_qty", 1}}}}};
    const HttpResponse refused = priced.post("/stock", stock);
    requireStatus(403, refused);
    CPPUNIT_ASSERT_EQUAL(json("scope"), refused.error()["details"][0]["code"]);
    CPPUNIT_ASSERT_EQUAL(allUpdated(1), priced.prices({{{"product_id", product["id"]}, {"base_price", 1}}}));
    InventoryClient stocked({.scopes = "stock:write products:write products:read"});
    const json other = stocked.create();
    CPPUNIT_ASSERT_EQUAL(allUpdated(1), stocked.stock({{{"product_id", other["id"]}, {"stock_qty", 1}}}));
    CPPUNIT_ASSERT_EQUAL(
        403, stocked.post("/prices", {{"items", {{{"product_id", other["id"]}, {"base_price", 1}}}}}).status);
}

} // namespace supplierd::tests
