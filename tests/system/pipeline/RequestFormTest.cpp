#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/RawConnection.h"

#include <string>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;

/// Paths, methods and heads: what is found, what is refused, and that every refusal is an envelope.
class RequestFormTest : public CppUnit::TestFixture {
public:
    void setUp() override { _key = newKey(); }

protected:
    HttpClient client() const { return fixture().server().client(_key); }
    std::string authorization() const { return "Authorization: Bearer " + _key + "\r\n"; }
    std::string getWhoAmI(const std::string& more = {}) const {
        return "GET /api/v1/supplier/test/whoami HTTP/1.1\r\nHost: a\r\n" + authorization() + more + "\r\n";
    }
    std::string exchange(const std::string& bytes) const {
        RawConnection connection(fixture().server().url());
        connection.send(bytes);
        return connection.receiveAll(10s);
    }

    std::string _key;
};

TEST(RequestFormTest, successIsAnEnvelopeWithData) {
    const auto response = client().get("/test/items/7");
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(std::string("application/json"), response.header("Content-Type"));
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"success":true,"data":{"id":7}})"), response.body);
    CPPUNIT_ASSERT_EQUAL(std::to_string(response.body.size()), response.header("Content-Length"));
}

TEST(RequestFormTest, unknownPathIsNotFound) {
    auto one = client();
    for (const char* path : {"", "/", "/nothing", "/test", "/test/whoami/", "/test//whoami", "/test/whoami/x",
                             "/TEST/whoami", "/__smuggled"})
        requireError(404, "NOT_FOUND", one.get(path));
}

TEST(RequestFormTest, wrongMethodNamesTheAllowedOnes) {
    auto one = client();
    const auto onGet = one.request("DELETE", "/test/whoami");
    requireError(405, "METHOD_NOT_ALLOWED", onGet);
    CPPUNIT_ASSERT_EQUAL(std::string("GET, HEAD"), onGet.header("Allow"));
    const auto onPost = one.get("/test/run");
    requireError(405, "METHOD_NOT_ALLOWED", onPost);
    CPPUNIT_ASSERT_EQUAL(std::string("POST"), onPost.header("Allow"));
    const auto onBoth = one.request("PUT", "/test/throw");
    requireError(405, "METHOD_NOT_ALLOWED", onBoth);
    CPPUNIT_ASSERT_EQUAL(std::string("GET, HEAD, POST"), onBoth.header("Allow"));
}

TEST(RequestFormTest, unknownMethodIsNotAllowedEither) {
    auto one = client();
    for (const char* method : {"OPTIONS", "TRACE", "PATCH", "BREW", "get", "PROPFIND"})
        requireError(405, "METHOD_NOT_ALLOWED", one.request(method, "/test/whoami"));
    requireError(404, "NOT_FOUND", one.request("BREW", "/nothing"));
}

TEST(RequestFormTest, headIsAnsweredLikeGetWithoutABody) {
    auto one = client();
    const auto head = one.request("HEAD", "/test/items/7");
    requireStatus(200, head);
    CPPUNIT_ASSERT_EQUAL(std::string("application/json"), head.header("Content-Type"));
    CPPUNIT_ASSERT_EQUAL(std::to_string(one.get("/test/items/7").body.size()), head.header("Content-Length"));
}

TEST(RequestFormTest, headOfAnErrorHasNoBodyEither) {
    auto one = client();
    requireStatus(404, one.request("HEAD", "/nothing"));
    requireStatus(405, one.request("HEAD", "/test/run"));
    requireStatus(200, one.get("/test/whoami")); // the connection is in step
}

TEST(RequestFormTest, notModifiedHasNoBody) {
    auto one = client();
    const auto response = one.get("/test/unchanged");
    requireStatus(304, response);
    CPPUNIT_ASSERT_EQUAL(std::string("\"1\""), response.header("ETag"));
    requireStatus(200, one.get("/test/whoami"));
}

TEST(RequestFormTest, idsThatAreNoIdsAreNotFound) {
    auto one = client();
    for (const char* id : {"0", "-1", "+1", "01", "1.0", "abc", "9223372036854775808", "%31%20", "%EF%BC%91"})
        requireError(404, "NOT_FOUND", one.get(std::string("/test/items/") + id));
    requireStatus(200, one.get("/test/items/9223372036854775807"));
    requireStatus(200, one.get("/test/items/%37"));
}

TEST(RequestFormTest, brokenEscapesInThePathAreBadRequests) {
    auto one = client();
    for (const char* path : {"/%zz", "/%", "/test/%4", "/test/whoami%g1"})
        requireError(400, "BAD_REQUEST", one.get(path));
}

TEST(RequestFormTest, nulAndInvalidUtf8InThePathAreBadRequests) {
    auto one = client();
    for (const char* path : {"/test/whoami%00", "/test/texts/%ff", "/test/texts/%c0%af", "/test/texts/%ed%a0%80"})
        requireError(400, "BAD_REQUEST", one.get(path));
}

