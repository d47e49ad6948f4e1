#include "tests/support/Control.h"
#include "tests/support/PrivateMariaDb.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <csignal>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;

/// What the operator is told when the server cannot start.
class StartTest : public CppUnit::TestFixture {
protected:
    static constexpr int NOT_SET_UP = 78; // systemd does not start it again then

    /// Launches it and checks that it ends by itself so, and with all of these texts in the last line.
    static void assertEndsWith(ServerProcess& server, const std::vector<std::string>& texts, int expected = 1) {
        server.launch();
        const auto exitCode = server.process().waitFor(60s);
        const auto log = server.log();
        CPPUNIT_ASSERT_MESSAGE(log, exitCode == expected);
        std::istringstream lines(log);
        std::string complaint;
        for (std::string line; std::getline(lines, line);)
            if (line.starts_with("supplierd: "))
                complaint = line;
        for (const auto& text : texts)
            CPPUNIT_ASSERT_MESSAGE("'" + text + "' is missing in: " + log, complaint.find(text) != std::string::npos);
    }
};

TEST(StartTest, portInUseIsNamed) {
    TestDatabase database;
    ServerProcess first(database, probed());
    const auto address = "127.0.0.1:" + std::to_string(HttpClient(first.url()).port());
    ServerProcess second(ServerProcess::NotStarted{}, database, probed("[server]\nlisten = \"" + address + "\"\n"));
    assertEndsWith(second, {"cannot listen on " + address, "server.listen", "already in use"});
    requireStatus(401, first.client().get("/test/whoami"));
}

TEST(StartTest, operatorsPortInUseIsNamed) {
    TestDatabase database;
    ServerProcess first(database, probed());
    const auto address = "127.0.0.1:" + std::to_string(HttpClient(first.adminUrl()).port());
    ServerProcess second(ServerProcess::NotStarted{}, database,
                         probed("[server]\nadmin_listen = \"" + address + "\"\n"));
    assertEndsWith(second, {"cannot listen on " + address, "server.admin_listen"});
}

TEST(StartTest, unreachableDatabaseIsWaitedForAndThenNamed) {
    TestDatabase database;
    auto options = probed("[database]\nstart_deadline = \"2s\"\n");
    options.databasePort = findFreePort();
    ServerProcess server(ServerProcess::NotStarted{}, database, options);
    assertEndsWith(server, {"cannot reach the database '" + database.name() +
                                "' on 127.0.0.1:" + std::to_string(options.databasePort),
                            "database.start_deadline", "[database]", "supplierctl setup"});
    std::istringstream log(server.log());
    int attempts = 0;
    for (std::string line; std::getline(log, line);)
        if (line.find("the database is not reachable yet") != std::string::npos) {
            ++attempts;
            CPPUNIT_ASSERT_EQUAL(attempts, Json::parse(line).at("attempt").get<int>());
        }
    CPPUNIT_ASSERT(attempts >= 2);
}

TEST(StartTest, databaseThatComesLaterIsFound) {
    PrivateMariaDb mariaDb;
    TestDatabase database(mariaDb);
    ServerProcess server(ServerProcess::NotStarted{}, database, probed());
    server.migrate();
    mariaDb.stop();
    server.launch();
    logLine(server, "the database is not reachable yet");
    mariaDb.start();
    server.waitUntilReady();
    CPPUNIT_ASSERT_EQUAL(0, server.stop());
}

TEST(StartTest, waitingForTheDatabaseCanBeEnded) {
    TestDatabase database;
    auto options = probed("[database]\nstart_deadline = \"10m\"\n");
    options.databasePort = findFreePort();
    ServerProcess server(ServerProcess::NotStarted{}, database, options);
    server.launch();
    logLine(server, "the database is not reachable yet");
    CPPUNIT_ASSERT_EQUAL(0, server.stop());
}

TEST(StartTest, passwordIsNotInTheComplaint) {
    TestDatabase database;
    auto options = probed("[database]\nstart_deadline = \"1s\"\n[log]\nlevel = \"debug\"\n");
    options.environment = {{"SUPPLIERD_DATABASE_PASSWORD", "tulip-4711"}};
    ServerProcess server(ServerProcess::NotStarted{}, database, options);
    assertEndsWith(server, {"cannot use the database", "Access denied"}, NOT_SET_UP);
    CPPUNIT_ASSERT_EQUAL(std::string::npos, server.log().find("tulip-4711"));
}

// A server that was started before it is set up: nobody waits for what waiting does not bring.
TEST(StartTest, whatWaitingCannotMendIsToldAtOnce) {
    TestDatabase database;
    for (const auto* wrong : {"user = \"nobody-knows-me\"\n", "name = \"no_such_database\"\n"}) {
        auto options = probed();
        options.configuration += std::string("[database]\nstart_deadline = \"1h\"\n") + wrong;
        ServerProcess server(ServerProcess::NotStarted{}, database, options);
        assertEndsWith(server, {"cannot use the database", "supplierctl setup"}, NOT_SET_UP);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(server.log(), std::string::npos, server.log().find("not reachable yet"));
    }
}

TEST(StartTest, emptyDatabaseNamesTheCommand) {
    TestDatabase database;
    ServerProcess server(ServerProcess::NotStarted{}, database, probed());
    assertEndsWith(server, {"the database schema is out of date", "supplierctl migrate"}, NOT_SET_UP);
}

