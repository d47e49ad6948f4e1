#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

const std::string SHOP = "https://shop.example";

HttpHeaders from(const std::string& origin) {
    return {{"Origin", origin}};
}

} // namespace

/// Web pages of other origins: server.cors_origins.
class CrossOriginTest : public CppUnit::TestFixture {
protected:
    static HttpResponse preflight(HttpClient&& client, const std::string& origin) { return preflight(client, origin); }
    static HttpResponse preflight(HttpClient& client, const std::string& origin) {
        return client.request("OPTIONS", "/test/run",
                              {{"Origin", origin},
                               {"Access-Control-Request-Method", "POST"},
                               {"Access-Control-Request-Headers", "authorization"}});
    }

    static void requireReadable(int status, const HttpResponse& response) {
        requireStatus(status, response);
        CPPUNIT_ASSERT_EQUAL(SHOP, response.header("Access-Control-Allow-Origin"));
        CPPUNIT_ASSERT_EQUAL(std::string("Origin"), response.header("Vary"));
        const auto exposed = response.header("Access-Control-Expose-Headers");
        for (const auto* name : {"X-Request-Id", "X-RateLimit-Remaining", "X-Change-Seq", "ETag"})
            CPPUNIT_ASSERT_MESSAGE(exposed, exposed.find(name) != std::string::npos);
    }

    void start(const std::string& more = {},
               const std::string& origins = R"("https://other.example", "https://shop.example")") {
        _server =
            std::make_unique<ServerProcess>(_database, probed("[server]\ncors_origins = [" + origins + "]\n" + more));
        _key = _server->createKey(_server->createSupplier("Rozenhof"));
    }

    TestDatabase _database;
    std::unique_ptr<ServerProcess> _server;
    std::string _key;
};

TEST(CrossOriginTest, withoutConfigurationNothingIsSaidOfOrigins) {
    const auto response = newClient().get("/test/whoami", from(SHOP));
    requireStatus(200, response);
    CPPUNIT_ASSERT(!response.hasHeader("Access-Control-Allow-Origin") && !response.hasHeader("Vary"));
    requireError(405, "METHOD_NOT_ALLOWED", preflight(newClient(), SHOP));
}

TEST(CrossOriginTest, preflightIsAnsweredWithoutAKey) {
    start();
    auto client = _server->client();
    const auto response = preflight(client, SHOP);
    CPPUNIT_ASSERT_EQUAL(204, response.status);
    CPPUNIT_ASSERT_EQUAL(SHOP, response.header("Access-Control-Allow-Origin"));
    CPPUNIT_ASSERT_EQUAL(std::string("Origin"), response.header("Vary"));
    const auto methods = response.header("Access-Control-Allow-Methods");
    const auto headers = response.header("Access-Control-Allow-Headers");
    CPPUNIT_ASSERT_MESSAGE(methods, methods.find("PATCH") != std::string::npos);
    for (const auto* name : {"Authorization", "Content-Type", "Idempotency-Key", "If-Match"})
        CPPUNIT_ASSERT_MESSAGE(headers, headers.find(name) != std::string::npos);
    CPPUNIT_ASSERT(!response.hasHeader("Content-Length") && response.body.empty());
    CPPUNIT_ASSERT(!response.hasHeader("Access-Control-Allow-Credentials"));
    requireError(401, "UNAUTHORIZED", client.get("/test/whoami")); // on the same connection
    CPPUNIT_ASSERT_EQUAL(204, accessLine(*_server, response.header("X-Request-Id")).at("status").get<int>());
}

TEST(CrossOriginTest, preflightWaitsForNoWorker) {
    start("threads = 1\n");
    auto slow = std::async(std::launch::async, [&] { return _server->client(_key).get("/test/sleep?ms=3000"); });
    waitUntilSleeping(*_server);
    CPPUNIT_ASSERT_EQUAL(204, preflight(_server->client(), SHOP).status);
    CPPUNIT_ASSERT(slow.wait_for(std::chrono::seconds(0)) != std::future_status::ready);
    requireStatus(200, slow.get());
}

