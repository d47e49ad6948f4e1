#include "host/db/PooledSession.h"

#include "host/db/Connector.h"
#include "tests/support/Numbers.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"

#include <Poco/Data/Session.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace supplierd::tests {

using host::openSession;
using host::PooledSession;

class PooledSessionTest : public CppUnit::TestFixture {
protected:
    TestDatabase _database;
    std::optional<PooledSession> _session;

public:
    void setUp() override { _session.emplace(openSession(_database.sessionSettings())); }

    void tearDown() override { _session.reset(); }

protected:
    std::string text(const char* sql) {
        Rows& rows = _session->query(sql);
        CPPUNIT_ASSERT(rows.next());
        return std::string(rows.text(0));
    }

    static unsigned errorOf(const std::function<void()>& work) {
        try {
            work();
            return 0;
        } catch (const DatabaseError& error) {
            return error.code();
        }
    }

    std::int64_t status(const std::string& name) {
        Rows& row = _session->query("SHOW SESSION STATUS LIKE '" + name + "'");
        CPPUNIT_ASSERT(row.next());
        return row.integer(1);
    }

    /// Returns when the connection is gone.
    void killSession() {
        const std::string id = text("SELECT CONNECTION_ID()");
        _session->run("DO 0");
        _database.exec("KILL CONNECTION " + id);
        while (_database.integer("SELECT COUNT(*) FROM information_schema.processlist WHERE ID = " + id) > 0)
            std::this_thread::yield();
    }

    /// _session's transaction holds row 1 and reads on, until it waits for the last row. (The rows are more than the
    /// server sends at once, and fewer than the socket holds.)
    template <class Then>
    void inDeadlock(Then then) {
        _database.exec("CREATE TABLE d (id INT PRIMARY KEY, filler CHAR(250)) ENGINE=InnoDB;"
                       "INSERT INTO d SELECT seq, REPEAT('x', 250) FROM " +
                       numbersTo(150) +
                       ";"
                       "CREATE TABLE weight (id INT PRIMARY KEY) ENGINE=InnoDB; CREATE TABLE n (a INT)");
        PooledSession other(openSession(_database.sessionSettings()));
        other.begin();
        other.execute("INSERT INTO weight SELECT seq FROM " + numbersTo(2000));
        other.execute("UPDATE d SET filler = 'y' WHERE id = 150");
        _session->begin();
        _session->execute("INSERT INTO n VALUES (1)");
        Rows& rows = _session->query("SELECT id, filler FROM d ORDER BY id FOR UPDATE");
        CPPUNIT_ASSERT(rows.next());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, rows.integer(0));
        // The server ends the transaction that has less to undo: the reading one.
        other.execute("UPDATE d SET filler = 'z' WHERE id = 1");
        then(rows);
        other.rollback();
        _session->rollback();
        CPPUNIT_ASSERT(!_session->broken());
        CPPUNIT_ASSERT_EQUAL(std::string("0"), text("SELECT COUNT(*) FROM n"));
    }
};

TEST(PooledSessionTest, statementIsPreparedOnce) {
    text("SHOW SESSION STATUS LIKE 'Com_stmt_prepare'");
    for (int i = 0; i < 10; ++i)
        CPPUNIT_ASSERT(_session->query("SELECT ? + 1", {i}).next());
    Rows& status = _session->query("SHOW SESSION STATUS LIKE 'Com_stmt_prepare'");
    CPPUNIT_ASSERT(status.next());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, status.integer(1));
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, _session->keptStatements());
}

TEST(PooledSessionTest, whatWritesOrLocksIsCounted) {
    _session->run("CREATE TABLE counted (id INT PRIMARY KEY) ENGINE=InnoDB");
    _session->begin();
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, _session->effects());
    text("SELECT COUNT(*) FROM counted");
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, _session->effects());
    text("SELECT COUNT(*) FROM counted FOR UPDATE");
    text("SELECT COUNT(*) FROM counted lock in share mode");
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{2}, _session->effects());
    for (int time = 0; time < 2; ++time)
        _session->execute("DELETE FROM counted");
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{4}, _session->effects());
    _session->poco();
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{5}, _session->effects());
}

