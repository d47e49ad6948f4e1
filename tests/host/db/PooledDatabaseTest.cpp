#include "host/db/PooledDatabase.h"

#include "host/db/Connector.h"
#include "tests/support/Concurrency.h"
#include "tests/support/MariaDbAlone.h"
#include "tests/support/Numbers.h"
#include "tests/support/PrivateMariaDb.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"
#include "tests/support/Thrown.h"

#include <supplierd/Errors.h>

#include <atomic>
#include <barrier>
#include <functional>
#include <future>
#include <thread>
#include <utility>
#include <vector>

namespace supplierd::tests {

using host::PooledDatabase;
using host::PoolSettings;
using host::SessionPool;

class PooledDatabaseTest : public CppUnit::TestFixture {
protected:
    TestDatabase _server;
    SessionPool _pool{_server.sessionSettings(), PoolSettings{.size = 4}};
    PooledDatabase _database{_pool};

public:
    void setUp() override {
        _server.exec("CREATE TABLE operations (id BINARY(16) PRIMARY KEY, abandoned TINYINT NOT NULL DEFAULT 0);"
                     "CREATE TABLE n (id INT PRIMARY KEY, v BIGINT NOT NULL DEFAULT 0);"
                     "INSERT INTO n (id) VALUES (1), (2)");
    }

protected:
    static std::int64_t idOf(SqlSession& session) {
        Rows& rows = session.query("SELECT CONNECTION_ID()");
        CPPUNIT_ASSERT(rows.next());
        return rows.integer(0);
    }

    void kill(SqlSession& session) { _server.exec("KILL CONNECTION " + std::to_string(idOf(session))); }

    static void add(SqlSession& session, int id, int amount = 1) {
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, session.execute("UPDATE n SET v = v + ? WHERE id = ?", {amount, id}));
    }

    std::int64_t value(int id) { return _server.integer("SELECT v FROM n WHERE id = " + std::to_string(id)); }

    static std::int64_t valueIn(SqlSession& session, int id) {
        Rows& rows = session.query("SELECT v FROM n WHERE id = ?", {id});
        CPPUNIT_ASSERT(rows.next());
        return rows.integer(0);
    }

    static unsigned errorOf(const std::function<void()>& work) {
        try {
            work();
            return 0;
        } catch (const DatabaseError& error) {
            return error.code();
        }
    }

    /// Sees every commit of others, inside a transaction and outside, and commits its own.
    void assertReadCommitted(std::int64_t sessionId) {
        const std::int64_t before = value(1);
        _database.withTransaction([&](Transaction& transaction) {
            CPPUNIT_ASSERT_EQUAL(sessionId, idOf(transaction));
            CPPUNIT_ASSERT_EQUAL(before, valueIn(transaction, 1));
            _server.exec("UPDATE n SET v = v + 1 WHERE id = 1");
            CPPUNIT_ASSERT_EQUAL(before + 1, valueIn(transaction, 1));
            add(transaction, 1);
        });
        _database.withSession([&](SqlSession& session) {
            CPPUNIT_ASSERT_EQUAL(sessionId, idOf(session));
            CPPUNIT_ASSERT_EQUAL(before + 2, valueIn(session, 1));
            _server.exec("UPDATE n SET v = v + 1 WHERE id = 1");
            CPPUNIT_ASSERT_EQUAL(before + 3, valueIn(session, 1));
        });
        _database.withWritingSession([&](SqlSession& session) {
            CPPUNIT_ASSERT_EQUAL(sessionId, idOf(session));
            add(session, 1);
        });
        CPPUNIT_ASSERT_EQUAL(before + 4, value(1));
    }

    void makeCatalogs() {
        _server.exec("CREATE TABLE supplier_state (supplier_id BIGINT PRIMARY KEY, change_seq BIGINT NOT NULL);"
                     "CREATE TABLE changes (supplier_id BIGINT, change_seq BIGINT, kind VARCHAR(1024), "
                     "ids MEDIUMBLOB, actor VARCHAR(255), request_id VARCHAR(64), "
                     "PRIMARY KEY (supplier_id, change_seq));"
                     "INSERT INTO supplier_state VALUES (7, 0), (8, 0), (9, 0)");
    }

    std::int64_t changes(int supplier) {
        return _server.integer("SELECT change_seq FROM supplier_state WHERE supplier_id = " + std::to_string(supplier));
    }
};

