#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/RawConnection.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <string>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;

namespace {

/// A body that is itself a request, which any caller may make and which leaves its name in the access log.
std::string hiddenRequest(const std::string& requestId) {
    return "GET /test/public HTTP/1.1\r\nHost: a\r\nX-Request-Id: " + requestId + "\r\nX-Padding: ";
}

} // namespace

/// A body that nobody read never becomes a request: the answer closes its connection.
class UnreadBodyTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(UnreadBodyTest);
    CPPUNIT_TEST(testBodyOfAnUnauthorizedRequestIsNoRequest);
    CPPUNIT_TEST(testBodyOfAForbiddenRequestIsNoRequest);
    CPPUNIT_TEST(testBodyOfARateLimitedRequestIsNoRequest);
    CPPUNIT_TEST(testBodyForAnUnknownPathIsNoRequest);
    CPPUNIT_TEST(testBodyForTheWrongMethodIsNoRequest);
    CPPUNIT_TEST(testBodyOfAnUnsupportedTypeIsNoRequest);
    CPPUNIT_TEST(testBodyThatIsTooLargeIsNoRequest);
    CPPUNIT_TEST(testChunkedBodyIsNoRequest);
    CPPUNIT_TEST(testBodyBehindABadHeadIsNoRequest);
    CPPUNIT_TEST(testBodyBehindABadPathIsNoRequest);
    CPPUNIT_TEST(testBodyOfAGetIsNoRequest);
    CPPUNIT_TEST(testClientStillReadsTheAnswerToALargeUnreadBody);
    CPPUNIT_TEST_SUITE_END();

public:
    void testBodyOfAnUnauthorizedRequestIsNoRequest() { assertOneAnswer(401, "POST", "/test/run", ""); }

    void testBodyOfAForbiddenRequestIsNoRequest() {
        assertOneAnswer(403, "POST", "/test/run", authorization(_shared.newKey({{"revoked_at", "NOW(6)"}})));
    }

    void testBodyOfARateLimitedRequestIsNoRequest() {
        const auto key = _shared.newKey({{"hourly_limit", "1"}});
        _shared.server().client(key).get("/test/whoami");
        assertOneAnswer(429, "POST", "/test/run", authorization(key));
    }

    void testBodyForAnUnknownPathIsNoRequest() {
        assertOneAnswer(404, "POST", "/nothing", authorization(_shared.newKey()));
    }

    void testBodyForTheWrongMethodIsNoRequest() {
        assertOneAnswer(405, "PUT", "/test/run", authorization(_shared.newKey()));
    }

    void testBodyOfAnUnsupportedTypeIsNoRequest() {
        assertOneAnswer(415, "POST", "/test/run", authorization(_shared.newKey()));
    }

    void testBodyThatIsTooLargeIsNoRequest() {
        const auto id = nextId();
        const auto answer = exchange(
            "POST /api/v1/supplier/test/run HTTP/1.1\r\nHost: a\r\n" + authorization(_shared.newKey()) +
            "Content-Type: application/json\r\nContent-Length: 2000000\r\n\r\n" + hiddenRequest(id) + "\r\n\r\n");
        assertOnly(413, answer, id);
    }

    void testChunkedBodyIsNoRequest() {
        const auto id = nextId();
        const auto hidden = hiddenRequest(id) + "\r\n\r\n";
        const auto answer =
            exchange("POST /api/v1/supplier/test/run HTTP/1.1\r\nHost: a\r\n" + authorization(_shared.newKey()) +
                     "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden);
        assertOnly(411, answer, id);
    }

    void testBodyBehindABadHeadIsNoRequest() {
        const auto id = nextId();
        const auto answer = exchange("GET /api/v1/supplier/test/whoami HTTP/1.1\r\nHost: a\r\nHost: b\r\n" +
                                     authorization(_shared.newKey()) + "\r\n" + hiddenRequest(id) + "\r\n\r\n");
        assertOnly(400, answer, id);
    }

    void testBodyBehindABadPathIsNoRequest() { assertOneAnswer(400, "POST", "/%zz", authorization(_shared.newKey())); }

    void testBodyOfAGetIsNoRequest() {
        const auto id = nextId();
        const auto hidden = hiddenRequest(id) + "\r\n\r\n";
        const auto answer =
            exchange("GET /api/v1/supplier/test/whoami HTTP/1.1\r\nHost: a\r\n" + authorization(_shared.newKey()) +
                     "Connection: close\r\nContent-Length: " + std::to_string(hidden.size()) + "\r\n\r\n" + hidden);
        assertOnly(200, answer, id);
    }

    // More than the socket's buffers hold: without reading on, closing would reset the connection under the answer.
    void testClientStillReadsTheAnswerToALargeUnreadBody() {
        const std::string body(900'000, 'x');
        const auto answer = exchange("POST /api/v1/supplier/test/run HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n"
                                     "Content-Type: application/json\r\n\r\n" +
                                     body);
        CPPUNIT_ASSERT(std::vector<int>{401} == statusesIn(answer));
        CPPUNIT_ASSERT(answer.find("UNAUTHORIZED") != std::string::npos);
    }

private:
    static std::string nextId() {
        static int number = 0;
        return "hidden-" + std::to_string(++number);
    }
    static std::string authorization(const std::string& key) { return "Authorization: Bearer " + key + "\r\n"; }

    /// Checks that the connection was closed, too.
    std::string exchange(const std::string& bytes) {
        RawConnection connection(_shared.url());
        connection.send(bytes);
        const auto answer = connection.receiveAll(10s);
        CPPUNIT_ASSERT_MESSAGE(answer, connection.closed());
        return answer;
    }

    void assertOneAnswer(int status, const std::string& method, const std::string& path, const std::string& fields) {
        const auto id = nextId();
        const auto hidden = hiddenRequest(id) + "\r\n\r\n";
        const auto answer = exchange(method + " /api/v1/supplier" + path + " HTTP/1.1\r\nHost: a\r\n" + fields +
                                     "Content-Type: text/plain\r\nContent-Length: " + std::to_string(hidden.size()) +
                                     "\r\n\r\n" + hidden);
        assertOnly(status, answer, id);
    }

    void assertOnly(int status, const std::string& answer, const std::string& hiddenId) {
        CPPUNIT_ASSERT_MESSAGE(answer, std::vector<int>{status} == statusesIn(answer));
        // A request made later is in the log: the hidden one would be there by now.
        const auto later = _shared.server().client().get("/test/whoami").header("X-Request-Id");
        accessLine(_shared.server(), later);
        const auto lines = accessLines(_shared.server());
        CPPUNIT_ASSERT(std::none_of(lines.begin(), lines.end(),
                                    [&](const auto& line) { return line.at("request_id") == hiddenId; }));
    }

    SharedServer& _shared = SharedServer::instance();
};

CPPUNIT_TEST_SUITE_REGISTRATION(UnreadBodyTest);

} // namespace supplierd::tests
