#include "host/openapi/OpenApiDocument.h"

#include "tests/support/Json.h"
#include "tests/support/Test.h"

#include <utility>

namespace supplierd::tests {

/// The parts of plugins as one document.
class OpenApiDocumentTest : public CppUnit::TestFixture {
protected:
    struct Given {
        std::string id;
        std::string document;
        std::vector<Route> routes;
    };

    static json join(std::vector<Given> given, Audience audience = Audience::Supplier) {
        std::vector<std::string> problems;
        const json whole = join(std::move(given), audience, problems);
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, problems.size());
        return whole;
    }

    static json join(std::vector<Given> given, Audience audience, std::vector<std::string>& problems) {
        std::vector<host::LoadedPlugin> plugins(given.size());
        for (std::size_t i = 0; i < given.size(); ++i) {
            plugins[i].note.id = given[i].id;
            plugins[i].description.summary = "It is " + given[i].id;
            plugins[i].description.openapi = given[i].document;
            plugins[i].description.routes = given[i].routes;
        }
        return json::parse(host::openApiDocument(audience, plugins, problems));
    }

    /// A part with one schema, which its only operation answers.
    static Given with(const std::string& id, const std::string& schema, const std::string& type,
                      const std::string& operationId) {
        return {
            id,
            R"({"openapi": "3.1.0", "components": {"schemas": {")" + schema + R"(": {"type": ")" + type +
                R"("}}}, "paths": {"/)" + type + R"(": {"get": {"operationId": ")" + operationId +
                R"(", "responses": {"200": {"description": "", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/)" +
                schema + R"("}}}}}}}}})",
            {{Method::Get, "/" + type}}};
    }

    static const json& operation(const json& whole, const std::string& path, const std::string& method = "get") {
        return whole.at("paths").at(path).at(method);
    }

    static std::string schemaOf(const json& whole, const std::string& path) {
        return operation(whole, path)
            .at("responses")
            .at("200")
            .at("content")
            .at("application/json")
            .at("schema")
            .at("$ref");
    }
};

TEST(OpenApiDocumentTest, eachAudienceHasItsOwnDocumentWithPathsBelowItsServer) {
    const Given given{"alpha",
                      R"({"openapi": "3.1.0", "servers": [{"url": "/api/v1"}],
                          "paths": {"/supplier/a/{id}": {"get": {}}, "/platform/b": {"get": {}}}})",
                      {{Method::Get, "/a/{id:int}"}, {Method::Get, "/b", Audience::Operator}}};
    const auto suppliers = join({given});
    const auto platform = join({given}, Audience::Operator);
    CPPUNIT_ASSERT_EQUAL(std::string("/api/v1/supplier"), suppliers.at("servers").at(0).at("url").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("/api/v1/platform"), platform.at("servers").at(0).at("url").get<std::string>());
    CPPUNIT_ASSERT(suppliers.at("paths").contains("/a/{id}") && !suppliers.at("paths").contains("/b"));
    CPPUNIT_ASSERT(platform.at("paths").contains("/b") && !platform.at("paths").contains("/a/{id}"));
    for (const auto& document : {suppliers, platform}) {
        CPPUNIT_ASSERT_EQUAL(std::string("3.1.0"), document.at("openapi").get<std::string>());
        CPPUNIT_ASSERT(document.at("paths").contains("/me"));
    }
}