TEST(PooledDatabaseTest, transactionCommitsAndLeavesItsRecord) {
    _database.withTransaction([](Transaction& transaction) {
        add(transaction, 1);
        add(transaction, 2, 5);
    });
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, value(1));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, value(2));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _server.integer("SELECT COUNT(*) FROM operations"));
}

TEST(PooledDatabaseTest, whatTheWorkThrowsRollsBackAndComesThrough) {
    std::int64_t first = 0;
    const auto refuse = [&](Transaction& transaction) {
        first = idOf(transaction);
        add(transaction, 1);
        throw ApiError::conflict("no");
    };
    CPPUNIT_ASSERT_THROW(_database.withTransaction(refuse), ApiError);
    CPPUNIT_ASSERT_THROW(_database.withTransaction([](Transaction& t) {
        add(t, 1);
        throw 42;
    }),
                         int);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, value(1));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _server.integer("SELECT COUNT(*) FROM operations"));
    // The same session is used again, and writes outside transactions take effect at once.
    _database.withWritingSession([&](SqlSession& session) {
        CPPUNIT_ASSERT_EQUAL(first, idOf(session));
        add(session, 1);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, value(1));
    });
}

TEST(PooledDatabaseTest, bothOfTwoDeadlockedTransactionsCommitOnce) {
    std::barrier<> together(2);
    std::atomic<int> attempts{0};
    const auto run = [&](int first, int second) {
        bool waited = false;
        _database.withTransaction([&](Transaction& transaction) {
            ++attempts;
            add(transaction, first);
            if (!std::exchange(waited, true))
                together.arrive_and_wait();
            add(transaction, second);
        });
    };
    std::thread a([&] { run(1, 2); }), b([&] { run(2, 1); });
    a.join();
    b.join();
    CPPUNIT_ASSERT_EQUAL(3, attempts.load());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, value(1));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, value(2));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, _server.integer("SELECT COUNT(*) FROM operations"));
}

TEST(PooledDatabaseTest, deadlockThatNeverEndsIsGivenUpAfterFiveRepeats) {
    int attempts = 0;
    CPPUNIT_ASSERT_EQUAL(1213U, thrownBy<DatabaseError>([&] {
                                    _database.withTransaction([&](Transaction& transaction) {
                                        ++attempts;
                                        add(transaction, 1);
                                        throw DatabaseError(1213, "Deadlock found");
                                    });
                                }).code());
    CPPUNIT_ASSERT_EQUAL(6, attempts);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, value(1));
}

TEST(PooledDatabaseTest, swallowedDeadlockIsRepeatedAllTheSame) {
    _server.exec("BEGIN; UPDATE n SET v = 100 WHERE id = 2");
    host::SessionSettings settings = _server.sessionSettings();
    settings.lockWaitTimeout = std::chrono::seconds(1);
    SessionPool pool(settings, PoolSettings{});
    PooledDatabase database(pool);
    int attempts = 0;
    database.withTransaction([&](Transaction& transaction) {
        ++attempts;
        add(transaction, 1);
        try {
            add(transaction, 2);
        } catch (const DatabaseError& error) {
            CPPUNIT_ASSERT_EQUAL(1205U, error.code());
            _server.exec("COMMIT");
        }
    });
    CPPUNIT_ASSERT_EQUAL(2, attempts);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, value(1));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{101}, value(2));
}

TEST(PooledDatabaseTest, readIsRepeatedOnceWhenItsSessionWasLost) {
    int calls = 0;
    const std::int64_t read = _database.read([&](SqlSession& session) {
        if (++calls == 1)
            kill(session);
        return idOf(session);
    });
    CPPUNIT_ASSERT(read > 0);
    CPPUNIT_ASSERT_EQUAL(2, calls);
}

TEST(PooledDatabaseTest, transactionIsRepeatedOnceWhenItsSessionWasLostBeforeCommit) {
    int calls = 0;
    _database.withTransaction([&](Transaction& transaction) {
        add(transaction, 1);
        if (++calls == 1)
            kill(transaction);
    });
    CPPUNIT_ASSERT_EQUAL(2, calls);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, value(1));
}

