#include "host/db/TransactionGroups.h"

#include "host/db/Connector.h"
#include "host/db/PooledDatabase.h"
#include "tests/host/db/AwaitSleep.h"
#include "tests/host/db/CommitCutter.h"
#include "tests/support/Concurrency.h"
#include "tests/support/MariaDbAlone.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"
#include "tests/support/Thrown.h"

#include <supplierd/Errors.h>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

using host::ChangeOrigin;
using host::OperationRecord;
using host::PooledDatabase;
using host::PooledSession;
using host::PoolSettings;
using host::SessionPool;
using host::TransactionGroups;
using host::TransactionWork;
using Cut = CommitCutter::Cut;
using Texts = std::vector<std::string>;

namespace {

constexpr std::int64_t SUPPLIER = 7;

/// Tells transactions apart: the session's id, and how many it has begun.
std::string transactionOf(Transaction& transaction) {
    Rows& rows = transaction.query("SELECT CONCAT(CONNECTION_ID(), ':', VARIABLE_VALUE) FROM "
                                   "information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'COM_BEGIN'");
    CPPUNIT_ASSERT(rows.next());
    return std::string(rows.text(0));
}

/// One that can never be asked.
class SilentRecord final : public host::CommitRecord {
public:
    bool isCommitted(PooledSession&) override { throw DatabaseError(1205, "Lock wait timeout exceeded"); }
};

} // namespace

/// Works of a supplier that wait for one another go together, and each is as if it had gone alone.
class TransactionGroupsTest : public CppUnit::TestFixture {
protected:
    struct Writer {
        std::function<void(Transaction&)> work;
        host::CommitRecord* record = nullptr;
        std::atomic<int> attempts{0};
        std::atomic<pid_t> thread{0};
        std::int64_t seq = 0;
        std::int64_t seen = 0; ///< of the counter, before its own increment
        std::string transaction;
        std::future<void> outcome = {};
    };

    TestDatabase _server;
    CommitCutter _cutter{_server.sessionSettings()};
    SessionPool _pool{_cutter.settings(), PoolSettings{.size = 8}};
    PooledDatabase _database{_pool};
    std::deque<Writer> _writers;

public:
    void setUp() override {
        skipOnMySql("the status of a session as a table", _server);
        _server.exec("CREATE TABLE operations (id BINARY(16) PRIMARY KEY, abandoned TINYINT NOT NULL DEFAULT 0);"
                     "CREATE TABLE supplier_state (supplier_id BIGINT PRIMARY KEY, change_seq BIGINT NOT NULL);"
                     "CREATE TABLE changes (supplier_id BIGINT, change_seq BIGINT, kind VARCHAR(1024), "
                     "ids MEDIUMBLOB, actor VARCHAR(255), request_id VARCHAR(64), "
                     "PRIMARY KEY (supplier_id, change_seq));"
                     "INSERT INTO supplier_state VALUES (7, 0), (8, 0);"
                     "CREATE TABLE n (v BIGINT NOT NULL); INSERT INTO n VALUES (0)");
    }

protected:
    /// What a writer does beside its counting; `place` counts from 0, the one that the others wait for.
    using Extra = std::function<void(Writer& writer, std::size_t place)>;

    static void take(TransactionGroups& groups, std::chrono::milliseconds patience) {
        OperationRecord record;
        const ChangeOrigin origin;
        const std::function<void(Transaction&)> nothing = [](Transaction&) {};
        groups.run(SUPPLIER, {record, nothing, origin}, host::CatalogSemaphore::Clock::now() + patience);
    }

    static void hold(PooledSession& session) {
        session.begin();
        session.run("UPDATE supplier_state SET change_seq = change_seq WHERE supplier_id = 7");
    }

    /// Cuts the COMMIT of the first one's transaction that waited.
    Extra cutting(Cut how) {
        return [this, how](Writer& writer, std::size_t place) {
            if (place == 1 && writer.attempts == 1)
                _cutter.cut(how);
        };
    }

    void start(const Extra& extra, host::CommitRecord* record = nullptr) {
        const std::size_t place = _writers.size();
        Writer& writer = _writers.emplace_back();
        writer.record = record;
        writer.work = [&writer, place, extra](Transaction& transaction) {
            ++writer.attempts;
            writer.transaction = transactionOf(transaction);
            Change& change = transaction.change(SUPPLIER);
            change.note("test.done", 1);
            writer.seq = change.seq();
            Rows& rows = transaction.query("SELECT v FROM n");
            CPPUNIT_ASSERT(rows.next());
            writer.seen = rows.integer(0);
            transaction.execute("UPDATE n SET v = v + 1");
            if (extra)
                extra(writer, place);
        };
        writer.outcome = std::async(std::launch::async, [this, &writer, place] {
            writer.thread = ::gettid();
            OperationRecord own;
            const ChangeOrigin origin{"sk_" + std::to_string(place), "request-" + std::to_string(place)};
            _database.runTogether(writer.record ? *writer.record : own, writer.work, SUPPLIER, origin);
        });
    }

