#include "CatalogFixture.h"
#include "tests/support/Test.h"

#include <memory>
#include <string>

namespace supplierd::tests {

using nlohmann::json;

class ProductReadTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<SupplierClient>(); }

protected:
    std::unique_ptr<SupplierClient> _supplier;
};

TEST(ProductReadTest, singleReadHasTheListsFieldsAndMore) {
    const json product = _supplier->create({{"sku", "A"}});
    const json listed = _supplier->list()["products"][0];
    for (const auto& [name, value] : listed.items())
        CPPUNIT_ASSERT_EQUAL_MESSAGE(name, value, product[name]);
    const json names{"id",        "name",         "sku",       "type",        "base_price", "unit",
                     "stock_qty", "stock_status", "is_active", "is_approved", "category",   "primary_image"};
    CPPUNIT_ASSERT_EQUAL(names.size(), listed.size());
    for (const json& name : names)
        CPPUNIT_ASSERT_MESSAGE(name.dump(), listed.contains(name.get<std::string>()));
    CPPUNIT_ASSERT_EQUAL(names.size() + 12, product.size());
}

TEST(ProductReadTest, knownVersionIsNotModified) {
    const std::string path = pathOf(_supplier->create());
    for (const char* known : {"\"1\"", "W/\"1\"", "\"9\", W/\"1\"", "*", " \"1\" "}) {
        const HttpResponse response = _supplier->get(path, {{"If-None-Match", known}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(known, 304, response.status);
        CPPUNIT_ASSERT_EQUAL(std::string("\"1\""), response.header("ETag"));
        CPPUNIT_ASSERT(response.body.empty());
    }
}

TEST(ProductReadTest, otherVersionIsAnsweredInFull) {
    const std::string path = pathOf(_supplier->create());
    for (const char* other : {"\"2\"", "1", "\"11\"", "x, y"}) {
        const HttpResponse response = _supplier->get(path, {{"If-None-Match", other}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(other, 200, response.status);
        CPPUNIT_ASSERT_EQUAL(std::string("\"1\""), response.header("ETag"));
    }
}

TEST(ProductReadTest, unknownIdIsNotFound) {
    for (const char* id : {"999999999", "0", "-1", "1.0", "abc", "01", "99999999999999999999"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(id, 404, _supplier->get(std::string("/products/") + id).status);
}

TEST(ProductReadTest, rejectionShowsItsReason) {
    const std::int64_t id = _supplier->create()["id"];
    fixture().database().exec("UPDATE products SET approval = 2, approval_reason = 'No picture' WHERE id = " +
                              std::to_string(id));
    const json product = _supplier->read(id);
    CPPUNIT_ASSERT_EQUAL(json({{"status", "rejected"}, {"reason", "No picture"}}), product["approval"]);
    CPPUNIT_ASSERT_EQUAL(json(false), product["is_approved"]);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _supplier->ids("status=pending").size());
}

TEST(ProductReadTest, stockStatusComparesWithTheLeastOrder) {
    const std::int64_t id = _supplier->create({{"min_order_qty", 10}})["id"];
    CPPUNIT_ASSERT_EQUAL(json("low_stock"), _supplier->update(id, {{"stock_qty", 9}})["stock_status"]);
    CPPUNIT_ASSERT_EQUAL(json("in_stock"), _supplier->update(id, {{"stock_qty", 10}})["stock_status"]);
    CPPUNIT_ASSERT_EQUAL(json("out_of_stock"), _supplier->update(id, {{"stock_qty", 0}})["stock_status"]);
}

TEST(ProductReadTest, thereAreNoImagesWithoutTheMediaPlugin) {
    const std::int64_t id = _supplier->create()["id"];
    // As it was left when the plugin was switched off: nobody would serve the file.
    fixture().database().exec("UPDATE products SET primary_image = '/media/a/b/c.jpg' WHERE id = " +
                              std::to_string(id));
    const json product = _supplier->read(id);
    CPPUNIT_ASSERT(product["primary_image"].is_null());
    CPPUNIT_ASSERT_EQUAL(json::array(), product["images"]);
    for (const char* query : {"", "sort=name", "search=rosa", "changed_after=0"})
        CPPUNIT_ASSERT(_supplier->list(query)["products"][0]["primary_image"].is_null());
    _supplier->remove(id);
    CPPUNIT_ASSERT(_supplier->list("include_deleted=true")["products"][0]["primary_image"].is_null());
}

} // namespace supplierd::tests