TEST(PooledDatabaseTest, sessionLostTwiceIsUnavailable) {
    int reads = 0, transactions = 0;
    CPPUNIT_ASSERT(isUnavailable([&] {
        _database.withSession([&](SqlSession& session) {
            ++reads;
            kill(session);
            idOf(session);
        });
    }));
    CPPUNIT_ASSERT(isUnavailable([&] {
        _database.withTransaction([&](Transaction& transaction) {
            ++transactions;
            add(transaction, 1);
            kill(transaction);
            add(transaction, 1);
        });
    }));
    CPPUNIT_ASSERT_EQUAL(2, reads);
    CPPUNIT_ASSERT_EQUAL(2, transactions);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, value(1));
}

TEST(PooledDatabaseTest, sessionLostDuringRollbackIsDropped) {
    CPPUNIT_ASSERT_THROW(_database.withTransaction([&](Transaction& transaction) {
        add(transaction, 1);
        kill(transaction);
        throw ApiError::conflict("no");
    }),
                         ApiError);
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _pool.stats().idle);
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _pool.stats().inUse);
    _database.withTransaction([](Transaction& transaction) { add(transaction, 1); });
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, value(1));
}

TEST(PooledDatabaseTest, restartedDatabaseIsNotNoticed) {
    PrivateMariaDb server;
    TestDatabase own(server);
    SessionPool pool(own.sessionSettings(), PoolSettings{.size = 3});
    PooledDatabase database(pool);
    { SessionPool::Lease a = pool.acquire(), b = pool.acquire(), c = pool.acquire(); }
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, pool.stats().idle);
    server.restart();
    for (int i = 0; i < 4; ++i)
        CPPUNIT_ASSERT(database.read([](SqlSession& session) { return idOf(session); }) > 0);
}

TEST(PooledDatabaseTest, absentDatabaseIsUnavailable) {
    host::SessionSettings settings = _server.sessionSettings();
    settings.socket += ".absent";
    SessionPool pool(settings, PoolSettings{});
    PooledDatabase database(pool);
    CPPUNIT_ASSERT(isUnavailable([&] { database.withSession([](SqlSession&) {}); }));
    CPPUNIT_ASSERT(isUnavailable([&] { database.withTransaction([](Transaction&) {}); }));
    settings = _server.sessionSettings();
    settings.user = "nobody-of-ours";
    settings.password = "wrong";
    SessionPool strangers(settings, PoolSettings{});
    PooledDatabase locked(strangers);
    CPPUNIT_ASSERT(isUnavailable([&] { locked.withSession([](SqlSession&) {}); }));
}

TEST(PooledDatabaseTest, exceededTimeLimitIsUnavailable) {
    skipOnMySql("a time limit of SLEEP", _server);
    host::SessionSettings settings = _server.sessionSettings();
    settings.statementTimeLimit = std::chrono::milliseconds(100);
    SessionPool pool(settings, PoolSettings{});
    PooledDatabase database(pool);
    CPPUNIT_ASSERT(isUnavailable(
        [&] { database.withSession([](SqlSession& session) { session.query("SELECT SLEEP(20)").next(); }); }));
    CPPUNIT_ASSERT(isUnavailable([&] {
        database.withTransaction([](Transaction& transaction) {
            add(transaction, 1);
            transaction.query("SELECT SLEEP(20)").next();
        });
    }));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, value(1));
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{1}, pool.stats().opened);
}

TEST(PooledDatabaseTest, otherErrorsReachTheCaller) {
    int calls = 0;
    CPPUNIT_ASSERT(thrownBy<DatabaseError>([&] {
                       _database.withTransaction([&](Transaction& transaction) {
                           ++calls;
                           transaction.execute("INSERT INTO n VALUES (1, 0)");
                       });
                   }).isDuplicateKey());
    CPPUNIT_ASSERT_EQUAL(1, calls);
}

TEST(PooledDatabaseTest, catalogLockCountsChangesInCommitOrder) {
    makeCatalogs();
    _server.exec("CREATE TABLE log (seq BIGINT PRIMARY KEY AUTO_INCREMENT, change_seq BIGINT NOT NULL)");
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int k = 0; k < 25; ++k)
                _database.withTransaction([](Transaction& transaction) {
                    const std::int64_t change = transaction.change(7).seq();
                    transaction.execute("INSERT INTO log (change_seq) VALUES (?)", {change});
                });
        });
    for (std::thread& thread : threads)
        thread.join();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{100}, _server.integer("SELECT COUNT(DISTINCT change_seq) FROM log"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{100}, _server.integer("SELECT MAX(change_seq) FROM log"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _server.integer("SELECT COUNT(*) FROM log a JOIN log b ON b.seq > a.seq AND "
                                                          "b.change_seq < a.change_seq"));
    CPPUNIT_ASSERT_THROW(_database.withTransaction([](Transaction& t) { t.change(10); }), DatabaseError);
}

