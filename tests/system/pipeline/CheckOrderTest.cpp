#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"

#include <string>

namespace supplierd::tests {

namespace {

const HttpHeaders PLAIN_TEXT = {{"Content-Type", "text/plain"}};

} // namespace

/// The order of checks: key (401) → standing (403) → rate limit (429) → route (404/405) → body.
class CheckOrderTest : public CppUnit::TestFixture {
protected:
    HttpClient exhaustedClient() {
        auto client = newClient({{"hourly_limit", "1"}});
        requireStatus(200, client.get("/test/whoami"));
        return client;
    }
};

TEST(CheckOrderTest, keyIsCheckedBeforeTheRoute) {
    auto client = fixture().server().client();
    requireError(401, "UNAUTHORIZED", client.get("/nothing/here"));
    requireError(401, "UNAUTHORIZED", client.request("DELETE", "/test/whoami"));
    requireError(401, "UNAUTHORIZED", client.get(""));
}

TEST(CheckOrderTest, keyIsCheckedBeforeTheBody) {
    auto client = fixture().server().client();
    requireError(401, "UNAUTHORIZED", client.postText("/test/run", "not json"));
    requireError(401, "UNAUTHORIZED", client.request("POST", "/test/run", PLAIN_TEXT, "text"));
    requireError(401, "UNAUTHORIZED", client.request("POST", "/test/run", {{"Content-Length", "99999999"}}));
}

TEST(CheckOrderTest, standingIsCheckedBeforeTheRateLimit) {
    const auto key = newKey({{"hourly_limit", "1"}});
    auto client = fixture().server().client(key);
    requireStatus(200, client.get("/test/whoami"));
    requireError(429, "RATE_LIMITED", client.get("/test/whoami"));
    fixture().database().exec("UPDATE api_keys SET revoked_at = NOW(6) WHERE key_id = '" + key.substr(3, 8) +
                              "'; UPDATE supplier_state SET change_seq = change_seq + 1 WHERE supplier_id = -1");
    requireDetail(403, "FORBIDDEN", "key_revoked", client.get("/test/whoami"));
}

TEST(CheckOrderTest, standingIsCheckedBeforeTheRoute) {
    auto client = newClient({{"revoked_at", "NOW(6)"}});
    requireDetail(403, "FORBIDDEN", "key_revoked", client.get("/nothing/here"));
    requireDetail(403, "FORBIDDEN", "key_revoked", client.postText("/test/run", "not json"));
}

TEST(CheckOrderTest, rateLimitIsCheckedBeforeTheRoute) {
    auto client = exhaustedClient();
    requireError(429, "RATE_LIMITED", client.get("/nothing/here"));
    requireError(429, "RATE_LIMITED", client.request("DELETE", "/test/whoami"));
}

TEST(CheckOrderTest, rateLimitIsCheckedBeforeTheBody) {
    auto client = exhaustedClient();
    requireError(429, "RATE_LIMITED", client.request("POST", "/test/run", PLAIN_TEXT, "text"));
    requireError(429, "RATE_LIMITED", client.postText("/test/run", "not json"));
}

TEST(CheckOrderTest, routeIsCheckedBeforeTheScope) {
    auto client = newClient({{"scopes", "'products:read'"}});
    requireError(404, "NOT_FOUND", client.get("/nothing/here"));
    requireError(405, "METHOD_NOT_ALLOWED", client.request("DELETE", "/test/orders"));
}

TEST(CheckOrderTest, routeIsCheckedBeforeTheBody) {
    auto client = newClient();
    requireError(404, "NOT_FOUND", client.request("POST", "/nothing/here", PLAIN_TEXT, "text"));
    requireError(405, "METHOD_NOT_ALLOWED", client.request("POST", "/test/whoami", PLAIN_TEXT, "text"));
    requireError(404, "NOT_FOUND", client.request("POST", "/nothing/here", {{"Content-Length", "99999999"}}));
}

TEST(CheckOrderTest, routeIsCheckedBeforeTheQuery) {
    requireError(404, "NOT_FOUND", newClient().get("/nothing/here?page=%zz"));
}

TEST(CheckOrderTest, scopeIsCheckedBeforeTheBody) {
    auto client = newClient({{"scopes", "'products:read'"}});
    requireDetail(403, "FORBIDDEN", "scope", client.request("POST", "/products", PLAIN_TEXT, "text"));
}

TEST(CheckOrderTest, unknownPathOutsideTheApisNeedsNoKey) {
    auto client = fixture().server().rootClient();
    for (const char* path : {"/", "/api", "/api/v1", "/api/v1/suppliers", "/api/v2/supplier/products", "/favicon.ico"})
        requireError(404, "NOT_FOUND", client.get(path));
}

} // namespace supplierd::tests
