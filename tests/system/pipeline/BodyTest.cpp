#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/RawConnection.h"

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;

/// What is asked of a request's body before a handler sees it.
class BodyTest : public CppUnit::TestFixture {
public:
    void setUp() override { _key = newKey(); }

protected:
    HttpClient client() const { return fixture().server().client(_key); }

    std::string head(const std::string& path, const std::string& fields) const {
        return "POST /api/v1/supplier" + path + " HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + _key +
               "\r\nContent-Type: application/json\r\n" + fields + "\r\n";
    }

    static std::string bodyOfSize(std::size_t size) {
        const std::string begin = R"({"name":"size","padding":")";
        return begin + std::string(size - begin.size() - 2, 'x') + "\"}";
    }

    int runsOf(const std::string& name) { return client().get("/test/runs?name=" + name).data().at("runs").get<int>(); }

    std::string _key;
    std::string _padded;
};

TEST(BodyTest, jsonObjectIsAccepted) {
    const auto response = client().postText("/test/run", R"( {"name": "plain"} )");
    requireStatus(201, response);
    CPPUNIT_ASSERT_EQUAL(1, response.data().at("runs").get<int>());
}

TEST(BodyTest, jsonMediaTypeIsReadWithoutCaseAndParameters) {
    auto one = client();
    for (const char* type : {"application/json; charset=utf-8", "APPLICATION/JSON", "application/json ; a=b"})
        requireStatus(201, one.postText("/test/run", R"({"name":"types"})", {{"Content-Type", type}}));
}

TEST(BodyTest, otherMediaTypesAreUnsupported) {
    for (const char* type : {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
                             "application/jsonx", "application/ld+json", "json", ""})
        requireError(415, "UNSUPPORTED_MEDIA_TYPE", client().postText("/test/run", "{}", {{"Content-Type", type}}));
    requireError(415, "UNSUPPORTED_MEDIA_TYPE", client().request("POST", "/test/run", {}, "{}"));
}

TEST(BodyTest, compressedBodyIsUnsupported) {
    requireError(415, "UNSUPPORTED_MEDIA_TYPE", client().postText("/test/run", "{}", {{"Content-Encoding", "gzip"}}));
    requireStatus(201, client().postText("/test/run", R"({"name":"identity"})", {{"Content-Encoding", "identity"}}));
}

TEST(BodyTest, bodyOfExactlyOneMebibyteIsAccepted) {
    requireStatus(201, client().postText("/test/run", bodyOfSize(1'048'576)));
}

TEST(BodyTest, largerBodyIsRefusedBeforeItIsRead) {
    const auto response =
        client().request("POST", "/test/run", {{"Content-Type", "application/json"}, {"Content-Length", "1048577"}});
    requireError(413, "PAYLOAD_TOO_LARGE", response);
    CPPUNIT_ASSERT_EQUAL(std::string("Close"), response.header("Connection"));
    requireError(413, "PAYLOAD_TOO_LARGE", client().postText("/test/run", bodyOfSize(1'048'577)));
}

TEST(BodyTest, limitAppliesWhereNoBodyIsExpected) {
    auto one = client();
    requireError(413, "PAYLOAD_TOO_LARGE", one.request("GET", "/test/whoami", {{"Content-Length", "1048577"}}));
    requireError(413, "PAYLOAD_TOO_LARGE", one.request("POST", "/test/ping", {{"Content-Length", "1048577"}}));
}

