#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/RawConnection.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <Poco/Exception.h>

#include <signal.h>

#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;

/// SIGTERM: stop accepting, finish what runs, bounded by a deadline, exit 0.
class ShutdownTest : public CppUnit::TestFixture {
protected:
    void start(const std::string& configuration = {}) {
        _server = std::make_unique<ServerProcess>(_database, probed(configuration));
        _key = _server->createKey(_server->createSupplier("Rozenhof"));
    }

    std::future<HttpResponse> slowRequest(int milliseconds) {
        return std::async(std::launch::async, [this, milliseconds] {
            return _server->client(_key).get("/test/sleep?ms=" + std::to_string(milliseconds));
        });
    }

    void assertFinishes(int signalNumber) {
        start();
        auto slow = slowRequest(2'000);
        waitUntilSleeping(*_server);
        _server->process().signal(signalNumber);
        const auto response = slow.get();
        requireStatus(200, response);
        CPPUNIT_ASSERT_EQUAL(true, response.data().at("slept").get<bool>());
        CPPUNIT_ASSERT_EQUAL(std::string("Close"), response.header("Connection"));
        CPPUNIT_ASSERT(_server->process().waitFor(60s) == 0);
    }

    TestDatabase _database;
    std::unique_ptr<ServerProcess> _server;
    std::string _key;
};

TEST(ShutdownTest, runningRequestIsFinished) {
    assertFinishes(SIGTERM);
}

TEST(ShutdownTest, interruptEndsItToo) {
    assertFinishes(SIGINT);
}

TEST(ShutdownTest, requestThatWaitsForAThreadIsFinishedToo) {
    start("[server]\nthreads = 1\n");
    auto first = slowRequest(1'500);
    waitUntilSleeping(*_server);
    std::vector<std::future<HttpResponse>> waiting;
    for (int i = 0; i < 3; ++i)
        waiting.push_back(std::async(std::launch::async, [this] { return _server->client(_key).get("/test/whoami"); }));
    std::this_thread::sleep_for(300ms); // time to connect; without it the test only checks less
    _server->process().signal(SIGTERM);
    requireStatus(200, first.get());
    for (auto& response : waiting)
        requireStatus(200, response.get());
    CPPUNIT_ASSERT(_server->process().waitFor(60s) == 0);
}

TEST(ShutdownTest, nobodyNewIsServedMeanwhile) {
    start();
    auto slow = slowRequest(4'000);
    waitUntilSleeping(*_server);
    _server->process().signal(SIGTERM);
    waitFor("connections being refused", [&] {
        try {
            _server->client(_key).get("/test/whoami");
            return false;
        } catch (const Poco::Exception&) {
            return true;
        }
    });
    requireStatus(200, slow.get());
    CPPUNIT_ASSERT(_server->process().waitFor(60s) == 0);
}

TEST(ShutdownTest, idleConnectionsDoNotHoldItUp) {
    start("[server]\nkeep_alive_timeout = \"1h\"\nrequest_timeout = \"1h\"\n");
    std::vector<std::unique_ptr<HttpClient>> idle;
    for (int i = 0; i < 5; ++i) {
        idle.push_back(std::make_unique<HttpClient>(_server->url(), _key));
        requireStatus(200, idle.back()->get("/test/whoami"));
    }
    RawConnection silent(_server->url());
    RawConnection halfway(_server->url());
    halfway.send("GET /api/v1/supplier/test/whoami HTTP/1.1\r\nHost: a");
    _server->process().signal(SIGTERM);
    CPPUNIT_ASSERT(_server->process().waitFor(15s) == 0);
    CPPUNIT_ASSERT(idle.front()->isClosedByServer(1s));
}

TEST(ShutdownTest, deadlineCutsOffWhatDoesNotEnd) {
    start("[server]\nshutdown_deadline = \"1s\"\n");
    auto endless = std::async(std::launch::async, [this] {
        try {
            return _server->client(_key).get("/test/sleep?ms=100000").status;
        } catch (const std::exception&) {
            return 0;
        }
    });
    waitUntilSleeping(*_server);
    _server->process().signal(SIGTERM);
    CPPUNIT_ASSERT(_server->process().waitFor(30s) == 0);
    CPPUNIT_ASSERT_EQUAL(0, endless.get());
    CPPUNIT_ASSERT(_server->log().find("server.shutdown_deadline") != std::string::npos);
    CPPUNIT_ASSERT(!std::filesystem::exists(_server->directory() / "address.json"));
}

TEST(ShutdownTest, writesBeforeTheEndAreKept) {
    start();
    requireStatus(200, _server->client(_key).get("/test/whoami"));
    CPPUNIT_ASSERT_EQUAL(0, _server->stop());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1},
                         _database.integer("SELECT COUNT(*) FROM api_keys WHERE last_used_at IS NOT NULL"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, accessLines(*_server).size());
}

TEST(ShutdownTest, addressFileIsRemoved) {
    start();
    CPPUNIT_ASSERT(std::filesystem::exists(_server->directory() / "address.json"));
    CPPUNIT_ASSERT_EQUAL(0, _server->stop());
    CPPUNIT_ASSERT(!std::filesystem::exists(_server->directory() / "address.json"));
}

// Connections of the first that are in TIME_WAIT must not keep the second from its port.
TEST(ShutdownTest, itStartsAgainOnTheSamePort) {
    start();
    const auto url = _server->url();
    const auto port = HttpClient(url).port();
    auto client = _server->client(_key);
    requireStatus(200, client.get("/test/whoami"));
    writeWholeFile(_server->directory() / "conf.d/91-port.toml",
                   "[server]\nlisten = \"127.0.0.1:" + std::to_string(port) + "\"\n");
    _server->restart();
    CPPUNIT_ASSERT_EQUAL(url, _server->url());
    requireStatus(200, client.get("/test/whoami"));
    CPPUNIT_ASSERT_EQUAL(0, _server->stop());
}

} // namespace supplierd::tests
