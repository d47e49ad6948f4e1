#include "host/openapi/RequestSchema.h"

#include "tests/support/Test.h"

#include <supplierd/JsonBody.h>

namespace supplierd::tests {

class RequestSchemaTest : public CppUnit::TestFixture {
protected:
    static constexpr std::string_view DOCUMENT = R"({
      "openapi": "3.0.3",
      "paths": {
        "/roses": {
          "parameters": [{"name": "status", "in": "query"}, {"name": "X-Kind", "in": "header"}],
          "get": {"parameters": [{"$ref": "#/components/parameters/Page"}]},
          "post": {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/New"}}}},
                   "responses": {"201": {"content": {"application/json": {"schema": {"properties": {"data": {
                     "properties": {"rose": {"$ref": "#/components/schemas/Rose"}}}}}}}}}}
        },
        "/roses/{id}": {
          "post": {"requestBody": {"content": {"application/json": {"schema": {
                     "allOf": [{"$ref": "#/components/schemas/New"}, {"properties": {"note": {}}}]}}}}}
        },
        "/open": {"post": {"requestBody": {"content": {"application/json": {"schema": {
          "properties": {"any": {}, "extra": {"type": "object"}}, "additionalProperties": true}}}}}},
        "/tree": {"post": {"requestBody": {"content": {"application/json": {"schema": {
          "$ref": "#/components/schemas/Tree"}}}}}},
        "/either": {"post": {"requestBody": {"content": {"application/json": {"schema": {
          "oneOf": [{"properties": {"a": {}}}, {"anyOf": [{"properties": {"b": {}}}, {"properties": {"c": {}}}]}]}}}}}},
        "/broken": {"post": {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/no/~where"}}}}}}
      },
      "components": {
        "parameters": {"Page": {"name": "page", "in": "query"}},
        "schemas": {
          "New": {"properties": {"name": {"type": "string"}, "color": {}, "variants": {"type": "array", "items": {
                    "properties": {"sku": {}, "stock_qty": {}}}},
                  "origin": {"properties": {"country": {}}}}},
          "Rose": {"properties": {"id": {}, "created_at": {}, "name": {}, "images": {},
                   "variants": {"items": {"properties": {"id": {}, "sku": {}, "stock_status": {}}}}}},
          "Tree": {"properties": {"name": {}, "child": {"$ref": "#/components/schemas/Tree"}}}
        }
      }
    })";

    static host::RequestSchema schema(Method method, std::string pattern) {
        Route route;
        route.method = method;
        route.pattern = std::move(pattern);
        return host::RequestSchema::of(std::string(DOCUMENT), route).value();
    }