TEST(OpenApiDocumentTest, partThatCannotBeReadIsLeftOutAndReported) {
    for (const char* const wrong :
         {R"("servers": [{"url": 5}], "paths": {"/a/{id}": {"get": {}}})",
          R"("paths": {"/a/{id}": {"get": {"parameters": [{"in": 5, "name": "b"}]}}})",
          R"("paths": {"/a/{id}": {"get": {}, "parameters": [{"in": "path", "name": []}]}})"}) {
        const Given given{"alpha", R"({"openapi": "3.1.0", )" + std::string(wrong) + "}", {{Method::Get, "/a/{id}"}}};
        std::vector<std::string> problems;
        const auto whole = join({given, with("beta", "Item", "object", "listItems")}, Audience::Supplier, problems);
        CPPUNIT_ASSERT(whole.at("paths").contains("/object") && !whole.at("paths").contains("/a/{id}"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(wrong, std::size_t{1}, problems.size());
        CPPUNIT_ASSERT_EQUAL(std::string("the OpenAPI document of alpha is left out: "), problems[0].substr(0, 43));
    }
}

TEST(OpenApiDocumentTest, namesOfAPluginHaveItsIdInFront) {
    const auto whole =
        join({with("price-alerts", "Item", "string", "listItems"), with("beta", "Item", "object", "listItems")});
    CPPUNIT_ASSERT_EQUAL(std::string("priceAlertsListItems"),
                         operation(whole, "/string").at("operationId").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("betaListItems"),
                         operation(whole, "/object").at("operationId").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("#/components/schemas/PriceAlertsItem"), schemaOf(whole, "/string"));
    const auto& schemas = whole.at("components").at("schemas");
    CPPUNIT_ASSERT_EQUAL(std::string("string"), schemas.at("PriceAlertsItem").at("type").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("object"), schemas.at("BetaItem").at("type").get<std::string>());
}

TEST(OpenApiDocumentTest, plainNamesStayUnlessTheyAreTaken) {
    auto first = with("alpha", "Item", "string", "listItems");
    auto second = with("beta", "Item", "object", "listItems");
    auto third = with("gamma", "Error", "integer", "listErrors");
    for (Given* given : {&first, &second, &third})
        given->document.insert(1, R"("x-names": "plain", )");
    const auto whole = join({first, second, third});
    CPPUNIT_ASSERT_EQUAL(std::string("#/components/schemas/Item"), schemaOf(whole, "/string"));
    CPPUNIT_ASSERT_EQUAL(std::string("#/components/schemas/BetaItem"), schemaOf(whole, "/object"));
    CPPUNIT_ASSERT_EQUAL(std::string("#/components/schemas/GammaError"), schemaOf(whole, "/integer"));
    CPPUNIT_ASSERT_EQUAL(std::string("listItems"), operation(whole, "/string").at("operationId").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("betaListItems"),
                         operation(whole, "/object").at("operationId").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("object"),
                         whole.at("components").at("schemas").at("Error").at("type").get<std::string>());
}

TEST(OpenApiDocumentTest, operationIdsAreIdentifiers) {
    const auto whole = join({{"a-b",
                              R"({"openapi": "3.1.0", "paths": {"/a/{id}": {"get": {"operationId": "x.y-z"}},
                                  "/c/{name}/d-e": {"post": {}}}})",
                              {{Method::Get, "/a/{id:int}"}, {Method::Post, "/c/{name}/d-e"}}}});
    CPPUNIT_ASSERT_EQUAL(std::string("aBXYZ"), operation(whole, "/a/{id}").at("operationId").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("aBPostCByNameDE"),
                         operation(whole, "/c/{name}/d-e", "post").at("operationId").get<std::string>());
}

TEST(OpenApiDocumentTest, whatTheHostDoesIsAdded) {
    Route route{Method::Post, "/a/{id:int}/{name}"};
    route.body = Body::Json;
    const auto whole = join({{"alpha",
                              R"({"openapi": "3.1.0", "paths": {"/a/{id}/{name}": {"post": {
                                  "responses": {"201": {"description": "Made."}}}}}})",
                              {route}}});
    const auto made = operation(whole, "/a/{id}/{name}", "post");
    CPPUNIT_ASSERT_EQUAL(std::string("integer"),
                         made.at("parameters").at(0).at("schema").at("type").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("name"), made.at("parameters").at(1).at("name").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("#/components/parameters/IdempotencyKey"),
                         made.at("parameters").at(2).at("$ref").get<std::string>());
    std::string statuses;
    for (const auto& [status, response] : made.at("responses").items())
        statuses += status + " ";
    CPPUNIT_ASSERT_EQUAL(std::string("201 400 401 403 404 409 411 413 415 422 429 500 503 "), statuses);
    for (const char* header : {"X-Request-Id", "X-RateLimit-Remaining", "Idempotent-Replayed"})
        CPPUNIT_ASSERT_MESSAGE(header, made.at("responses").at("201").at("headers").contains(header));
    CPPUNIT_ASSERT(whole.at("components").at("schemas").contains("Failure"));
}

