#include "CatalogWorld.h"
#include "tests/support/ChangesOf.h"

#include <cppunit/extensions/HelperMacros.h>

#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

using nlohmann::json;
using Texts = std::vector<std::string>;

/// What the writes of products leave in the change log, and the number that their answers carry.
class ProductChangeLogTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(ProductChangeLogTest);
    CPPUNIT_TEST(testEachWriteIsOneEntry);
    CPPUNIT_TEST(testAnUpdateSaysWhatFollowersAskFor);
    CPPUNIT_TEST(testARefusedWriteLeavesNone);
    CPPUNIT_TEST(testTheEntryNamesKeyAndRequest);
    CPPUNIT_TEST(testAnswersCarryTheNumber);
    CPPUNIT_TEST(testAReplayCarriesTheNumberOfTheFirstAnswer);
    CPPUNIT_TEST(testNothingToChangeCarriesThePresentNumber);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override { _shop = std::make_unique<Shop>(); }

    void testEachWriteIsOneEntry() {
        const std::int64_t product = _shop->create({{"sku", "A"}, {"variants", {{{"name", "v"}, {"sku", "V"}}}}})["id"];
        _shop->update(product, {{"name", "Rosa"}, {"is_active", false}});
        _shop->remove(product);
        const std::string id = std::to_string(product);
        CPPUNIT_ASSERT((Texts{"product.created " + id, "product.updated " + id, "product.deleted " + id}) == changes());
    }

    void testAnUpdateSaysWhatFollowersAskFor() {
        const json made = _shop->create({{"stock_qty", 5}, {"base_price", 2}, {"variants", {{{"name", "v"}}}}});
        const std::int64_t product = made["id"];
        const json variant = made["variants"][0]["id"];
        _shop->update(product, {{"stock_qty", 5}, {"base_price", 2}});
        _shop->update(product, {{"stock_qty", 6}});
        _shop->update(product, {{"base_price", 2.5}});
        _shop->update(product, {{"variants", {{{"id", variant}, {"stock_qty", 1}}}}});
        _shop->update(product, {{"variants", {{{"id", variant}, {"name", "w"}}}}});
        _shop->update(product, {{"variants", {{{"id", variant}, {"delete", true}}}}});
        const std::string id = std::to_string(product);
        const std::string updated = "product.updated " + id;
        const std::string price = "product.price_changed " + id + "; ";
        const std::string stock = "product.stock_changed " + id + "; ";
        const Texts expected{updated,         stock + updated, price + updated,
                             stock + updated, updated,         price + stock + updated};
        CPPUNIT_ASSERT(expected == changesOf(CatalogWorld::instance().database(), _shop->id(), 1));
    }

    void testARefusedWriteLeavesNone() {
        const std::int64_t product = _shop->create({{"sku", "A"}})["id"];
        const std::int64_t before = number();
        CPPUNIT_ASSERT_EQUAL(422, _shop->http().post("/products", Shop::body({{"sku", "a"}})).status);
        CPPUNIT_ASSERT_EQUAL(
            412, _shop->http()
                     .post("/products/" + std::to_string(product), {{"name", "x"}}, {{"If-Match", "\"99\""}})
                     .status);
        CPPUNIT_ASSERT_EQUAL(404, _shop->http().postEmpty("/products/999999999/delete").status);
        CPPUNIT_ASSERT_EQUAL(before, number());
        CPPUNIT_ASSERT_EQUAL(static_cast<std::size_t>(before), changes().size());
    }

    void testTheEntryNamesKeyAndRequest() {
        _shop->http().post("/products", Shop::body(), {{"X-Request-Id", "from-the-client"}});
        CPPUNIT_ASSERT_EQUAL(_shop->key().substr(0, 11) + " from-the-client",
                             originOfLastChange(CatalogWorld::instance().database(), _shop->id()));
    }

    void testAnswersCarryTheNumber() {
        const HttpResponse created = _shop->http().post("/products", Shop::body());
        CPPUNIT_ASSERT_EQUAL(std::string("1"), created.header("X-Change-Seq"));
        const std::string path = "/products/" + created.data()["product"]["id"].dump();
        CPPUNIT_ASSERT_EQUAL(std::string("2"), _shop->http().post(path, {{"name", "Rosa"}}).header("X-Change-Seq"));
        CPPUNIT_ASSERT_EQUAL(std::string("3"), _shop->http().postEmpty(path + "/delete").header("X-Change-Seq"));
    }

    void testAReplayCarriesTheNumberOfTheFirstAnswer() {
        const HttpHeaders once{{"Idempotency-Key", "once"}};
        const json body = Shop::body();
        CPPUNIT_ASSERT_EQUAL(std::string("1"), _shop->http().post("/products", body, once).header("X-Change-Seq"));
        _shop->create();
        const HttpResponse replayed = _shop->http().post("/products", body, once);
        CPPUNIT_ASSERT_EQUAL(std::string("true"), replayed.header("Idempotent-Replayed"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), replayed.header("X-Change-Seq"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, changes().size());
    }

    void testNothingToChangeCarriesThePresentNumber() {
        const std::int64_t product = _shop->create()["id"];
        _shop->create();
        const HttpResponse same = _shop->http().post("/products/" + std::to_string(product), json::object());
        CPPUNIT_ASSERT_EQUAL(200, same.status);
        CPPUNIT_ASSERT_EQUAL(std::string("2"), same.header("X-Change-Seq"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, changes().size());
    }

private:
    Texts changes() const { return changesOf(CatalogWorld::instance().database(), _shop->id()); }
    std::int64_t number() const { return lastChangeOf(CatalogWorld::instance().database(), _shop->id()); }

    std::unique_ptr<Shop> _shop;
};

CPPUNIT_TEST_SUITE_REGISTRATION(ProductChangeLogTest);

} // namespace supplierd::tests
