#include "host/db/PooledDatabase.h"
#include "tests/host/db/CommitCutter.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"
#include "tests/support/Thrown.h"

#include <supplierd/Errors.h>

#include <chrono>
#include <thread>

namespace supplierd::tests {

using host::OperationRecord;
using host::PooledDatabase;
using host::PooledSession;
using host::PoolSettings;
using host::SessionPool;
using Cut = CommitCutter::Cut;

/// A COMMIT whose answer never comes: what it did stays done once, what it did not do is done again.
class LostCommitTest : public CppUnit::TestFixture {
protected:
    TestDatabase _server;
    CommitCutter _cutter{_server.sessionSettings()};
    SessionPool _pool{_cutter.settings(), PoolSettings{.size = 2}};
    PooledDatabase _database{_pool};
    int _attempts = 0;

public:
    void setUp() override {
        _server.exec("CREATE TABLE operations (id BINARY(16) PRIMARY KEY, abandoned TINYINT NOT NULL DEFAULT 0);"
                     "CREATE TABLE n (v BIGINT NOT NULL); INSERT INTO n VALUES (0)");
    }

protected:
    void increment() {
        _database.withTransaction([this](Transaction& transaction) {
            ++_attempts;
            transaction.execute("UPDATE n SET v = v + 1");
        });
    }

    std::int64_t value() { return _server.integer("SELECT v FROM n"); }
};

TEST(LostCommitTest, commitThatTookEffectIsNotRepeated) {
    for (int i = 1; i <= 20; ++i) {
        _cutter.cut(Cut::After);
        increment();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{i}, value());
        CPPUNIT_ASSERT_EQUAL(i, _attempts);
    }
    CPPUNIT_ASSERT_EQUAL(20, _cutter.cuts());
}

TEST(LostCommitTest, commitThatDidNotTakeEffectIsRepeated) {
    for (int i = 1; i <= 20; ++i) {
        _cutter.cut(Cut::Before);
        increment();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{i}, value());
        CPPUNIT_ASSERT_EQUAL(2 * i, _attempts);
    }
    CPPUNIT_ASSERT_EQUAL(20, _cutter.cuts());
}

TEST(LostCommitTest, commitLostTwiceStillCountsOnce) {
    _cutter.cut(Cut::Before, 2);
    increment();
    CPPUNIT_ASSERT_EQUAL(3, _attempts);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, value());
}

TEST(LostCommitTest, lookUpWaitsForACommitThatIsStillUnderWay) {
    _cutter.cut(Cut::Hold);
    {
        const std::jthread later([this](const std::stop_token& stop) {
            // Only once the look-up waits for the row that the held transaction has written.
            while (!stop.stop_requested() &&
                   _server.integer("SELECT COUNT(*) FROM information_schema.processlist WHERE COMMAND = 'Execute' "
                                   "AND INFO LIKE '%abandoned%' AND DB = DATABASE()") == 0)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            _cutter.letGo();
        });
        increment();
    }
    CPPUNIT_ASSERT_EQUAL(1, _attempts);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, value());
}

TEST(LostCommitTest, abandonedTransactionIsAbsentHoweverOftenItIsAsked) {
    SessionPool::Lease lease = _pool.acquire();
    OperationRecord record;
    lease->begin();
    record.open(*lease);
    lease->rollback();
    CPPUNIT_ASSERT(!record.isCommitted(*lease));
    CPPUNIT_ASSERT(!record.isCommitted(*lease));
    lease->begin();
    record.open(*lease);
    lease->prepareCommit();
    lease->commit();
    CPPUNIT_ASSERT(record.isCommitted(*lease));
    CPPUNIT_ASSERT(record.isCommitted(*lease));
}

TEST(LostCommitTest, unknownOutcomeIsToldAndNotRepeated) {
    /// One that can never be asked.
    class Silent final : public host::CommitRecord {
    public:
        bool isCommitted(PooledSession&) override { throw DatabaseError(1205, "Lock wait timeout exceeded"); }
    };
    Silent record;
    _cutter.cut(Cut::After);
    CPPUNIT_ASSERT(thrownBy<ApiError>([&] {
                       _database.run(record, [this](Transaction& transaction) {
                           ++_attempts;
                           transaction.execute("UPDATE n SET v = v + 1");
                       });
                   }).kind() == ErrorKind::Unavailable);
    CPPUNIT_ASSERT_EQUAL(1, _attempts);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, value());
}

} // namespace supplierd::tests
