#include "tests/support/PrivateMariaDb.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/RunningServer.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <Poco/Net/ServerSocket.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;

namespace {

/// The deadline of the servers here, and what a test grants beyond it: the promise is a second, and the machine may be
/// busy. Without a deadline each of these takes half a minute at least, or never ends.
constexpr const char* DEADLINE = "[server]\nshutdown_deadline = \"2s\"\n";
constexpr auto LIMIT = 8s;

/// Time-outs that would end nothing within a test.
constexpr const char* PATIENT =
    "[database]\nconnect_timeout = \"1m\"\nread_timeout = \"10m\"\nwrite_timeout = \"10m\"\n";

/// A named pipe that takes a page and that nobody reads.
class BlockedPipe {
public:
    explicit BlockedPipe(std::filesystem::path path) : _path(std::move(path)) {
        CPPUNIT_ASSERT_EQUAL(0, ::mkfifo(_path.c_str(), 0600));
        _descriptor = ::open(_path.c_str(), O_RDWR | O_CLOEXEC);
        CPPUNIT_ASSERT(_descriptor >= 0);
        ::fcntl(_descriptor, F_SETPIPE_SZ, 4096);
    }
    ~BlockedPipe() { ::close(_descriptor); }
    BlockedPipe(const BlockedPipe&) = delete;
    BlockedPipe& operator=(const BlockedPipe&) = delete;

    const std::filesystem::path& path() const { return _path; }
    void fill() const {
        ::fcntl(_descriptor, F_SETFL, O_NONBLOCK);
        while (::write(_descriptor, "x", 1) == 1)
            continue;
    }

private:
    std::filesystem::path _path;
    int _descriptor = -1;
};

} // namespace

/// SIGTERM ends the server within its deadline, whatever hangs.
class HungShutdownTest : public CppUnit::TestFixture {
protected:
    void make() {
        _mariaDb = std::make_unique<PrivateMariaDb>();
        _database = std::make_unique<TestDatabase>(*_mariaDb);
    }

    void start(const std::string& configuration = {}) {
        make();
        _server = std::make_unique<ServerProcess>(*_database, probed(DEADLINE + configuration));
        _key = _server->createKey(_server->createSupplier("Rozenhof"));
    }

    std::future<void> request(const std::string& path) const {
        return std::async(std::launch::async, [this, path] {
            try {
                _server->client(_key).get(path);
            } catch (const std::exception&) { // cut off
            }
        });
    }

    void waitUntilHeld(std::int64_t count) {
        waitFor("statements that sleep", [&] {
            return _database->integer("SELECT COUNT(*) FROM information_schema.processlist "
                                      "WHERE STATE = 'User sleep'") >= count;
        });
    }

    /// More lines than the pipe takes.
    void fillLog() const {
        auto client = _server->client(_key);
        for (int i = 0; i < 50; ++i)
            requireStatus(200, client.get("/test/whoami"));
    }

    static void assertEndsInTime(ServerProcess& server) {
        server.process().signal(SIGTERM);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(server.log(), 0, server.process().waitFor(LIMIT).value_or(-1));
    }

    TemporaryDirectory _directory{"hung"};
    std::unique_ptr<PrivateMariaDb> _mariaDb;
    std::unique_ptr<TestDatabase> _database;
    std::unique_ptr<ServerProcess> _server;
    std::string _key;
};

TEST(HungShutdownTest, hungDatabaseOfAnIdleServer) {
    start(PATIENT);
    requireStatus(200, _server->client(_key).get("/test/whoami")); // there is something to write down
    _mariaDb->pause();
    assertEndsInTime(*_server);
    CPPUNIT_ASSERT(_server->log().find("writing down the last uses of keys") != std::string::npos);
    CPPUNIT_ASSERT(!std::filesystem::exists(_server->directory() / "address.json"));
}

TEST(HungShutdownTest, hungDatabaseUnderRequests) {
    start(PATIENT);
    std::vector<std::future<void>> requests;
    for (int i = 0; i < 4; ++i)
        requests.push_back(request("/test/hold?ms=100000"));
    waitUntilHeld(4);
    _mariaDb->pause();
    assertEndsInTime(*_server);
}

TEST(HungShutdownTest, hungDatabaseThatTheStartWaitsFor) {
    make();
    const auto admin = "127.0.0.1:" + std::to_string(findFreePort());
    ServerProcess server(
        ServerProcess::NotStarted{}, *_database,
        probed(std::string("[server]\nshutdown_deadline = \"2s\"\nadmin_listen = \"") + admin + "\"\n" + PATIENT));
    server.migrate();
    _mariaDb->pause();
    server.launch();
    waitFor("the operators' listener", [&] {
        try {
            return HttpClient("http://" + admin).get("/healthz").status == 200;
        } catch (const std::exception&) {
            return false;
        }
    });
    assertEndsInTime(server);
}

