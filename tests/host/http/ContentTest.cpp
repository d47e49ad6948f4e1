#include "tests/host/http/ContentServer.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"
#include "tests/system/fixtures/RawConnection.h"

#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

constexpr std::size_t LARGE = (std::size_t{5} << 20) + 12'345;
constexpr const char* STORED_TAG = "\"v1\"";
constexpr const char* CACHING = "public, max-age=31536000, immutable";

Response served(std::shared_ptr<const Content> content, std::string type = "image/webp") {
    return Response::of(std::move(content), std::move(type))
        .addHeader("ETag", STORED_TAG)
        .addHeader("Cache-Control", CACHING);
}

const std::string& largeBytes() {
    static const std::string bytes = patternBytes(LARGE);
    return bytes;
}

Response picture(Request& request) {
    const auto name = request.pathText("name");
    if (name == "small.webp")
        return served(std::make_shared<FileContent>(patternBytes(1'000)));
    if (name == "large.webp")
        return served(std::make_shared<FileContent>(largeBytes()));
    if (name == "pieces.webp")
        return served(std::make_shared<MemoryContent>(largeBytes()));
    if (name == "empty.webp")
        return served(std::make_shared<FileContent>(""));
    if (name == "plain")
        return Response::of(std::make_shared<MemoryContent>("<script>"), "");
    throw ApiError::notFound("There is no such picture");
}

} // namespace

/// Content over real connections.
class ContentTest : public CppUnit::TestFixture {
protected:
    HttpResponse range(const std::string& name, const std::string& value) {
        return _client.get("/media/ab/cd/" + name, {{"Range", value}});
    }

    static void requireFields(const HttpResponse& response) {
        CPPUNIT_ASSERT_EQUAL(std::string(STORED_TAG), response.header("ETag"));
        CPPUNIT_ASSERT_EQUAL(std::string(CACHING), response.header("Cache-Control"));
        CPPUNIT_ASSERT_EQUAL(std::string("nosniff"), response.header("X-Content-Type-Options"));
        CPPUNIT_ASSERT_EQUAL(std::string("bytes"), response.header("Accept-Ranges"));
    }

    ContentServer _server{std::vector{publicRoute("/media/{a}/{b}/{name}", picture)}};
    HttpClient _client{_server.client()};
};

TEST(ContentTest, bytesComeAsTheyAre) {
    const auto response = _client.get("/media/ab/cd/small.webp");
    CPPUNIT_ASSERT_EQUAL(200, response.status);
    CPPUNIT_ASSERT_EQUAL(patternBytes(1'000), response.body);
    requireFields(response);
    CPPUNIT_ASSERT_EQUAL(std::string("1000"), response.header("Content-Length"));
    CPPUNIT_ASSERT_EQUAL(std::string("image/webp"), response.header("Content-Type"));
    CPPUNIT_ASSERT(!response.hasHeader("Content-Range"));
    CPPUNIT_ASSERT(!response.header("X-Request-Id").empty());
}

TEST(ContentTest, largeContentComesWholeFromAFileAndInPieces) {
    const auto& expected = largeBytes();
    for (const auto* name : {"large.webp", "pieces.webp"})
        CPPUNIT_ASSERT_MESSAGE(name, _client.get(std::string("/media/ab/cd/") + name).body == expected);
}

TEST(ContentTest, headHasTheSameFieldsAndNoBody) {
    const auto whole = _client.get("/media/ab/cd/small.webp");
    const auto head = _client.request("HEAD", "/media/ab/cd/small.webp");
    CPPUNIT_ASSERT_EQUAL(200, head.status);
    CPPUNIT_ASSERT(head.body.empty());
    for (const auto& [name, value] : whole.headers)
        if (name != "Date" && name != "X-Request-Id")
            CPPUNIT_ASSERT_EQUAL_MESSAGE(name, value, head.header(name));
    CPPUNIT_ASSERT_EQUAL(404, _client.request("HEAD", "/media/ab/cd/none.webp").status);
    CPPUNIT_ASSERT_EQUAL(200, _client.request("HEAD", "/media/ab/cd/large.webp", {{"Range", "bytes=0-1"}}).status);
    CPPUNIT_ASSERT_EQUAL(200, _client.get("/media/ab/cd/small.webp").status);
}

TEST(ContentTest, rangeComesWithItsPlace) {
    const auto part = range("small.webp", "bytes=10-19");
    CPPUNIT_ASSERT_EQUAL(206, part.status);
    CPPUNIT_ASSERT_EQUAL(patternBytes(1'000).substr(10, 10), part.body);
    CPPUNIT_ASSERT_EQUAL(std::string("bytes 10-19/1000"), part.header("Content-Range"));
    CPPUNIT_ASSERT_EQUAL(std::string("10"), part.header("Content-Length"));
    CPPUNIT_ASSERT_EQUAL(std::string("image/webp"), part.header("Content-Type"));
    requireFields(part);
    CPPUNIT_ASSERT_EQUAL(std::string("bytes 990-999/1000"), range("small.webp", "bytes=990-").header("Content-Range"));
    CPPUNIT_ASSERT_EQUAL(std::string("bytes 999-999/1000"), range("small.webp", "bytes=-1").header("Content-Range"));
    CPPUNIT_ASSERT_EQUAL(200, range("small.webp", "bytes=0-1,4-5").status);
    CPPUNIT_ASSERT_EQUAL(200, range("small.webp", "bytes=oops").status);
}

TEST(ContentTest, rangesOfLargeContentAreExact) {
    const auto& expected = largeBytes();
    for (const auto* name : {"large.webp", "pieces.webp"}) {
        const auto part = range(name, "bytes=131071-3000000");
        CPPUNIT_ASSERT_EQUAL(206, part.status);
        CPPUNIT_ASSERT_MESSAGE(name, part.body == expected.substr(131'071, 3'000'000 - 131'071 + 1));
        CPPUNIT_ASSERT_MESSAGE(name, range(name, "bytes=-100000").body == expected.substr(LARGE - 100'000));
    }
}

TEST(ContentTest, unsatisfiableRangeSaysTheSizeAndIsNotCached) {
    const auto refused = range("small.webp", "bytes=1000-");
    CPPUNIT_ASSERT_EQUAL(416, refused.status);
    CPPUNIT_ASSERT_EQUAL(std::string("bytes */1000"), refused.header("Content-Range"));
    CPPUNIT_ASSERT_EQUAL(std::string("RANGE_NOT_SATISFIABLE"), refused.error().at("code").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("private, no-cache"), refused.header("Cache-Control"));
    CPPUNIT_ASSERT(!refused.hasHeader("ETag"));
    CPPUNIT_ASSERT_EQUAL(200, _client.get("/media/ab/cd/small.webp").status);
}

TEST(ContentTest, unchangedContentIsNotSentAgain) {
    for (const auto* method : {"GET", "HEAD"}) {
        const auto unchanged =
            _client.request(method, "/media/ab/cd/large.webp", {{"If-None-Match", "\"v0\", W/\"v1\""}});
        CPPUNIT_ASSERT_EQUAL(304, unchanged.status);
        CPPUNIT_ASSERT_EQUAL(std::string(STORED_TAG), unchanged.header("ETag"));
        CPPUNIT_ASSERT_EQUAL(std::string(CACHING), unchanged.header("Cache-Control"));
        CPPUNIT_ASSERT(!unchanged.hasHeader("Content-Length") && !unchanged.hasHeader("Content-Type"));
    }
    CPPUNIT_ASSERT_EQUAL(200, _client.get("/media/ab/cd/small.webp", {{"If-None-Match", "\"v0\""}}).status);
}

TEST(ContentTest, staleConditionIsRefusedInAnEnvelope) {
    const auto refused = _client.get("/media/ab/cd/small.webp", {{"If-Match", "\"v0\""}});
    CPPUNIT_ASSERT_EQUAL(412, refused.status);
    CPPUNIT_ASSERT_EQUAL(std::string("PRECONDITION_FAILED"), refused.error().at("code").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(200, _client.get("/media/ab/cd/small.webp", {{"If-Match", STORED_TAG}}).status);
}

TEST(ContentTest, ifRangeOfAnotherVersionGivesTheWhole) {
    const auto under = [&](const char* condition) {
        return _client.get("/media/ab/cd/small.webp", {{"Range", "bytes=0-9"}, {"If-Range", condition}}).status;
    };
    CPPUNIT_ASSERT_EQUAL(206, under(STORED_TAG));
    CPPUNIT_ASSERT_EQUAL(200, under("\"v0\""));
    CPPUNIT_ASSERT_EQUAL(200, under("W/\"v1\""));
    CPPUNIT_ASSERT_EQUAL(200, under("Sat, 21 Nov 2026 10:00:00 GMT"));
}

TEST(ContentTest, emptyContentHasNoBody) {
    const auto response = _client.get("/media/ab/cd/empty.webp");
    CPPUNIT_ASSERT_EQUAL(200, response.status);
    CPPUNIT_ASSERT_EQUAL(std::string("0"), response.header("Content-Length"));
    CPPUNIT_ASSERT(response.body.empty());
    CPPUNIT_ASSERT_EQUAL(416, range("empty.webp", "bytes=0-").status);
    CPPUNIT_ASSERT_EQUAL(200, range("empty.webp", "bytes=-1").status);
}

TEST(ContentTest, contentWithoutATypeIsNotSniffed) {
    const auto response = _client.get("/media/ab/cd/plain");
    CPPUNIT_ASSERT_EQUAL(std::string("application/octet-stream"), response.header("Content-Type"));
    CPPUNIT_ASSERT_EQUAL(std::string("nosniff"), response.header("X-Content-Type-Options"));
    CPPUNIT_ASSERT_EQUAL(std::string("private, no-cache"), response.header("Cache-Control"));
}

/// Every kind of answer leaves the connection at the beginning of the next request.
TEST(ContentTest, oneConnectionServesAnythingInTurn) {
    RawConnection connection("127.0.0.1", _server.address().port());
    const auto ask = [&](const std::string& head, const std::string& expected) {
        connection.send(head + " HTTP/1.1\r\nHost: a\r\n\r\n");
        const auto answer = connection.receiveUntil("\r\n\r\n");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(head, expected, answer.substr(9, 3));
    };
    connection.send("GET /media/ab/cd/small.webp HTTP/1.1\r\nHost: a\r\nRange: bytes=5000-\r\n\r\n");
    connection.receiveUntil("}}");
    connection.send("GET /media/ab/cd/small.webp HTTP/1.1\r\nHost: a\r\nIf-None-Match: *\r\n\r\n");
    connection.receiveUntil("\r\n\r\n");
    connection.send("GET /media/ab/cd/small.webp HTTP/1.1\r\nHost: a\r\nRange: bytes=998-\r\n\r\n");
    connection.receiveUntil("\r\n\r\n" + patternBytes(1'000).substr(998));
    ask("HEAD /media/ab/cd/large.webp", "200");
    ask("HEAD /media/ab/cd/none.webp", "404");
    ask("HEAD /media/ab/cd/small.webp", "200");
    connection.send("GET /media/ab/cd/none.webp HTTP/1.1\r\nHost: a\r\n\r\n");
    connection.receiveUntil("}}");
    ask("HEAD /media/ab/cd/empty.webp", "200");
    CPPUNIT_ASSERT(!connection.closed());
}

TEST(ContentTest, pipelinedRequestsAreAnsweredInOrder) {
    RawConnection connection("127.0.0.1", _server.address().port());
    std::string requests;
    for (const auto* range : {"bytes=0-1", "bytes=2-5", "bytes=-3"})
        requests += std::string("GET /media/ab/cd/large.webp HTTP/1.1\r\nHost: a\r\nRange: ") + range + "\r\n\r\n";
    connection.send(requests + "GET /media/ab/cd/plain HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto received = connection.receiveUntil("<script>");
    const auto& all = largeBytes();
    std::size_t at = 0;
    for (const auto& part : {all.substr(0, 2), all.substr(2, 4), all.substr(LARGE - 3)}) {
        at = received.find("\r\n\r\n" + part + "HTTP/1.1 2", at);
        CPPUNIT_ASSERT_MESSAGE(received, at != std::string::npos);
        ++at;
    }
}

TEST(ContentTest, oldClientsGetTheirConnectionClosed) {
    RawConnection connection("127.0.0.1", _server.address().port());
    connection.send("GET /media/ab/cd/small.webp HTTP/1.0\r\n\r\n");
    const auto received = connection.receiveAll(std::chrono::seconds(30));
    CPPUNIT_ASSERT(connection.closed());
    CPPUNIT_ASSERT(received.starts_with("HTTP/1.0 200 "));
    CPPUNIT_ASSERT(received.ends_with("\r\n\r\n" + patternBytes(1'000)));
}

TEST(ContentTest, pathTricksLeadNowhere) {
    for (const auto* path : {"/media/../x",
                             "/media/ab/../small.webp",
                             "/media/./cd/small.webp",
                             "/media/%2e%2e/cd/small.webp",
                             "/media/ab/%2E%2e/small.webp",
                             "/media/ab/cd/..",
                             "/media/ab/cd/%2e",
                             "/media//ab/small.webp",
                             "//media/ab/cd/small.webp",
                             "/media/ab/cd//small.webp",
                             "/media/ab/cd/small.webp/",
                             "/media/ab/cd/",
                             "/media/",
                             "/media",
                             "/media/ab/cd",
                             "/media/ab/cd/small.webp%2f",
                             "/media/ab/cd/%2e%2e%2fsmall.webp",
                             "/media%2fab%2fcd%2fsmall.webp",
                             "/media/ab/cd/small.webp;x",
                             "/media/ab/cd/SMALL.webp",
                             "/MEDIA/ab/cd/small.webp"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(path, 404, _client.get(path).status);
    for (const auto* path : {"/media/ab/cd/small.webp%00", "/media/ab/cd/%00", "/media/%zz/cd/small.webp",
                             "/media/ab/cd/%c0%ae%c0%ae", "/media/ab/cd/small.webp%"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(path, 400, _client.get(path).status);
    CPPUNIT_ASSERT_EQUAL(200, _client.get("/media/ab/cd/sm%61ll.webp").status);
}

TEST(ContentTest, otherMethodsAreRefused) {
    const auto refused = _client.request("DELETE", "/media/ab/cd/small.webp");
    CPPUNIT_ASSERT_EQUAL(405, refused.status);
    CPPUNIT_ASSERT_EQUAL(std::string("GET, HEAD"), refused.header("Allow"));
    CPPUNIT_ASSERT_EQUAL(405, _client.postEmpty("/media/ab/cd/small.webp").status);
}

TEST(ContentTest, bytesAreAccounted) {
    range("small.webp", "bytes=10-19");
    _client.request("HEAD", "/media/ab/cd/small.webp");
    _client.get("/media/ab/cd/large.webp");
    _server.waitUntilIdle();
    const auto log = _server.accessLog();
    const auto requireLine = [&](const std::string& text) { requireIn(text, log); };
    requireLine(R"("route":"/media/{a}/{b}/{name}","status":206,"bytes":10,"ms")");
    requireLine(R"("method":"HEAD","route":"/media/{a}/{b}/{name}","status":200,"bytes":0,"ms")");
    requireLine(R"("status":200,"bytes":)" + std::to_string(LARGE) + ",\"ms\"");
    const auto metrics = _server.metrics();
    const auto total = "supplierd_content_bytes_total " + std::to_string(LARGE + 10) + "\n";
    requireIn(total, metrics);
}

} // namespace supplierd::tests
