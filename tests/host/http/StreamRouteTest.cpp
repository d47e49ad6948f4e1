#include "tests/host/http/ContentServer.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"
#include "tests/system/fixtures/RawConnection.h"

#include <supplierd/Validation.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

/// Lines of text that are made while they are sent.
class Lines final : public ContentStream {
public:
    Lines(std::int64_t lines, std::int64_t failsAt) : _lines(lines), _failsAt(failsAt) {}

    std::size_t read(std::span<char> to) override {
        if (_line.empty() && _next < _lines) {
            if (++_next == _failsAt)
                throw std::runtime_error("the export broke: tulip-secret");
            _line = "line " + std::to_string(_next) + "\n";
        }
        const auto size = std::min(_line.size(), to.size());
        std::copy_n(_line.begin(), size, to.begin());
        _line.erase(0, size);
        return size;
    }

private:
    std::int64_t _lines;
    std::int64_t _failsAt;
    std::int64_t _next = 0;
    std::string _line;
};

Response send(Request& request) {
    Details details;
    QueryReader query(request.query(), details);
    const auto lines = query.integer("lines", 0).value_or(0);
    const auto failsAt = query.integer("fails_at", 1).value_or(0);
    details.throwIfAny();
    return Response::of(std::make_shared<Lines>(lines, failsAt), "text/csv; charset=utf-8");
}

/// "7 bytes of 7, 2 lines"
Response take(Request& request) {
    auto& body = request.rawBody();
    std::array<char, 1'000> piece{};
    std::size_t bytes = 0;
    std::ptrdiff_t lines = 0;
    while (const auto size = body.read(piece)) {
        bytes += size;
        lines += std::count(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(size), '\n');
    }
    return Response::text(std::to_string(bytes) + " bytes of " + std::to_string(body.size()) + ", " +
                          std::to_string(lines) + " lines");
}

std::vector<Route> streamRoutes() {
    Route upload = publicRoute("/upload", take, Method::Post);
    upload.maxBody = 4 << 20;
    upload.accepts = {"text/csv", "multipart/form-data"};
    Route ignored = publicRoute(
        "/ignored", [](Request&) { return Response::text("unread"); }, Method::Post);
    upload.body = ignored.body = Body::Raw;
    return {upload, ignored, publicRoute("/export", send)};
}

} // namespace

/// Bodies that a handler reads as bytes, and answers that are made while they are sent.
class StreamRouteTest : public CppUnit::TestFixture {
protected:
    HttpResponse upload(const std::string& body, const std::string& type = "text/csv; charset=utf-8") {
        return _client.request("POST", "/upload", {{"Content-Type", type}}, body);
    }

    static std::string head(const std::string& path, std::size_t length, const std::string& more = {}) {
        return "POST " + path +
               " HTTP/1.1\r\nHost: h\r\nContent-Type: text/csv\r\nContent-Length: " + std::to_string(length) + "\r\n" +
               more + "\r\n";
    }

    ContentServer _server{streamRoutes()};
    HttpClient _client = _server.client();
};

TEST(StreamRouteTest, rawBodyLargerThanTheServersLimitIsReadInPieces) {
    std::string csv;
    while (csv.size() < 3'000'000)
        csv += "1,Rose,\xff\n";
    const auto bytes = std::to_string(csv.size());
    CPPUNIT_ASSERT_EQUAL(bytes + " bytes of " + bytes + ", " + std::to_string(csv.size() / 9) + " lines",
                         upload(csv).body);
}

TEST(StreamRouteTest, rawBodyIsAskedForAndLeavesTheConnection) {
    RawConnection connection("127.0.0.1", _server.address().port());
    connection.send(head("/upload", 8, "Expect: 100-continue\r\n"));
    connection.receiveUntil("100 Continue");
    connection.send("a,b\n");
    connection.send("c,d\n");
    connection.receiveUntil("8 bytes of 8, 2 lines");
    connection.send(head("/upload", 2) + "x\n");
    connection.receiveUntil("2 bytes of 2, 1 lines");
}

