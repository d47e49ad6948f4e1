#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <string>
#include <vector>

namespace supplierd::tests {

/// Request ids and the access log: one JSON line per request.
class AccessLogTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _supplier = fixture().server().createSupplier("Van der Berg Bloemen");
        _key = fixture().server().createKey(_supplier);
    }

protected:
    HttpClient client() const { return fixture().server().client(_key); }

    std::int64_t _supplier = 0;
    std::string _key;
};

TEST(AccessLogTest, validRequestIdIsKept) {
    for (const std::string& id : {std::string("a"), std::string("Order_2026.11-20"), std::string(64, 'x')}) {
        CPPUNIT_ASSERT_EQUAL(id, client().get("/test/whoami", {{"X-Request-Id", id}}).header("X-Request-Id"));
        const auto refused = client().get("/nothing", {{"X-Request-Id", id}});
        CPPUNIT_ASSERT_EQUAL(id, requireError(404, "NOT_FOUND", refused).at("request_id").get<std::string>());
        CPPUNIT_ASSERT_EQUAL(id, fixture().server().client().get("/x", {{"X-Request-Id", id}}).header("X-Request-Id"));
    }
}

TEST(AccessLogTest, otherRequestIdsAreReplaced) {
    for (const std::string& id : {std::string(), std::string(65, 'x'), std::string("a b"), std::string("a\"b"),
                                  std::string("<b>"), std::string("caf\xc3\xa9")}) {
        const auto made = client().get("/test/whoami", {{"X-Request-Id", id}}).header("X-Request-Id");
        CPPUNIT_ASSERT(made != id && !made.empty());
    }
}

TEST(AccessLogTest, everyRequestGetsAnIdOfItsOwn) {
    auto one = client();
    CPPUNIT_ASSERT(one.get("/test/whoami").header("X-Request-Id") != one.get("/test/whoami").header("X-Request-Id"));
}

TEST(AccessLogTest, handlerSeesTheRequestId) {
    const auto response = client().get("/test/whoami", {{"X-Request-Id", "seen-1"}});
    CPPUNIT_ASSERT_EQUAL(std::string("seen-1"), response.data().at("request_id").get<std::string>());
}