    /// So many wait for one that waits for the lock, which it then gets. `record`: theirs.
    void goTogether(int waiting, const Extra& extra = {}, host::CommitRecord* record = nullptr) {
        PooledSession holder(host::openSession(_server.sessionSettings()));
        hold(holder);
        start(extra);
        waitUntil([this] { return _writers[0].attempts == 1; });
        for (int i = 0; i < waiting; ++i) {
            start(extra, record);
            waitUntil([this] { return _writers.back().thread != 0; });
            awaitSleep(_writers.back().thread);
        }
        holder.commit();
        for (Writer& writer : _writers)
            writer.outcome.wait();
    }

    /// "": it is committed.
    std::string outcomeOf(std::size_t place) {
        try {
            _writers[place].outcome.get();
            return {};
        } catch (const std::exception& error) {
            return error.what();
        }
    }

    void requireAllCommitted() {
        for (std::size_t place = 0; place < _writers.size(); ++place)
            CPPUNIT_ASSERT_EQUAL(std::string(), outcomeOf(place));
        requireCounted(static_cast<std::int64_t>(_writers.size()));
    }

    void requireCounted(std::int64_t count) {
        CPPUNIT_ASSERT_EQUAL(count, _server.integer("SELECT v FROM n"));
        CPPUNIT_ASSERT_EQUAL(count, _server.integer("SELECT change_seq FROM supplier_state WHERE supplier_id = 7"));
        CPPUNIT_ASSERT_EQUAL(count, _server.integer("SELECT COUNT(*) FROM changes"));
    }
};

TEST(TransactionGroupsTest, thoseThatWaitGoTogetherOneAfterTheOther) {
    goTogether(5);
    requireAllCommitted();
    for (std::size_t i = 0; i < _writers.size(); ++i) {
        const Writer& writer = _writers[i];
        CPPUNIT_ASSERT_EQUAL(1, writer.attempts.load());
        CPPUNIT_ASSERT_EQUAL(static_cast<std::int64_t>(i) + 1, writer.seq);
        CPPUNIT_ASSERT_EQUAL(static_cast<std::int64_t>(i), writer.seen);
        CPPUNIT_ASSERT_EQUAL(i == 0, writer.transaction != _writers.back().transaction);
    }
    // Each has an entry of its own in the change log.
    Texts log;
    for (const TestRow& row : _server.query("SELECT change_seq, actor, request_id, kind FROM changes ORDER BY 1"))
        log.push_back(*row[0] + " " + *row[1] + " " + *row[2] + " " + *row[3]);
    CPPUNIT_ASSERT((Texts{"1 sk_0 request-0 test.done", "2 sk_1 request-1 test.done", "3 sk_2 request-2 test.done",
                          "4 sk_3 request-3 test.done", "5 sk_4 request-4 test.done", "6 sk_5 request-5 test.done"}) ==
                   log);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{6}, _server.integer("SELECT COUNT(*) FROM operations"));
}

TEST(TransactionGroupsTest, noMoreThanAFewGoTogether) {
    constexpr int WAITING = 2 * TransactionGroups::MOST_TOGETHER + 1;
    goTogether(WAITING);
    requireAllCommitted();
    const auto transactionAt = [this](std::size_t i) { return _writers[i].transaction; };
    constexpr std::size_t MOST = TransactionGroups::MOST_TOGETHER;
    CPPUNIT_ASSERT_EQUAL(transactionAt(1), transactionAt(MOST));
    CPPUNIT_ASSERT(transactionAt(MOST) != transactionAt(MOST + 1));
    CPPUNIT_ASSERT_EQUAL(transactionAt(MOST + 1), transactionAt(2 * MOST));
    CPPUNIT_ASSERT(transactionAt(2 * MOST) != transactionAt(2 * MOST + 1));
}

TEST(TransactionGroupsTest, whatOneThrowsIsNobodyElses) {
    goTogether(4, [](Writer&, std::size_t place) {
        if (place == 2)
            throw ApiError::conflict("the second one's");
        if (place == 3)
            throw ApiError::notFound("the third one's");
    });
    CPPUNIT_ASSERT_EQUAL(std::string(), outcomeOf(0));
    CPPUNIT_ASSERT_EQUAL(std::string(), outcomeOf(1));
    CPPUNIT_ASSERT_EQUAL(std::string("the second one's"), outcomeOf(2));
    CPPUNIT_ASSERT_EQUAL(std::string("the third one's"), outcomeOf(3));
    CPPUNIT_ASSERT_EQUAL(std::string(), outcomeOf(4));
    CPPUNIT_ASSERT_EQUAL(2, _writers[1].attempts.load());
    CPPUNIT_ASSERT(_writers[1].transaction != _writers[4].transaction);
    requireCounted(3);
}