TEST(StreamRouteTest, rawBodyHasTheTypesAndTheLimitOfItsRoute) {
    const auto wrong = upload("{}", "application/json");
    CPPUNIT_ASSERT_EQUAL(415, wrong.status);
    requireIn("text/csv, multipart/form-data", wrong.body);
    CPPUNIT_ASSERT_EQUAL(200, upload("--x--", "multipart/form-data; boundary=x").status);
    const auto large = upload(std::string((4 << 20) + 1, 'x'));
    CPPUNIT_ASSERT_EQUAL(413, large.status);
    requireIn("4194304 bytes", large.body);
    RawConnection connection("127.0.0.1", _server.address().port());
    connection.send("POST /upload HTTP/1.1\r\nHost: h\r\nContent-Type: text/csv\r\n\r\n");
    connection.receiveUntil("411");
}

TEST(StreamRouteTest, rawBodyThatEndsEarlyIsRefused) {
    RawConnection connection("127.0.0.1", _server.address().port());
    connection.send(head("/upload", 100) + "half");
    connection.finishSending();
    requireIn("BAD_REQUEST", connection.receiveAll(std::chrono::seconds(30)));
}

/// The gate has taken it whole, whether the handler reads it or not.
TEST(StreamRouteTest, unreadRawBodyIsNoRequest) {
    const std::string body = "GET /export?lines=1 HTTP/1.1\r\n\r\n";
    RawConnection connection("127.0.0.1", _server.address().port());
    connection.send(head("/ignored", body.size()) + body);
    const auto received = connection.receiveAll(std::chrono::seconds(1));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, statusesIn(received).size());
    requireIn("unread", received);
}

TEST(StreamRouteTest, shortStreamHasALength) {
    const auto response = _client.get("/export?lines=2");
    CPPUNIT_ASSERT_EQUAL(200, response.status);
    CPPUNIT_ASSERT_EQUAL(std::string("line 1\nline 2\n"), response.body);
    CPPUNIT_ASSERT_EQUAL(std::string("14"), response.header("Content-Length"));
    CPPUNIT_ASSERT_EQUAL(std::string("text/csv; charset=utf-8"), response.header("Content-Type"));
    CPPUNIT_ASSERT(_client.get("/export?lines=0").body.empty());
}

TEST(StreamRouteTest, longStreamIsChunked) {
    const auto response = _client.get("/export?lines=100000");
    CPPUNIT_ASSERT_EQUAL(std::string("chunked"), response.header("Transfer-Encoding"));
    CPPUNIT_ASSERT(!response.hasHeader("Content-Length"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1'088'895}, response.body.size());
    CPPUNIT_ASSERT(response.body.ends_with("\nline 100000\n"));
    CPPUNIT_ASSERT_EQUAL(200, _client.request("HEAD", "/export?lines=100000").status);
    CPPUNIT_ASSERT_EQUAL(200, _client.get("/export?lines=1").status);
}

TEST(StreamRouteTest, longStreamToAnOldClientEndsWithTheConnection) {
    RawConnection connection("127.0.0.1", _server.address().port());
    connection.send("GET /export?lines=20000 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    const auto received = connection.receiveAll(std::chrono::seconds(30));
    CPPUNIT_ASSERT(connection.closed());
    CPPUNIT_ASSERT(received.find("chunked") == std::string::npos);
    CPPUNIT_ASSERT(received.find("Content-Length") == std::string::npos);
    CPPUNIT_ASSERT(received.ends_with("\nline 20000\n"));
}

TEST(StreamRouteTest, streamThatFailsAtOnceIsAnError) {
    const auto response = _client.get("/export?lines=100000&fails_at=10");
    CPPUNIT_ASSERT_EQUAL(500, response.status);
    CPPUNIT_ASSERT_EQUAL(std::string("SERVER_ERROR"), response.error().at("code").get<std::string>());
    CPPUNIT_ASSERT(response.body.find("tulip") == std::string::npos);
}

TEST(StreamRouteTest, streamThatFailsLaterIsBrokenOff) {
    RawConnection connection("127.0.0.1", _server.address().port());
    connection.send("GET /export?lines=100000&fails_at=90000 HTTP/1.1\r\nHost: h\r\n\r\n");
    const auto received = connection.receiveAll(std::chrono::seconds(30));
    CPPUNIT_ASSERT(connection.closed());
    requireIn("line 1\n", received);
    CPPUNIT_ASSERT(!received.ends_with("0\r\n\r\n")); // so the client knows that it is not all
    _server.waitUntilIdle();
    requireIn("tulip-secret", _server.log());
}

} // namespace supplierd::tests
