#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/RawConnection.h"
#include "tests/system/fixtures/ServerLogs.h"
#include "tests/system/restart/SocketHolder.h"

#include <chrono>
#include <csignal>
#include <future>
#include <memory>
#include <string>

namespace supplierd::tests {

using namespace std::chrono_literals;

/// What clients see of a server that ends.
class DrainTest : public CppUnit::TestFixture {
protected:
    void start(const std::string& configuration) {
        _server = std::make_unique<ServerProcess>(_database, probed(configuration));
        _key = _server->createKey(_server->createSupplier("Rozenhof"));
    }

    void beginToEnd() {
        _server->process().signal(SIGTERM);
        logLine(*_server, "stopping: no new connections");
        waitFor("connections being refused", [&] {
            try {
                RawConnection refused(_server->url());
                return false;
            } catch (const std::exception&) {
                return true;
            }
        });
    }

    TestDatabase _database;
    std::unique_ptr<ServerProcess> _server;
    std::string _key;
};

TEST(DrainTest, idleConnectionMayBringALastRequest) {
    start("[server]\ndrain_grace = \"1m\"\nshutdown_deadline = \"5m\"\n");
    auto idle = _server->client(_key);
    requireStatus(200, idle.get("/test/whoami"));
    beginToEnd();
    const auto last = idle.get("/test/whoami");
    requireStatus(200, last);
    CPPUNIT_ASSERT_EQUAL(std::string("Close"), last.header("Connection"));
    CPPUNIT_ASSERT_EQUAL(0, _server->process().waitFor(30s).value_or(-1));
}

TEST(DrainTest, freshConnectionMayBringItsFirstRequest) {
    start("[server]\ndrain_grace = \"1m\"\nshutdown_deadline = \"5m\"\n");
    RawConnection fresh(_server->url());
    requireStatus(200, _server->client(_key).get("/test/whoami")); // came later: the first is accepted too
    beginToEnd();
    fresh.send("GET /api/v1/supplier/test/whoami HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + _key + "\r\n\r\n");
    const auto received = fresh.receiveUntil("\r\n\r\n");
    CPPUNIT_ASSERT_MESSAGE(received, received.starts_with("HTTP/1.1 200 "));
    fresh.finishSending();
    CPPUNIT_ASSERT_EQUAL(0, _server->process().waitFor(30s).value_or(-1));
}

// The grace is a minute: it is not waited for when nobody is left.
TEST(DrainTest, serverEndsWhenTheLastConnectionIsClosed) {
    start("[server]\ndrain_grace = \"1m\"\nshutdown_deadline = \"5m\"\n");
    auto idle = std::make_unique<HttpClient>(_server->url(), _key);
    requireStatus(200, idle->get("/test/whoami"));
    beginToEnd();
    CPPUNIT_ASSERT(_server->process().isRunning());
    idle.reset();
    CPPUNIT_ASSERT_EQUAL(0, _server->process().waitFor(30s).value_or(-1));
}

TEST(DrainTest, serverServesOnForThePauseAndIsNotReady) {
    start("[server]\ndrain_pause = \"3s\"\n");
    _server->process().signal(SIGTERM);
    logLine(*_server, "stopping: not ready any more");
    const auto ready = _server->adminClient().get("/readyz");
    requireStatus(503, ready);
    CPPUNIT_ASSERT_EQUAL(std::string("the server is about to end"),
                         ready.json().at("checks").at("stopping").get<std::string>());
    requireStatus(404, _server->adminClient().get("/readyz?draining=404"));
    const auto fresh = _server->client(_key).get("/test/whoami");
    requireStatus(200, fresh);
    CPPUNIT_ASSERT_EQUAL(std::string("Keep-Alive"), fresh.header("Connection"));
    CPPUNIT_ASSERT_EQUAL(0, _server->process().waitFor(30s).value_or(-1));
}

TEST(DrainTest, connectionsInTheBacklogOfItsOwnSocketAreServed) {
    start("[server]\nthreads = 1\n");
    auto slow = std::async(std::launch::async, [&] { return _server->client(_key).get("/test/sleep?ms=1500"); });
    waitUntilSleeping(*_server);
    // Stopped, it accepts nothing: these wait in the kernel, and the signal reaches it before it can accept them.
    stopProcess(_server->process().pid());
    std::vector<std::unique_ptr<RawConnection>> waiting;
    for (int i = 0; i < 3; ++i) {
        waiting.push_back(std::make_unique<RawConnection>(_server->url()));
        waiting.back()->send("GET /api/v1/supplier/test/whoami HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + _key +
                             "\r\n\r\n");
    }
    _server->process().signal(SIGTERM);
    _server->process().signal(SIGCONT);
    requireStatus(200, slow.get());
    for (auto& connection : waiting) {
        const auto received = connection->receiveUntil("\r\n\r\n");
        CPPUNIT_ASSERT_MESSAGE(received, received.starts_with("HTTP/1.1 200 "));
    }
    CPPUNIT_ASSERT_EQUAL(0, _server->process().waitFor(60s).value_or(-1));
}

TEST(DrainTest, connectionsInTheBacklogOfAPassedSocketAreLeftToTheNext) {
    const SocketHolder holder;
    ServerProcess server(ServerProcess::NotStarted{}, _database, probed());
    server.migrate();
    _key = server.createKey(server.createSupplier("Rozenhof"));
    auto running = std::make_unique<ChildProcess>(holder.command(server));
    requireStatus(200, HttpClient(holder.url(), _key).get("/test/whoami"));
    running->signal(SIGTERM);
    CPPUNIT_ASSERT_EQUAL(0, running->waitFor(60s).value_or(-1));
    auto early = std::async(std::launch::async, [&] { return HttpClient(holder.url(), _key).get("/test/whoami"); });
    running = std::make_unique<ChildProcess>(holder.command(server));
    requireStatus(200, early.get());
    running->signal(SIGTERM);
    CPPUNIT_ASSERT_EQUAL(0, running->waitFor(60s).value_or(-1));
}

} // namespace supplierd::tests
