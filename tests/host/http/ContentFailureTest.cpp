#include "tests/host/http/ContentServer.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"
#include "tests/system/fixtures/RawConnection.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

namespace {

constexpr std::size_t CONTENT_SIZE = 1'000'000;
/// More than the kernel's buffers of both ends hold.
constexpr std::uint64_t WIDE = std::uint64_t{1} << 30;

class ThrowingContent final : public MemoryContent {
public:
    ThrowingContent() : MemoryContent(patternBytes(CONTENT_SIZE)) {}
    std::string read(std::uint64_t offset, std::size_t wanted) const override {
        if (offset > CONTENT_SIZE / 2)
            throw std::runtime_error("the disk is gone: tulip-secret");
        return MemoryContent::read(offset, wanted);
    }
};

class StrangeContent final : public MemoryContent {
public:
    StrangeContent() : MemoryContent(patternBytes(CONTENT_SIZE)) {}
    std::string read(std::uint64_t, std::size_t) const override { throw 42; }
};

class ShortContent final : public MemoryContent {
public:
    ShortContent() : MemoryContent(patternBytes(CONTENT_SIZE)) {}
    std::string read(std::uint64_t offset, std::size_t wanted) const override {
        return MemoryContent::read(offset, offset > 0 ? wanted - 1 : wanted);
    }
};

class SizelessContent final : public MemoryContent {
public:
    SizelessContent() : MemoryContent("") {}
    std::uint64_t size() const override { throw std::runtime_error("no size: tulip-secret"); }
};

/// Its descriptor is a folder, which the kernel does not send.
class FolderContent final : public MemoryContent {
public:
    FolderContent() : MemoryContent(patternBytes(CONTENT_SIZE)) {}
    ~FolderContent() override { ::close(_descriptor); }
    int descriptor() const override { return _descriptor; }

private:
    const int _descriptor = ::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
};

/// A file that lost its second half.
Response truncated() {
    auto content = std::make_shared<FileContent>(patternBytes(CONTENT_SIZE));
    content->truncate(CONTENT_SIZE / 2);
    return Response::of(content, "image/png");
}

Response broken(Request& request) {
    const auto how = request.pathText("how");
    if (how == "throws")
        return Response::of(std::make_shared<ThrowingContent>(), "image/png");
    if (how == "strange")
        return Response::of(std::make_shared<StrangeContent>(), "image/png");
    if (how == "short")
        return Response::of(std::make_shared<ShortContent>(), "image/png");
    if (how == "sizeless")
        return Response::of(std::make_shared<SizelessContent>(), "image/png");
    if (how == "folder")
        return Response::of(std::make_shared<FolderContent>(), "image/png");
    if (how == "truncated")
        return truncated();
    if (how == "wide")
        return Response::of(std::make_shared<WideContent>(WIDE), "image/png");
    return Response::of(std::make_shared<MemoryContent>("good"), "image/png");
}

Response misused(Request& request) {
    auto response = Response::of(std::make_shared<MemoryContent>("tulip-secret"), "image/png");
    const auto how = request.pathText("how");
    if (how == "status")
        response.status = 201;
    if (how == "length")
        response.addHeader("content-length", "5");
    if (how == "type")
        response.addHeader("Content-Type", "text/html");
    if (how == "line")
        response.contentType = "image/png\r\nX-Injected: 1";
    if (how == "tag")
        response.addHeader("ETag", "v1");
    return response;
}

} // namespace

/// Content that breaks, and clients that go away or stand still.
class ContentFailureTest : public CppUnit::TestFixture {
public:
    void setUp() override { start(std::chrono::seconds(30)); }

protected:
    void start(std::chrono::milliseconds requestTimeout) {
        _server.reset();
        _server = std::make_unique<ContentServer>(std::vector{publicRoute("/broken/{how}", broken),
                                                              publicRoute("/misused/{how}", misused),
                                                              publicRoute("/misused/{how}", misused, Method::Post)},
                                                  requestTimeout);
    }

    std::unique_ptr<ContentServer> _server;
};