TEST(PooledSessionTest, statementUnusedForLongestIsLetGo) {
    const auto most = static_cast<int>(host::StatementLimit::MOST);
    const auto useTwice = [&](int i) {
        for (int time = 0; time < 2; ++time)
            CPPUNIT_ASSERT_EQUAL(std::to_string(i), text(("SELECT " + std::to_string(i)).c_str()));
    };
    for (int i = 0; i < most + 50; ++i)
        useTwice(i);
    CPPUNIT_ASSERT_EQUAL(host::StatementLimit::MOST, _session->keptStatements());
    const std::int64_t prepared = status("Com_stmt_prepare");
    useTwice(most + 49);
    useTwice(60);
    CPPUNIT_ASSERT_EQUAL(prepared, status("Com_stmt_prepare"));
    useTwice(0);
    CPPUNIT_ASSERT_EQUAL(prepared + 1, status("Com_stmt_prepare"));
}

TEST(PooledSessionTest, textsUsedOnceDoNotPushOutWhatIsUsedAgain) {
    text("SELECT 'often'");
    text("SELECT 'often'");
    for (int i = 0; i < 1'000; ++i)
        text(("SELECT " + std::to_string(i)).c_str());
    CPPUNIT_ASSERT(_session->keptStatements() <= host::StatementCache::MOST_NEW + 1);
    status("Com_stmt_prepare");
    const std::int64_t prepared = status("Com_stmt_prepare");
    text("SELECT 'often'");
    CPPUNIT_ASSERT_EQUAL(prepared, status("Com_stmt_prepare"));
    // Prepared anew, and kept for good: it was seen before.
    text("SELECT 900");
    for (int i = 2'000; i < 2'100; ++i)
        text(("SELECT " + std::to_string(i)).c_str());
    const std::int64_t before = status("Com_stmt_prepare");
    text("SELECT 900");
    CPPUNIT_ASSERT_EQUAL(before, status("Com_stmt_prepare"));
}

TEST(PooledSessionTest, failedStatementLeavesTheSessionUsable) {
    _database.exec("CREATE TABLE n (a INT PRIMARY KEY)");
    CPPUNIT_ASSERT_EQUAL(1064U, errorOf([&] { _session->query("SELEKT 1"); }));
    CPPUNIT_ASSERT_EQUAL(1146U, errorOf([&] { _session->query("SELECT 1 FROM nowhere"); }));
    _session->execute("INSERT INTO n VALUES (?)", {1});
    CPPUNIT_ASSERT_EQUAL(1062U, errorOf([&] { _session->execute("INSERT INTO n VALUES (?)", {1}); }));
    CPPUNIT_ASSERT_EQUAL(std::string("1"), text("SELECT COUNT(*) FROM n"));
    CPPUNIT_ASSERT(!_session->broken());
}

TEST(PooledSessionTest, wrongNumberOfParametersIsALogicError) {
    CPPUNIT_ASSERT_THROW(_session->query("SELECT ?"), std::logic_error);
    CPPUNIT_ASSERT_THROW(_session->query("SELECT 1", {1}), std::logic_error);
    CPPUNIT_ASSERT_EQUAL(std::string("1"), text("SELECT 1"));
}

TEST(PooledSessionTest, parametersMayHaveOtherTypesEveryTime) {
    const auto both = [this](const SqlParam& one, const SqlParam& other) {
        Rows& rows = _session->query("SELECT CONCAT(COALESCE(?, 'none'), ' ', COALESCE(?, 'none'))", {one, other});
        CPPUNIT_ASSERT(rows.next());
        return std::string(rows.text(0));
    };
    for (int i = 0; i < 3; ++i) {
        CPPUNIT_ASSERT_EQUAL(std::to_string(i) + " -7", both(i, -7));
        CPPUNIT_ASSERT_EQUAL(std::to_string(i + 1) + " 9223372036854775807", both(i + 1, INT64_MAX));
        CPPUNIT_ASSERT_EQUAL(std::string("rose 5"), both("rose", 5));
        CPPUNIT_ASSERT_EQUAL(std::string("6 tulip"), both(6, std::string("tulip")));
        CPPUNIT_ASSERT_EQUAL(std::string("none 8"), both(nullptr, 8));
        CPPUNIT_ASSERT_EQUAL(std::string("9 none"), both(9, nullptr));
    }
    // The database knows the types still when it prepares the statement anew.
    _database.exec("CREATE TABLE n (a BIGINT)");
    for (int i = 1; i <= 3; ++i) {
        _session->execute("INSERT INTO n (a) VALUES (?)", {i});
        _database.exec("ALTER TABLE n ADD COLUMN b" + std::to_string(i) + " INT");
    }
    CPPUNIT_ASSERT_EQUAL(std::string("6"), text("SELECT SUM(a) FROM n"));
}

TEST(PooledSessionTest, nextStatementStartsWhileRowsAreLeft) {
    _database.exec("CREATE TABLE n (a INT)");
    for (int i = 0; i < 3; ++i) {
        Rows& many = _session->query("SELECT seq, REPEAT('x', 100) FROM " + numbersTo(5000));
        CPPUNIT_ASSERT(many.next() && many.next());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, many.integer(0));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _session->execute("INSERT INTO n VALUES (?)", {i}));
        _session->query("SELECT seq FROM " + numbersTo(5000));
        _session->run("SELECT seq FROM " + numbersTo(100));
    }
    CPPUNIT_ASSERT_EQUAL(std::string("3"), text("SELECT COUNT(*) FROM n"));
}