TEST(CrossOriginTest, preflightOfAnotherOriginIsForbidden) {
    start();
    for (const auto* origin : {"https://shop.example.evil", "http://shop.example", "https://shop.example:444", "null",
                               "https://SHOP.example", "https://evil"}) {
        const auto response = preflight(_server->client(), origin);
        requireError(403, "FORBIDDEN", response);
        CPPUNIT_ASSERT_MESSAGE(origin, !response.hasHeader("Access-Control-Allow-Origin"));
        CPPUNIT_ASSERT_EQUAL(std::string("Origin"), response.header("Vary"));
    }
}

TEST(CrossOriginTest, everyResponseLetsThePageReadIt) {
    start();
    auto client = _server->client(_key);
    auto stranger = _server->client();
    auto headers = from(SHOP);
    requireReadable(200, client.get("/test/whoami", headers));
    requireReadable(304, client.get("/test/unchanged", headers));
    requireReadable(404, client.get("/nothing", headers));
    requireReadable(405, client.postText("/test/whoami", "{}", headers));
    requireReadable(500, client.get("/test/throw?what=std", headers));
    requireReadable(401, stranger.get("/test/whoami", headers));
    requireReadable(200, client.request("HEAD", "/test/whoami", headers));
    headers.emplace_back("Content-Type", "application/json");
    headers.emplace_back("Content-Length", "99999999999");
    requireReadable(413, client.request("POST", "/test/run", headers));
}

TEST(CrossOriginTest, responsesOfTheGateAreReadableToo) {
    start("threads = 1\nmax_queued = 1\n");
    auto slow = std::async(std::launch::async, [&] { return _server->client(_key).get("/test/sleep?ms=3000"); });
    waitUntilSleeping(*_server);
    std::vector<HttpClient> waiting;
    for (int i = 0; i < 3; ++i) { // one of them waits, the others are one too many
        waiting.push_back(_server->client(_key));
        waiting.back().sendRaw("GET /api/v1/supplier/test/whoami HTTP/1.1\r\nHost: h\r\nOrigin: " + SHOP +
                               "\r\nAuthorization: Bearer " + _key + "\r\n\r\n");
    }
    int shed = 0;
    for (auto& client : waiting) {
        const auto response = client.readResponse();
        requireReadable(response.status, response);
        shed += response.status == 503 ? 1 : 0;
    }
    CPPUNIT_ASSERT(shed >= 1);
    requireStatus(200, slow.get());
}

TEST(CrossOriginTest, responsesToOtherOriginsSayNothingButThatTheyVary) {
    start();
    auto client = _server->client(_key);
    for (const auto& headers : {HttpHeaders{}, from("https://evil.example")}) {
        const auto response = client.get("/test/whoami", headers);
        requireStatus(200, response);
        CPPUNIT_ASSERT(!response.hasHeader("Access-Control-Allow-Origin"));
        CPPUNIT_ASSERT_EQUAL(std::string("Origin"), response.header("Vary"));
    }
}

TEST(CrossOriginTest, allOriginsMayBeAllowed) {
    start({}, R"("*")");
    const auto response = _server->client(_key).get("/test/whoami", from("https://any.example"));
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(std::string("*"), response.header("Access-Control-Allow-Origin"));
    CPPUNIT_ASSERT(!response.hasHeader("Vary"));
    CPPUNIT_ASSERT_EQUAL(204, preflight(_server->client(), "null").status);
}

// There a page could use the cookies of whoever reads it.
TEST(CrossOriginTest, outsideTheApiNoOriginIsAllowed) {
    start();
    auto client = _server->rootClient();
    const auto response = client.get("/test/public", from(SHOP));
    requireStatus(200, response);
    CPPUNIT_ASSERT(!response.hasHeader("Access-Control-Allow-Origin") && !response.hasHeader("Vary"));
    requireError(
        405, "METHOD_NOT_ALLOWED",
        client.request("OPTIONS", "/test/public", {{"Origin", SHOP}, {"Access-Control-Request-Method", "GET"}}));
}

TEST(CrossOriginTest, optionsOfTheServerAreAnswered) {
    auto client = fixture().server().rootClient();
    client.sendRaw("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n");
    const auto response = client.readResponse(true);
    CPPUNIT_ASSERT_EQUAL(204, response.status);
    CPPUNIT_ASSERT(response.header("Allow").starts_with("GET, HEAD, POST"));
}

} // namespace supplierd::tests
