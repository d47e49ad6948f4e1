#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/RawConnection.h"
#include "tests/system/fixtures/ServerLogs.h"

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

/// A body that nobody read never becomes a request: the response closes its connection.
class UnreadBodyTest : public CppUnit::TestFixture {
protected:
    static std::string nextId() {
        static int number = 0;
        return "hidden-" + std::to_string(++number);
    }
    static std::string authorization(const std::string& key) { return "Authorization: Bearer " + key + "\r\n"; }

    /// Checks that the connection was closed, too.
    std::string exchange(const std::string& bytes) {
        RawConnection connection(fixture().server().url());
        connection.send(bytes);
        const auto response = connection.receiveAll(10s);
        CPPUNIT_ASSERT_MESSAGE(response, connection.closed());
        return response;
    }

    void requireOneResponse(int status, const std::string& method, const std::string& path, const std::string& fields) {
        const auto id = nextId();
        const auto hidden = hiddenRequest(id) + "\r\n\r\n";
        const auto response = exchange(method + " /api/v1/supplier" + path + " HTTP/1.1\r\nHost: a\r\n" + fields +
                                       "Content-Type: text/plain\r\nContent-Length: " + std::to_string(hidden.size()) +
                                       "\r\n\r\n" + hidden);
        assertOnly(status, response, id);
    }

    void assertOnly(int status, const std::string& response, const std::string& hiddenId) {
        CPPUNIT_ASSERT_MESSAGE(response, std::vector<int>{status} == statusesIn(response));
        // A request made later is in the log: the hidden one would be there by now.
        const auto later = fixture().server().client().get("/test/whoami").header("X-Request-Id");
        accessLine(fixture().server(), later);
        const auto lines = accessLines(fixture().server());
        CPPUNIT_ASSERT(std::none_of(lines.begin(), lines.end(),
                                    [&](const auto& line) { return line.at("request_id") == hiddenId; }));
    }
};

TEST(UnreadBodyTest, bodyOfAnUnauthorizedRequestIsNoRequest) {
    requireOneResponse(401, "POST", "/test/run", "");
}

TEST(UnreadBodyTest, bodyOfAForbiddenRequestIsNoRequest) {
    requireOneResponse(403, "POST", "/test/run", authorization(newKey({{"revoked_at", "NOW(6)"}})));
}

TEST(UnreadBodyTest, bodyOfARateLimitedRequestIsNoRequest) {
    const auto key = newKey({{"hourly_limit", "1"}});
    fixture().server().client(key).get("/test/whoami");
    requireOneResponse(429, "POST", "/test/run", authorization(key));
}

TEST(UnreadBodyTest, bodyForAnUnknownPathIsNoRequest) {
    requireOneResponse(404, "POST", "/nothing", authorization(newKey()));
}

TEST(UnreadBodyTest, bodyForTheWrongMethodIsNoRequest) {
    requireOneResponse(405, "PUT", "/test/run", authorization(newKey()));
}

TEST(UnreadBodyTest, bodyOfAnUnsupportedTypeIsNoRequest) {
    requireOneResponse(415, "POST", "/test/run", authorization(newKey()));
}

TEST(UnreadBodyTest, bodyThatIsTooLargeIsNoRequest) {
    const auto id = nextId();
    const auto response =
        exchange("POST /api/v1/supplier/test/run HTTP/1.1\r\nHost: a\r\n" + authorization(newKey()) +
                 "Content-Type: application/json\r\nContent-Length: 2000000\r\n\r\n" + hiddenRequest(id) + "\r\n\r\n");
    assertOnly(413, response, id);
}

TEST(UnreadBodyTest, chunkedBodyThatIsRefusedIsNoRequest) {
    const auto id = nextId();
    const auto response = exchange("POST /api/v1/supplier/nothing HTTP/1.1\r\nHost: a\r\n" + authorization(newKey()) +
                                   "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hiddenRequest(id) + "\r\n\r\n");
    assertOnly(404, response, id);
}

TEST(UnreadBodyTest, bodyBehindABrokenChunkIsNoRequest) {
    for (const char* chunk : {"2x\r\n{}\r\n0\r\n\r\n", "-2\r\n{}\r\n0\r\n\r\n", "2\r\n{}0\r\n\r\n", "2\n{}\n0\n\n",
                              "ffffffffffffffff1\r\n{}\r\n0\r\n\r\n", "0\r\nContent-Length: 5\r\n\r\n"}) {
        const auto id = nextId();
        const auto response =
            exchange("POST /api/v1/supplier/test/run HTTP/1.1\r\nHost: a\r\n" + authorization(newKey()) +
                     "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk +
                     hiddenRequest(id) + "\r\n\r\n");
        assertOnly(400, response, id);
    }
}

TEST(UnreadBodyTest, bodyBehindABadHeadIsNoRequest) {
    const auto id = nextId();
    const auto response = exchange("GET /api/v1/supplier/test/whoami HTTP/1.1\r\nHost: a\r\nHost: b\r\n" +
                                   authorization(newKey()) + "\r\n" + hiddenRequest(id) + "\r\n\r\n");
    assertOnly(400, response, id);
}

TEST(UnreadBodyTest, bodyBehindABadPathIsNoRequest) {
    requireOneResponse(400, "POST", "/%zz", authorization(newKey()));
}

TEST(UnreadBodyTest, bodyOfAGetIsNoRequest) {
    const auto id = nextId();
    const auto hidden = hiddenRequest(id) + "\r\n\r\n";
    const auto response =
        exchange("GET /api/v1/supplier/test/whoami HTTP/1.1\r\nHost: a\r\n" + authorization(newKey()) +
                 "Connection: close\r\nContent-Length: " + std::to_string(hidden.size()) + "\r\n\r\n" + hidden);
    assertOnly(200, response, id);
}

// More than the socket's buffers hold: without reading on, closing would reset the connection under the response.
TEST(UnreadBodyTest, clientStillReadsTheResponseToALargeUnreadBody) {
    const std::string body(900'000, 'x');
    const auto response = exchange("POST /api/v1/supplier/test/run HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n"
                                   "Content-Type: application/json\r\n\r\n" +
                                   body);
    CPPUNIT_ASSERT(std::vector<int>{401} == statusesIn(response));
    CPPUNIT_ASSERT(response.find("UNAUTHORIZED") != std::string::npos);
}

} // namespace supplierd::tests
