#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>

namespace supplierd::tests {

/// `--last-good`: a restart with a broken configuration.
class LastGoodTest : public CppUnit::TestFixture {
protected:
    /// Again and again: what it ran with stays the good set.
    void requireFormerPlugins(const std::string& reason) {
        for (int i = 0; i < 2; ++i) {
            _server->restart();
            CPPUNIT_ASSERT_EQUAL(std::string("77"), limit());
        }
        const auto line = logLine(*_server, "this server runs with the one of before");
        CPPUNIT_ASSERT_MESSAGE(line, line.find(reason) != std::string::npos);
    }

    void start() {
        auto options = probed();
        options.arguments = {"--last-good=" + (_copy / "last-good").string()};
        _server = std::make_unique<ServerProcess>(ServerProcess::NotStarted{}, _database, options);
        _server->migrate();
        writeWholeFile(extra(), "[rate_limit]\nrequests_per_hour = 77\n");
        _server->start();
        _key = _server->createKey(_server->createSupplier("Rozenhof"));
        logLine(*_server, "serving");
    }

    void breakIt() { writeWholeFile(extra(), "[server]\nthreds = 3\n"); }

    std::filesystem::path extra() const { return _server->directory() / "conf.d/95-extra.toml"; }

    std::string limit() {
        const auto response = _server->client(_key).get("/test/whoami");
        requireStatus(200, response);
        return response.header("X-RateLimit-Limit");
    }

    const TemporaryDirectory _copy{"last-good"};
    TestDatabase _database;
    std::unique_ptr<ServerProcess> _server;
    std::string _key;
};

TEST(LastGoodTest, restartWithABrokenConfigurationServesWithTheOneOfBefore) {
    start();
    breakIt();
    _server->restart();
    CPPUNIT_ASSERT_EQUAL(std::string("77"), limit());
    const auto line = logLine(*_server, "this server runs with the one of before");
    CPPUNIT_ASSERT_MESSAGE(line, line.find("95-extra.toml:2:1: unknown key 'threds'") != std::string::npos);
    _server->restart(); // and again: what it ran with is still the good one
    CPPUNIT_ASSERT_EQUAL(std::string("77"), limit());
}

TEST(LastGoodTest, mendedConfigurationIsTakenAgain) {
    start();
    breakIt();
    _server->restart();
    writeWholeFile(extra(), "[rate_limit]\nrequests_per_hour = 78\n");
    _server->restart();
    CPPUNIT_ASSERT_EQUAL(std::string("78"), limit());
    breakIt();
    _server->restart();
    CPPUNIT_ASSERT_EQUAL(std::string("78"), limit());
}

TEST(LastGoodTest, reloadOfABrokenOneIsRefusedAllTheSame) {
    start();
    breakIt();
    _server->process().signal(SIGHUP);
    logLine(*_server, "the configuration is not taken");
    _server->process().signal(SIGUSR2); // a successor has no use for the copy: its predecessor serves
    logLine(*_server, "no successor");
    CPPUNIT_ASSERT_EQUAL(std::string("77"), limit());
    CPPUNIT_ASSERT(_server->process().isRunning());
}

TEST(LastGoodTest, withoutACopyABrokenConfigurationStartsNothing) {
    start();
    breakIt();
    CPPUNIT_ASSERT_EQUAL(0, _server->stop());
    std::filesystem::remove_all(_copy / "last-good");
    _server->launch();
    CPPUNIT_ASSERT(_server->process().waitFor(std::chrono::seconds(60)) == 1);
}

TEST(LastGoodTest, copyIsForTheServersEyesOnly) {
    start();
    const auto permissions = std::filesystem::status(_copy / "last-good").permissions();
    CPPUNIT_ASSERT(permissions == std::filesystem::perms::owner_all);
    CPPUNIT_ASSERT(std::filesystem::exists(_copy / "last-good/conf.d/95-extra.toml"));
}

TEST(LastGoodTest, restartWithAPluginThatCannotBeLoadedServesWithThoseOfBefore) {
    start();
    std::filesystem::create_symlink("/nonexistent/gone.so", _server->pluginsEnabled() / "gone.so");
    requireFormerPlugins("/nonexistent/gone.so");
}

TEST(LastGoodTest, restartWithAPluginThatDoesNotStartServesWithThoseOfBefore) {
    start();
    std::filesystem::create_symlink(SUPPLIERD_TEST_BAD_STARTER, _server->pluginsEnabled() / "throws-at-start.so");
    requireFormerPlugins("the cellar is flooded");
    std::filesystem::remove(_server->pluginsEnabled() / "throws-at-start.so");
    _server->restart();
    CPPUNIT_ASSERT_EQUAL(std::string("77"), limit());
}

} // namespace supplierd::tests
