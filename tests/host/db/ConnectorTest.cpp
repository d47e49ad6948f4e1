#include "host/db/Connector.h"

#include "host/db/PooledSession.h"
#include "tests/support/MariaDbAlone.h"
#include "tests/support/PrivateMariaDb.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"
#include "tests/support/Thrown.h"

namespace supplierd::tests {

using host::openSession;
using host::PooledSession;
using host::SessionSettings;

class ConnectorTest : public CppUnit::TestFixture {
protected:
    static unsigned errorOf(const SessionSettings& settings) {
        try {
            openSession(settings);
            return 0;
        } catch (const host::ConnectError& error) {
            return error.code();
        }
    }
};

TEST(ConnectorTest, everySessionIsSetUpAlike) {
    TestDatabase database;
    skipOnMySql("max_statement_time", database);
    SessionSettings settings = database.sessionSettings();
    settings.statementTimeLimit = std::chrono::milliseconds(2'500);
    settings.lockWaitTimeout = std::chrono::milliseconds(3'200);
    PooledSession session(openSession(settings));
    Rows& row = session.query("SELECT @@time_zone, @@tx_isolation, @@autocommit, @@character_set_client, "
                              "@@character_set_results, @@max_statement_time, @@innodb_lock_wait_timeout, "
                              "@@sql_mode LIKE '%STRICT_ALL_TABLES%', DATABASE()");
    CPPUNIT_ASSERT(row.next());
    CPPUNIT_ASSERT_EQUAL(std::string("+00:00"), std::string(row.text(0)));
    CPPUNIT_ASSERT_EQUAL(std::string("READ-COMMITTED"), std::string(row.text(1)));
    CPPUNIT_ASSERT(row.boolean(2));
    CPPUNIT_ASSERT_EQUAL(std::string("utf8mb4"), std::string(row.text(3)));
    CPPUNIT_ASSERT_EQUAL(std::string("utf8mb4"), std::string(row.text(4)));
    CPPUNIT_ASSERT_EQUAL(std::string("2.500000"), std::string(row.text(5)));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{4}, row.integer(6));
    CPPUNIT_ASSERT(row.boolean(7));
    CPPUNIT_ASSERT_EQUAL(database.name(), std::string(row.text(8)));
}

TEST(ConnectorTest, passwordWithSemicolonsIsTakenLiterally) {
    TestDatabase database;
    const std::string user = database.name().substr(0, 30);
    database.exec("CREATE USER '" + user + "'@'localhost' IDENTIFIED BY 'a;b=c;host=x'");
    SessionSettings settings = database.sessionSettings();
    settings.user = user;
    settings.password = "a;b=c;host=x";
    settings.database.clear();
    CPPUNIT_ASSERT_EQUAL(0U, errorOf(settings));
    database.exec("DROP USER '" + user + "'@'localhost'");
}

TEST(ConnectorTest, sessionsKeepNoPassword) {
    TestDatabase database;
    SessionSettings settings = database.sessionSettings();
    Poco::Data::Session session = openSession(settings);
    CPPUNIT_ASSERT(session.uri().find("password") == std::string::npos);
    CPPUNIT_ASSERT(session.uri().find(settings.user + ";") == std::string::npos);
}

TEST(ConnectorTest, wrongPasswordIsAnAccessErrorWithoutThePassword) {
    TestDatabase database;
    SessionSettings settings = database.sessionSettings();
    settings.user = "nobody-of-ours";
    settings.password = "open sesame";
    const auto error = thrownBy<host::ConnectError>([&] { openSession(settings); });
    CPPUNIT_ASSERT_EQUAL(1045U, error.code());
    CPPUNIT_ASSERT(std::string(error.what()).find("sesame") == std::string::npos);
}

TEST(ConnectorTest, absentServerIsAConnectError) {
    SessionSettings settings;
    settings.user = "root";
    settings.port = findFreePort();
    CPPUNIT_ASSERT_EQUAL(2002U, errorOf(settings));
    settings.socket = "/nonexistent/db.sock";
    CPPUNIT_ASSERT_EQUAL(2002U, errorOf(settings));
}

TEST(ConnectorTest, portOfLocalhostIsTheOneThatWasGiven) {
    SessionSettings settings;
    settings.host = "localhost";
    settings.port = 1;
    const auto error = thrownBy<host::ConnectError>([&] { openSession(settings); });
    CPPUNIT_ASSERT_MESSAGE(error.what(), std::string(error.what()).find("socket '") == std::string::npos);
}

TEST(ConnectorTest, statementTimeLimitIsTheServers) {
    TestDatabase database;
    skipOnMySql("a time limit of SLEEP", database);
    SessionSettings settings = database.sessionSettings();
    settings.statementTimeLimit = std::chrono::milliseconds(200);
    PooledSession session(openSession(settings));
    CPPUNIT_ASSERT_EQUAL(1969U, thrownBy<DatabaseError>([&] { session.query("SELECT SLEEP(20)").next(); }).code());
    CPPUNIT_ASSERT(!session.broken());
    CPPUNIT_ASSERT(session.query("SELECT 1").next());
}

TEST(ConnectorTest, rowsOfATransactionThatStandsStillAreSetFree) {
    TestDatabase database;
    skipOnMySql("a time limit of transactions", database);
    database.exec("CREATE TABLE stocks (id INT PRIMARY KEY, qty INT); INSERT INTO stocks VALUES (1, 0)");
    PooledSession still(openSession(database.sessionSettings()));
    still.begin();
    still.execute("UPDATE stocks SET qty = 5 WHERE id = 1");
    PooledSession waiting(openSession(database.sessionSettings())); // for a lock: 5 s
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, waiting.execute("UPDATE stocks SET qty = qty + 1 WHERE id = 1"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, database.integer("SELECT qty FROM stocks"));
    CPPUNIT_ASSERT_THROW(still.commit(), DatabaseError);
    CPPUNIT_ASSERT(still.broken());
}

TEST(ConnectorTest, hungServerIsGivenUp) {
    PrivateMariaDb server;
    TestDatabase database(server);
    SessionSettings settings = database.sessionSettings();
    settings.readTimeout = std::chrono::seconds(1);
    PooledSession session(openSession(settings));
    server.pause();
    unsigned code = 0;
    try {
        session.query("SELECT 1").next();
    } catch (const DatabaseError& error) {
        code = error.code();
    }
    server.resume();
    CPPUNIT_ASSERT_EQUAL(2013U, code);
    CPPUNIT_ASSERT(session.broken());
}

TEST(ConnectorTest, requiredTlsIsNotDoneWithout) {
    PrivateMariaDb server({.tcp = true, .arguments = {"--skip-ssl"}});
    SessionSettings settings;
    settings.user = "root";
    settings.port = server.port();
    settings.tls = host::TlsMode::Preferred;
    CPPUNIT_ASSERT_EQUAL(0U, errorOf(settings));
    settings.tls = host::TlsMode::Required;
    CPPUNIT_ASSERT_EQUAL(2026U, errorOf(settings));
    settings.tls = host::TlsMode::Verify;
    CPPUNIT_ASSERT_EQUAL(2026U, errorOf(settings));
}

} // namespace supplierd::tests
