#include "tests/support/HttpClient.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"

#include <memory>
#include <string>

namespace supplierd::tests {

using nlohmann::json;

/// A plugin in a real server that creates, changes and deletes products by the service of catalog.
class ProductImportTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        ServerOptions options;
        options.plugins = {"categories", "catalog"};
        options.pluginFiles = {SUPPLIERD_TEST_IMPORTER_PLUGIN};
        _database = std::make_unique<TestDatabase>();
        _server = std::make_unique<ServerProcess>(*_database, options);
        _category = _server->createCategory("Roses");
        _supplier = _server->createSupplier("Rose growers");
        _client = std::make_unique<HttpClient>(_server->client(_server->createKey(_supplier)));
    }

protected:
    json body(const std::string& sku) const {
        return {{"name", "Rose"}, {"category_id", _category}, {"base_price", 0.85}, {"unit", "stem"}, {"sku", sku}};
    }

    json import(const json& body) {
        const HttpResponse response = _client->post("/imports", body);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
        return response.data();
    }

    std::unique_ptr<TestDatabase> _database;
    std::unique_ptr<ServerProcess> _server;
    std::unique_ptr<HttpClient> _client;
    std::int64_t _category = 0;
    std::int64_t _supplier = 0;
};

TEST(ProductImportTest, productsAreWhatTheApiWouldMakeOfTheSameFields) {
    const json imported = import({{"create", {body("A-1")}}})["products"][0];
    json direct = _client->post("/products", body("A-2")).data()["product"];
    const json shown = _client->get("/products/" + std::to_string(imported["id"].get<int>())).data()["product"];
    CPPUNIT_ASSERT_EQUAL(shown, imported);
    for (const char* own : {"id", "sku", "created_at", "updated_at"})
        direct[own] = imported[own];
    CPPUNIT_ASSERT_EQUAL(direct, imported);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, _database->integer("SELECT COUNT(*) FROM audit_log WHERE action = "
                                                             "'product.create'"));
}

TEST(ProductImportTest, problemsAreThoseOfTheApi) {
    _client->post("/products", body("A-1"));
    for (const json& wrong : {json({{"name", ""}, {"base_price", -1}}), body("A-1"),
                              json({{"name", "x"}, {"category_id", 999'999}, {"base_price", 1}, {"unit", "stem"}})}) {
        const HttpResponse byApi = _client->post("/products", wrong);
        const HttpResponse byImport = _client->post("/imports", {{"create", {wrong}}});
        CPPUNIT_ASSERT_EQUAL(422, byImport.status);
        CPPUNIT_ASSERT_EQUAL(json::parse(byApi.body)["error"]["details"],
                             json::parse(byImport.body)["error"]["details"]);
    }
}

TEST(ProductImportTest, anImportIsAllOrNothing) {
    CPPUNIT_ASSERT_EQUAL(422, _client->post("/imports", {{"create", {body("A-1"), body("a-1")}}}).status);
    CPPUNIT_ASSERT_EQUAL(json(0), _client->get("/products").data()["pagination"]["total_items"]);
    CPPUNIT_ASSERT_EQUAL(json(2), json(import({{"create", {body("A-1"), body("A-2")}}})["products"].size()));
    CPPUNIT_ASSERT_EQUAL(json(2), _client->get("/products").data()["pagination"]["total_items"]);
}

TEST(ProductImportTest, productsAreChangedAndDeleted) {
    const json id = import({{"create", {body("A-1")}}})["products"][0]["id"];
    const json changed = import({{"change_id", id}, {"change", {{"name", "Red rose"}}}})["products"][0];
    CPPUNIT_ASSERT_EQUAL(json("Red rose"), changed["name"]);
    CPPUNIT_ASSERT_EQUAL(json("A-1"), changed["sku"]);
    CPPUNIT_ASSERT_EQUAL(json("Red rose"), _client->get("/products").data()["products"][0]["name"]);
    import({{ "remove_id", id }});
    CPPUNIT_ASSERT_EQUAL(404, _client->get("/products/" + std::to_string(id.get<int>())).status);
    CPPUNIT_ASSERT_EQUAL(json(0), _client->get("/products").data()["pagination"]["total_items"]);
}

TEST(ProductImportTest, anotherSuppliersProductIsNotThere) {
    const json id = import({{"create", {body("A-1")}}})["products"][0]["id"];
    HttpClient other = _server->client(_server->createKey(_server->createSupplier("Rose growers")));
    CPPUNIT_ASSERT_EQUAL(404, other.post("/imports", {{"change_id", id}, {"change", {{"name", "x"}}}}).status);
    CPPUNIT_ASSERT_EQUAL(404, other.post("/imports", {{"remove_id", id}}).status);
    CPPUNIT_ASSERT_EQUAL(json(1), _client->get("/products").data()["pagination"]["total_items"]);
}

} // namespace supplierd::tests