/// As after an upgrade, or the installation of a plugin, and a reboot before anybody has migrated.
TEST(StartTest, pluginThatIsNewerThanItsTablesIsLeftOutAlone) {
    TestDatabase database;
    ServerProcess server(ServerProcess::NotStarted{}, database, probed({}, {"catalog", "categories", "inventory"}));
    server.migrate();
    database.exec("DELETE FROM schema_migrations WHERE component = 'catalog'");
    server.launch();
    server.waitUntilReady();
    auto client = server.client(server.createKey(server.createSupplier("Van der Berg Bloemen")));
    requireStatus(200, client.get("/categories"));
    const auto unavailable = client.get("/products");
    CPPUNIT_ASSERT_EQUAL_MESSAGE("404 would mean that they are gone", 503, unavailable.status);
    CPPUNIT_ASSERT(!unavailable.header("Retry-After").empty());
    CPPUNIT_ASSERT_EQUAL(503, client.post("/stock", {{"items", Json::array()}}).status);
    const auto ready = server.adminClient().get("/readyz");
    const auto leftOut = ready.json().at("left_out");
    const auto reason = leftOut.at("catalog").get<std::string>();
    requireIn("newer than its tables: catalog/0001_", reason);
    requireIn("run `supplierctl migrate`", reason);
    CPPUNIT_ASSERT(leftOut.contains("inventory") && !leftOut.contains("categories"));
    CPPUNIT_ASSERT_EQUAL(1.0, server.metric("supplierd_plugin_left_out{plugin=\"catalog\"}"));
    logLine(server, "a plugin is left out");
    const auto doctor = runControl(server, {"doctor"});
    CPPUNIT_ASSERT_EQUAL(1, doctor.exitCode);
    for (const char* told : {"schema: plugin 'catalog' is newer", "plugin catalog: the server runs without it"})
        requireIn(told, doctor.output);
    CPPUNIT_ASSERT_EQUAL(0, server.stop());
}

/// The one that runs serves what its successor would leave out.
TEST(StartTest, successorDoesNotTakeOverWithoutAPlugin) {
    TestDatabase database;
    ServerProcess server(database, probed());
    std::filesystem::create_symlink(ServerProcess::pluginFile("categories"), server.pluginsEnabled() / "categories.so");
    const auto former = server.pid();
    server.process().signal(SIGHUP);
    const auto line = logLine(server, "no successor");
    requireIn("categories/0001_", line);
    CPPUNIT_ASSERT_EQUAL(former, server.pid());
    requireStatus(401, server.client().get("/test/whoami"));
}

TEST(StartTest, startMayMigrateWhereTheConfigurationAllowsIt) {
    TestDatabase database;
    ServerProcess server(ServerProcess::NotStarted{}, database,
                         probed("[database]\nmigrate_at_start = true\n", {"categories"}));
    server.launch();
    server.waitUntilReady();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0},
                         database.integer("SELECT COUNT(*) FROM schema_migrations WHERE applied_at IS NULL"));
    const auto leftOut = server.adminClient().get("/readyz").body;
    CPPUNIT_ASSERT_MESSAGE(leftOut, leftOut.find("categories") == std::string::npos);
    CPPUNIT_ASSERT_EQUAL(0, server.stop());
}

TEST(StartTest, newerSchemaIsRefused) {
    TestDatabase database;
    ServerProcess server(ServerProcess::NotStarted{}, database, probed());
    server.migrate();
    database.exec(
        "INSERT INTO schema_migrations (component, number, name, checksum, statements_done, "
        "statements_total, applied_at) VALUES ('core', 99, 'from_the_future', REPEAT('0', 64), 1, 1, NOW(6))");
    assertEndsWith(server, {"newer than this program", "core/0099_from_the_future", "apt-get install"}, NOT_SET_UP);
}

TEST(StartTest, pluginThatIsOlderThanItsTablesIsLeftOutAlone) {
    TestDatabase database;
    ServerProcess server(ServerProcess::NotStarted{}, database, probed({}, {"catalog", "categories", "inventory"}));
    server.migrate();
    database.exec(
        "INSERT INTO schema_migrations (component, number, name, checksum, statements_done, "
        "statements_total, applied_at) VALUES ('catalog', 99, 'from_the_future', REPEAT('0', 64), 1, 1, NOW(6))");
    server.launch();
    server.waitUntilReady();
    auto client = server.client(server.createKey(server.createSupplier("Van der Berg Bloemen")));
    requireStatus(200, client.get("/categories"));
    requireStatus(503, client.get("/products"));
    const auto metrics = server.adminClient().get("/metrics").body;
    for (const auto* id : {"catalog", "inventory"})
        requireIn(std::string("supplierd_plugin_left_out{plugin=\"") + id + "\"} 1", metrics);
    const auto line = Json::parse(logLine(server, "supplierd-plugin-catalog"));
    CPPUNIT_ASSERT_EQUAL(std::string("error"), line.at("level").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("catalog"), line.at("plugin").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(0, server.stop());
}

TEST(StartTest, nothingMigratesAtAStart) {
    TestDatabase database;
    ServerProcess server(ServerProcess::NotStarted{}, database, probed());
    assertEndsWith(server, {"supplierctl migrate"}, NOT_SET_UP);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, database.integer("SELECT COUNT(*) FROM information_schema.TABLES WHERE "
                                                           "TABLE_SCHEMA = '" +
                                                           database.name() + "'"));
}

} // namespace supplierd::tests