TEST(TransactionGroupsTest, aDeadlockIsRepeatedForAll) {
    goTogether(3, [](Writer& writer, std::size_t place) {
        if (place == 2 && writer.attempts == 1)
            throw DatabaseError(1213, "Deadlock found");
    });
    requireAllCommitted();
    CPPUNIT_ASSERT_EQUAL(2, _writers[1].attempts.load());
    CPPUNIT_ASSERT_EQUAL(_writers[1].transaction, _writers[3].transaction);
}

TEST(TransactionGroupsTest, aCommitThatTookEffectIsRepeatedForNone) {
    goTogether(3, cutting(Cut::After));
    requireAllCommitted();
    CPPUNIT_ASSERT_EQUAL(1, _cutter.cuts());
    for (const Writer& writer : _writers)
        CPPUNIT_ASSERT_EQUAL(1, writer.attempts.load());
}

TEST(TransactionGroupsTest, aCommitThatDidNotTakeEffectIsRepeatedForAll) {
    goTogether(3, cutting(Cut::Before));
    requireAllCommitted();
    CPPUNIT_ASSERT_EQUAL(1, _cutter.cuts());
    for (std::size_t i = 1; i < _writers.size(); ++i)
        CPPUNIT_ASSERT_EQUAL(2, _writers[i].attempts.load());
    CPPUNIT_ASSERT_EQUAL(_writers[1].transaction, _writers[3].transaction);
    // The ids of the lost attempt are shut out for good.
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, _server.integer("SELECT COUNT(*) FROM operations WHERE abandoned"));
}

TEST(TransactionGroupsTest, aLostSessionIsRepeatedForAll) {
    goTogether(3, [this](Writer& writer, std::size_t place) {
        if (place == 3 && writer.attempts == 1)
            _server.exec("KILL CONNECTION " + writer.transaction.substr(0, writer.transaction.find(':')));
    });
    requireAllCommitted();
    CPPUNIT_ASSERT_EQUAL(2, _writers[1].attempts.load());
}

TEST(TransactionGroupsTest, anUnknownOutcomeIsToldToAllAndRepeatedForNone) {
    SilentRecord silent;
    goTogether(2, cutting(Cut::After), &silent);
    CPPUNIT_ASSERT_EQUAL(std::string(), outcomeOf(0));
    for (const std::size_t place : {1, 2}) {
        CPPUNIT_ASSERT_THROW(_writers[place].outcome.get(), ApiError);
        CPPUNIT_ASSERT_EQUAL(1, _writers[place].attempts.load());
    }
    requireCounted(3);
}

TEST(TransactionGroupsTest, otherSuppliersDoNotWait) {
    PooledSession holder(host::openSession(_server.sessionSettings()));
    hold(holder);
    start({});
    waitUntil([this] { return _writers[0].attempts == 1; });
    OperationRecord record;
    std::int64_t seq = 0;
    _database.runTogether(
        record, [&](Transaction& transaction) { seq = transaction.change(8).seq(); }, 8, ChangeOrigin());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, seq);
    holder.commit();
    CPPUNIT_ASSERT_EQUAL(std::string(), outcomeOf(0));
}

TEST(TransactionGroupsTest, oneThatWaitsForTooLongIsRefused) {
    std::promise<void> release;
    std::atomic<int> runs{0};
    TransactionGroups groups([&, released = release.get_future().share()](auto, auto works, bool&) {
        runs += static_cast<int>(works.size());
        released.wait();
    });
    auto first = std::async(std::launch::async, [&] { take(groups, std::chrono::minutes(1)); });
    waitUntil([&] { return runs == 1; });
    CPPUNIT_ASSERT(isUnavailable([&] { take(groups, std::chrono::milliseconds(20)); }));
    release.set_value();
    first.get();
    take(groups, std::chrono::minutes(1));
    CPPUNIT_ASSERT_EQUAL(2, runs.load());
}

TEST(TransactionGroupsTest, tooManyAreRefused) {
    std::promise<void> release;
    std::atomic<int> runs{0};
    std::atomic<int> refused{0};
    TransactionGroups groups([&, released = release.get_future().share()](auto, auto works, bool&) {
        runs += static_cast<int>(works.size());
        released.wait();
    });
    constexpr int EXCESS = 3;
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 1 + host::CatalogSemaphore::MOST_WAITING + EXCESS; ++i)
        threads.emplace_back([&] {
            if (isUnavailable([&] { take(groups, std::chrono::minutes(1)); }))
                ++refused;
        });
    waitUntil([&] { return refused == EXCESS; });
    release.set_value();
    for (std::thread& thread : threads)
        thread.join();
    CPPUNIT_ASSERT_EQUAL(1 + static_cast<int>(host::CatalogSemaphore::MOST_WAITING), runs.load());
    CPPUNIT_ASSERT_EQUAL(EXCESS, refused.load());
}

} // namespace supplierd::tests
