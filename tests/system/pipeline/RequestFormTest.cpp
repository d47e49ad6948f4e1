#include "tests/support/Responses.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/RawConnection.h"

#include <cppunit/extensions/HelperMacros.h>

#include <string>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;

/// Paths, methods and heads: what is found, what is refused, and that every refusal is an envelope.
class RequestFormTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(RequestFormTest);
    CPPUNIT_TEST(testSuccessIsAnEnvelopeWithData);
    CPPUNIT_TEST(testUnknownPathIsNotFound);
    CPPUNIT_TEST(testWrongMethodNamesTheAllowedOnes);
    CPPUNIT_TEST(testUnknownMethodIsNotAllowedEither);
    CPPUNIT_TEST(testHeadIsAnsweredLikeGetWithoutABody);
    CPPUNIT_TEST(testHeadOfAnErrorHasNoBodyEither);
    CPPUNIT_TEST(testNotModifiedHasNoBody);
    CPPUNIT_TEST(testIdsThatAreNoIdsAreNotFound);
    CPPUNIT_TEST(testBrokenEscapesInThePathAreBadRequests);
    CPPUNIT_TEST(testNulAndInvalidUtf8InThePathAreBadRequests);
    CPPUNIT_TEST(testEncodedSlashDoesNotSplitThePath);
    CPPUNIT_TEST(testEncodedLettersOfThePathAreDecoded);
    CPPUNIT_TEST(testDotsInThePathGoNowhere);
    CPPUNIT_TEST(testAbsoluteTargetIsUnderstood);
    CPPUNIT_TEST(testBrokenQueryIsInvalidInput);
    CPPUNIT_TEST(testTwoHostsAreABadRequest);
    CPPUNIT_TEST(testMissingHostIsABadRequest);
    CPPUNIT_TEST(testOlderClientsAreAnswered);
    CPPUNIT_TEST(testInventedVersionIsRefusedAndNotEchoed);
    CPPUNIT_TEST(testEncodedLineBreakInAHeaderIsRefused);
    CPPUNIT_TEST(testConnectionIsKept);
    CPPUNIT_TEST(testConnectionIsClosedWhenAskedTo);
    CPPUNIT_TEST(testPipelinedRequestsAreAnsweredInTheirOrder);
    CPPUNIT_TEST(testLargeResponseArrivesWhole);
    CPPUNIT_TEST(testResponsesForbidSniffingAndSharedCaches);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override { _key = newKey(); }

    void testSuccessIsAnEnvelopeWithData() {
        const auto response = client().get("/test/items/7");
        requireStatus(200, response);
        CPPUNIT_ASSERT_EQUAL(std::string("application/json"), response.header("Content-Type"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"success":true,"data":{"id":7}})"), response.body);
        CPPUNIT_ASSERT_EQUAL(std::to_string(response.body.size()), response.header("Content-Length"));
    }

    void testUnknownPathIsNotFound() {
        auto one = client();
        for (const char* path : {"", "/", "/nothing", "/test", "/test/whoami/", "/test//whoami", "/test/whoami/x",
                                 "/TEST/whoami", "/__smuggled"})
            requireError(404, "NOT_FOUND", one.get(path));
    }

    void testWrongMethodNamesTheAllowedOnes() {
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

    void testUnknownMethodIsNotAllowedEither() {
        auto one = client();
        for (const char* method : {"OPTIONS", "TRACE", "PATCH", "BREW", "get", "PROPFIND"})
            requireError(405, "METHOD_NOT_ALLOWED", one.request(method, "/test/whoami"));
        requireError(404, "NOT_FOUND", one.request("BREW", "/nothing"));
    }

    void testHeadIsAnsweredLikeGetWithoutABody() {
        auto one = client();
        const auto head = one.request("HEAD", "/test/items/7");
        requireStatus(200, head);
        CPPUNIT_ASSERT_EQUAL(std::string("application/json"), head.header("Content-Type"));
        CPPUNIT_ASSERT_EQUAL(std::to_string(one.get("/test/items/7").body.size()), head.header("Content-Length"));
    }

    void testHeadOfAnErrorHasNoBodyEither() {
        auto one = client();
        requireStatus(404, one.request("HEAD", "/nothing"));
        requireStatus(405, one.request("HEAD", "/test/run"));
        requireStatus(200, one.get("/test/whoami")); // the connection is in step
    }

    void testNotModifiedHasNoBody() {
        auto one = client();
        const auto response = one.get("/test/unchanged");
        requireStatus(304, response);
        CPPUNIT_ASSERT_EQUAL(std::string("\"1\""), response.header("ETag"));
        requireStatus(200, one.get("/test/whoami"));
    }

    void testIdsThatAreNoIdsAreNotFound() {
        auto one = client();
        for (const char* id : {"0", "-1", "+1", "01", "1.0", "abc", "9223372036854775808", "%31%20", "%EF%BC%91"})
            requireError(404, "NOT_FOUND", one.get(std::string("/test/items/") + id));
        requireStatus(200, one.get("/test/items/9223372036854775807"));
        requireStatus(200, one.get("/test/items/%37"));
    }

    void testBrokenEscapesInThePathAreBadRequests() {
        auto one = client();
        for (const char* path : {"/%zz", "/%", "/test/%4", "/test/whoami%g1"})
            requireError(400, "BAD_REQUEST", one.get(path));
    }

    void testNulAndInvalidUtf8InThePathAreBadRequests() {
        auto one = client();
        for (const char* path : {"/test/whoami%00", "/test/texts/%ff", "/test/texts/%c0%af", "/test/texts/%ed%a0%80"})
            requireError(400, "BAD_REQUEST", one.get(path));
    }

    void testEncodedSlashDoesNotSplitThePath() {
        auto one = client();
        requireError(404, "NOT_FOUND", one.get("/test%2fwhoami"));
        CPPUNIT_ASSERT_EQUAL(std::string("a/b"), one.get("/test/texts/a%2fb").data().at("text").get<std::string>());
    }

    void testEncodedLettersOfThePathAreDecoded() {
        const auto response = client().get("/t%65st/texts/%F0%9F%92%90%20roos");
        CPPUNIT_ASSERT_EQUAL(std::string("\xf0\x9f\x92\x90 roos"), response.data().at("text").get<std::string>());
    }

    void testDotsInThePathGoNowhere() {
        auto one = client();
        for (const char* path :
             {"/../supplier/test/whoami", "/test/../test/whoami", "/%2e%2e/supplier/test/whoami", "/test/./whoami"})
            requireError(404, "NOT_FOUND", one.get(path));
    }

    void testAbsoluteTargetIsUnderstood() {
        const auto target = "http://api.example/api/v1/supplier/test/whoami";
        const auto received = exchange("GET " + std::string(target) + " HTTP/1.1\r\nHost: api.example\r\n" +
                                       authorization() + "Connection: close\r\n\r\n");
        CPPUNIT_ASSERT(std::vector<int>{200} == statusesIn(received));
    }

    void testBrokenQueryIsInvalidInput() {
        requireDetail(422, "VALIDATION_ERROR", "type", client().get("/test/throw?what=%zz"));
    }

    void testTwoHostsAreABadRequest() {
        requireError(400, "BAD_REQUEST", client().get("/test/whoami", {{"Host", "a"}, {"Host", "a"}}));
    }

    void testMissingHostIsABadRequest() {
        const auto received = exchange("GET /api/v1/supplier/test/whoami HTTP/1.1\r\n" + authorization() + "\r\n");
        CPPUNIT_ASSERT(std::vector<int>{400} == statusesIn(received));
    }

    void testOlderClientsAreAnswered() {
        const auto received = exchange("GET /api/v1/supplier/test/whoami HTTP/1.0\r\n" + authorization() + "\r\n");
        CPPUNIT_ASSERT(std::vector<int>{200} == statusesIn(received));
    }

    void testInventedVersionIsRefusedAndNotEchoed() {
        for (const char* version : {"EVIL", "HTTP/9.9", "HTTP/1.2"}) {
            const auto received = exchange("GET /api/v1/supplier/test/whoami " + std::string(version) +
                                           "\r\nHost: a\r\n" + authorization() + "\r\n");
            CPPUNIT_ASSERT_EQUAL(std::string("HTTP/1.1 400"), received.substr(0, 12));
        }
    }

    void testEncodedLineBreakInAHeaderIsRefused() {
        const auto response = client().get("/test/whoami", {{"X-Note", "=?utf-8?Q?a=0D=0AX-Injected:_1?="}});
        requireError(400, "BAD_REQUEST", response);
        CPPUNIT_ASSERT(!response.hasHeader("X-Injected"));
    }

    void testConnectionIsKept() {
        RawConnection connection(fixture().server().url());
        for (int i = 0; i < 3; ++i) {
            connection.send(getWhoAmI());
            const auto received = connection.receiveUntil("request_id");
            CPPUNIT_ASSERT(std::vector<int>{200} == statusesIn(received));
        }
    }

    void testConnectionIsClosedWhenAskedTo() {
        RawConnection connection(fixture().server().url());
        connection.send(getWhoAmI("Connection: close\r\n"));
        connection.receiveAll(10s);
        CPPUNIT_ASSERT(connection.closed());
    }

    void testPipelinedRequestsAreAnsweredInTheirOrder() {
        RawConnection connection(fixture().server().url());
        const std::string ping = "POST /api/v1/supplier/test/ping HTTP/1.1\r\nHost: a\r\n" + authorization() + "\r\n";
        connection.send(ping + getWhoAmI() + ping + getWhoAmI("Connection: close\r\n"));
        const auto received = connection.receiveAll(10s);
        CPPUNIT_ASSERT((std::vector<int>{200, 200, 200, 200}) == statusesIn(received));
        CPPUNIT_ASSERT(received.find("pong") < received.find("supplier_id"));
        CPPUNIT_ASSERT(received.rfind("pong") < received.rfind("supplier_id"));
    }

    void testLargeResponseArrivesWhole() {
        const auto response = client().get("/test/large?kib=4096");
        requireStatus(200, response);
        CPPUNIT_ASSERT_EQUAL(std::size_t{4096} * 1024, response.data().get<std::string>().size());
    }

    void testResponsesForbidSniffingAndSharedCaches() {
        const auto response = client().get("/test/whoami");
        CPPUNIT_ASSERT_EQUAL(std::string("nosniff"), response.header("X-Content-Type-Options"));
        CPPUNIT_ASSERT_EQUAL(std::string("private, no-cache"), response.header("Cache-Control"));
    }

private:
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

CPPUNIT_TEST_SUITE_REGISTRATION(RequestFormTest);

} // namespace supplierd::tests