// Of the pool's four sessions, one may be at work on a catalog.
TEST(PooledDatabaseTest, writersOfOneCatalogTakeAQuarterOfThePool) {
    makeCatalogs();
    host::PooledSession other(host::openSession(_server.sessionSettings()));
    other.begin();
    other.run("UPDATE supplier_state SET change_seq = change_seq WHERE supplier_id = 7");
    std::atomic<int> attempts{0};
    std::vector<std::future<void>> writers;
    for (int i = 0; i < 8; ++i)
        writers.push_back(std::async(std::launch::async, [&] {
            _database.withTransaction([&](Transaction& transaction) {
                ++attempts;
                transaction.change(7);
            });
        }));
    waitUntil([&] { return attempts == 8 && _pool.stats().inUse == 1; });
    for (int i = 0; i < 20; ++i) {
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _database.read([](SqlSession& s) { return valueIn(s, 1); }));
        _database.withTransaction([](Transaction& transaction) { transaction.change(8); });
    }
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _pool.stats().inUse);
    other.commit();
    for (auto& writer : writers)
        writer.get();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{8}, changes(7));
}

TEST(PooledDatabaseTest, writerThatIsKnownBeforehandRunsOnce) {
    makeCatalogs();
    std::atomic<int> attempts{0};
    std::vector<std::future<void>> writers;
    for (int i = 0; i < 20; ++i)
        writers.push_back(std::async(std::launch::async, [&] {
            host::OperationRecord record;
            const auto work = [&](Transaction& transaction) {
                ++attempts;
                transaction.change(7);
            };
            _database.run(record, work, 7);
        }));
    for (auto& writer : writers)
        writer.get();
    CPPUNIT_ASSERT_EQUAL(20, attempts.load());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{20}, changes(7));
}

TEST(PooledDatabaseTest, workThatSwallowsTheRefusalRunsAgainAllTheSame) {
    makeCatalogs();
    std::promise<void> holding;
    std::promise<void> release;
    auto holder = std::async(std::launch::async, [&] {
        _database.withTransaction([&](Transaction& transaction) {
            transaction.change(7);
            holding.set_value();
            release.get_future().wait();
        });
    });
    holding.get_future().wait();
    std::atomic<int> attempts{0};
    auto second = std::async(std::launch::async, [&] {
        _database.withTransaction([&](Transaction& transaction) {
            ++attempts;
            try {
                transaction.change(7);
            } catch (const DatabaseError&) {
            }
        });
    });
    waitUntil([&] { return attempts == 1 && _pool.stats().inUse == 1; });
    release.set_value();
    holder.get();
    second.get();
    CPPUNIT_ASSERT_EQUAL(2, attempts.load());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, changes(7));
}

TEST(PooledDatabaseTest, transactionsOverSeveralCatalogsAllCommit) {
    constexpr int ROUNDS = 30;
    makeCatalogs();
    const std::vector<std::vector<std::int64_t>> orders{{7, 8, 9}, {7, 9}, {8, 9}, {7, 8}, {9}, {8}};
    std::vector<std::future<void>> writers;
    for (const auto& order : orders)
        writers.push_back(std::async(std::launch::async, [&] {
            for (int i = 0; i < ROUNDS; ++i)
                _database.withTransaction([&](Transaction& transaction) {
                    for (const std::int64_t supplier : order)
                        transaction.change(supplier);
                });
        }));
    for (auto& writer : writers)
        writer.get();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3 * ROUNDS}, changes(7));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{4 * ROUNDS}, changes(8));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{4 * ROUNDS}, changes(9));
}

