#include "tests/support/PrivateMariaDb.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/RunningServer.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <csignal>
#include <filesystem>
#include <future>
#include <limits>
#include <memory>
#include <string>

namespace supplierd::tests {

using namespace std::chrono_literals;

/// SIGUSR2: a successor takes the sockets over.
class HandOverTest : public CppUnit::TestFixture {
protected:
    static CommandResult reload(pid_t server) {
        return runCommand({.arguments = {ServerProcess::serverProgram(), "--reload=" + std::to_string(server)}});
    }
    static void requireRefused(const CommandResult& result, const std::string& reason) {
        CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 1, result.exitCode);
        CPPUNIT_ASSERT_MESSAGE(result.errors, result.errors.find(reason) != std::string::npos);
    }
    std::filesystem::path extra() const { return _server->directory() / "conf.d/95-extra.toml"; }

    void start(const std::string& configuration = {}) {
        _server = std::make_unique<ServerProcess>(_database, probed(configuration));
        _key = _server->createKey(_server->createSupplier("Rozenhof"));
    }

    std::string addresses() const {
        auto file = Json::parse(readWholeFile(_server->directory() / "address.json"));
        file.erase("pid");
        return file.dump();
    }

    TestDatabase _database;
    std::unique_ptr<ServerProcess> _server;
    std::string _key;
};

TEST(HandOverTest, successorServesAtTheSameAddresses) {
    start();
    const auto before = addresses();
    RunningServer running(*_server);
    running.handOver();
    CPPUNIT_ASSERT_EQUAL(before, addresses());
    requireStatus(200, _server->client(_key).get("/test/whoami"));
    requireStatus(200, _server->adminClient().get("/readyz"));
}

TEST(HandOverTest, requestThatRunsIsFinishedByThePredecessor) {
    start();
    auto slow = std::async(std::launch::async, [&] { return _server->client(_key).get("/test/sleep?ms=3000"); });
    waitUntilSleeping(*_server);
    RunningServer running(*_server);
    running.handOver();
    requireStatus(200, slow.get());
}

TEST(HandOverTest, filesOfTheProcessTellOfTheSuccessor) {
    start("[server]\npid_file = \"supplierd.pid\"\n");
    const auto given = _server->directory() / "supplierd.pid";
    CPPUNIT_ASSERT_EQUAL(std::to_string(_server->pid()) + "\n", readWholeFile(given));
    {
        RunningServer running(*_server);
        running.handOver();
        CPPUNIT_ASSERT(running.pid() != _server->pid());
        CPPUNIT_ASSERT_EQUAL(running.pid(), running.named());
        CPPUNIT_ASSERT_EQUAL(std::to_string(running.pid()) + "\n", readWholeFile(given));
    }
    CPPUNIT_ASSERT(!std::filesystem::exists(given));
}

