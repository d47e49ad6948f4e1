#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"

#include <chrono>
#include <ctime>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace supplierd::tests {

namespace {

std::int64_t number(const HttpResponse& response, const char* name) {
    requireRateLimitHeaders(response);
    return std::stoll(response.header(name));
}

std::int64_t retryAfter(const HttpResponse& response) {
    CPPUNIT_ASSERT(response.hasHeader("Retry-After"));
    return std::stoll(response.header("Retry-After"));
}

} // namespace

/// supplier-api.md "Limits", DECISIONS.md "Authentication and rate limit".
class RateLimitTest : public CppUnit::TestFixture {};

TEST(RateLimitTest, defaultIsAThousandRequestsAnHour) {
    const auto response = newClient().get("/test/whoami");
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1'000}, number(response, "X-RateLimit-Limit"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{999}, number(response, "X-RateLimit-Remaining"));
}

TEST(RateLimitTest, remainingGoesDownWithEveryRequest) {
    auto client = newClient({{"hourly_limit", "5"}});
    for (std::int64_t left = 4; left >= 0; --left) {
        const auto response = client.get("/test/whoami");
        requireStatus(200, response);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, number(response, "X-RateLimit-Limit"));
        CPPUNIT_ASSERT_EQUAL(left, number(response, "X-RateLimit-Remaining"));
    }
}

TEST(RateLimitTest, windowIsAnHourFromTheFirstRequest) {
    auto client = newClient();
    const auto before = std::time(nullptr);
    const auto reset = number(client.get("/test/whoami"), "X-RateLimit-Reset");
    const auto after = std::time(nullptr);
    CPPUNIT_ASSERT(before + 3'600 <= reset && reset <= after + 3'600);
    CPPUNIT_ASSERT_EQUAL(reset, number(client.get("/test/whoami"), "X-RateLimit-Reset"));
}

TEST(RateLimitTest, headersAreOnEveryAuthenticatedResponse) {
    auto client = newClient({{"scopes", "'products:read products:write'"}});
    const HttpHeaders plain = {{"Content-Type", "text/plain"}};
    const std::vector<std::pair<int, HttpResponse>> responses = {
        {200, client.get("/test/whoami")},
        {200, client.request("HEAD", "/test/whoami")},
        {201, client.post("/test/run", {{"name", "headers"}})},
        {304, client.get("/test/unchanged")},
        {403, client.get("/test/orders")},
        {404, client.get("/nothing/here")},
        {405, client.request("DELETE", "/test/whoami")},
        {409, client.get("/test/throw?what=conflict")},
        {411, client.request("POST", "/test/run")},
        {413,
         client.request("POST", "/test/run", {{"Content-Type", "application/json"}, {"Content-Length", "99999999"}})},
        {415, client.request("POST", "/test/run", plain, "text")},
        {422, client.postText("/test/run", "[]")},
        {500, client.get("/test/throw?what=std")},
        {503, client.get("/test/throw?what=unavailable")}};
    std::int64_t left = 1'000;
    for (const auto& [status, response] : responses) {
        requireStatus(status, response);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.statusLine, --left, number(response, "X-RateLimit-Remaining"));
    }
}

