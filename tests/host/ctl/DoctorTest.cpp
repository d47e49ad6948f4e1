#include "host/db/Connector.h"
#include "host/db/PooledSession.h"
#include "host/server/ConfigurationCheck.h"
#include "tests/host/ctl/ControlFixture.h"
#include "tests/host/ctl/OtherUser.h"
#include "tests/support/Control.h"
#include "tests/support/PrivateMariaDb.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"
#include "tests/support/TestAuthority.h"
#include "tests/support/Texts.h"

#include <Poco/Net/ServerSocket.h>

#include <unistd.h>

#include <filesystem>
#include <string>

namespace supplierd::tests {

class DoctorTest : public ControlFixture {
protected:
    void useTls(const LoopbackOrigin::Certificate& files) {
        writeExtraConfiguration("[server]\ntls_certificate = \"" + files.chain.string() + "\"\ntls_key = \"" +
                                files.key.string() + "\"\n");
    }

    void requireRestart(const std::string& reason) {
        const auto found = find(runJson({"doctor"}), "restart");
        CPPUNIT_ASSERT_EQUAL(std::string("warning"), found.at("level").get<std::string>());
        CPPUNIT_ASSERT_MESSAGE(found.dump(), found.at("message").get<std::string>().find(reason) != std::string::npos);
        requireIn("reload", found.at("fix").get<std::string>());
    }

    static void execute(const PrivateMariaDb& server, const std::string& sql) {
        host::SessionSettings settings;
        settings.socket = server.socket();
        settings.user = "root";
        host::PooledSession(host::openSession(settings)).run(sql);
    }

    static Json find(const Json& report, const std::string& check) {
        for (const auto& finding : report.at("findings"))
            if (finding.at("check") == check)
                return finding;
        CPPUNIT_FAIL("no finding about " + check + " in " + report.dump());
        return {};
    }