TEST(PooledDatabaseTest, statementsOfASnapshotSeeOneState) {
    const auto seen = _database.snapshot([&](SqlSession& session) {
        const std::int64_t first = valueIn(session, 1);
        _server.exec("UPDATE n SET v = v + 7");
        return std::pair(first, valueIn(session, 2));
    });
    CPPUNIT_ASSERT(seen == std::pair(std::int64_t{0}, std::int64_t{0}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, _database.snapshot([](SqlSession& s) { return valueIn(s, 1); }));
}

TEST(PooledDatabaseTest, snapshotNeitherWritesNorLocks) {
    for (const char* sql : {"UPDATE n SET v = 5", "SELECT v FROM n WHERE id = 1 FOR UPDATE"})
        CPPUNIT_ASSERT_EQUAL(
            1792U, errorOf([&] { _database.withSnapshot([&](SqlSession& session) { session.execute(sql); }); }));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, value(1));
}

TEST(PooledDatabaseTest, sessionIsAsBeforeAfterASnapshot) {
    std::int64_t id = 0;
    _database.withSnapshot([&](SqlSession& session) { id = idOf(session); });
    assertReadCommitted(id);
    _database.withSnapshot([](SqlSession&) {});
    _database.withSnapshot([&](SqlSession& session) { session.query("SELECT seq FROM " + numbersTo(5000)); });
    assertReadCommitted(id);
}

TEST(PooledDatabaseTest, sessionIsAsBeforeAfterASnapshotThatThrew) {
    std::int64_t id = 0;
    const auto refuse = [&](SqlSession& session) {
        id = idOf(session);
        session.query("SELECT seq FROM " + numbersTo(5000)).next();
        throw ApiError::notFound("no");
    };
    CPPUNIT_ASSERT_THROW(_database.withSnapshot(refuse), ApiError);
    assertReadCommitted(id);
    CPPUNIT_ASSERT_THROW(_database.withSnapshot([](SqlSession&) { throw 42; }), int);
    CPPUNIT_ASSERT_EQUAL(
        1146U, errorOf([&] { _database.withSnapshot([](SqlSession& s) { s.query("SELECT 1 FROM nowhere"); }); }));
    assertReadCommitted(id);
}

TEST(PooledDatabaseTest, snapshotIsRepeatedOnceWhenItsSessionWasLost) {
    int attempts = 0;
    const std::int64_t seen = _database.snapshot([&](SqlSession& session) {
        if (++attempts == 1)
            kill(session);
        return valueIn(session, 1);
    });
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, seen);
    CPPUNIT_ASSERT_EQUAL(2, attempts);
    CPPUNIT_ASSERT(isUnavailable([&] { _database.withSnapshot([&](SqlSession& s) { kill(s), valueIn(s, 1); }); }));
}

TEST(PooledDatabaseTest, readsAreRepeatedWhenAMigrationChangesTheirTable) {
    const auto readAfterChange = [&](auto& session, int attempt) {
        session.query("SELECT id FROM m").next(); // begins to read
        if (attempt == 1)
            _server.exec("ALTER TABLE n ADD COLUMN later INT NOT NULL DEFAULT 5, ALGORITHM = COPY");
        session.query("SELECT v FROM n WHERE id = 1").next();
    };
    _server.exec("CREATE TABLE m (id INT PRIMARY KEY) SELECT 1 AS id");
    int attempts = 0;
    _database.withSnapshot([&](SqlSession& session) { readAfterChange(session, ++attempts); });
    CPPUNIT_ASSERT_EQUAL(2, attempts);
}

TEST(PooledDatabaseTest, sessionLostAfterASnapshotIsNotNoticed) {
    std::int64_t id = 0;
    const auto look = [&](SqlSession& session) { id = idOf(session); };
    const auto lose = [&] { _server.exec("KILL CONNECTION " + std::to_string(id)); };
    _database.withSnapshot(look);
    lose();
    _database.withSnapshot(look);
    lose();
    _database.withTransaction([](Transaction& transaction) { add(transaction, 1); });
    _database.withSnapshot(look);
    lose();
    _database.withSession([](SqlSession& session) { CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, valueIn(session, 1)); });
}

TEST(PooledDatabaseTest, readingSessionRefusesToWrite) {
    for (const char* sql :
         {"UPDATE n SET v = 9", "  /* SELECT */ DELETE FROM n", "-- SELECT\n INSERT INTO n (id) VALUES (7)",
          "REPLACE INTO n (id) VALUES (1)", "TRUNCATE n"})
        CPPUNIT_ASSERT_THROW_MESSAGE(sql, _database.withSession([&](SqlSession& session) { session.execute(sql); }),
                                     std::logic_error);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _server.integer("SELECT SUM(v) FROM n"));
    for (const char* sql : {"(SELECT 1)", "/* a */ select 1", "SHOW TABLES", "WITH x AS (SELECT 1) SELECT * FROM x"})
        _database.withSession([&](SqlSession& session) { session.query(sql).next(); });
    // The session is as good as before for whoever has it next.
    _database.withTransaction([](Transaction& transaction) { add(transaction, 1); });
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, value(1));
}