TEST(RateLimitTest, requestBeyondTheLimitIsRefusedWithRetryAfter) {
    auto client = newClient({{"hourly_limit", "2"}});
    client.get("/test/whoami");
    client.get("/test/whoami");
    const auto refused = client.get("/test/whoami");
    requireError(429, "RATE_LIMITED", refused);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, number(refused, "X-RateLimit-Limit"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, number(refused, "X-RateLimit-Remaining"));
    const auto left = number(refused, "X-RateLimit-Reset") - std::time(nullptr);
    CPPUNIT_ASSERT(retryAfter(refused) >= left && retryAfter(refused) <= 3'600);
}

TEST(RateLimitTest, refusedRequestsDoNotMoveTheReset) {
    auto client = newClient({{"hourly_limit", "1"}});
    const auto reset = number(client.get("/test/whoami"), "X-RateLimit-Reset");
    std::this_thread::sleep_for(std::chrono::milliseconds(1'100));
    for (int i = 0; i < 5; ++i) {
        const auto refused = client.get("/test/whoami");
        requireStatus(429, refused);
        CPPUNIT_ASSERT_EQUAL(reset, number(refused, "X-RateLimit-Reset"));
    }
}

TEST(RateLimitTest, keysOfOneSupplierAreCountedApart) {
    const auto supplier = fixture().server().createSupplier("Tulip Trade");
    auto first = fixture().server().client(fixture().server().createKey(supplier, {{"hourly_limit", "1"}}));
    auto second = fixture().server().client(fixture().server().createKey(supplier, {{"hourly_limit", "1"}}));
    requireStatus(200, first.get("/test/whoami"));
    requireStatus(429, first.get("/test/whoami"));
    requireStatus(200, second.get("/test/whoami"));
}

TEST(RateLimitTest, keysOfOneSupplierShareItsLimit) {
    TestDatabase database;
    ServerProcess server(database, probed("[rate_limit]\nrequests_per_hour = 3\nsupplier_requests_per_hour = 4\n"));
    const auto supplier = server.createSupplier("Tulip Trade");
    auto first = server.client(server.createKey(supplier));
    for (int i = 0; i < 3; ++i)
        requireStatus(200, first.get("/test/whoami"));
    auto second = server.client(server.createKey(supplier));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, number(second.get("/test/whoami"), "X-RateLimit-Remaining"));
    const auto refused = server.client(server.createKey(supplier)).get("/test/whoami");
    requireError(429, "RATE_LIMITED", refused);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{4}, number(refused, "X-RateLimit-Limit"));
    // What an operator gave to a key beyond that is the key's own.
    auto generous = server.client(server.createKey(supplier, {{"hourly_limit", "5"}}));
    requireStatus(200, generous.get("/test/whoami"));
    auto other = server.client(server.createKey(server.createSupplier("Rose Trade")));
    requireStatus(200, other.get("/test/whoami"));
}

TEST(RateLimitTest, configuredLimitAppliesToKeysWithoutOne) {
    TestDatabase database;
    ServerProcess server(database, probed("[rate_limit]\nrequests_per_hour = 2\n"));
    const auto supplier = server.createSupplier("Tulip Trade");
    auto client = server.client(server.createKey(supplier));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, number(client.get("/test/whoami"), "X-RateLimit-Limit"));
    requireStatus(200, client.get("/test/whoami"));
    requireStatus(429, client.get("/test/whoami"));
    auto own = server.client(server.createKey(supplier, {{"hourly_limit", "7"}}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, number(own.get("/test/whoami"), "X-RateLimit-Limit"));
}

TEST(RateLimitTest, failedAuthenticationsAreLimitedPerAddress) {
    TestDatabase database;
    ServerProcess server(database, probed("[auth]\nfailures_per_minute = 3\n"));
    auto good = server.client(server.createKey(server.createSupplier("Tulip Trade")));
    requireStatus(200, good.get("/test/whoami"));
    auto bad = server.client("sk_zzzzzzzz_" + std::string(43, 'A'));
    for (int i = 0; i < 3; ++i)
        requireError(401, "UNAUTHORIZED", bad.get("/test/whoami"));
    const auto refused = bad.get("/test/whoami");
    requireError(429, "RATE_LIMITED", refused);
    CPPUNIT_ASSERT(retryAfter(refused) >= 1 && retryAfter(refused) <= 60);
    CPPUNIT_ASSERT(!refused.hasHeader("X-RateLimit-Limit"));
    requireStatus(429, server.client().get("/test/whoami"));
    requireStatus(200, good.get("/test/whoami"));
}

TEST(RateLimitTest, forwardedAddressCountsBehindATrustedProxy) {
    TestDatabase database;
    ServerProcess server(database,
                         probed("[auth]\nfailures_per_minute = 2\n[server]\ntrusted_proxies = [\"127.0.0.1\"]\n"));
    auto client = server.client();
    const HttpHeaders guesser = {{"X-Forwarded-For", "203.0.113.9"}};
    requireStatus(401, client.get("/test/whoami", guesser));
    requireStatus(401, client.get("/test/whoami", {{"X-Forwarded-For", "198.51.100.1, 203.0.113.9"}}));
    requireStatus(429, client.get("/test/whoami", guesser));
    requireStatus(401, client.get("/test/whoami", {{"X-Forwarded-For", "203.0.113.10"}}));
    requireStatus(401, client.get("/test/whoami"));
}

TEST(RateLimitTest, forwardedAddressOfAStrangerIsIgnored) {
    TestDatabase database;
    ServerProcess server(database,
                         probed("[auth]\nfailures_per_minute = 2\n[server]\ntrusted_proxies = [\"10.0.0.0/8\"]\n"));
    auto client = server.client();
    requireStatus(401, client.get("/test/whoami", {{"X-Forwarded-For", "203.0.113.1"}}));
    requireStatus(401, client.get("/test/whoami", {{"X-Forwarded-For", "203.0.113.2"}}));
    requireStatus(429, client.get("/test/whoami", {{"X-Forwarded-For", "203.0.113.3"}}));
}

TEST(RateLimitTest, defaultAllowsSixtyFailuresAMinute) {
    TestDatabase database;
    ServerProcess server(database, probed());
    auto client = server.client();
    for (int i = 0; i < 60; ++i)
        requireStatus(401, client.get("/test/whoami"));
    requireStatus(429, client.get("/test/whoami"));
}

} // namespace supplierd::tests
