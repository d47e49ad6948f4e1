#include "tests/system/fixtures/Envelope.h"
#include "tests/system/fixtures/ProbedServer.h"

#include <cppunit/extensions/HelperMacros.h>

#include <chrono>
#include <string>
#include <thread>

namespace supplierd::tests {

namespace {

const HttpHeaders PLAIN_TEXT = {{"Content-Type", "text/plain"}};

} // namespace

/// The order of checks: key (401) → standing (403) → rate limit (429) → route (404/405) → body.
class CheckOrderTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(CheckOrderTest);
    CPPUNIT_TEST(testKeyIsCheckedBeforeTheRoute);
    CPPUNIT_TEST(testKeyIsCheckedBeforeTheBody);
    CPPUNIT_TEST(testStandingIsCheckedBeforeTheRateLimit);
    CPPUNIT_TEST(testStandingIsCheckedBeforeTheRoute);
    CPPUNIT_TEST(testRateLimitIsCheckedBeforeTheRoute);
    CPPUNIT_TEST(testRateLimitIsCheckedBeforeTheBody);
    CPPUNIT_TEST(testRouteIsCheckedBeforeTheScope);
    CPPUNIT_TEST(testRouteIsCheckedBeforeTheBody);
    CPPUNIT_TEST(testRouteIsCheckedBeforeTheQuery);
    CPPUNIT_TEST(testScopeIsCheckedBeforeTheBody);
    CPPUNIT_TEST(testUnknownPathOutsideTheApisNeedsNoKey);
    CPPUNIT_TEST_SUITE_END();

public:
    void testKeyIsCheckedBeforeTheRoute() {
        auto client = _shared.server().client();
        assertError(401, "UNAUTHORIZED", client.get("/nothing/here"));
        assertError(401, "UNAUTHORIZED", client.request("DELETE", "/test/whoami"));
        assertError(401, "UNAUTHORIZED", client.get(""));
    }

    void testKeyIsCheckedBeforeTheBody() {
        auto client = _shared.server().client();
        assertError(401, "UNAUTHORIZED", client.postText("/test/run", "not json"));
        assertError(401, "UNAUTHORIZED", client.request("POST", "/test/run", PLAIN_TEXT, "text"));
        assertError(401, "UNAUTHORIZED", client.request("POST", "/test/run", {{"Content-Length", "99999999"}}));
    }

    void testStandingIsCheckedBeforeTheRateLimit() {
        const auto key = _shared.newKey({{"hourly_limit", "1"}});
        auto client = _shared.server().client(key);
        assertStatus(200, client.get("/test/whoami"));
        assertError(429, "RATE_LIMITED", client.get("/test/whoami"));
        _shared.database().exec("UPDATE api_keys SET revoked_at = NOW(6) WHERE key_id = '" + key.substr(3, 8) + "'");
        auto response = client.get("/test/whoami");
        for (int i = 0; i < 100 && response.status == 429; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            response = client.get("/test/whoami");
        }
        assertDetail(403, "FORBIDDEN", "key_revoked", response);
    }

    void testStandingIsCheckedBeforeTheRoute() {
        auto client = _shared.newClient({{"revoked_at", "NOW(6)"}});
        assertDetail(403, "FORBIDDEN", "key_revoked", client.get("/nothing/here"));
        assertDetail(403, "FORBIDDEN", "key_revoked", client.postText("/test/run", "not json"));
    }

    void testRateLimitIsCheckedBeforeTheRoute() {
        auto client = exhaustedClient();
        assertError(429, "RATE_LIMITED", client.get("/nothing/here"));
        assertError(429, "RATE_LIMITED", client.request("DELETE", "/test/whoami"));
    }

    void testRateLimitIsCheckedBeforeTheBody() {
        auto client = exhaustedClient();
        assertError(429, "RATE_LIMITED", client.request("POST", "/test/run", PLAIN_TEXT, "text"));
        assertError(429, "RATE_LIMITED", client.postText("/test/run", "not json"));
    }

    void testRouteIsCheckedBeforeTheScope() {
        auto client = _shared.newClient({{"scopes", "'products:read'"}});
        assertError(404, "NOT_FOUND", client.get("/nothing/here"));
        assertError(405, "METHOD_NOT_ALLOWED", client.request("DELETE", "/test/orders"));
    }

    void testRouteIsCheckedBeforeTheBody() {
        auto client = _shared.newClient();
        assertError(404, "NOT_FOUND", client.request("POST", "/nothing/here", PLAIN_TEXT, "text"));
        assertError(405, "METHOD_NOT_ALLOWED", client.request("POST", "/test/whoami", PLAIN_TEXT, "text"));
        assertError(404, "NOT_FOUND", client.request("POST", "/nothing/here", {{"Content-Length", "99999999"}}));
    }

    void testRouteIsCheckedBeforeTheQuery() {
        assertError(404, "NOT_FOUND", _shared.newClient().get("/nothing/here?page=%zz"));
    }

    void testScopeIsCheckedBeforeTheBody() {
        auto client = _shared.newClient({{"scopes", "'products:read'"}});
        assertDetail(403, "FORBIDDEN", "scope", client.request("POST", "/products", PLAIN_TEXT, "text"));
    }

    void testUnknownPathOutsideTheApisNeedsNoKey() {
        const auto url = _shared.url();
        HttpClient client(url.substr(0, url.find("/api/")));
        for (const char* path :
             {"/", "/api", "/api/v1", "/api/v1/suppliers", "/api/v2/supplier/products", "/favicon.ico"})
            assertError(404, "NOT_FOUND", client.get(path));
    }

private:
    HttpClient exhaustedClient() {
        auto client = _shared.newClient({{"hourly_limit", "1"}});
        assertStatus(200, client.get("/test/whoami"));
        return client;
    }

    SharedServer& _shared = SharedServer::instance();
};

CPPUNIT_TEST_SUITE_REGISTRATION(CheckOrderTest);

} // namespace supplierd::tests