TEST(AccessLogTest, lineSaysWhoDidWhatAndHowItWent) {
    const auto response = client().get("/test/whoami");
    const auto line = accessLine(fixture().server(), response.header("X-Request-Id"));
    CPPUNIT_ASSERT_EQUAL(_key.substr(0, 11), line.at("key").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(_supplier, line.at("supplier").get<std::int64_t>());
    CPPUNIT_ASSERT_EQUAL(std::string("127.0.0.1"), line.at("client").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("GET"), line.at("method").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("/api/v1/supplier/test/whoami"), line.at("route").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(200, line.at("status").get<int>());
    CPPUNIT_ASSERT_EQUAL(response.body.size(), line.at("bytes").get<std::size_t>());
    CPPUNIT_ASSERT(line.at("ms").get<double>() >= 0);
    const auto time = line.at("time").get<std::string>();
    CPPUNIT_ASSERT_EQUAL(std::string("2026-11-20T14:48:00.123Z").size(), time.size());
    CPPUNIT_ASSERT_EQUAL('Z', time.back());
}

TEST(AccessLogTest, lineOfAnUnauthorizedRequestHasNoKey) {
    auto forged = _key;
    forged.back() = forged.back() == 'A' ? 'B' : 'A';
    const auto response = fixture().server().client(forged).get("/test/whoami");
    const auto line = accessLine(fixture().server(), response.header("X-Request-Id"));
    CPPUNIT_ASSERT(line.at("key").is_null());
    CPPUNIT_ASSERT(line.at("supplier").is_null());
    CPPUNIT_ASSERT_EQUAL(401, line.at("status").get<int>());
}

TEST(AccessLogTest, lineOfAForbiddenRequestHasNoSupplier) {
    const auto response = newClient({{"revoked_at", "NOW(6)"}}).get("/test/whoami");
    CPPUNIT_ASSERT_EQUAL(403, accessLine(fixture().server(), response.header("X-Request-Id")).at("status").get<int>());
}

TEST(AccessLogTest, lineNamesThePatternAndNotThePath) {
    const auto response = client().get("/test/items/4711?search=pasted-by-accident");
    const auto line = accessLine(fixture().server(), response.header("X-Request-Id"));
    CPPUNIT_ASSERT_EQUAL(std::string("/api/v1/supplier/test/items/{id:int}"), line.at("route").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string::npos, line.dump().find("pasted-by-accident"));
}

TEST(AccessLogTest, unknownPathIsNotInTheLog) {
    const auto response = client().get("/pasted-by-accident");
    const auto line = accessLine(fixture().server(), response.header("X-Request-Id"));
    CPPUNIT_ASSERT_EQUAL(std::string("(none)"), line.at("route").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string::npos, line.dump().find("pasted-by-accident"));
}

TEST(AccessLogTest, refusedRequestsAreLoggedToo) {
    auto one = client();
    const std::vector<HttpResponse> responses = {one.get("/%zz"),
                                                 one.request("DELETE", "/test/whoami"),
                                                 one.request("POST", "/test/run"),
                                                 one.request("POST", "/test/run", {{"Content-Length", "99999999"}}),
                                                 one.postText("/test/run", "[]"),
                                                 one.get("/test/throw?what=int"),
                                                 newClient({{"hourly_limit", "0"}}).get("/test/whoami")};
    for (const auto& response : responses)
        CPPUNIT_ASSERT_EQUAL(response.status,
                             accessLine(fixture().server(), response.header("X-Request-Id")).at("status").get<int>());
}

TEST(AccessLogTest, keyThatIsForbiddenIsNamed) {
    const auto supplier = fixture().server().createSupplier("Dicht BV", "suspended");
    const auto key = fixture().server().createKey(supplier);
    const auto response = fixture().server().client(key).get("/test/whoami");
    const auto line = accessLine(fixture().server(), response.header("X-Request-Id"));
    CPPUNIT_ASSERT_EQUAL(403, line.at("status").get<int>());
    CPPUNIT_ASSERT_EQUAL(key.substr(0, 11), line.at("key").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(supplier, line.at("supplier").get<std::int64_t>());
}

TEST(AccessLogTest, headHasNoBytes) {
    const auto response = client().request("HEAD", "/test/whoami");
    const auto line = accessLine(fixture().server(), response.header("X-Request-Id"));
    CPPUNIT_ASSERT_EQUAL(std::string("HEAD"), line.at("method").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(0, line.at("bytes").get<int>());
}

TEST(AccessLogTest, clientBehindATrustedProxyIsNamed) {
    TestDatabase database;
    ServerProcess server(database, probed("[server]\ntrusted_proxies = [\"127.0.0.0/8\"]\n"));
    const auto response = server.client().get("/x", {{"X-Forwarded-For", "198.51.100.1, 203.0.113.9"}});
    CPPUNIT_ASSERT_EQUAL(std::string("203.0.113.9"),
                         accessLine(server, response.header("X-Request-Id")).at("client").get<std::string>());
    const auto shared = fixture().server().client().get("/x", {{"X-Forwarded-For", "203.0.113.9"}});
    CPPUNIT_ASSERT_EQUAL(std::string("127.0.0.1"),
                         accessLine(fixture().server(), shared.header("X-Request-Id")).at("client").get<std::string>());
}

TEST(AccessLogTest, secretsAreNeverInALog) {
    TestDatabase database;
    ServerProcess server(database, probed("[log]\nlevel = \"debug\"\n"));
    const auto key = server.createKey(server.createSupplier("Rozenhof"));
    const auto unknown = "sk_zzzzzzzz_" + std::string(43, 'Q');
    const std::string idempotencyKey = "idempotency-secret-4711";
    auto one = server.client(key);
    requireStatus(200, one.get("/test/whoami"));
    requireStatus(401, server.client(unknown).get("/test/whoami"));
    requireStatus(401, server.client().get("/test/whoami?api_key=" + key));
    requireStatus(404, one.get("/" + key));
    requireStatus(400, one.get("/%zz/" + key));
    requireStatus(401, server.client().get("/test/whoami", {{"Authorization", "Basic " + key}}));
    requireStatus(500, one.get("/test/throw?what=std", {{"X-Note", key}}));
    requireStatus(201, one.post("/test/secret", {{"name", "a"}}, {{"Idempotency-Key", idempotencyKey}}));
    requireStatus(422, one.post("/test/secret", {{"name", "a"}}, {{"Idempotency-Key", idempotencyKey}}));
    CPPUNIT_ASSERT_EQUAL(0, server.stop());
    const auto logs = server.log() + readWholeFile(server.accessLogFile());
    CPPUNIT_ASSERT(logs.find(key.substr(0, 11)) != std::string::npos);
    for (const std::string& secret : {key.substr(12), unknown.substr(12), idempotencyKey, std::string("rose-secret")})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(secret, std::string::npos, logs.find(secret));
}

} // namespace supplierd::tests