TEST(PooledDatabaseTest, oneStatementTakesEffectByItself) {
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, _database.execute("UPDATE n SET v = v + ?", {3}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, value(2));
    CPPUNIT_ASSERT_EQUAL(1062U, errorOf([&] { _database.execute("INSERT INTO n (id) VALUES (1)"); }));
}

TEST(PooledDatabaseTest, oneStatementIsRepeatedAfterALockTimeout) {
    auto settings = _server.sessionSettings();
    settings.lockWaitTimeout = std::chrono::seconds(1);
    SessionPool pool(settings, PoolSettings{.size = 1});
    PooledDatabase impatient(pool);
    std::promise<void> locked;
    auto holder = std::async(std::launch::async, [&] {
        _database.withTransaction([&](Transaction& transaction) {
            add(transaction, 1);
            locked.set_value();
            // Asleep in the database: one that says nothing would lose its lock.
            transaction.session().query("SELECT SLEEP(1.5)").next();
        });
    });
    locked.get_future().wait();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, impatient.execute("UPDATE n SET v = v + 10 WHERE id = 1"));
    holder.get();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{11}, value(1));
}

TEST(PooledDatabaseTest, oneStatementThatWasCutOffIsNotRepeated) {
    auto cut = std::async(std::launch::async, [&] {
        return isUnavailable([&] { _database.execute("UPDATE n SET v = v + 1 + SLEEP(20) WHERE id = 1"); });
    });
    std::int64_t id = 0;
    while (id == 0)
        id = _server.integer("SELECT COALESCE(MAX(id), 0) FROM information_schema.processlist "
                             "WHERE info LIKE 'UPDATE n SET v = v + 1 + SLEEP%'");
    _server.exec("KILL CONNECTION " + std::to_string(id));
    CPPUNIT_ASSERT(cut.get());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, value(1));
}

TEST(PooledDatabaseTest, fullDiskIsUnavailable) {
    // A table in memory has the same error when it is full.
    _server.exec("SET max_heap_table_size = 16384; CREATE TABLE small (t CHAR(200)) ENGINE = MEMORY");
    CPPUNIT_ASSERT(isUnavailable([&] {
        _database.execute("INSERT INTO small WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE "
                          "i < 1000) SELECT REPEAT('x', 200) FROM n");
    }));
}

TEST(PooledDatabaseTest, temporaryTableThatIsGoneIsUnavailable) {
    skipOnMySql("a block that is no procedure", _server);
    // As when another MariaDB that starts has emptied the temporary directory.
    const std::string failure =
        "BEGIN NOT ATOMIC UPDATE n SET v = 1 WHERE id = 1; SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 6, "
        "MESSAGE_TEXT = 'Error on delete of a temporary table'; END";
    CPPUNIT_ASSERT(isUnavailable(
        [&] { _database.withTransaction([&](Transaction& transaction) { transaction.session().execute(failure); }); }));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, value(1));
    // By itself it may have taken effect.
    CPPUNIT_ASSERT(isUnavailable([&] { _database.execute(failure); }));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, value(1));
}

TEST(PooledDatabaseTest, rowsThatAnotherStatementSupersededThrow) {
    _database.withSession([](SqlSession& session) {
        Rows& outer = session.query("SELECT id FROM n ORDER BY id");
        CPPUNIT_ASSERT(outer.next());
        CPPUNIT_ASSERT(session.query("SELECT v FROM n").next());
        CPPUNIT_ASSERT_THROW(outer.next(), std::logic_error);
    });
    _database.withSession([](SqlSession& session) { // the same text, read to its end
        Rows& outer = session.query("SELECT id FROM n WHERE id >= ?", {1});
        CPPUNIT_ASSERT(outer.next());
        Rows& inner = session.query("SELECT id FROM n WHERE id >= ?", {2});
        while (inner.next()) {
        }
        CPPUNIT_ASSERT_THROW(outer.next(), std::logic_error);
    });
}

} // namespace supplierd::tests
