#include "host/db/Connector.h"
#include "host/db/PooledSession.h"
#include "host/db/schema/Migrator.h"
#include "tests/host/db/CommitCutter.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/MariaDbAlone.h"
#include "tests/support/PrivateMariaDb.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"
#include "tests/support/Texts.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace supplierd::tests {

using host::MigrationError;
using host::MigrationSet;
using host::MigrationStep;
using host::Migrator;
using host::SchemaState;

namespace {

/// For a table: an ALTER is to be interrupted while the database executes it.
constexpr std::chrono::seconds LONG_WAIT{60};

/// A migrating process of its own, which can be stopped and killed.
class MigratingProcess {
public:
    enum ExitCode { Done = 0, Refused = 3 };

    MigratingProcess(const host::SessionSettings& settings, const std::vector<MigrationSet>& sets,
                     const Migrator::Progress& progress = {}) {
        _pid = ::fork();
        if (_pid == 0) {
            try {
                Migrator(settings, sets, LONG_WAIT).apply(progress);
            } catch (const MigrationError&) {
                ::_exit(Refused);
            } catch (const std::exception&) {
                ::_exit(1);
            }
            ::_exit(Done);
        }
    }
    ~MigratingProcess() {
        if (!_isGone)
            kill();
    }
    MigratingProcess(const MigratingProcess&) = delete;
    MigratingProcess& operator=(const MigratingProcess&) = delete;

    void kill() {
        ::kill(_pid, SIGKILL);
        wait();
    }
    void pause() { stopProcess(_pid); }
    void resume() { ::kill(_pid, SIGCONT); }
    void waitUntilPaused() {
        int status = 0;
        ::waitpid(_pid, &status, WUNTRACED);
        CPPUNIT_ASSERT(WIFSTOPPED(status));
    }
    int wait() {
        int status = 0;
        ::waitpid(_pid, &status, 0);
        _isGone = true;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

private:
    pid_t _pid = -1;
    bool _isGone = false;
};

} // namespace

/// Every way in which a migration can end early, and what the next run makes of it.
class MigrationInterruptionTest : public CppUnit::TestFixture {
protected:
    std::optional<TestDatabase> _database{std::in_place};

protected:
    /// Statement 3 adds a column, statement 4 counts.
    static std::vector<MigrationSet> roses() {
        return {{"roses",
                 {{1, "roses",
                   "CREATE TABLE roses (id INT PRIMARY KEY, n INT NOT NULL);\nINSERT INTO roses VALUES (1, 0);\n"
                   "ALTER TABLE roses ADD COLUMN colour VARCHAR(20);\nUPDATE roses SET n = n + 1;\n"
                   "ALTER TABLE roses ADD KEY colour (colour);\n"}}}};
    }

    static Migrator::Progress pauseAfter(std::size_t statement) {
        return [statement](const MigrationStep& step) {
            if (step.component == "roses" && step.statementsDone == statement)
                ::raise(SIGSTOP);
        };
    }

    Migrator migrator() { return {_database->sessionSettings(), roses(), LONG_WAIT}; }

    void applyUntil(std::size_t statement) {
        struct Stop {};
        CPPUNIT_ASSERT_THROW(migrator().apply([&](const MigrationStep& step) {
            if (step.component == "roses" && step.statementsDone == statement)
                throw Stop();
        }),
                             Stop);
    }

    void assertComplete() {
        CPPUNIT_ASSERT(migrator().check().state == SchemaState::Current);
        CPPUNIT_ASSERT_EQUAL(std::string("1:1"), _database->text("SELECT GROUP_CONCAT(id, ':', n) FROM roses"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1},
                             _database->integer("SELECT COUNT(*) FROM information_schema.STATISTICS WHERE TABLE_SCHEMA "
                                                "= DATABASE() AND INDEX_NAME = 'colour'"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0},
                             _database->integer("SELECT COUNT(*) FROM schema_migrations WHERE applied_at IS NULL OR "
                                                "statements_done <> statements_total"));
    }

    std::string begunAndDone() {
        return _database->text("SELECT CONCAT(statements_begun, ' ', statements_done) FROM schema_migrations WHERE "
                               "component = 'roses'");
    }

    void endLease() { _database->exec("UPDATE schema_lease SET expires_at = '2000-01-01'"); }