    Json requireError(const std::string& check) {
        const auto report = runJson({"doctor"}, 1);
        CPPUNIT_ASSERT(!report.at("ok").get<bool>());
        for (const auto& finding : report.at("findings"))
            if (finding.at("check") == check && finding.at("level") == "error")
                return finding;
        CPPUNIT_FAIL("no error about " + check + " in " + report.dump());
        return {};
    }
};

TEST(DoctorTest, healthyInstallationHasNoErrors) {
    server().migrate();
    const auto report = runJson({"doctor"});
    CPPUNIT_ASSERT_MESSAGE(report.dump(), report.at("ok").get<bool>());
    for (const auto* check : {"configuration", "plugins", "database", "database version", "durability", "sql_mode",
                              "character set", "clock", "schema", "disk space"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(check, std::string("good"), find(report, check).at("level").get<std::string>());
    requireIn("good     schema: up to date", runWell({"doctor"}));
}

TEST(DoctorTest, missingSchemaIsFoundWithItsFix) {
    const auto schema = requireError("schema");
    requireIn("supplierctl migrate", schema.at("fix").get<std::string>());
}

TEST(DoctorTest, unreachableDatabaseIsFoundWithItsFix) {
    writeExtraConfiguration("[database]\nsocket = \"/nonexistent/db.sock\"\n");
    const auto database = requireError("database");
    requireIn("/nonexistent/db.sock", database.at("message").get<std::string>());
    CPPUNIT_ASSERT(!database.at("fix").get<std::string>().empty());
}

TEST(DoctorTest, eachFaultOfTheDatabaseHasItsOwnFix) {
    const auto requireFix = [&](const std::string& configuration, const std::string& fix) {
        writeExtraConfiguration("[database]\n" + configuration);
        const auto found = requireError("database");
        CPPUNIT_ASSERT_MESSAGE(found.dump(), found.at("fix").get<std::string>().find(fix) != std::string::npos);
    };
    requireFix("socket = \"/nonexistent/db.sock\"\n", "start it");
    requireFix("user = \"nobody-knows-me\"\n", "--reset-password");
    requireFix("name = \"no_such_database\"\n", "correct database.name");
}

TEST(DoctorTest, rightsThatWereRevokedAreFound) {
    const PrivateMariaDb own;
    execute(own, "CREATE DATABASE supplier_d");
    execute(own, "CREATE USER weak");
    execute(own, R"(GRANT SELECT, INSERT, UPDATE, CREATE, DROP, INDEX, REFERENCES ON `supplier\_d`.* TO weak)");
    writeExtraConfiguration("[database]\nuser = \"weak\"\nname = \"supplier_d\"\nsocket = \"" + own.socket() + "\"\n");
    const auto found = requireError("account");
    CPPUNIT_ASSERT_EQUAL(std::string("weak@% lacks rights in 'supplier_d': DELETE, ALTER"),
                         found.at("message").get<std::string>());
    const auto fix = found.at("fix").get<std::string>();
    requireIn("GRANT DELETE, ALTER ON `supplier_d`.* TO 'weak'@'%'", fix);
    execute(own, "GRANT ALL ON `supplier%`.* TO weak");
    CPPUNIT_ASSERT_EQUAL(std::string("good"), find(runJson({"doctor"}, 1), "account").at("level").get<std::string>());
}

TEST(DoctorTest, droppedTableIsNamed) {
    server().migrate();
    database().exec("DROP TABLE skus_without_key");
    const auto found = requireError("schema");
    CPPUNIT_ASSERT_EQUAL(std::string("tables are missing, which somebody has dropped: 'skus_without_key' of catalog"),
                         found.at("message").get<std::string>());
    CPPUNIT_ASSERT(run({"doctor"}).output.find("u000a") == std::string::npos);
}

TEST(DoctorTest, nodeThatRefusesTheAccountIsFoundWithItsFix) {
    const std::string socket = database().sessionSettings().socket;
    writeExtraConfiguration("[database]\nsocket = \"\"\nuser = \"stranger\"\nhosts = [\"" + socket +
                            "\", \"/nonexistent/db.sock\"]\n");
    const auto fixOf = [&](const std::string& node) {
        return requireError("database " + node).at("fix").get<std::string>();
    };
    requireIn("its password", fixOf(socket));
    requireIn("start it", fixOf("/nonexistent/db.sock"));
}

TEST(DoctorTest, databaseServerThatIsNamedTwiceIsFound) {
    server().migrate();
    const std::string socket = database().sessionSettings().socket;
    const auto other = server().directory() / "other.sock";
    std::filesystem::create_symlink(socket, other);
    writeExtraConfiguration("[database]\nsocket = \"\"\nhosts = [\"" + socket + "\", \"" + other.string() + "\"]\n");
    requireError("database nodes"); // nobody can tell what they share
    const auto report = run({"doctor"}).output;
    requireIn("database " + other.string() + ": is the same server as " + socket, report);
}

TEST(DoctorTest, replicaThatDoesNotFollowIsFound) {
    const auto numbered = [](const char* number) {
        return PrivateMariaDb::Options{
            .tcp = true,
            .arguments = {number, "--log-bin=binlog", "--log-slave-updates", "--gtid-strict-mode", "--sync-binlog=1"}};
    };
    const PrivateMariaDb primary(numbered("--server-id=1"));
    const PrivateMariaDb replica(numbered("--server-id=2"));
    execute(primary, "CREATE DATABASE supplierd");
    execute(primary, "CREATE USER replica@'%'");
    execute(primary, "GRANT REPLICATION SLAVE ON *.* TO replica@'%'");
    execute(replica, "SET GLOBAL read_only = ON");
    execute(replica, "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = " + std::to_string(primary.port()) +
                         ", MASTER_USER = 'replica', MASTER_USE_GTID = slave_pos");
    execute(replica, "START SLAVE");
    execute(replica, "DO MASTER_GTID_WAIT('0-1-3', 60)");
    writeExtraConfiguration("[database]\nuser = \"root\"\nname = \"supplierd\"\nsocket = \"\"\nhosts = [\"" +
                            primary.socket() + "\", \"" + replica.socket() + "\"]\n");
    const auto check = [&](const PrivateMariaDb& server, const std::string& level, const std::string& message) {
        const auto found = find(runJson({"doctor"}, 1), "replication of " + server.socket()); // there is no schema
        CPPUNIT_ASSERT_EQUAL_MESSAGE(found.dump(), level, found.at("level").get<std::string>());
        CPPUNIT_ASSERT_MESSAGE(found.dump(), found.at("message").get<std::string>().find(message) != std::string::npos);
    };
    check(replica, "good", "it has what");
    check(primary, "warning", "asynchronous");
    execute(replica, "STOP SLAVE IO_THREAD");
    execute(primary, "CREATE TABLE supplierd.roses (stems INT)");
    check(replica, "error", "it is behind");
    execute(replica, "STOP SLAVE");
    check(replica, "error", "executes nothing");
    execute(primary, "SET GLOBAL rpl_semi_sync_master_enabled = ON");
    check(primary, "error", "AFTER_COMMIT");
    execute(primary, "SET GLOBAL rpl_semi_sync_master_wait_point = AFTER_SYNC");
    check(primary, "warning", "rpl_semi_sync_master_timeout = 10000");
    execute(primary, "SET GLOBAL rpl_semi_sync_master_timeout = 4294967295");
    check(primary, "error", "no semi-synchronous replica");
}

TEST(DoctorTest, serversWithDifferentOrdersOfTheDatabaseAreFound) {
    server().migrate();
    const auto enter = [&](const std::string& name, const std::string& nodes) {
        database().exec("REPLACE INTO servers (id, name, version, redis, database_nodes, started_at, seen_at) VALUES "
                        "('" +
                        name + "', '" + name + ":1', '1', '', " + nodes + ", NOW(6), NOW(6) + INTERVAL 1 HOUR)");
    };
    const std::string first = R"({"name":"db1:3306","server":"one"})";
    const std::string second = R"({"name":"db2:3306","server":"two"})";
    enter("old", "NULL"); // of the release before
    enter("a", "'[" + first + "," + second + "]'");
    enter("b", "'[" + first + "," + second + "]'");
    auto found = find(runJson({"doctor"}), "database order");
    CPPUNIT_ASSERT_EQUAL(std::string("good"), found.at("level").get<std::string>());
    enter("b", "'[" + first + "]'");
    found = find(runJson({"doctor"}), "database order");
    CPPUNIT_ASSERT_EQUAL(std::string("warning"), found.at("level").get<std::string>());
    enter("b", R"('[{"name":"10.0.0.1:3306","server":""},)" + second + "]'");
    found = find(runJson({"doctor"}), "database order");
    CPPUNIT_ASSERT_EQUAL_MESSAGE("nobody knows", std::string("good"), found.at("level").get<std::string>());
    enter("b", "'[" + second + "," + first + "]'");
    found = requireError("database order");
    CPPUNIT_ASSERT_EQUAL(std::string("a:1 has db1:3306, db2:3306; b:1 has db2:3306, db1:3306: these are not the "
                                     "same servers in the same order"),
                         found.at("message").get<std::string>());
    requireIn("database.hosts", found.at("fix").get<std::string>());
}

/// The one that has just begun has not asked yet who they are.
TEST(DoctorTest, serversOfOneMachineWithTheSameHostsHaveOneOrderFromTheStart) {
    server().migrate();
    const auto enter = [&](const std::string& name, const std::string& first, const std::string& second) {
        database().exec(
            "REPLACE INTO servers (id, name, version, redis, database_nodes, started_at, seen_at) VALUES ('" + name +
            "', '" + name + R"(', '1', '', '[{"name":"127.0.0.1:3306","server":")" + first +
            R"("},{"name":"127.0.0.1:3307","server":")" + second + R"("}]', NOW(6), NOW(6) + INTERVAL 1 HOUR))");
    };
    enter("web1:17", "one", "two");
    enter("web1:18", "", "");
    auto found = find(runJson({"doctor"}), "database order");
    CPPUNIT_ASSERT_EQUAL(std::string("good"), found.at("level").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("web1:17 has 127.0.0.1:3306, 127.0.0.1:3307; web1:18 has 127.0.0.1:3306, "
                                     "127.0.0.1:3307"),
                         found.at("message").get<std::string>());
    enter("web2:17", "", "");
    found = find(runJson({"doctor"}), "database order");
    CPPUNIT_ASSERT_EQUAL(std::string("good"), found.at("level").get<std::string>());
    const auto message = found.at("message").get<std::string>();
    requireIn("is not known yet", message);
    CPPUNIT_ASSERT_MESSAGE(message, message.find("differently") == std::string::npos);
}

TEST(DoctorTest, serverThatIsNotHeardOfAnyMoreIsFound) {
    server().migrate();
    const auto enter = [&](const std::string& name, int age) {
        database().exec("INSERT INTO servers (id, name, version, redis, started_at, seen_at) VALUES ('" + name +
                        "', '" + name + "', '1', '', NOW(6), NOW(6) - INTERVAL " + std::to_string(age) + " SECOND)");
    };
    enter("web1:17", 5);
    enter("web2:18", 45);
    enter("web3:19", 3'600);
    std::vector<std::string> missing;
    const auto report = runJson({"doctor"});
    for (const auto& finding : report.at("findings"))
        if (finding.at("check") == "missing server") {
            CPPUNIT_ASSERT_EQUAL(std::string("warning"), finding.at("level").get<std::string>());
            missing.push_back(finding.at("message").get<std::string>());
        }
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, missing.size());
    CPPUNIT_ASSERT_MESSAGE(missing.front(), missing.front().starts_with("last heard of web2:18, "));
}

TEST(DoctorTest, wrongConfigurationIsFoundWithItsPlace) {
    writeExtraConfiguration("[database]\npool_sise = 3\n");
    const auto found = requireError("configuration");
    requireIn("95-more.toml:2:1", found.at("message").get<std::string>());
}

TEST(DoctorTest, danglingPluginIsFound) {
    server().migrate();
    std::filesystem::create_symlink("/nonexistent/orders.so", server().pluginsEnabled() / "orders.so");
    const auto found = requireError("plugins");
    requireIn("/nonexistent/orders.so", found.at("message").get<std::string>());
}

TEST(DoctorTest, unfitTlsKeyIsFoundByEveryCheck) {
    server().migrate();
    TestAuthority authority;
    const auto mine = authority.issue("mine", "DNS:shop.example");
    const auto other = authority.issue("other", "DNS:shop.example", {.isRsa = true});
    useTls({mine.chain, other.key});
    const auto found = requireError("TLS certificate").at("message").get<std::string>();
    requireIn("is not the key of", found);
    requireIn("is not the key of", run({"config", "check"}).output);
    const auto checked = runCommand({.arguments = {ServerProcess::serverProgram(), "--check-config",
                                                   "--config=" + server().configFile().string()}});
    CPPUNIT_ASSERT_EQUAL(1, checked.exitCode);
    requireIn("is not the key of", checked.errors);
}

TEST(DoctorTest, certificateThatEndsSoonIsFound) {
    server().migrate();
    TestAuthority authority;
    const auto level = [&](int days) {
        useTls(authority.issue("shop", "DNS:shop.example", {.days = days}));
        const auto found = find(runJson({"doctor"}, days < 0 ? 1 : 0), "TLS certificate");
        CPPUNIT_ASSERT_MESSAGE(found.dump(),
                               found.at("message").get<std::string>().find("shop.example") != std::string::npos);
        return found.at("level").get<std::string>();
    };
    CPPUNIT_ASSERT_EQUAL(std::string("good"), level(30));
    CPPUNIT_ASSERT_EQUAL(std::string("warning"), level(20));
    CPPUNIT_ASSERT_EQUAL(std::string("error"), level(-1));
    const auto checked = runJson({"config", "check"}); // a server would start
    requireIn("has expired on", checked.dump());
}

/// By TLS, and by TLS behind a PROXY header.
TEST(DoctorTest, listenerIsAskedAsItWantsToBeSpokenTo) {
    server().migrate();
    TestAuthority authority;
    const auto issued = authority.issue("shop", "DNS:shop.example", {.days = 30});
    const std::string tls =
        "[server]\ntls_certificate = \"" + issued.chain.string() + "\"\ntls_key = \"" + issued.key.string() + "\"\n";
    for (const std::string& more : {std::string(), std::string("proxy_protocol = true\ntrusted_proxies = "
                                                               "[\"127.0.0.1\"]\n")}) {
        writeExtraConfiguration(tls + more);
        server().start();
        writeExtraConfiguration(tls + more + "listen = \"" + server().rootUrl().substr(std::string("https://").size()) +
                                "\"\n");
        const auto listener = find(runJson({"doctor"}), "listener");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(listener.dump(), std::string("good"), listener.at("level").get<std::string>());
        const auto message = listener.at("message").get<std::string>();
        requireIn("answers by HTTPS, with the certificate of shop.example, which "
                  "is valid until 20",
                  message);
        CPPUNIT_ASSERT_EQUAL(0, server().stop());
    }
}

/// Certbot's folder is root's alone.
TEST(DoctorTest, checksJudgeAsTheServersUser) {
    constexpr uid_t NOBODY = 65'534;
    std::filesystem::permissions(server().directory(), std::filesystem::perms{0755});
    if (::getuid() != 0 || !isReachableBy(NOBODY, server().directory()))
        return;
    TestAuthority authority;
    const auto issued = authority.issue("shop", "DNS:shop.example");
    const auto folder = server().directory() / "live";
    std::filesystem::create_directory(folder);
    std::filesystem::copy_file(issued.chain, folder / "fullchain.pem");
    std::filesystem::copy_file(issued.key, folder / "privkey.pem");
    useTls({folder / "fullchain.pem", folder / "privkey.pem"});
    const auto problems = [&] {
        return host::checkConfiguration({configFile()}, host::ServerAccount{NOBODY, NOBODY}).problems.toString();
    };
    std::filesystem::permissions(folder / "privkey.pem", std::filesystem::perms::owner_read);
    requireIn("privkey.pem has no private key that can be used", problems());
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
    requireIn("fullchain.pem has no certificate", problems());
    CPPUNIT_ASSERT_EQUAL(0, run({"config", "check"}).exitCode); // for whoever asks about his own files
}

TEST(DoctorTest, foreignListenerIsFound) {
    server().migrate();
    const Poco::Net::ServerSocket foreign(Poco::Net::SocketAddress("127.0.0.1", 0));
    writeExtraConfiguration("[server]\nlisten = \"" + foreign.address().toString() + "\"\n");
    const auto found = requireError("listener");
    requireIn(foreign.address().toString(), found.at("message").get<std::string>());
}

TEST(DoctorTest, serverThatRefusesThisAddressIsNoForeigner) {
    server().migrate();
    writeExtraConfiguration("[auth]\nfailures_per_minute = 1\n");
    server().start();
    const auto url = server().url();
    const auto start = url.find("//") + 2;
    writeExtraConfiguration("[auth]\nfailures_per_minute = 1\n[server]\nlisten = \"" +
                            url.substr(start, url.find('/', start) - start) + "\"\n");
    HttpClient client = server().client();
    CPPUNIT_ASSERT_EQUAL(401, client.get("/products").status);
    CPPUNIT_ASSERT_EQUAL(429, client.get("/products").status);
    const auto listener = find(runJson({"doctor"}), "listener");
    CPPUNIT_ASSERT_EQUAL(std::string("good"), listener.at("level").get<std::string>());
    requireIn("answers 429", listener.at("message").get<std::string>());
}

TEST(DoctorTest, unsafeFlushingIsFound) {
    PrivateMariaDb careless({.arguments = {"--innodb-flush-log-at-trx-commit=2"}});
    TestDatabase carelessDatabase(careless);
    ServerProcess carelessServer(ServerProcess::NotStarted{}, carelessDatabase);
    carelessServer.migrate();
    const auto found = find(controlJson(carelessServer, {"doctor"}, 1), "durability");
    CPPUNIT_ASSERT_EQUAL(std::string("error"), found.at("level").get<std::string>());
    requireIn("innodb_flush_log_at_trx_commit = 1", found.at("fix").get<std::string>());
}

TEST(DoctorTest, statementBasedBinaryLogIsFound) {
    const PrivateMariaDb statements({.arguments = {"--server-id=1", "--log-bin=binlog", "--binlog-format=STATEMENT"}});
    execute(statements, "CREATE DATABASE supplierd");
    writeExtraConfiguration("[database]\nuser = \"root\"\nname = \"supplierd\"\nsocket = \"" + statements.socket() +
                            "\"\n");
    requireIn("binlog_format = ROW", requireError("binary log").at("fix").get<std::string>());
}

TEST(DoctorTest, temporaryFilesBesideThoseOfAnotherDatabaseAreFound) {
    const TemporaryDirectory shared;
    const auto link = server().directory() / "link"; // the same folder by another name
    std::filesystem::create_directory_symlink(shared.path(), link);
    PrivateMariaDb one({.arguments = {"--tmpdir=" + shared.path().string()}});
    TestDatabase database(one);
    ServerProcess careless(ServerProcess::NotStarted{}, database);
    careless.migrate();
    const auto report = [&] { return runControl(careless, {"doctor"}).output; };
    const std::string told = "tmpdir = " + shared.path().string() + " is that of process ";
    CPPUNIT_ASSERT_EQUAL_MESSAGE("alone there", std::string::npos, report().find(told));
    const PrivateMariaDb other({.arguments = {"--tmpdir=" + link.string()}});
    const auto found = report();
    requireIn(told + std::to_string(other.pid()) + ", too", found);
}

TEST(DoctorTest, stoppedServerIsTold) {
    server().migrate();
    const auto found = find(runJson({"doctor"}), "server");
    CPPUNIT_ASSERT_EQUAL(std::string("warning"), found.at("level").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("does not run"), found.at("message").get<std::string>());
    requireIn("start", found.at("fix").get<std::string>());
}

TEST(DoctorTest, serverThatWasKilledIsAnError) {
    server().migrate();
    server().start();
    const auto runs = runJson({"doctor"});
    CPPUNIT_ASSERT_EQUAL(std::string("runs and is ready"), find(runs, "server").at("message").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("good"), find(runs, "restart").at("level").get<std::string>());
    server().kill();
    const auto found = requireError("server");
    CPPUNIT_ASSERT_MESSAGE(found.dump(), found.at("message").get<std::string>().find("killed") != std::string::npos);
}

TEST(DoctorTest, changedConfigurationNeedsARestart) {
    server().migrate();
    server().start();
    writeExtraConfiguration("[server]\nmax_queued = 255\n");
    requireRestart("95-more.toml was added");
    server().restart();
    CPPUNIT_ASSERT_EQUAL(std::string("good"), find(runJson({"doctor"}), "restart").at("level").get<std::string>());
    writeExtraConfiguration("[server]\nmax_queued = 254\n# another size\n");
    requireRestart("95-more.toml was changed");
}

TEST(DoctorTest, pluginThatWasEnabledSinceNeedsARestart) {
    server().migrate();
    server().start();
    std::filesystem::remove(server().pluginsEnabled() / "catalog.so");
    requireRestart("'catalog' is served, but not enabled");
}

TEST(DoctorTest, pluginFileThatWasReplacedNeedsARestart) {
    server().migrate();
    const auto enabled = server().pluginsEnabled() / "catalog.so";
    const auto copy = server().directory() / "catalog.so";
    std::filesystem::copy_file(ServerProcess::pluginFile("catalog"), copy);
    std::filesystem::remove(enabled);
    std::filesystem::create_symlink(copy, enabled);
    server().start();
    std::filesystem::rename(copy, copy.string() + ".old");
    std::filesystem::copy_file(ServerProcess::pluginFile("catalog"), copy);
    requireRestart("the file of plugin 'catalog'");
}

TEST(DoctorTest, totalsThatAreNotThoseOfTheRowsAreFound) {
    runWell({"plugin", "enable", "orders"});
    server().migrate();
    server().start();
    const auto supplier = server().createSupplier("A");
    CPPUNIT_ASSERT_EQUAL(std::string("good"),
                         find(runJson({"doctor"}), "orders: totals").at("level").get<std::string>());
    database().exec("INSERT INTO order_totals (supplier_id, shipped) VALUES (" + std::to_string(supplier) + ", 7)");
    const auto found = requireError("orders: totals");
    CPPUNIT_ASSERT_EQUAL("1 supplier with orders checked; 1 total was wrong, such as supplier " +
                             std::to_string(supplier) + ", orders shipped: 7 kept, 0 counted",
                         found.at("message").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("supplierctl totals verify --repair"), found.at("fix").get<std::string>());
    database().exec("UPDATE order_totals SET shipped = 0");
    CPPUNIT_ASSERT(runJson({"doctor"}).at("ok").get<bool>());
}

/// Somebody who takes connections and never says a word. The command's own limit ends the test when it waits.
TEST(DoctorTest, databaseThatHangsIsTold) {
    const Poco::Net::ServerSocket silent(Poco::Net::SocketAddress("127.0.0.1", 0));
    writeExtraConfiguration(
        "[database]\nsocket = \"\"\nhost = \"127.0.0.1\"\nport = " + std::to_string(silent.address().port()) +
        "\nconnect_timeout = \"60s\"\nread_timeout = \"600s\"\n");
    const auto found = requireError("database");
    requireIn(std::to_string(silent.address().port()), found.at("message").get<std::string>());
}

TEST(DoctorTest, smallLimitOfPreparedStatementsIsTold) {
    writeExtraConfiguration("[database]\npool_size = 1000\n");
    const auto found = find(runJson({"doctor"}, 1), "prepared statements");
    CPPUNIT_ASSERT_EQUAL(std::string("warning"), found.at("level").get<std::string>());
}

} // namespace supplierd::tests
