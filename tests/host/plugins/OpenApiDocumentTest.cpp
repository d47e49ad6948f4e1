#include "host/plugins/OpenApiDocument.h"

#include <cppunit/extensions/HelperMacros.h>
#include <nlohmann/json.hpp>

namespace supplierd::tests {

using nlohmann::json;

class OpenApiDocumentTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(OpenApiDocumentTest);
    CPPUNIT_TEST(testDocumentThatDescribesEveryRouteIsGood);
    CPPUNIT_TEST(testRoutesOfTwoAudiencesAreToldApart);
    CPPUNIT_TEST(testMissingAndSurplusOperationsAreTold);
    CPPUNIT_TEST(testTextThatIsNoDocumentIsTold);
    CPPUNIT_TEST(testDocumentsAreJoinedUnderWholePaths);
    CPPUNIT_TEST(testComponentsOfTwoPluginsKeepApart);
    CPPUNIT_TEST(testSecurityOfADocumentGoesWithItsOperations);
    CPPUNIT_TEST(testWhatIsNoDocumentIsLeftOut);
    CPPUNIT_TEST_SUITE_END();

public:
    void testDocumentThatDescribesEveryRouteIsGood() {
        PluginDescription description;
        description.routes = {{Method::Get, "/wishes/{id:int}"}, {Method::Patch, "/wishes/{id:int}"}};
        CPPUNIT_ASSERT(host::openApiProblems(description).empty());
        description.openapi = R"({"openapi": "3.0.3", "paths": {"/wishes/{id}": {"get": {}, "patch": {}}}})";
        CPPUNIT_ASSERT(host::openApiProblems(description).empty());
    }

    void testRoutesOfTwoAudiencesAreToldApart() {
        PluginDescription description;
        description.routes = {{Method::Get, "/wishes/{id:int}"}, {Method::Get, "/wishes", Audience::Operator}};
        description.openapi = R"({"openapi": "3.0.3", "servers": [{"url": "/api/v1"}],
                                  "paths": {"/supplier/wishes/{id}": {"get": {}}, "/platform/wishes": {"get": {}}}})";
        CPPUNIT_ASSERT(host::openApiProblems(description).empty());
        const auto whole = join({{"alpha", description.openapi}});
        CPPUNIT_ASSERT(whole.at("paths").contains("/api/v1/platform/wishes"));
        description.routes.front().audience = Audience::Operator;
        const std::vector<std::string> expected = {"it does not describe GET /wishes/{id:int}",
                                                   "it describes get /supplier/wishes/{id}, which is no route"};
        CPPUNIT_ASSERT(expected == host::openApiProblems(description));
    }

    void testMissingAndSurplusOperationsAreTold() {
        PluginDescription description;
        description.routes = {{Method::Get, "/wishes"}, {Method::Post, "/wishes"}};
        description.openapi = R"({"openapi": "3.0.3", "paths": {"/wishes": {"get": {}, "delete": {}}}})";
        const std::vector<std::string> expected = {"it does not describe POST /wishes",
                                                   "it describes delete /wishes, which is no route"};
        CPPUNIT_ASSERT(expected == host::openApiProblems(description));
    }

    void testTextThatIsNoDocumentIsTold() {
        for (const char* text :
             {"{", "[]", "{}", R"({"openapi": 3, "paths": {}})", R"({"openapi": "3.0.3", "paths": 1})"}) {
            PluginDescription description;
            description.openapi = text;
            CPPUNIT_ASSERT_EQUAL_MESSAGE(text, std::size_t{1}, host::openApiProblems(description).size());
        }
    }

    void testDocumentsAreJoinedUnderWholePaths() {
        const auto whole = join({{"alpha", R"({"openapi": "3.0.3", "servers": [{"url": "/api/v1/supplier/"}],
                                               "paths": {"/a": {"get": {"operationId": "list"}}}})"},
                                 {"beta", R"({"openapi": "3.0.3", "servers": [{"url": "/api/v1/platform"}],
                                              "paths": {"/a": {"get": {"operationId": "list"}},
                                                        "/f": {"servers": [{"url": "/"}], "get": {}}}})"}});
        CPPUNIT_ASSERT_EQUAL(std::string("alpha.list"), operationId(whole, "/api/v1/supplier/a"));
        CPPUNIT_ASSERT_EQUAL(std::string("beta.list"), operationId(whole, "/api/v1/platform/a"));
        CPPUNIT_ASSERT(whole.at("paths").contains("/f"));
        CPPUNIT_ASSERT(!whole.at("paths").at("/f").contains("servers"));
    }

    void testComponentsOfTwoPluginsKeepApart() {
        const auto document = [](const std::string& type) {
            return R"({"openapi": "3.0.3", "components": {"schemas": {"Item": {"type": ")" + type + R"("}}},
                       "paths": {"/)" +
                   type + R"(": {"get": {"responses": {"200": {
                           "schema": {"$ref": "#/components/schemas/Item"}}}}}}})";
        };
        const auto whole = join({{"alpha", document("string")}, {"beta", document("object")}});
        for (const auto& [path, type] : {std::pair("/string", "string"), std::pair("/object", "object")}) {
            const auto& operation = whole.at("paths").at(path).at("get");
            const auto reference = operation.at("responses").at("200").at("schema").at("$ref").get<std::string>();
            CPPUNIT_ASSERT_EQUAL(std::string(type),
                                 whole.at(json::json_pointer(reference.substr(1))).at("type").get<std::string>());
        }
    }

    void testSecurityOfADocumentGoesWithItsOperations() {
        const auto whole = join({{"alpha", R"({"openapi": "3.0.3", "security": [{"apiKey": []}],
                                               "components": {"securitySchemes": {"apiKey": {"type": "http"}}},
                                               "paths": {"/a": {"get": {}}, "/open": {"get": {"security": []}}}})"}});
        CPPUNIT_ASSERT(whole.at("paths").at("/a").at("get").at("security").at(0).contains("apiKey"));
        CPPUNIT_ASSERT(whole.at("paths").at("/open").at("get").at("security").empty());
        CPPUNIT_ASSERT(whole.at("components").at("securitySchemes").contains("apiKey"));
    }

    void testWhatIsNoDocumentIsLeftOut() { CPPUNIT_ASSERT(join({{"alpha", ""}, {"beta", "{"}}).at("paths").empty()); }

private:
    static json join(const std::vector<std::pair<std::string, std::string>>& documents) {
        std::vector<host::LoadedPlugin> plugins(documents.size());
        for (std::size_t i = 0; i < documents.size(); ++i) {
            plugins[i].note.id = documents[i].first;
            plugins[i].description.openapi = documents[i].second;
        }
        return json::parse(host::joinedOpenApi(plugins));
    }

    static std::string operationId(const json& whole, const std::string& path) {
        return whole.at("paths").at(path).at("get").at("operationId").get<std::string>();
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(OpenApiDocumentTest);

} // namespace supplierd::tests