TEST(OpenApiDocumentTest, whatThePartSaysItselfIsKept) {
    const auto whole =
        join({{"alpha",
               R"({"openapi": "3.1.0", "components": {"responses": {"Gone": {"description": "Gone."}}}, "paths": {
                                  "/a/{id}": {"parameters": [{"name": "id", "in": "path", "schema": {"maximum": 9}}],
                                  "get": {"responses": {"404": {"$ref": "#/components/responses/Gone"}}}}}})",
               {{Method::Get, "/a/{id:int}"}}}});
    const auto read = operation(whole, "/a/{id}");
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, read.at("parameters").size());
    CPPUNIT_ASSERT(read.at("parameters").at(0).at("schema").contains("maximum"));
    const auto& gone = read.at("responses").at("404");
    CPPUNIT_ASSERT_EQUAL(std::string("Gone."), gone.at("description").get<std::string>());
    CPPUNIT_ASSERT(gone.at("headers").contains("X-Request-Id"));
}

TEST(OpenApiDocumentTest, keysScopesAndOwnSchemesAreTold) {
    Route scoped{Method::Get, "/a"};
    scoped.scope = "a:read";
    const auto whole = join({{"alpha",
                              R"({"openapi": "3.1.0", "components": {"securitySchemes": {
                                      "apiKey": {"type": "oauth2"}, "cookie": {"type": "apiKey"}, "other": {}}},
                                  "paths": {"/a": {"get": {"security": [{"apiKey": []}]}}, "/b": {"get": {"security": [{"cookie": []}]}}}})",
                              {scoped, {Method::Get, "/b"}}}});
    CPPUNIT_ASSERT_EQUAL(std::string(R"([{"apiKey":["a:read"]}])"), operation(whole, "/a").at("security").dump());
    CPPUNIT_ASSERT_EQUAL(std::string("a:read"), operation(whole, "/a").at("x-scope").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("Needs the scope `a:read`."),
                         operation(whole, "/a").at("description").get<std::string>());
    CPPUNIT_ASSERT(!operation(whole, "/b").contains("description"));
    CPPUNIT_ASSERT_EQUAL(std::string(R"([{"cookie":[]}])"), operation(whole, "/b").at("security").dump());
    const auto& schemes = whole.at("components").at("securitySchemes");
    CPPUNIT_ASSERT_EQUAL(std::string("http"), schemes.at("apiKey").at("type").get<std::string>());
    CPPUNIT_ASSERT(schemes.contains("cookie") && !schemes.contains("other") && !schemes.contains("operatorKey"));
}

TEST(OpenApiDocumentTest, publicOperationsSayWhatLimitsThem) {
    Route counted{Method::Get, "/a", Audience::Public};
    Route free{Method::Get, "/b", Audience::Public};
    free.perMinute = -1;
    const auto whole = join({{"alpha",
                              R"({"openapi": "3.1.0", "paths": {"/a": {"get": {"x-limit": "none"}}, "/b": {"get": {}},
                                  "/c": {"get": {}}}})",
                              {counted, free, {Method::Get, "/c"}}}});
    CPPUNIT_ASSERT_EQUAL(std::string("address"), operation(whole, "/a").at("x-limit").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("none"), operation(whole, "/b").at("x-limit").get<std::string>());
    CPPUNIT_ASSERT(!operation(whole, "/c").contains("x-limit"));
}

