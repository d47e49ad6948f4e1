#include "CatalogFixture.h"
#include "tests/support/ChangesOf.h"
#include "tests/support/Test.h"

#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

using nlohmann::json;
using Texts = std::vector<std::string>;

/// What the writes of products leave in the change log, and the number that their answers carry.
class ProductChangeLogTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<SupplierClient>(); }

protected:
    Texts changes() const { return changesOf(fixture().database(), _supplier->id()); }
    std::int64_t number() const { return lastChangeOf(fixture().database(), _supplier->id()); }

    std::unique_ptr<SupplierClient> _supplier;
};

TEST(ProductChangeLogTest, eachWriteIsOneEntry) {
    const std::int64_t product = _supplier->create({{"sku", "A"}, {"variants", {{{"name", "v"}, {"sku", "V"}}}}})["id"];
    _supplier->update(product, {{"name", "Rosa"}, {"is_active", false}});
    _supplier->remove(product);
    const std::string id = std::to_string(product);
    CPPUNIT_ASSERT((Texts{"product.created " + id, "product.updated " + id, "product.deleted " + id}) == changes());
}

TEST(ProductChangeLogTest, anUpdateSaysWhatFollowersAskFor) {
    const json made = _supplier->create({{"stock_qty", 5}, {"base_price", 2}, {"variants", {{{"name", "v"}}}}});
    const std::int64_t product = made["id"];
    const json variant = made["variants"][0]["id"];
    _supplier->update(product, {{"stock_qty", 5}, {"base_price", 2}});
    _supplier->update(product, {{"stock_qty", 6}});
    _supplier->update(product, {{"base_price", 2.5}});
    _supplier->update(product, {{"variants", {{{"id", variant}, {"stock_qty", 1}}}}});
    _supplier->update(product, {{"variants", {{{"id", variant}, {"name", "w"}}}}});
    _supplier->update(product, {{"variants", {{{"id", variant}, {"delete", true}}}}});
    const std::string id = std::to_string(product);
    const std::string updated = "product.updated " + id;
    const std::string price = "product.price_changed " + id + "; ";
    const std::string stock = "product.stock_changed " + id + "; ";
    const Texts expected{updated, stock + updated, price + updated, stock + updated, updated, price + stock + updated};
    CPPUNIT_ASSERT(expected == changesOf(fixture().database(), _supplier->id(), 1));
}

TEST(ProductChangeLogTest, aRefusedWriteLeavesNone) {
    const std::int64_t product = _supplier->create({{"sku", "A"}})["id"];
    const std::int64_t before = number();
    requireStatus(422, _supplier->postProduct({{"sku", "a"}}));
    CPPUNIT_ASSERT_EQUAL(
        412, _supplier->post("/products/" + std::to_string(product), {{"name", "x"}}, {{"If-Match", "\"99\""}}).status);
    requireStatus(404, _supplier->postEmpty("/products/999999999/delete"));
    CPPUNIT_ASSERT_EQUAL(before, number());
    CPPUNIT_ASSERT_EQUAL(static_cast<std::size_t>(before), changes().size());
}

TEST(ProductChangeLogTest, theEntryNamesKeyAndRequest) {
    _supplier->postProduct(json::object(), {{"X-Request-Id", "from-the-client"}});
    CPPUNIT_ASSERT_EQUAL(_supplier->key().substr(0, 11) + " from-the-client",
                         originOfLastChange(fixture().database(), _supplier->id()));
}

TEST(ProductChangeLogTest, responsesCarryTheNumber) {
    const HttpResponse created = _supplier->postProduct();
    CPPUNIT_ASSERT_EQUAL(std::string("1"), created.header("X-Change-Seq"));
    const std::string path = "/products/" + created.data()["product"]["id"].dump();
    CPPUNIT_ASSERT_EQUAL(std::string("2"), _supplier->post(path, {{"name", "Rosa"}}).header("X-Change-Seq"));
    CPPUNIT_ASSERT_EQUAL(std::string("3"), _supplier->postEmpty(path + "/delete").header("X-Change-Seq"));
}

TEST(ProductChangeLogTest, aReplayCarriesTheNumberOfTheFirstResponse) {
    const HttpHeaders once{{"Idempotency-Key", "once"}};
    const json body = _supplier->productBody();
    CPPUNIT_ASSERT_EQUAL(std::string("1"), _supplier->post("/products", body, once).header("X-Change-Seq"));
    _supplier->create();
    const HttpResponse replayed = _supplier->post("/products", body, once);
    CPPUNIT_ASSERT_EQUAL(std::string("true"), replayed.header("Idempotent-Replayed"));
    CPPUNIT_ASSERT_EQUAL(std::string("1"), replayed.header("X-Change-Seq"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, changes().size());
}

TEST(ProductChangeLogTest, nothingToChangeCarriesThePresentNumber) {
    const std::int64_t product = _supplier->create()["id"];
    _supplier->create();
    const HttpResponse same = _supplier->post("/products/" + std::to_string(product), json::object());
    requireStatus(200, same);
    CPPUNIT_ASSERT_EQUAL(std::string("2"), same.header("X-Change-Seq"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, changes().size());
}

} // namespace supplierd::tests