TEST(ContentFailureTest, contentThatBreaksNeverLooksWhole) {
    for (const auto* how : {"throws", "strange", "short", "truncated"}) {
        RawConnection connection("127.0.0.1", _server->address().port());
        connection.send(std::string("GET /broken/") + how + " HTTP/1.1\r\nHost: a\r\n\r\n");
        const auto received = connection.receiveAll(std::chrono::seconds(30));
        CPPUNIT_ASSERT_MESSAGE(how, connection.closed());
        const auto body = received.substr(received.find("\r\n\r\n") + 4);
        CPPUNIT_ASSERT_MESSAGE(how, received.find("Content-Length: 1000000\r\n") != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(how, body.size() < CONTENT_SIZE);
        CPPUNIT_ASSERT_MESSAGE(how, patternBytes(CONTENT_SIZE).starts_with(body));
    }
    CPPUNIT_ASSERT_EQUAL(std::string("good"), _server->client().get("/broken/not").body);
}

TEST(ContentFailureTest, whatTheKernelCannotSendIsRead) {
    CPPUNIT_ASSERT(_server->client().get("/broken/folder").body == patternBytes(CONTENT_SIZE));
}

TEST(ContentFailureTest, brokenContentIsLoggedAndCounted) {
    CPPUNIT_ASSERT_THROW(_server->client().get("/broken/throws", {{"X-Request-Id", "r-7"}}), std::exception);
    _server->waitUntilIdle();
    const auto log = _server->log();
    requireIn("content was cut off: the disk is gone: tulip-secret", log);
    requireIn(R"("request_id":"r-7")", log);
    requireIn(R"("status":200,"bytes":524288,"cut_off":true,)", _server->accessLog());
    requireIn(R"(supplierd_content_cut_off_total{by="content"} 1)", _server->metrics());
}

TEST(ContentFailureTest, contentWithoutASizeIsAnInternalError) {
    auto client = _server->client();
    const auto failed = client.get("/broken/sizeless");
    CPPUNIT_ASSERT_EQUAL(500, failed.status);
    CPPUNIT_ASSERT_EQUAL(std::string("application/json"), failed.header("Content-Type"));
    CPPUNIT_ASSERT(failed.body.find("tulip-secret") == std::string::npos);
    CPPUNIT_ASSERT_EQUAL(200, client.get("/broken/not").status);
}

TEST(ContentFailureTest, misusedContentIsAnInternalError) {
    auto client = _server->client();
    for (const auto* how : {"status", "length", "type", "line", "tag"}) {
        const auto failed = client.get(std::string("/misused/") + how);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(how, 500, failed.status);
        CPPUNIT_ASSERT_MESSAGE(how, !failed.hasHeader("X-Injected"));
        CPPUNIT_ASSERT_MESSAGE(how, failed.body.find("tulip-secret") == std::string::npos);
    }
    CPPUNIT_ASSERT_EQUAL(200, client.get("/misused/not").status);
    CPPUNIT_ASSERT_EQUAL(500, client.postEmpty("/misused/not").status);
}

TEST(ContentFailureTest, clientThatGoesAwayFreesItsWorker) {
    {
        RawConnection connection("127.0.0.1", _server->address().port());
        connection.send("GET /broken/wide HTTP/1.1\r\nHost: a\r\n\r\n");
        connection.receiveUntil("\r\n\r\nwww");
    }
    _server->waitUntilIdle();
    requireIn(R"("cut_off":true)", _server->accessLog());
    requireIn(R"(supplierd_content_cut_off_total{by="client"} 1)", _server->metrics());
    CPPUNIT_ASSERT_EQUAL(std::string(), _server->log());
}

TEST(ContentFailureTest, clientThatStandsStillIsCutOff) {
    start(std::chrono::milliseconds(200));
    RawConnection connection("127.0.0.1", _server->address().port());
    connection.send("GET /broken/wide HTTP/1.1\r\nHost: a\r\n\r\n");
    connection.receiveUntil("\r\n\r\n");
    _server->waitUntilIdle();
    const auto received = connection.receiveAll(std::chrono::seconds(30));
    CPPUNIT_ASSERT(connection.closed());
    CPPUNIT_ASSERT(received.size() < WIDE);
    requireIn(R"("cut_off":true)", _server->accessLog());
    CPPUNIT_ASSERT_EQUAL(std::string("good"), _server->client().get("/broken/not").body);
}

TEST(ContentFailureTest, stoppingTheServerFreesAWorkerThatSends) {
    RawConnection connection("127.0.0.1", _server->address().port());
    connection.send("GET /broken/wide HTTP/1.1\r\nHost: a\r\n\r\n");
    connection.receiveUntil("\r\n\r\nwww");
    CPPUNIT_ASSERT(!_server->stop(std::chrono::milliseconds(0)));
    _server->waitUntilIdle();
    requireIn("\"cut_off\":true", _server->accessLog());
}

/// A response that a worker had begun and no worker goes on with, because all have something else to do.
TEST(ContentFailureTest, stoppingTheServerEndsWhatWaitsForAWorker) {
    std::latch release(1);
    std::atomic<int> held = 0;
    const auto hold = [&](Request&) {
        ++held;
        release.wait();
        return Response::of(std::make_shared<MemoryContent>("held"), "image/png");
    };
    _server.reset();
    ContentServer server({publicRoute("/broken/{how}", broken), publicRoute("/hold", hold)}, std::chrono::seconds(30));
    RawConnection reader("127.0.0.1", server.address().port());
    reader.send("GET /broken/wide HTTP/1.1\r\nHost: a\r\n\r\n");
    reader.receiveUntil("\r\n\r\nwww");
    std::vector<std::unique_ptr<RawConnection>> holders;
    for (int i = 0; i < ContentServer::THREADS; ++i) {
        holders.push_back(std::make_unique<RawConnection>("127.0.0.1", server.address().port()));
        holders.back()->send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    while (held < ContentServer::THREADS) // a client that stands still holds no worker
        std::this_thread::yield();
    reader.receiveAll(std::chrono::milliseconds(20)); // all that was sent, so that the gate needs more
    while (server.waiting() == 0)
        std::this_thread::yield();
    server.stop(std::chrono::milliseconds(0));
    release.count_down();
    server.waitUntilIdle();
    requireIn("\"cut_off\":true", server.accessLog());
}

} // namespace supplierd::tests