TEST(OpenApiDocumentTest, tagsAreDescribed) {
    const auto whole =
        join({{"alpha",
               R"({"openapi": "3.1.0", "tags": [{"name": "Known", "description": "About it"}, {"name": "Unused"}],
                                  "paths": {"/a": {"get": {"tags": ["Known", "New"]}}, "/b": {"get": {}}}})",
               {{Method::Get, "/a"}, {Method::Get, "/b"}}}});
    std::vector<std::pair<std::string, std::string>> tags;
    for (const auto& tag : whole.at("tags"))
        tags.emplace_back(tag.at("name"), tag.at("description"));
    const std::vector<std::pair<std::string, std::string>> expected = {
        {"Known", "About it"}, {"New", "It is alpha"}, {"alpha", "It is alpha"}};
    CPPUNIT_ASSERT(expected == std::vector(tags.begin() + 1, tags.end())); // after the host's own
}

TEST(OpenApiDocumentTest, webhooksAreJoined) {
    const Given given{"alpha",
                      R"({"openapi": "3.1.0", "servers": [{"url": "/api/v1/supplier"}], "paths": {}, "webhooks": {
                          "changed": {"post": {"operationId": "tell", "requestBody": {"$ref": "#/components/requestBodies/Tell"}}},
                          "ordered": {"servers": [{"url": "/api/v1/platform"}], "post": {}}},
                          "components": {"requestBodies": {"Tell": {}}}})",
                      {}};
    const auto suppliers = join({given});
    const auto& webhook = suppliers.at("webhooks").at("alpha.changed").at("post");
    CPPUNIT_ASSERT_EQUAL(std::string("alphaTell"), webhook.at("operationId").get<std::string>());
    CPPUNIT_ASSERT(webhook.at("security").empty());
    CPPUNIT_ASSERT(suppliers.at("components").at("requestBodies").contains("AlphaTell"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, suppliers.at("webhooks").size());
    CPPUNIT_ASSERT(join({given}, Audience::Operator).at("webhooks").contains("alpha.ordered"));
    CPPUNIT_ASSERT(!join({}).contains("webhooks"));
}

TEST(OpenApiDocumentTest, publicRoutesThatAreDescribedHaveAServerOfTheirOwn) {
    const Given given{"alpha",
                      R"({"openapi": "3.1.0", "servers": [{"url": "/api/v1/supplier"}], "paths": {
                          "/files/{name}": {"servers": [{"url": "/"}], "get": {}}}})",
                      {{Method::Get, "/files/{name}", Audience::Public}, {Method::Get, "/page", Audience::Public}}};
    const auto suppliers = join({given});
    CPPUNIT_ASSERT_EQUAL(std::string("/"),
                         suppliers.at("paths").at("/files/{name}").at("servers").at(0).at("url").get<std::string>());
    const auto read = operation(suppliers, "/files/{name}");
    CPPUNIT_ASSERT(read.at("security").empty());
    CPPUNIT_ASSERT(!read.at("responses").contains("401"));
    CPPUNIT_ASSERT(!suppliers.at("paths").contains("/page"));
    CPPUNIT_ASSERT(!join({given}, Audience::Operator).at("paths").contains("/files/{name}"));
}

TEST(OpenApiDocumentTest, onlyComponentsThatAreUsedAreThere) {
    const auto whole = join({{"alpha",
                              R"({"openapi": "3.1.0", "components": {"schemas": {
                                      "A": {"items": {"$ref": "#/components/schemas/B"}}, "B": {}, "C": {}}},
                                  "paths": {"/a": {"get": {"responses": {"200": {"description": "", "content": {"application/json":
                                      {"schema": {"$ref": "#/components/schemas/A"}}}}}}}}})",
                              {{Method::Get, "/a"}}}});
    const auto& schemas = whole.at("components").at("schemas");
    CPPUNIT_ASSERT(schemas.contains("AlphaA"));
    CPPUNIT_ASSERT(schemas.contains("AlphaB") && !schemas.contains("AlphaC"));
}

TEST(OpenApiDocumentTest, whatIsNoDocumentIsLeftOut) {
    const auto whole = join({{"alpha", "", {{Method::Get, "/a"}}}, {"beta", "{", {{Method::Get, "/b"}}}});
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, whole.at("paths").size()); // the host's own
}

} // namespace supplierd::tests