TEST(RequestFormTest, encodedSlashDoesNotSplitThePath) {
    auto one = client();
    requireError(404, "NOT_FOUND", one.get("/test%2fwhoami"));
    CPPUNIT_ASSERT_EQUAL(std::string("a/b"), one.get("/test/texts/a%2fb").data().at("text").get<std::string>());
}

TEST(RequestFormTest, encodedLettersOfThePathAreDecoded) {
    const auto response = client().get("/t%65st/texts/%F0%9F%92%90%20roos");
    CPPUNIT_ASSERT_EQUAL(std::string("\xf0\x9f\x92\x90 roos"), response.data().at("text").get<std::string>());
}

TEST(RequestFormTest, dotsInThePathGoNowhere) {
    auto one = client();
    for (const char* path :
         {"/../supplier/test/whoami", "/test/../test/whoami", "/%2e%2e/supplier/test/whoami", "/test/./whoami"})
        requireError(404, "NOT_FOUND", one.get(path));
}

TEST(RequestFormTest, absoluteTargetIsUnderstood) {
    const auto target = "http://api.example/api/v1/supplier/test/whoami";
    const auto received = exchange("GET " + std::string(target) + " HTTP/1.1\r\nHost: api.example\r\n" +
                                   authorization() + "Connection: close\r\n\r\n");
    CPPUNIT_ASSERT(std::vector<int>{200} == statusesIn(received));
}

TEST(RequestFormTest, brokenQueryIsInvalidInput) {
    requireDetail(422, "VALIDATION_ERROR", "type", client().get("/test/throw?what=%zz"));
}

TEST(RequestFormTest, twoHostsAreABadRequest) {
    requireError(400, "BAD_REQUEST", client().get("/test/whoami", {{"Host", "a"}, {"Host", "a"}}));
}

TEST(RequestFormTest, missingHostIsABadRequest) {
    const auto received = exchange("GET /api/v1/supplier/test/whoami HTTP/1.1\r\n" + authorization() + "\r\n");
    CPPUNIT_ASSERT(std::vector<int>{400} == statusesIn(received));
}

TEST(RequestFormTest, olderClientsAreAnswered) {
    const auto received = exchange("GET /api/v1/supplier/test/whoami HTTP/1.0\r\n" + authorization() + "\r\n");
    CPPUNIT_ASSERT(std::vector<int>{200} == statusesIn(received));
}

TEST(RequestFormTest, inventedVersionIsRefusedAndNotEchoed) {
    for (const char* version : {"EVIL", "HTTP/9.9", "HTTP/1.2"}) {
        const auto received = exchange("GET /api/v1/supplier/test/whoami " + std::string(version) + "\r\nHost: a\r\n" +
                                       authorization() + "\r\n");
        CPPUNIT_ASSERT_EQUAL(std::string("HTTP/1.1 400"), received.substr(0, 12));
    }
}

TEST(RequestFormTest, encodedLineBreakInAHeaderIsRefused) {
    const auto response = client().get("/test/whoami", {{"X-Note", "=?utf-8?Q?a=0D=0AX-Injected:_1?="}});
    requireError(400, "BAD_REQUEST", response);
    CPPUNIT_ASSERT(!response.hasHeader("X-Injected"));
}

TEST(RequestFormTest, connectionIsKept) {
    RawConnection connection(fixture().server().url());
    for (int i = 0; i < 3; ++i) {
        connection.send(getWhoAmI());
        const auto received = connection.receiveUntil("request_id");
        CPPUNIT_ASSERT(std::vector<int>{200} == statusesIn(received));
    }
}

TEST(RequestFormTest, connectionIsClosedWhenAskedTo) {
    RawConnection connection(fixture().server().url());
    connection.send(getWhoAmI("Connection: close\r\n"));
    connection.receiveAll(10s);
    CPPUNIT_ASSERT(connection.closed());
}

TEST(RequestFormTest, pipelinedRequestsAreAnsweredInTheirOrder) {
    RawConnection connection(fixture().server().url());
    const std::string ping = "POST /api/v1/supplier/test/ping HTTP/1.1\r\nHost: a\r\n" + authorization() + "\r\n";
    connection.send(ping + getWhoAmI() + ping + getWhoAmI("Connection: close\r\n"));
    const auto received = connection.receiveAll(10s);
    CPPUNIT_ASSERT((std::vector<int>{200, 200, 200, 200}) == statusesIn(received));
    CPPUNIT_ASSERT(received.find("pong") < received.find("supplier_id"));
    CPPUNIT_ASSERT(received.rfind("pong") < received.rfind("supplier_id"));
}

TEST(RequestFormTest, largeResponseArrivesWhole) {
    const auto response = client().get("/test/large?kib=4096");
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(std::size_t{4096} * 1024, response.data().get<std::string>().size());
}

TEST(RequestFormTest, responsesForbidSniffingAndSharedCaches) {
    const auto response = client().get("/test/whoami");
    CPPUNIT_ASSERT_EQUAL(std::string("nosniff"), response.header("X-Content-Type-Options"));
    CPPUNIT_ASSERT_EQUAL(std::string("private, no-cache"), response.header("Cache-Control"));
}

} // namespace supplierd::tests