TEST(HandOverTest, addressThatWasChangedMeanwhileIsWarnedOf) {
    start();
    const auto before = addresses();
    const auto wanted = "127.0.0.1:" + std::to_string(findFreePort());
    writeWholeFile(_server->directory() / "conf.d/95-address.toml", "[server]\nlisten = \"" + wanted + "\"\n");
    RunningServer running(*_server);
    running.handOver();
    CPPUNIT_ASSERT_EQUAL(before, addresses());
    const auto warning = Json::parse(logLine(*_server, "server.listen is not what is listened on"));
    CPPUNIT_ASSERT_EQUAL(std::string("warning"), warning.at("level").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(wanted, warning.at("configured").get<std::string>());
    CPPUNIT_ASSERT_EQUAL("http://" + warning.at("listening_on").get<std::string>() + "/api/v1/supplier",
                         _server->url());
}

TEST(HandOverTest, successorThatCannotStartLeavesTheServerAsItWas) {
    start();
    const auto extra = _server->directory() / "conf.d/95-wrong.toml";
    writeWholeFile(extra, "[server]\nthreds = 3\n");
    _server->process().signal(SIGUSR2);
    const auto line = logLine(*_server, "no successor");
    CPPUNIT_ASSERT_MESSAGE(line, line.find("95-wrong.toml:2:1: unknown key 'threds'") != std::string::npos);
    requireStatus(200, _server->client(_key).get("/test/whoami"));
    CPPUNIT_ASSERT(_server->process().isRunning());

    std::filesystem::remove(extra);
    RunningServer running(*_server);
    running.handOver(); // mended, it works
    requireStatus(200, _server->client(_key).get("/test/whoami"));
}

TEST(HandOverTest, successorThatWouldLeaveAPluginOutDoesNotTakeOver) {
    _server = std::make_unique<ServerProcess>(_database, probed({}, {"categories"}));
    _key = _server->createKey(_server->createSupplier("Rozenhof"));
    requireStatus(200, _server->client(_key).get("/categories"));
    _database.exec("INSERT INTO schema_migrations (component, number, name, checksum, statements_done, "
                   "statements_total, applied_at) VALUES ('categories', 99, 'from_the_future', REPEAT('0', 64), 1, "
                   "1, NOW(6))");
    _server->process().signal(SIGUSR2);
    const auto line = logLine(*_server, "no successor");
    CPPUNIT_ASSERT_MESSAGE(line, line.find("supplierd-plugin-categories") != std::string::npos);
    requireStatus(200, _server->client(_key).get("/categories"));
    CPPUNIT_ASSERT(_server->process().isRunning());
}

TEST(HandOverTest, reloadTakesAChangedConfiguration) {
    start();
    CPPUNIT_ASSERT(_server->client(_key).get("/test/whoami").header("X-RateLimit-Limit") != "77");
    writeWholeFile(extra(), "[rate_limit]\nrequests_per_hour = 77\n");
    RunningServer running(*_server);
    running.handOver(SIGHUP);
    const auto response = _server->client(_key).get("/test/whoami");
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(std::string("77"), response.header("X-RateLimit-Limit"));
}

TEST(HandOverTest, reloadOfABrokenConfigurationIsRefusedWithAllItsReasons) {
    start();
    writeWholeFile(extra(), "[server]\nthreds = 3\n[rate_limit]\nrequests_per_hour = \"77\"\n");
    _server->process().signal(SIGHUP);
    const auto line = logLine(*_server, "the configuration is not taken");
    CPPUNIT_ASSERT_MESSAGE(line, line.find("95-extra.toml:2:1: unknown key 'threds'") != std::string::npos);
    CPPUNIT_ASSERT_MESSAGE(line, line.find("95-extra.toml:4:21: requests_per_hour") != std::string::npos);
    requireStatus(200, _server->client(_key).get("/test/whoami"));

    writeWholeFile(extra(), "[rate_limit]\nrequests_per_hour = 77\n");
    RunningServer running(*_server);
    running.handOver(SIGHUP); // mended, it works
    CPPUNIT_ASSERT_EQUAL(std::string("77"), _server->client(_key).get("/test/whoami").header("X-RateLimit-Limit"));
}

TEST(HandOverTest, reloadThatWouldMoveAListenerIsRefused) {
    start();
    const auto wanted = "127.0.0.1:" + std::to_string(findFreePort());
    writeWholeFile(extra(), "[server]\nlisten = \"" + wanted + "\"\n");
    _server->process().signal(SIGHUP);
    const auto line = logLine(*_server, "the configuration is not taken");
    CPPUNIT_ASSERT_MESSAGE(line, line.find("and is " + wanted + " now") != std::string::npos);
    requireStatus(200, _server->client(_key).get("/test/whoami"));
    CPPUNIT_ASSERT_EQUAL(_server->pid(), RunningServer(*_server).named());
}

TEST(HandOverTest, whoeverAsksForAReloadLearnsWhatBecameOfIt) {
    start();
    writeWholeFile(extra(), "[server]\nlisten = \"127.0.0.1:" + std::to_string(findFreePort()) + "\"\n");
    requireRefused(reload(_server->pid()), "for that the server has to be stopped and started");
    writeWholeFile(extra(), "[server]\nthreds = 3\n");
    requireRefused(reload(_server->pid()), "95-extra.toml:2:1: unknown key 'threds'");
    writeWholeFile(extra(), "[database]\nname = \"supplierd_that_is_not_here\"\n"); // only a successor finds out
    requireRefused(reload(_server->pid()), "supplierd_that_is_not_here");
    requireStatus(200, _server->client(_key).get("/test/whoami"));

    writeWholeFile(extra(), "[rate_limit]\nrequests_per_hour = 77\n");
    const auto taken = reload(_server->pid());
    CPPUNIT_ASSERT_EQUAL_MESSAGE(taken.errors, 0, taken.exitCode);
    CPPUNIT_ASSERT_EQUAL(std::string("77"), _server->client(_key).get("/test/whoami").header("X-RateLimit-Limit"));
    RunningServer(*_server).awaitSuccessor(); // and ends it
}

TEST(HandOverTest, reloadOfWhatIsNoServerFails) {
    requireRefused(reload(std::numeric_limits<pid_t>::max()), "No such process");
    CPPUNIT_ASSERT_EQUAL(64, runCommand({.arguments = {ServerProcess::serverProgram(), "--reload=0"}}).exitCode);
}

} // namespace supplierd::tests