TEST(PooledSessionTest, updateThatChangesNothingCountsTheRowsItFound) {
    _database.exec("CREATE TABLE n (a INT, b INT); INSERT INTO n VALUES (1, 5), (2, 5)");
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, _session->execute("UPDATE n SET b = 5"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _session->execute("UPDATE n SET b = 5 WHERE a = 3"));
}

TEST(PooledSessionTest, lastInsertIdIsThatOfTheLatestWrite) {
    _database.exec("CREATE TABLE n (id BIGINT PRIMARY KEY AUTO_INCREMENT, seq BIGINT NOT NULL DEFAULT 0)");
    _session->execute("INSERT INTO n (seq) VALUES (?)", {1});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _session->lastInsertId());
    text("SELECT COUNT(*) FROM n");
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _session->lastInsertId());
    _session->execute("UPDATE n SET seq = LAST_INSERT_ID(seq + 41) WHERE id = ?", {1});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{42}, _session->lastInsertId());
}

TEST(PooledSessionTest, statementFollowsAnAlteredTable) {
    _database.exec("CREATE TABLE n (a INT); INSERT INTO n VALUES (5)");
    CPPUNIT_ASSERT_EQUAL(std::string("5"), text("SELECT * FROM n"));
    _database.exec("ALTER TABLE n ADD COLUMN b VARCHAR(10) NOT NULL DEFAULT 'x' FIRST");
    CPPUNIT_ASSERT_EQUAL(std::string("x"), text("SELECT * FROM n"));
    CPPUNIT_ASSERT_EQUAL(std::string("5"), text("SELECT a FROM n"));
    _database.exec("ALTER TABLE n MODIFY a VARCHAR(300); UPDATE n SET a = REPEAT('long', 70)");
    CPPUNIT_ASSERT_EQUAL(std::size_t{280}, text("SELECT a FROM n").size());
    _database.exec("ALTER TABLE n DROP COLUMN b");
    CPPUNIT_ASSERT_EQUAL(std::size_t{280}, text("SELECT * FROM n").size());
}

TEST(PooledSessionTest, everyCommandNoticesThatTheConnectionIsGone) {
    const std::vector<std::function<void()>> commands{
        [&] { _session->begin(); },           [&] { _session->commit(); },
        [&] { _session->rollback(); },        [&] { _session->run("DO 1"); },
        [&] { _session->execute("DO 1"); },   [&] { _session->query("SELECT 1").next(); },
        [&] { _session->query("SELECT 77"); }};
    for (const auto& command : commands) {
        _session.emplace(openSession(_database.sessionSettings()));
        text("SELECT 1");
        killSession();
        CPPUNIT_ASSERT(DatabaseError(errorOf(command), "").isConnectionLost());
        CPPUNIT_ASSERT(_session->broken());
    }
    _session.emplace(openSession(_database.sessionSettings()));
    killSession();
    CPPUNIT_ASSERT(!_session->ping());
}