TEST(BodyTest, configuredLimitApplies) {
    TestDatabase database;
    ServerProcess server(database, probed("[server]\nbody_limit = \"2KiB\"\n"));
    const auto key = server.createKey(server.createSupplier("Rozenhof"));
    requireStatus(201, server.client(key).postText("/test/run", bodyOfSize(2'048)));
    requireError(413, "PAYLOAD_TOO_LARGE", server.client(key).postText("/test/run", bodyOfSize(2'049)));
}

TEST(BodyTest, missingLengthIsAskedFor) {
    requireError(411, "LENGTH_REQUIRED", client().request("POST", "/test/run", {{"Content-Type", "application/json"}}));
}

TEST(BodyTest, chunkedBodyIsDecoded) {
    const HttpHeaders chunked = {{"Content-Type", "application/json"}, {"Transfer-Encoding", "chunked"}};
    auto one = client();
    for (int runs = 1; runs <= 2; ++runs) { // the second one on the same connection
        const auto response =
            one.request("POST", "/test/run", chunked,
                        "9\r\n{\"name\":\"\r\n7;a=\"b\"\r\nchunked\r\n02\r\n\"}\r\n0\r\nX-Sum: 1\r\n\r\n");
        requireStatus(201, response);
        CPPUNIT_ASSERT_EQUAL(runs, response.data().at("runs").get<int>());
    }
}

TEST(BodyTest, chunkedBodyHasTheSameLimit) {
    const auto send = [&](std::size_t size) {
        std::string body;
        for (std::string_view rest = _padded = bodyOfSize(size); !rest.empty();) {
            const auto piece = rest.substr(0, 100'000);
            char digits[16] = {};
            std::snprintf(digits, sizeof digits, "%zx\r\n", piece.size());
            body.append(digits).append(piece).append("\r\n");
            rest.remove_prefix(piece.size());
        }
        RawConnection connection(fixture().server().url());
        connection.send(head("/test/run", "Transfer-Encoding: chunked\r\n") + body + "0\r\n\r\n");
        return connection.receiveUntil("}}");
    };
    CPPUNIT_ASSERT(std::vector<int>{201} == statusesIn(send(1'048'576)));
    CPPUNIT_ASSERT(std::vector<int>{413} == statusesIn(send(1'048'577)));
}

TEST(BodyTest, malformedJsonIsInvalidInput) {
    auto one = client();
    for (const char* body : {"", " ", "{", "}", "{\"a\"}", "{\"a\":}", "{'a':1}", "{\"a\":1,}", "{\"a\":01}",
                             "{\"a\":NaN}", "{\"a\":1}{", "{\"a\":1} x", "// c\n{}", "{\"a\":\"\xff\"}",
                             "{\"a\":\"\\ud800\"}", "{\"a\":\"\\u0000\"}", "{\"a\":\"\n\"}"})
        requireError(422, "VALIDATION_ERROR", one.postText("/test/run", body));
}

TEST(BodyTest, whatIsNoObjectIsInvalidInput) {
    auto one = client();
    for (const char* body : {"[]", "[{}]", "null", "true", "1", "\"text\""})
        requireDetail(422, "VALIDATION_ERROR", "type", one.postText("/test/run", body));
}

TEST(BodyTest, duplicateKeysAreInvalidInput) {
    auto one = client();
    for (const char* body :
         {R"({"name":"a","name":"b"})", R"({"name":"a","n\u0061me":"a"})", R"({"x":[{"y":1,"y":2}]})"})
        requireDetail(422, "VALIDATION_ERROR", "duplicate", one.postText("/test/run", body));
}

TEST(BodyTest, deepNestingIsInvalidInput) {
    const std::string open(100'000, '[');
    requireError(422, "VALIDATION_ERROR", client().postText("/test/run", "{\"a\":" + open));
    const std::string close(100'000, ']');
    requireError(422, "VALIDATION_ERROR", client().postText("/test/run", "{\"a\":" + open + close + "}"));
}

TEST(BodyTest, unknownFieldsAreIgnored) {
    requireStatus(201, client().post("/test/run", {{"name", "known"}, {"colour", "red"}, {"x", {{"y", {1, 2}}}}}));
}

TEST(BodyTest, routeWithoutBodyIgnoresOne) {
    auto one = client();
    requireStatus(200, one.request("POST", "/test/ping", {{"Content-Type", "text/plain"}}, "anything {"));
    requireStatus(200, one.request("GET", "/test/whoami", {}, "GET /test/ping HTTP/1.1\r\n\r\n"));
    requireStatus(200, one.get("/test/whoami"));
}

TEST(BodyTest, truncatedBodyNeverReachesTheHandler) {
    RawConnection connection(fixture().server().url());
    connection.send(head("/test/run", "Content-Length: 100\r\n") + R"({"name":"truncated"})");
    connection.finishSending();
    const auto received = connection.receiveAll(10s);
    CPPUNIT_ASSERT(std::vector<int>{400} == statusesIn(received));
    CPPUNIT_ASSERT(connection.closed());
    CPPUNIT_ASSERT_EQUAL(0, runsOf("truncated"));
}

TEST(BodyTest, bodyThatStopsHalfwayIsGivenUp) {
    TestDatabase database;
    ServerProcess server(database, probed("[server]\nrequest_timeout = \"1s\"\n"));
    _key = server.createKey(server.createSupplier("Rozenhof"));
    RawConnection connection(server.url());
    connection.send(head("/test/run", "Content-Length: 100\r\n") + "{\"name\":");
    const auto received = connection.receiveAll(20s);
    CPPUNIT_ASSERT(std::vector<int>{400} == statusesIn(received));
    CPPUNIT_ASSERT(connection.closed());
}

TEST(BodyTest, contradictoryLengthsAreBadRequests) {
    for (const char* lengths :
         {"Content-Length: 2\r\nContent-Length: 2\r\n", "Content-Length: 2\r\nContent-Length: 3\r\n",
          "Content-Length: -1\r\n", "Content-Length: +2\r\n", "Content-Length: 2,2\r\n", "Content-Length: \r\n",
          "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n"}) {
        RawConnection connection(fixture().server().url());
        connection.send(head("/test/run", lengths) + "{}");
        const auto received = connection.receiveAll(10s);
        CPPUNIT_ASSERT_MESSAGE(lengths + received, std::vector<int>{400} == statusesIn(received));
        CPPUNIT_ASSERT_MESSAGE(lengths, connection.closed());
    }
}

TEST(BodyTest, lengthThatIsNoNumberIsNeverServed) {
    for (const char* length : {"0x2", "five", "2 2", "2;"}) {
        RawConnection connection(fixture().server().url());
        connection.send(head("/test/run", "Content-Length: " + std::string(length) + "\r\n") +
                        R"({"name":"no-number"})");
        const auto statuses = statusesIn(connection.receiveAll(10s));
        CPPUNIT_ASSERT_MESSAGE(length, std::vector<int>{400} == statuses);
        CPPUNIT_ASSERT_MESSAGE(length, connection.closed());
    }
    CPPUNIT_ASSERT_EQUAL(0, runsOf("no-number"));
}

TEST(BodyTest, continueComesOnlyAfterAuthentication) {
    RawConnection stranger(fixture().server().url());
    stranger.send("POST /api/v1/supplier/test/run HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                  "Content-Length: 17\r\nExpect: 100-continue\r\n\r\n");
    const auto refused = stranger.receiveUntil("}}");
    CPPUNIT_ASSERT_EQUAL(std::string("HTTP/1.1 401"), refused.substr(0, 12));

    RawConnection supplier(fixture().server().url());
    supplier.send(head("/test/run", "Content-Length: 17\r\nExpect: 100-continue\r\n"));
    CPPUNIT_ASSERT_EQUAL(std::string("HTTP/1.1 100 Continue\r\n\r\n"), supplier.receiveUntil("\r\n\r\n"));
    supplier.send(R"({"name":"expect"})");
    CPPUNIT_ASSERT(std::vector<int>{201} == statusesIn(supplier.receiveUntil("}}")));
}

TEST(BodyTest, continueComesOnlyForABodyThatIsWanted) {
    for (const auto& [path, fields] : std::vector<std::pair<std::string, std::string>>{
             {"/nothing", "Content-Length: 2\r\n"}, {"/test/run", "Content-Length: 99999999\r\n"}}) {
        RawConnection connection(fixture().server().url());
        connection.send(head(path, fields + "Expect: 100-continue\r\n"));
        const auto received = connection.receiveUntil("}}");
        CPPUNIT_ASSERT_MESSAGE(received, received.find("100 Continue") == std::string::npos);
    }
}

} // namespace supplierd::tests
