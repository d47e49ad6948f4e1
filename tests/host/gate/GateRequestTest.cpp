#include "tests/host/gate/GateServer.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;

namespace {} // namespace

/// How requests come to a worker: whole, in order, and nothing else.
class GateRequestTest : public CppUnit::TestFixture {};

TEST(GateRequestTest, requestOnAKeptConnectionIsAnswered) {
    GateServer server(oneWorker());
    auto connection = server.connect();
    for (int i = 0; i < 3; ++i) {
        connection.send("GET /echo?" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\n\r\n");
        requireIn("GET /echo?" + std::to_string(i) + " ",
                  connection.receiveUntil("GET /echo?" + std::to_string(i) + " "));
    }
}

// Wherever the bytes are split, every request gets its own response, in its place.
TEST(GateRequestTest, pipelinedRequestsSplitAtEveryByteAreAnsweredInOrder) {
    GateServer server(oneWorker());
    std::string requests;
    std::string expected;
    for (int i = 0; i < 4; ++i) {
        const auto mark = std::to_string(1'000 + i);
        requests += "GET /echo/" + mark + " HTTP/1.1\r\nHost: a\r\n\r\n";
        requests += "POST /echo/" + mark + " HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nb-" + mark;
        requests += "POST /echo/" + mark +
                    " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nc-\r\n4\r\n" + mark +
                    "\r\n0\r\n\r\n";
        for (const auto& body :
             {"GET /echo/" + mark + " ", "POST /echo/" + mark + " b-" + mark, "POST /echo/" + mark + " c-" + mark})
            expected += "HTTP/1.1 200 X\r\nConnection: keep-alive\r\nContent-Length: " + std::to_string(body.size()) +
                        "\r\n\r\n" + body;
    }
    const std::string last = "GET /echo/last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    for (std::size_t split = 1; split < requests.size(); ++split) {
        auto connection = server.connect();
        connection.send(requests.substr(0, split));
        if (split % 8 == 0) // the first piece is read alone at times
            std::this_thread::yield();
        connection.send(requests.substr(split) + last);
        const auto received = connection.receiveAll(30s);
        CPPUNIT_ASSERT_MESSAGE(std::to_string(split), received.starts_with(expected));
        CPPUNIT_ASSERT_MESSAGE(std::to_string(split), received.ends_with("GET /echo/last "));
    }
}

// More than the gate reads at once.
TEST(GateRequestTest, manyPipelinedRequestsInOnePieceAreAnsweredInOrder) {
    GateServer server(oneWorker());
    auto connection = server.connect();
    std::string requests;
    for (int i = 0; i < 5'000; ++i)
        requests += "GET /echo/" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\n\r\n";
    connection.send(requests);
    const auto received = connection.receiveUntil("GET /echo/4999 ");
    std::size_t at = 0;
    for (int i = 0; i < 5'000; ++i) {
        const auto next = received.find("GET /echo/", at);
        CPPUNIT_ASSERT_EQUAL("GET /echo/" + std::to_string(i) + " ",
                             received.substr(next, received.find(' ', next + 4) + 1 - next));
        at = next + 1;
    }
}

TEST(GateRequestTest, slowHeadsHoldNoWorker) {
    GateServer server(oneWorker());
    std::vector<RawConnection> slow;
    for (int i = 0; i < 200; ++i) {
        slow.push_back(server.connect());
        slow.back().send("GET /echo HTTP/1.1\r\nHost: a\r\nX-Sl");
    }
    requireIn("GET /echo ", server.ask("GET /echo"));
    slow.front().send("ow: yes\r\n\r\n");
    requireIn("GET /echo ", slow.front().receiveUntil("GET /echo "));
}

TEST(GateRequestTest, slowBodiesHoldNoWorker) {
    GateServer server(oneWorker());
    std::vector<RawConnection> slow;
    for (int i = 0; i < 200; ++i) {
        slow.push_back(server.connect());
        slow.back().send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf-");
    }
    requireIn("GET /echo ", server.ask("GET /echo"));
    slow.front().send("whole");
    requireIn("POST /echo half-whole", slow.front().receiveUntil("half-whole"));
}

TEST(GateRequestTest, headThatDoesNotComeInTimeIs408) {
    auto settings = oneWorker();
    settings.headTimeout = 200ms;
    GateServer server(settings);
    auto connection = server.connect();
    connection.send("GET /echo HTTP/1.1\r\nHost: a\r\n");
    const auto received = connection.receiveAll(30s);
    CPPUNIT_ASSERT_MESSAGE(received, received.starts_with("HTTP/1.1 408 "));
    requireIn("\r\nConnection: Close\r\n", received);
    requireIn("{\"reason\":\"head_time\"}", received);
    CPPUNIT_ASSERT(connection.closed());
}

TEST(GateRequestTest, idleConnectionIsClosedWithoutAWord) {
    auto settings = oneWorker();
    settings.keepAliveTimeout = 200ms;
    settings.headTimeout = 200ms;
    GateServer server(settings);
    auto fresh = server.connect();
    auto used = server.connect();
    used.send("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
    used.receiveUntil("GET /echo ");
    CPPUNIT_ASSERT_EQUAL(std::string(), used.receiveAll(30s));
    CPPUNIT_ASSERT(used.closed());
    CPPUNIT_ASSERT_EQUAL(std::string(), fresh.receiveAll(30s));
    CPPUNIT_ASSERT(fresh.closed());
    CPPUNIT_ASSERT_EQUAL(0, server.refused());
}

TEST(GateRequestTest, bodyThatStandsStillIsBroken) {
    auto settings = oneWorker();
    settings.patience = 200ms;
    GateServer server(settings);
    auto connection = server.connect();
    connection.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf-");
    const auto received = connection.receiveAll(30s);
    CPPUNIT_ASSERT_MESSAGE(received, received.starts_with("HTTP/1.1 400 "));
    CPPUNIT_ASSERT(connection.closed());
}

// It never stands still for the patience, and would be there in three seconds.
TEST(GateRequestTest, bodySlowerThanTheLeastRateIsBroken) {
    auto settings = oneWorker();
    settings.patience = 300ms;
    settings.bytesPerSecond = 1'000'000'000;
    GateServer server(settings);
    auto connection = server.connect();
    constexpr int PIECES = 300;
    constexpr std::size_t PIECE = 65'536;
    connection.send("POST /raw HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(PIECES * PIECE) + "\r\n\r\n");
    std::string received;
    for (int i = 0; i < PIECES && received.empty(); ++i) {
        connection.send(letters(PIECE));
        connection.receiveSome(received, 10ms);
    }
    received += connection.receiveAll(30s);
    CPPUNIT_ASSERT_MESSAGE(received.substr(0, 100), received.starts_with("HTTP/1.1 400 "));
}

TEST(GateRequestTest, bodyThatEndsEarlyIsBroken) {
    GateServer server(oneWorker());
    for (const char* framing : {"Content-Length: 10\r\n\r\nhalf-", "Transfer-Encoding: chunked\r\n\r\n5\r\nhalf-"}) {
        auto connection = server.connect();
        connection.send(std::string("POST /echo HTTP/1.1\r\nHost: a\r\n") + framing);
        connection.finishSending();
        const auto received = connection.receiveAll(30s);
        CPPUNIT_ASSERT_MESSAGE(received, received.starts_with("HTTP/1.1 400 "));
    }
}

TEST(GateRequestTest, clientThatEndsItsHalfIsAnswered) {
    GateServer server(oneWorker());
    auto connection = server.connect();
    connection.send("GET /echo/1 HTTP/1.1\r\nHost: a\r\n\r\nGET /echo/2 HTTP/1.1\r\nHost: a\r\n\r\n");
    connection.finishSending();
    const auto received = connection.receiveAll(30s);
    requireIn("GET /echo/1 ", received);
    requireIn("GET /echo/2 ", received);
    CPPUNIT_ASSERT(connection.closed());
}

TEST(GateRequestTest, largeBodyComesWholeByWayOfAFile) {
    GateServer server(oneWorker());
    const auto body = letters(3'000'000);
    CPPUNIT_ASSERT(bodyOf(server.ask("POST /raw", body)) == "POST /raw " + body);
}

// While no worker is free it is not written, and no more of it is taken than may be in memory.
TEST(GateRequestTest, largeBodyIsWrittenByAWorker) {
    GateServer server(oneWorker());
    const auto body = letters(3'000'000);
    auto sender = server.connect();
    sender.send("POST /raw HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\n\r\n");
    const auto inBody = [&] {
        return server.gate().phases().at(static_cast<std::size_t>(host::Connection::Phase::Body)) == 1;
    };
    waitFor("the head", inBody);
    auto waiting = server.connect();
    waiting.send("GET /wait HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    waitFor("the worker being busy", [&] { return server.waiting() == 1; });
    sender.send(body.substr(0, 1'000'000));
    waitFor("the body being put off", [&] { return server.gate().queue().waiting() == 1; });
    CPPUNIT_ASSERT(inBody());
    server.let();
    sender.send(body.substr(1'000'000));
    CPPUNIT_ASSERT(bodyOf(sender.receiveAll(30s)) == "POST /raw " + body);
}

TEST(GateRequestTest, bodyThatCannotBeWrittenIsLost) {
    ::setenv("TMPDIR", "/nowhere", 1); // NOLINT(concurrency-mt-unsafe): no other thread yet
    const auto response = GateServer(oneWorker()).ask("POST /raw", letters(3'000'000));
    ::unsetenv("TMPDIR"); // NOLINT(concurrency-mt-unsafe): none any more
    CPPUNIT_ASSERT_MESSAGE(response.substr(0, 100), response.starts_with("HTTP/1.1 400 "));
}

TEST(GateRequestTest, largeChunkedBodyComesWhole) {
    GateServer server(oneWorker());
    const auto body = letters(700'000);
    for (const char* target : {"/raw", "/echo"}) {
        auto connection = server.connect();
        connection.send(std::string("POST ") + target +
                        " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
        for (std::size_t at = 0; at < body.size(); at += 70'000)
            connection.send("11170\r\n" + body.substr(at, 70'000) + "\r\n"); // 70,000
        connection.send("0\r\n\r\n");
        CPPUNIT_ASSERT(bodyOf(connection.receiveAll(30s)) == std::string("POST ") + target + " " + body);
    }
}

TEST(GateRequestTest, bodyLargerThanAskedForIsNot) {
    GateServer server(oneWorker());
    auto connection = server.connect();
    connection.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 15; ++i)
        connection.send("11170\r\n" + letters(70'000) + "\r\n");
    const auto received = connection.receiveAll(30s);
    CPPUNIT_ASSERT_MESSAGE(received.substr(0, 100), received.starts_with("HTTP/1.1 400 "));
}

TEST(GateRequestTest, continueIsSentOnceTheBodyIsWanted) {
    GateServer server(oneWorker());
    auto wanted = server.connect();
    wanted.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
    CPPUNIT_ASSERT_EQUAL(std::string("HTTP/1.1 100 Continue\r\n\r\n"), wanted.receiveUntil("\r\n\r\n"));
    wanted.send("tulip");
    requireIn("POST /echo tulip", wanted.receiveUntil("tulip"));
    auto unwanted = server.connect();
    unwanted.send("POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
    CPPUNIT_ASSERT(unwanted.receiveAll(30s).starts_with("HTTP/1.1 404 "));
}

TEST(GateRequestTest, refusedBodyIsNoRequest) {
    GateServer server(oneWorker());
    const std::string hidden = "GET /echo/hidden HTTP/1.1\r\nHost: a\r\n\r\n";
    for (const auto& framing :
         {"Content-Length: " + std::to_string(hidden.size()) + "\r\n\r\n", "Content-Length: 1000000\r\n\r\n" + hidden,
          std::string("Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")}) {
        auto connection = server.connect();
        connection.send("POST /refused HTTP/1.1\r\nHost: a\r\n" + framing + hidden);
        const auto received = connection.receiveAll(30s);
        CPPUNIT_ASSERT_MESSAGE(received, received.starts_with("HTTP/1.1 404 "));
        CPPUNIT_ASSERT_MESSAGE(received, received.find("hidden") == std::string::npos);
    }
}

TEST(GateRequestTest, brokenHeadIsAnsweredAndNothingBehindItIsRead) {
    GateServer server(oneWorker());
    auto connection = server.connect();
    connection.send("GET /echo/1 HTTP/1.1\r\nHost: a\r\n\r\nGET /echo/2 HTTP/1.1\r\n Host: a\r\n\r\n"
                    "GET /echo/3 HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto received = connection.receiveAll(30s);
    requireIn("GET /echo/1 HTTP/1.1 400 Bad Request\r\n", received);
    CPPUNIT_ASSERT_MESSAGE(received, received.find("/echo/3") == std::string::npos);
    CPPUNIT_ASSERT_EQUAL(1, server.refused());
}

} // namespace supplierd::tests