TEST(HungShutdownTest, handlerThatSleepsInTheDatabase) {
    start();
    const auto running = request("/test/hold?ms=100000");
    waitUntilHeld(1);
    assertEndsInTime(*_server);
    const auto line = Json::parse(logLine(*_server, "the process ends at once"));
    CPPUNIT_ASSERT_EQUAL(std::string("finishing requests"), line.at("unfinished").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("probe: GET /api/v1/supplier/test/hold"), line.at("at_work").get<std::string>());
}

TEST(HungShutdownTest, logPipeThatNobodyReads) {
    const BlockedPipe pipe(_directory / "access");
    start("[log]\naccess_log = \"" + pipe.path().string() + "\"\n");
    fillLog();
    assertEndsInTime(*_server);
}

TEST(HungShutdownTest, reopeningBeforeTheEndWithAPipeThatNobodyReads) {
    const BlockedPipe access(_directory / "access");
    const BlockedPipe log(_directory / "log");
    start("[log]\naccess_log = \"" + access.path().string() + "\"\nfile = \"" + log.path().string() + "\"\n");
    fillLog();
    log.fill();
    _server->process().signal(SIGUSR1);
    requireStatus(200, _server->client(_key).get("/test/whoami"));
    assertEndsInTime(*_server);
}

TEST(HungShutdownTest, standardErrorThatNobodyReads) {
    const BlockedPipe pipe(_directory / "output");
    make();
    ServerProcess server(ServerProcess::NotStarted{}, *_database,
                         probed(std::string(DEADLINE) + "[log]\naccess_log = \"-\"\n"));
    server.migrate();
    ChildProcess process({.arguments = {ServerProcess::serverProgram(), "--config", server.configFile()},
                          .output = pipe.path(),
                          .errors = pipe.path()});
    waitFor("a server that serves", [&] { return std::filesystem::exists(server.directory() / "address.json"); });
    pipe.fill();
    process.signal(SIGUSR1);
    process.signal(SIGTERM);
    CPPUNIT_ASSERT_EQUAL(0, process.waitFor(LIMIT).value_or(-1));
}

// A web server that accepts and says nothing.
TEST(HungShutdownTest, imageThatNeverComes) {
    const Poco::Net::ServerSocket silent(Poco::Net::SocketAddress("127.0.0.1", 0), 16);
    const auto port = std::to_string(silent.address().port());
    make();
    auto options = probed(std::string(DEADLINE) + "[plugins.media]\nroot = \"" + (_directory / "files").string() +
                              "\"\nfetch.timeout = \"1h\"\nrequest_deadline = \"1h\"\n"
                              "fetch.allow_networks = [\"127.0.0.0/8\"]\nfetch.allow_ports = [" +
                              port + "]\njanitor.orphan_age = \"3h\"\n",
                          {"categories", "catalog", "media"});
    _server = std::make_unique<ServerProcess>(*_database, options);
    _key = _server->createKey(_server->createSupplier("Rozenhof"));
    const auto category = _server->createCategory("Cut flowers");
    const auto running = std::async(std::launch::async, [&] {
        try {
            _server->client(_key).post("/products", {{"name", "Red Naomi"},
                                                     {"category_id", category},
                                                     {"base_price", 0.5},
                                                     {"unit", "stem"},
                                                     {"image_url", "http://127.0.0.1:" + port + "/a.jpg"}});
        } catch (const std::exception&) { // cut off
        }
    });
    CPPUNIT_ASSERT_MESSAGE("no fetch", silent.poll(Poco::Timespan(60, 0), Poco::Net::Socket::SELECT_READ));
    assertEndsInTime(*_server);
}

TEST(HungShutdownTest, predecessorOfAHandOver) {
    start(PATIENT);
    const auto running = request("/test/sleep?ms=100000");
    waitUntilSleeping(*_server);
    const RunningServer successor(*_server);
    _server->process().signal(SIGUSR2);
    waitFor("a successor", [&] { return successor.named() > 0 && successor.named() != _server->pid(); });
    const auto pid = successor.named();
    _mariaDb->pause();
    CPPUNIT_ASSERT_EQUAL_MESSAGE(_server->log(), 0, _server->process().waitFor(LIMIT).value_or(-1));
    CPPUNIT_ASSERT_EQUAL(pid, successor.named()); // the files tell of it still
    _mariaDb->resume();
    requireStatus(200, _server->client(_key).get("/test/whoami"));
    ::kill(pid, SIGTERM);
}

TEST(HungShutdownTest, everythingAtOnce) {
    const BlockedPipe access(_directory / "access");
    const BlockedPipe log(_directory / "log");
    start(std::string(PATIENT) + "[log]\naccess_log = \"" + access.path().string() + "\"\nfile = \"" +
          log.path().string() + "\"\n");
    fillLog();
    log.fill();
    const auto held = request("/test/hold?ms=100000");
    const auto sleeping = request("/test/sleep?ms=100000");
    waitUntilHeld(1);
    waitUntilSleeping(*_server);
    _mariaDb->pause();
    auto ready = std::async(std::launch::async, [this] {
        try {
            _server->adminClient().get("/readyz");
        } catch (const std::exception&) { // it ends meanwhile
        }
    });
    _server->process().signal(SIGUSR1);
    assertEndsInTime(*_server);
}

} // namespace supplierd::tests