TEST(PooledSessionTest, killedSessionIsBrokenForGood) {
    killSession();
    const unsigned code = errorOf([&] { text("SELECT 1"); });
    CPPUNIT_ASSERT(DatabaseError(code, "").isConnectionLost());
    CPPUNIT_ASSERT(_session->broken());
    CPPUNIT_ASSERT_EQUAL(code, errorOf([&] { text("SELECT 2"); }));
    CPPUNIT_ASSERT_EQUAL(code, errorOf([&] { _session->begin(); }));
    CPPUNIT_ASSERT(!_session->ping() && !_session->tidy());
}

TEST(PooledSessionTest, deadlockWhileFetchingIsAnError) {
    inDeadlock([&](Rows& rows) {
        CPPUNIT_ASSERT_EQUAL(1213U, errorOf([&] {
                                 while (rows.next()) {
                                 }
                             }));
        CPPUNIT_ASSERT_THROW(rows.next(), std::logic_error);
    });
}

TEST(PooledSessionTest, deadlockAmongUnreadRowsIsAnErrorOfTheNextStatement) {
    inDeadlock(
        [&](Rows&) { CPPUNIT_ASSERT_EQUAL(1213U, errorOf([&] { _session->execute("INSERT INTO n VALUES (2)"); })); });
}

TEST(PooledSessionTest, nothingRunsOnAfterADeadlockWithinATransaction) {
    inDeadlock([&](Rows&) {
        CPPUNIT_ASSERT_EQUAL(1213U, errorOf([&] { _session->prepareCommit(); }));
        CPPUNIT_ASSERT_EQUAL(1213U, errorOf([&] { _session->execute("INSERT INTO n VALUES (2)"); }));
        CPPUNIT_ASSERT_EQUAL(1213U, errorOf([&] { _session->query("SELECT 1"); }));
    });
}

/// As a node of Galera does it for another node's transaction.
TEST(PooledSessionTest, transactionThatWasUndoneUnheardEndsAtTheNextSelect) {
    _database.exec("CREATE TABLE n (a INT)");
    _session->begin();
    _session->execute("INSERT INTO n VALUES (1)");
    _session->run("ROLLBACK");
    CPPUNIT_ASSERT_EQUAL(1213U, errorOf([&] { _session->query("SELECT a FROM n"); }));
    CPPUNIT_ASSERT_EQUAL(1213U, errorOf([&] { _session->execute("INSERT INTO n VALUES (2)"); }));
    _session->rollback();
    CPPUNIT_ASSERT_EQUAL(std::string("0"), text("SELECT COUNT(*) FROM n"));
}

TEST(PooledSessionTest, implicitCommitIsNoticedBeforeCommit) {
    _session->begin();
    _session->run("CREATE TABLE n (a INT)");
    CPPUNIT_ASSERT_THROW(_session->prepareCommit(), std::logic_error);
    CPPUNIT_ASSERT(_session->tidy());
    _session->begin();
    _session->execute("INSERT INTO n VALUES (1)");
    _session->prepareCommit();
    _session->commit();
    CPPUNIT_ASSERT(!_session->inTransaction());
    CPPUNIT_ASSERT_EQUAL(std::string("1"), _database.text("SELECT COUNT(*) FROM n"));
}

TEST(PooledSessionTest, autocommitIsRestoredAfterPocosOwnBegin) {
    _database.exec("CREATE TABLE n (a INT)");
    _session->poco().begin();
    _session->execute("INSERT INTO n VALUES (1)");
    CPPUNIT_ASSERT(_session->tidy());
    CPPUNIT_ASSERT_EQUAL(std::string("1"), text("SELECT @@autocommit"));
    _session->execute("INSERT INTO n VALUES (2)");
    CPPUNIT_ASSERT_EQUAL(std::string("2"), _database.text("SELECT GROUP_CONCAT(a) FROM n"));
}

} // namespace supplierd::tests