    /// The messages, one a line, with their fields.
    static std::string told(const host::RequestSchema& schema, const std::string& body,
                            const QueryParameters& query = {}) {
        const JsonDocument document = parseJsonObject(body);
        std::string text;
        for (const Detail& warning : schema.unknown(query, document.object())) {
            CPPUNIT_ASSERT_EQUAL(std::string("unknown"), warning.code);
            text += warning.field + ": " + warning.message + "\n";
        }
        return text;
    }
};

TEST(RequestSchemaTest, unknownFieldIsToldWithTheNearestName) {
    const auto roses = schema(Method::Post, "/roses");
    CPPUNIT_ASSERT_EQUAL(std::string("colour: unknown field 'colour'; did you mean 'color'?\n"),
                         told(roses, R"({"name": "x", "colour": "red", "color": null})"));
    CPPUNIT_ASSERT_EQUAL(std::string("xyz: unknown field 'xyz'\n"), told(roses, R"({"xyz": {"a": 1}})"));
    CPPUNIT_ASSERT_EQUAL(std::string(), told(roses, "{}"));
    CPPUNIT_ASSERT_EQUAL(std::string("nam: unknown field 'nam'; did you mean 'name'?\n"),
                         told(schema(Method::Post, "/roses/{id:int}"), R"({"note": 1, "color": 2, "nam": 3})"));
}

TEST(RequestSchemaTest, fieldsWithinObjectsAndArraysAreLookedAt) {
    CPPUNIT_ASSERT_EQUAL(
        std::string("variants[1].stock: unknown field 'stock'\n"
                    "variants[3].skus: unknown field 'skus'; did you mean 'sku'?\n"
                    "origin.contry: unknown field 'contry'; did you mean 'country'?\n"),
        told(schema(Method::Post, "/roses"),
             R"({"variants": [{"sku": 1}, {"stock": 2}, 5, {"skus": 1}], "origin": {"contry": "NL"}})"));
    CPPUNIT_ASSERT_EQUAL(std::string(), told(schema(Method::Post, "/roses"), R"({"variants": 5, "origin": []})"));
}

TEST(RequestSchemaTest, whatTheApiPutsOutIsIgnoredInSilence) {
    CPPUNIT_ASSERT_EQUAL(std::string("variants[0].created_at: unknown field 'created_at'\n"),
                         told(schema(Method::Post, "/roses/{id:int}"),
                              R"({"id": 5, "created_at": "x", "images": [{"url": "y"}], "name": "z",
                 "variants": [{"id": 1, "stock_status": "low", "created_at": "not there"}]})"));
}

TEST(RequestSchemaTest, unknownParameterIsTold) {
    const auto roses = schema(Method::Get, "/roses");
    CPPUNIT_ASSERT_EQUAL(std::string("statuss: unknown parameter 'statuss'; did you mean 'status'?\n"
                                     "X-Kind: unknown parameter 'X-Kind'\n"
                                     "id: unknown parameter 'id'\n"),
                         told(roses, "{}", {{"statuss", "a"}, {"page", "1"}, {"X-Kind", "1"}, {"id", ""}}));
}

TEST(RequestSchemaTest, alternativesAreAllKnown) {
    CPPUNIT_ASSERT_EQUAL(std::string("e: unknown field 'e'; did you mean 'a'?\n"),
                         told(schema(Method::Post, "/either"), R"({"a": 1, "b": 1, "c": 1, "e": 1})"));
}

TEST(RequestSchemaTest, objectsThatMayHaveOtherFieldsAreNotJudged) {
    CPPUNIT_ASSERT_EQUAL(std::string(), told(schema(Method::Post, "/open"), R"({"b": 1, "extra": {"c": 1}})"));
}

TEST(RequestSchemaTest, schemaMayReferToItself) {
    CPPUNIT_ASSERT_EQUAL(std::string("child.child.nme: unknown field 'nme'; did you mean 'name'?\n"),
                         told(schema(Method::Post, "/tree"), R"({"child": {"child": {"nme": 1}}})"));
}

TEST(RequestSchemaTest, atMostTwentyAreTold) {
    std::string body = "{";
    QueryParameters query;
    for (int i = 0; i < 15; ++i) {
        body += "\"x" + std::to_string(i) + "\":0,";
        query.emplace_back("y" + std::to_string(i), "");
    }
    const JsonDocument document = parseJsonObject(body + R"("variants":[{"no":1}]})");
    CPPUNIT_ASSERT_EQUAL(std::size_t{20}, schema(Method::Post, "/roses").unknown(query, document.object()).size());
}

TEST(RequestSchemaTest, longNamesAreCut) {
    const std::string warning = told(schema(Method::Post, "/roses"), "{\"" + std::string(100'000, 'n') + "\": 1}");
    CPPUNIT_ASSERT_MESSAGE(warning, warning.size() < 200);
    CPPUNIT_ASSERT(told(schema(Method::Post, "/roses"), "{\"a" + std::string(60, 'b') + "💐💐\": 1}").size() < 200);
}

TEST(RequestSchemaTest, responsesForAnotherAudienceDoNotCount) {
    const std::string document = R"({"openapi": "3.0.3", "servers": [{"url": "/api/v1"}], "paths": {
        "/supplier/roses": {"post": {"requestBody": {"content": {"application/json": {"schema":
            {"properties": {"name": {}}}}}}}},
        "/platform/roses": {"get": {"responses": {"200": {"content": {"application/json": {"schema":
            {"properties": {"data": {"properties": {"rose": {"properties": {"owner": {}}}}}}}}}}}}}}})";
    Route route{Method::Post, "/roses"};
    CPPUNIT_ASSERT(!told(host::RequestSchema::of(document, route).value(), R"({"owner": 1})").empty());
    CPPUNIT_ASSERT(told(host::RequestSchema::of(document, route).value(), R"({"name": 1})").empty());
}

TEST(RequestSchemaTest, routeThatIsNotDescribedHasNoSchema) {
    Route route;
    route.pattern = "/thorns";
    CPPUNIT_ASSERT(!host::RequestSchema::of(std::string(DOCUMENT), route));
    CPPUNIT_ASSERT(!host::RequestSchema::of("", route));
    CPPUNIT_ASSERT(!host::RequestSchema::of("{", route));
    route.pattern = "/broken";
    route.method = Method::Post;
    const auto broken = host::RequestSchema::of(std::string(DOCUMENT), route);
    CPPUNIT_ASSERT(!broken || told(*broken, R"({"a": 1})").empty());
}

} // namespace supplierd::tests
