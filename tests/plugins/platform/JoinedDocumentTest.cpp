#include "tests/support/Responses.h"
#include "tests/support/ServerFixture.h"
#include "tests/support/Test.h"

namespace supplierd::tests {

/// GET /openapi.json of both APIs of a running server.
class JoinedDocumentTest : public CppUnit::TestFixture {
protected:
    static HttpResponse get(const std::string& api, const HttpHeaders& headers = {}) {
        return fixture().server().rootClient().get("/api/v1/" + api + "/openapi.json", headers);
    }
};

TEST(JoinedDocumentTest, eachApiHasADocumentOfItsRoutes) {
    const auto suppliers = get("supplier").json();
    const auto platform = get("platform").json();
    for (const auto* document : {&suppliers, &platform})
        CPPUNIT_ASSERT_EQUAL(std::string("3.1.0"), document->at("openapi").get<std::string>());
    for (const char* path : {"/categories", "/products", "/stock", "/orders/{id}", "/me"})
        CPPUNIT_ASSERT_MESSAGE(path, suppliers.at("paths").contains(path));
    for (const char* path : {"/categories", "/products/{id}/approve", "/suppliers", "/order-groups/{id}", "/me"})
        CPPUNIT_ASSERT_MESSAGE(path, platform.at("paths").contains(path));
    CPPUNIT_ASSERT(!suppliers.at("paths").contains("/suppliers"));
    CPPUNIT_ASSERT(!platform.at("paths").contains("/stock"));
}

TEST(JoinedDocumentTest, itTakesNoKey) {
    const auto response = get("supplier");
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(std::string("application/json"), response.header("Content-Type"));
    CPPUNIT_ASSERT(response.header("X-RateLimit-Limit").empty());
    requireStatus(200, get("supplier", {{"Authorization", "Bearer sk_wrong"}}));
    requireStatus(200, fixture().server().rootClient().request("HEAD", "/api/v1/supplier/openapi.json"));
}

TEST(JoinedDocumentTest, whoHasItIsToldSo) {
    const auto tag = get("supplier").header("ETag");
    CPPUNIT_ASSERT(!tag.empty());
    const auto again = get("supplier", {{"If-None-Match", tag}});
    requireStatus(304, again);
    CPPUNIT_ASSERT(again.body.empty());
    requireStatus(200, get("platform", {{"If-None-Match", tag}}));
}

TEST(JoinedDocumentTest, itIsCompressedForThoseWhoTakeThat) {
    const auto whole = get("supplier");
    const auto small = get("supplier", {{"Accept-Encoding", "gzip"}});
    CPPUNIT_ASSERT_EQUAL(std::string("gzip"), small.header("Content-Encoding"));
    CPPUNIT_ASSERT(small.body.size() * 4 < whole.body.size());
    CPPUNIT_ASSERT(small.header("ETag") != whole.header("ETag"));
    requireStatus(304, get("supplier", {{"Accept-Encoding", "gzip"}, {"If-None-Match", small.header("ETag")}}));
}

TEST(JoinedDocumentTest, requestsOfAnAddressAreLimited) {
    ServerOptions options;
    options.plugins = {"categories"};
    options.configuration = "[rate_limit]\npublic_per_minute = 2\n";
    ServerFixture limited(options);
    auto client = limited.server().rootClient();
    requireStatus(200, client.get("/api/v1/supplier/openapi.json"));
    requireStatus(200, client.get("/api/v1/platform/openapi.json"));
    const auto refused = client.get("/api/v1/supplier/openapi.json");
    requireError(429, "RATE_LIMITED", refused);
    CPPUNIT_ASSERT(!refused.header("Retry-After").empty());
}

TEST(JoinedDocumentTest, nothingElseIsOpen) {
    auto client = fixture().server().rootClient();
    requireError(405, "METHOD_NOT_ALLOWED", client.request("POST", "/api/v1/supplier/openapi.json"));
    requireError(401, "UNAUTHORIZED", client.get("/api/v1/supplier/openapi.json/x"));
    requireError(401, "UNAUTHORIZED", client.get("/api/v1/supplier/products"));
    requireStatus(404, client.get("/openapi.json"));
    requireStatus(404, fixture().server().adminClient().get("/openapi.json"));
}

} // namespace supplierd::tests