    /// The connection that runs a statement with that text in it.
    std::int64_t awaitRunning(const std::string& text) {
        for (;;) {
            const auto rows =
                _database->query("SELECT ID FROM information_schema.processlist WHERE DB = DATABASE() AND "
                                 "ID <> CONNECTION_ID() AND INFO LIKE '%" +
                                 text + "%'");
            if (!rows.empty())
                return std::stoll(*rows[0][0]);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }

    /// Keeps every ALTER of `roses` waiting, or every UPDATE.
    class Holder {
    public:
        Holder(const TestDatabase& database, const std::string& how)
            : _session(host::openSession(database.sessionSettings())) {
            if (how == "table") {
                _session.run("LOCK TABLES roses WRITE");
            } else {
                _session.run("START TRANSACTION");
                _session.run("SELECT * FROM roses FOR UPDATE");
            }
        }

    private:
        host::PooledSession _session;
    };

    void killDatabaseDuring(std::size_t statement, const std::string& how, const std::string& text) {
        PrivateMariaDb server;
        _database.emplace(server);
        applyUntil(statement);
        {
            const Holder holder(*_database, how);
            MigratingProcess process(_database->sessionSettings(), roses());
            awaitRunning(text);
            server.kill();
            CPPUNIT_ASSERT_EQUAL(static_cast<int>(MigratingProcess::Refused), process.wait());
        }
        server.start();
        endLease(); // that it runs out by itself is MigratorTest's
        migrator().apply();
        assertComplete();
        _database.reset();
    }
};

TEST(MigrationInterruptionTest, alterThatOutlivesItsProcessIsWaitedForByName) {
    applyUntil(2);
    std::optional<Holder> holder(std::in_place, *_database, "table");
    MigratingProcess process(_database->sessionSettings(), roses());
    const auto connection = awaitRunning("ADD COLUMN");
    process.kill();
    endLease();
    std::vector<std::string> notices;
    // Only a run that waits for the connection by its name lets go of the table; another one would wait for ever.
    migrator().apply({}, [&](const std::string& notice) {
        notices.push_back(notice);
        if (notice.find("connection " + std::to_string(connection)) != std::string::npos)
            holder.reset();
    });
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, notices.size());
    requireIn("roses/0001_roses, statement 3 of 5", notices[0]);
    assertComplete();
}

/// As it was seen first: the run after the interrupted one failed, and took the beginning back.
TEST(MigrationInterruptionTest, alterOfAnEarlierRunStaysBegunAfterATimeOut) {
    applyUntil(2);
    // What an interrupted run leaves whose ALTER the database has finished by now, before the table is locked.
    _database->exec("UPDATE schema_migrations SET statements_begun = 3 WHERE component = 'roses'");
    _database->exec("ALTER TABLE roses ADD COLUMN colour VARCHAR(20)");
    {
        const Holder holder(*_database, "table");
        MigratingProcess process(_database->sessionSettings(), roses());
        const auto connection = awaitRunning("ADD COLUMN");
        _database->exec("KILL QUERY " + std::to_string(connection));
        CPPUNIT_ASSERT_EQUAL(static_cast<int>(MigratingProcess::Refused), process.wait());
    }
    CPPUNIT_ASSERT_EQUAL(std::string("3 2"), begunAndDone());
    migrator().apply();
    assertComplete();
}

TEST(MigrationInterruptionTest, dataStatementThatOutlivesItsProcessIsDoneOnce) {
    applyUntil(3);
    std::optional<Holder> holder(std::in_place, *_database, "row");
    MigratingProcess process(_database->sessionSettings(), roses());
    const auto connection = awaitRunning("n + 1");
    process.kill();
    endLease();
    migrator().apply({}, [&](const std::string& notice) {
        if (notice.find("statement 4 of 5") != std::string::npos &&
            notice.find("connection " + std::to_string(connection)) != std::string::npos)
            holder.reset();
    });
    CPPUNIT_ASSERT(!holder);
    assertComplete();
}

TEST(MigrationInterruptionTest, killedConnectionLeavesTheStatementToTheNextRun) {
    applyUntil(2);
    for (const char* how : {"KILL CONNECTION ", "KILL QUERY "}) {
        const Holder holder(*_database, "table");
        MigratingProcess process(_database->sessionSettings(), roses());
        _database->exec(how + std::to_string(awaitRunning("ADD COLUMN")));
        CPPUNIT_ASSERT_EQUAL(static_cast<int>(MigratingProcess::Refused), process.wait());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(how, std::string("3 2"), begunAndDone());
    }
    migrator().apply();
    assertComplete();
}

TEST(MigrationInterruptionTest, databaseKilledDuringAnAlter) {
    killDatabaseDuring(2, "table", "ADD COLUMN");
}

TEST(MigrationInterruptionTest, databaseKilledDuringADataStatement) {
    killDatabaseDuring(3, "row", "n + 1");
}

TEST(MigrationInterruptionTest, killedAfterEveryStatement) {
    for (std::size_t statement = 1; statement <= 5; ++statement) {
        MigratingProcess process(_database->sessionSettings(), roses(), pauseAfter(statement));
        process.waitUntilPaused();
        process.kill();
        endLease();
    }
    migrator().apply();
    assertComplete();
}

TEST(MigrationInterruptionTest, lostCommitOfADataStatementIsDoneOnce) {
    for (const auto cut : {CommitCutter::Cut::Before, CommitCutter::Cut::After}) {
        _database.emplace();
        applyUntil(3);
        CommitCutter cutter(_database->sessionSettings());
        cutter.cut(cut);
        CPPUNIT_ASSERT_THROW(Migrator(cutter.settings(), roses()).apply(), MigrationError);
        CPPUNIT_ASSERT_EQUAL(1, cutter.cuts());
        endLease();
        migrator().apply();
        assertComplete();
    }
}

/// Asleep between two statements, while another one takes over and finishes.
TEST(MigrationInterruptionTest, processThatWakesUpAfterItsLeaseChangesNothing) {
    for (std::size_t statement = 2; statement <= 4; ++statement) {
        _database.emplace();
        MigratingProcess process(_database->sessionSettings(), roses(), pauseAfter(statement));
        process.waitUntilPaused();
        endLease();
        migrator().apply();
        process.resume();
        CPPUNIT_ASSERT_EQUAL(static_cast<int>(MigratingProcess::Refused), process.wait());
        assertComplete();
    }
}

/// Asleep while the database executes its ALTER; another one waits for that, takes it for done, and finishes.
TEST(MigrationInterruptionTest, processThatWakesUpAfterItsAlterChangesNothing) {
    applyUntil(2);
    std::optional<Holder> holder(std::in_place, *_database, "table");
    MigratingProcess process(_database->sessionSettings(), roses());
    awaitRunning("ADD COLUMN");
    process.pause();
    endLease();
    migrator().apply({}, [&](const std::string&) { holder.reset(); });
    process.resume();
    CPPUNIT_ASSERT_EQUAL(static_cast<int>(MigratingProcess::Refused), process.wait());
    assertComplete();
}

/// Its statement has run, its COMMIT was not sent: the database undoes it, and the next one does it again.
TEST(MigrationInterruptionTest, processThatStandsStillWithinATransactionLosesIt) {
    skipOnMySql("a time limit of transactions", *_database);
    applyUntil(3);
    std::optional<Holder> holder(std::in_place, *_database, "row");
    MigratingProcess process(_database->sessionSettings(), roses());
    awaitRunning("n + 1");
    process.pause();
    holder.reset();
    endLease();
    migrator().apply();
    process.resume();
    CPPUNIT_ASSERT_EQUAL(static_cast<int>(MigratingProcess::Refused), process.wait());
    assertComplete();
}

TEST(MigrationInterruptionTest, killedBeforeAnythingIsRecorded) {
    for (const char* left :
         {"CREATE TABLE schema_lease (id TINYINT NOT NULL, owner CHAR(36) NOT NULL, holder VARCHAR(255) NOT NULL, "
          "expires_at DATETIME(6) NOT NULL, PRIMARY KEY (id))",
          "INSERT INTO schema_lease VALUES (1, 'dead', 'dead', '2000-01-01')"})
        _database->exec(left);
    migrator().apply();
    assertComplete();
}

TEST(MigrationInterruptionTest, killedBetweenTheLastStatementAndTheEnd) {
    applyUntil(5);
    CPPUNIT_ASSERT_EQUAL(std::string("5 5"), begunAndDone());
    CPPUNIT_ASSERT(migrator().check().isBehind());
    migrator().apply();
    assertComplete();
}

/// A table of somebody else's is an error in the first run and in every further one.
TEST(MigrationInterruptionTest, refusedStatementIsNotTakenForDone) {
    _database->exec("CREATE TABLE roses (other INT)");
    for (int i = 0; i < 3; ++i) {
        CPPUNIT_ASSERT_THROW(migrator().apply(), MigrationError);
        CPPUNIT_ASSERT_EQUAL(std::string("0 0"), begunAndDone());
    }
}

} // namespace supplierd::tests
