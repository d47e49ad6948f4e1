#include "tests/host/gate/GateServer.h"
#include "tests/support/Test.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;

namespace {

/// More than the kernel's buffers of both ends hold.
constexpr std::size_t LARGE = 20'000'000;

} // namespace

/// Clients that take their responses slowly, and what is done when there is too much to do.
class GateResponseTest : public CppUnit::TestFixture {};

TEST(GateResponseTest, slowReadersHoldNoWorkerAndGetEveryByte) {
    GateServer server(oneWorker());
    for (const char* kind : {"/file/", "/source/"}) {
        std::vector<RawConnection> slow;
        for (int i = 0; i < 4; ++i) {
            slow.push_back(server.connect());
            slow.back().send(std::string("GET ") + kind + std::to_string(LARGE) +
                             " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        }
        CPPUNIT_ASSERT_EQUAL(std::string("GET /echo "), bodyOf(server.ask("GET /echo")));
        for (auto& connection : slow)
            CPPUNIT_ASSERT_MESSAGE(kind, bodyOf(connection.receiveAll(30s)) == letters(LARGE));
    }
    waitFor("the ends being told", [&] { return server.sentWhole() == 10; });
    CPPUNIT_ASSERT_EQUAL(0, server.cutOff());
}

TEST(GateResponseTest, everyByteOfAResponseIsCounted) {
    GateServer server(oneWorker());
    std::uint64_t received = 0;
    int responses = 0;
    for (const std::size_t size : {std::size_t{10}, LARGE}) // sent at once, and later
        for (const char* kind : {"/file/", "/source/", "/large/"}) {
            received += server.ask(std::string("GET ") + kind + std::to_string(size)).size();
            ++responses;
        }
    waitFor("the ends being told", [&] { return server.sentWhole() == responses; });
    CPPUNIT_ASSERT_EQUAL(received, server.sentBytes());
}

TEST(GateResponseTest, readerThatTakesNothingIsGivenUp) {
    auto settings = oneWorker();
    settings.patience = 200ms;
    GateServer server(settings);
    auto connection = server.connect();
    connection.send("GET /file/" + std::to_string(LARGE) + " HTTP/1.1\r\nHost: a\r\n\r\n");
    waitFor("the response being cut off", [&] { return server.cutOff() == 1; });
    CPPUNIT_ASSERT(connection.receiveAll(30s).size() < LARGE);
    CPPUNIT_ASSERT(connection.closed());
}

// It takes something all the time, and would have everything in three seconds.
TEST(GateResponseTest, readerSlowerThanTheLeastRateIsGivenUp) {
    auto settings = oneWorker();
    settings.patience = 300ms;
    settings.bytesPerSecond = 1'000'000'000;
    GateServer server(settings);
    auto connection = server.connect();
    connection.send("GET /file/" + std::to_string(LARGE) + " HTTP/1.1\r\nHost: a\r\n\r\n");
    std::string received;
    while (connection.receiveSome(received, 30s))
        std::this_thread::sleep_for(10ms);
    CPPUNIT_ASSERT(connection.closed());
    CPPUNIT_ASSERT(received.size() < LARGE);
    waitFor("the end being told", [&] { return server.cutOff() == 1; });
}

TEST(GateResponseTest, readerThatGoesAwayEndsItsResponse) {
    GateServer server(oneWorker());
    for (const char* kind : {"/file/", "/source/"}) {
        auto connection = server.connect();
        connection.send(std::string("GET ") + kind + std::to_string(LARGE) + " HTTP/1.1\r\nHost: a\r\n\r\n");
        connection.receiveUntil("\r\n\r\n");
    }
    waitFor("the responses being cut off", [&] { return server.cutOff() == 2; });
    waitFor("the connections being closed", [&] { return server.gate().open() == 0; });
}

TEST(GateResponseTest, longRequestMakesRoomForAnother) {
    auto settings = oneWorker();
    settings.workers = 3;
    GateServer server(settings);
    std::vector<RawConnection> waiting;
    for (int i = 1; i <= 2; ++i) {
        waiting.push_back(server.connect());
        waiting.back().send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
        waitFor("the request being worked on",
                [&] { return server.gate().queue().working() == i && server.waiting() == i; });
    }
    CPPUNIT_ASSERT_EQUAL(std::string("GET /echo "), bodyOf(server.ask("GET /echo")));
    server.let();
    for (auto& connection : waiting)
        connection.receiveUntil("GET /wait ");
    waitFor("nothing being worked on", [&] { return server.gate().queue().working() == 0; });
}

TEST(GateResponseTest, requestsBeyondTheQueueAreRefusedWhole) {
    auto settings = oneWorker();
    settings.maxQueued = 2;
    settings.queueTime = 1min;
    GateServer server(settings);
    std::vector<RawConnection> waiting;
    for (int i = 0; i < 3; ++i) {
        waiting.push_back(server.connect());
        waiting.back().send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
        waitFor("the request being taken",
                [&] { return server.waiting() == 1 && static_cast<int>(server.gate().queue().waiting()) == i; });
    }
    auto connection = server.connect();
    connection.send("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto refused = connection.receiveUntil("}");
    CPPUNIT_ASSERT_MESSAGE(refused, refused.starts_with("HTTP/1.1 503 "));
    CPPUNIT_ASSERT_MESSAGE(refused, refused.find("\r\nRetry-After: 1\r\n") != std::string::npos);
    CPPUNIT_ASSERT_EQUAL(std::string("{\"reason\":\"queue_full\"}"), bodyOf(refused));
    server.let();
    for (auto& one : waiting)
        one.receiveUntil("GET /wait ");
    connection.send("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n"); // the connection is kept
    CPPUNIT_ASSERT_EQUAL(std::string("GET /echo "), bodyOf(connection.receiveUntil("GET /echo ")));
}

TEST(GateResponseTest, requestThatWaitsTooLongIsRefused) {
    auto settings = oneWorker();
    settings.queueTime = 100ms;
    GateServer server(settings);
    auto waiting = server.connect();
    waiting.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
    waitFor("the request being worked on", [&] { return server.waiting() == 1; });
    auto connection = server.connect();
    connection.send("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto refused = connection.receiveUntil("}");
    CPPUNIT_ASSERT_MESSAGE(refused, refused.starts_with("HTTP/1.1 503 "));
    CPPUNIT_ASSERT_EQUAL(std::string("{\"reason\":\"queue_time\"}"), bodyOf(refused));
}

TEST(GateResponseTest, connectionsOfOneAddressAreLimited) {
    auto settings = oneWorker();
    settings.connectionsPerAddress = 3;
    GateServer server(settings);
    std::vector<RawConnection> open;
    for (int i = 0; i < 3; ++i) {
        open.push_back(server.connect());
        open.back().send("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
        open.back().receiveUntil("GET /echo ");
    }
    const auto refused = server.ask("GET /echo");
    CPPUNIT_ASSERT_MESSAGE(refused, refused.starts_with("HTTP/1.1 503 "));
    CPPUNIT_ASSERT_EQUAL(std::string("{\"reason\":\"connections_per_address\"}"), bodyOf(refused));
    open.pop_back();
    waitFor("a place being free", [&] { return server.ask("GET /echo").starts_with("HTTP/1.1 200 "); });
}

TEST(GateResponseTest, proxiedClientsAreLimitedByRequest) {
    auto settings = oneWorker();
    settings.workers = 8;
    settings.connectionsPerAddress = 2;
    settings.trustedProxies = {host::AddressRange::parse("127.0.0.1").value()};
    GateServer server(settings);
    const auto asClient = [](const char* target, const char* client) {
        return std::string("GET ") + target + " HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: " + client + "\r\n\r\n";
    };
    std::vector<RawConnection> waiting;
    for (int i = 1; i <= 2; ++i) {
        waiting.push_back(server.connect());
        waiting.back().send(asClient("/wait", "203.0.113.9"));
        waitFor("the request being worked on", [&] { return server.waiting() == i; });
    }
    auto connection = server.connect();
    connection.send(asClient("/echo", "203.0.113.10"));
    CPPUNIT_ASSERT_EQUAL(std::string("GET /echo "), bodyOf(connection.receiveUntil("GET /echo ")));
    connection.send(asClient("/echo", "203.0.113.9"));
    const auto refused = connection.receiveUntil("}");
    CPPUNIT_ASSERT_EQUAL(std::string("{\"reason\":\"requests_per_address\"}"), bodyOf(refused));
    server.let();
    for (auto& one : waiting)
        one.receiveUntil("GET /wait ");
    auto later = server.connect();
    later.send(asClient("/echo", "203.0.113.9"));
    CPPUNIT_ASSERT_EQUAL(std::string("GET /echo "), bodyOf(later.receiveUntil("GET /echo ")));
}

TEST(GateResponseTest, connectionsBeyondTheLimitWaitUntilOthersClose) {
    auto settings = oneWorker();
    settings.maxConnections = 4;
    GateServer server(settings);
    std::vector<RawConnection> open;
    open.reserve(4);
    for (int i = 0; i < 4; ++i)
        open.push_back(server.connect());
    waitFor("four connections", [&] { return server.gate().open() == 4; });
    auto further = server.connect();
    further.send("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
    CPPUNIT_ASSERT_EQUAL(std::string(), further.receiveAll(200ms));
    open.clear();
    CPPUNIT_ASSERT_EQUAL(std::string("GET /echo "), bodyOf(further.receiveUntil("GET /echo ")));
}

TEST(GateResponseTest, drainLetsIdleConnectionsBringALastRequest) {
    GateServer server(oneWorker());
    auto brings = server.connect();
    auto silent = server.connect();
    waitFor("both connections", [&] { return server.gate().open() == 2; });
    CPPUNIT_ASSERT_EQUAL(2, server.gate().drain(host::Gate::Backlog::Serve, 500ms, 10s));
    brings.send("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto last = brings.receiveAll(30s);
    CPPUNIT_ASSERT_EQUAL(std::string("GET /echo "), bodyOf(last));
    CPPUNIT_ASSERT_MESSAGE(last, last.find("\r\nConnection: close\r\n") != std::string::npos);
    CPPUNIT_ASSERT(server.gate().finish(host::Gate::Clock::now() + 30s));
    CPPUNIT_ASSERT_EQUAL(std::string(), silent.receiveAll(30s));
    CPPUNIT_ASSERT(silent.closed());
}

TEST(GateResponseTest, drainWaitsForWhatRunsAndForWhatIsSent) {
    auto settings = oneWorker();
    settings.workers = 2;
    GateServer server(settings);
    auto runs = server.connect();
    runs.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
    waitFor("the request being worked on", [&] { return server.waiting() == 1; });
    auto slow = server.connect();
    slow.send("GET /file/" + std::to_string(LARGE) + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    auto begun = slow.receiveUntil("\r\n\r\n");
    server.gate().drain(host::Gate::Backlog::Serve, 0ms, 10s);
    server.let();
    begun += slow.receiveAll(30s);
    CPPUNIT_ASSERT(bodyOf(begun) == letters(LARGE));
    CPPUNIT_ASSERT_EQUAL(std::string("GET /wait "), bodyOf(runs.receiveAll(30s)));
    CPPUNIT_ASSERT(server.gate().finish(host::Gate::Clock::now() + 30s));
}

// Poco's accepting thread asks again and again until its server is stopped.
TEST(GateResponseTest, acceptingThreadOfAnEndedGateDoesNotSpin) {
    GateServer server(oneWorker());
    server.gate().drain(host::Gate::Backlog::Serve, 0ms, 10s);
    CPPUNIT_ASSERT(server.gate().finish(host::Gate::Clock::now() + 30s));
    const host::WorkerServerSocket socket(server.gate());
    const auto begin = host::Gate::Clock::now();
    for (int i = 0; i < 10; ++i)
        CPPUNIT_ASSERT(!socket.poll(Poco::Timespan(0), Poco::Net::Socket::SELECT_READ));
    CPPUNIT_ASSERT(host::Gate::Clock::now() - begin >= 10ms);
}

TEST(GateResponseTest, whatDoesNotEndInTimeIsCutOff) {
    GateServer server(oneWorker());
    auto slow = server.connect();
    slow.send("GET /file/" + std::to_string(LARGE) + " HTTP/1.1\r\nHost: a\r\n\r\n");
    slow.receiveUntil("\r\n\r\n");
    server.gate().drain(host::Gate::Backlog::Serve, 0ms, 10s);
    CPPUNIT_ASSERT(!server.gate().finish(host::Gate::Clock::now()));
    waitFor("the response being cut off", [&] { return server.cutOff() == 1; });
    slow.receiveAll(30s);
    CPPUNIT_ASSERT(slow.closed());
}

} // namespace supplierd::tests
