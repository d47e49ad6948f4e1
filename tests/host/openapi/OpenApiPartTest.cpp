#include "host/openapi/OpenApiPart.h"

#include "host/http/response/ErrorTable.h"
#include "tests/support/Test.h"

#include <nlohmann/json.hpp>

#include <set>

namespace supplierd::tests {

using host::OpenApiJson;

/// What a plugin's document may be, and what is wrong with one.
class OpenApiPartTest : public CppUnit::TestFixture {
protected:
    static std::string upgraded(const std::string& schema) {
        const auto part = host::parseOpenApiPart(
            R"({"openapi": "3.0.3", "paths": {}, "components": {"schemas": {"It": )" + schema + "}}}");
        return part["components"]["schemas"]["It"].dump();
    }
};

TEST(OpenApiPartTest, documentThatDescribesEveryRouteIsGood) {
    PluginDescription description;
    description.routes = {{Method::Get, "/wishes/{id:int}"}, {Method::Patch, "/wishes/{id:int}"}};
    CPPUNIT_ASSERT(host::openApiProblems(description).empty());
    description.openapi = R"({"openapi": "3.0.3", "paths": {"/wishes/{id}": {"get": {}, "patch": {}}}})";
    CPPUNIT_ASSERT(host::openApiProblems(description).empty());
}

TEST(OpenApiPartTest, routesOfTwoAudiencesAreToldApart) {
    PluginDescription description;
    description.routes = {{Method::Get, "/wishes/{id:int}"}, {Method::Get, "/wishes", Audience::Operator}};
    description.openapi = R"({"openapi": "3.0.3", "servers": [{"url": "/api/v1"}],
                              "paths": {"/supplier/wishes/{id}": {"get": {}}, "/platform/wishes": {"get": {}}}})";
    CPPUNIT_ASSERT(host::openApiProblems(description).empty());
    description.routes.front().audience = Audience::Operator;
    const std::vector<std::string> expected = {"it does not describe GET /wishes/{id:int}",
                                               "it describes get /supplier/wishes/{id}, which is no route"};
    CPPUNIT_ASSERT(expected == host::openApiProblems(description));
}

TEST(OpenApiPartTest, routesOutsideOfTheApisNeedNoDescription) {
    PluginDescription description;
    description.routes = {{Method::Get, "/wishes"}, {Method::Get, "/shop/{page...}", Audience::Public}};
    description.openapi = R"({"openapi": "3.1.0", "paths": {"/wishes": {"get": {}}}})";
    CPPUNIT_ASSERT(host::openApiProblems(description).empty());
}

TEST(OpenApiPartTest, missingAndSurplusOperationsAreTold) {
    PluginDescription description;
    description.routes = {{Method::Get, "/wishes"}, {Method::Post, "/wishes"}};
    description.openapi = R"({"openapi": "3.0.3", "paths": {"/wishes": {"get": {}, "delete": {}}}})";
    const std::vector<std::string> expected = {"it does not describe POST /wishes",
                                               "it describes delete /wishes, which is no route"};
    CPPUNIT_ASSERT(expected == host::openApiProblems(description));
}

TEST(OpenApiPartTest, referencesThatLeadNowhereAreTold) {
    PluginDescription description;
    description.routes = {{Method::Get, "/wishes"}};
    description.openapi = R"({"openapi": "3.1.0", "paths": {"/wishes": {"get": {"responses": {
        "200": {"$ref": "#/components/responses/Wish"}, "412": {"$ref": "#/components/responses/PreconditionFailed"},
        "404": {"$ref": "#/components/responses/Nowhere"}}}}}, "components": {"responses": {"Wish": {}}}})";
    const std::vector<std::string> expected = {
        "it refers to #/components/responses/Nowhere, which neither it nor the host has"};
    CPPUNIT_ASSERT(expected == host::openApiProblems(description));
}

TEST(OpenApiPartTest, textThatIsNoDocumentIsTold) {
    for (const char* text :
         {"{", "[]", "{}", R"({"openapi": 3, "paths": {}})", R"({"openapi": "3.0.3", "paths": 1})"}) {
        PluginDescription description;
        description.openapi = text;
        CPPUNIT_ASSERT_EQUAL_MESSAGE(text, std::size_t{1}, host::openApiProblems(description).size());
    }
}

TEST(OpenApiPartTest, nullableOfOpenApi30BecomesAType) {
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"type":["string","null"],"enum":["a",null]})"),
                         upgraded(R"({"type": "string", "nullable": true, "enum": ["a"]})"));
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"anyOf":[{"$ref":"#/x"},{"type":"null"}]})"),
                         upgraded(R"({"$ref": "#/x", "nullable": true})"));
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"type":"string"})"), upgraded(R"({"type": "string", "nullable": false})"));
}

TEST(OpenApiPartTest, exclusiveBoundsOfOpenApi30BecomeNumbers) {
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"exclusiveMinimum":3})"),
                         upgraded(R"({"minimum": 3, "exclusiveMinimum": true})"));
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"maximum":3})"), upgraded(R"({"maximum": 3, "exclusiveMaximum": false})"));
}

TEST(OpenApiPartTest, propertyNamedNullableStays) {
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"properties":{"nullable":{"type":"boolean"}}})"),
                         upgraded(R"({"properties": {"nullable": {"type": "boolean"}}})"));
}

TEST(OpenApiPartTest, errorCodesAreThoseOfTheErrorTable) {
    std::set<std::string> documented;
    for (const auto& code : host::hostOpenApiPart()["components"]["schemas"]["Error"]["properties"]["code"]["enum"])
        documented.insert(code.get<std::string>());
    std::set<std::string> used;
    for (int kind = 0; kind <= static_cast<int>(ErrorKind::RangeNotSatisfiable); ++kind)
        used.emplace(host::errorRow(static_cast<ErrorKind>(kind)).code);
    for (int status = 400; status < 600; ++status) // of the gate's
        used.emplace(host::errorCode(status));
    CPPUNIT_ASSERT(used == documented);
}

} // namespace supplierd::tests
