#include "host/db/SessionPool.h"

#include "tests/support/Numbers.h"
#include "tests/support/PrivateMariaDb.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"
#include "tests/support/Thrown.h"

#include <supplierd/Errors.h>

#include <atomic>
#include <optional>
#include <set>
#include <thread>

namespace supplierd::tests {

using host::PoolSettings;
using host::SessionPool;
using std::chrono::milliseconds;

class SessionPoolTest : public CppUnit::TestFixture {
protected:
    TestDatabase _database;

protected:
    static PoolSettings sized(std::size_t size) {
        PoolSettings settings;
        settings.size = size;
        settings.waitDeadline = milliseconds(50);
        return settings;
    }

    static std::int64_t idOf(SessionPool::Lease& lease) {
        Rows& rows = lease->query("SELECT CONNECTION_ID()");
        CPPUNIT_ASSERT(rows.next());
        return rows.integer(0);
    }

    void killed(std::int64_t id) {
        _database.exec("KILL CONNECTION " + std::to_string(id));
        while (_database.integer("SELECT COUNT(*) FROM information_schema.processlist WHERE ID = " +
                                 std::to_string(id)) > 0)
            std::this_thread::yield();
    }

    static bool isExhausted(SessionPool& pool) {
        return isUnavailable([&] { pool.acquire(); });
    }
};

TEST(SessionPoolTest, sessionUsedLastIsLentFirst) {
    SessionPool pool(_database.sessionSettings(), sized(3));
    std::optional<SessionPool::Lease> a(pool.acquire()), b(pool.acquire());
    const std::int64_t last = idOf(*b);
    a.reset();
    b.reset();
    for (int i = 0; i < 3; ++i) {
        SessionPool::Lease lease = pool.acquire();
        CPPUNIT_ASSERT_EQUAL(last, idOf(lease));
    }
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{2}, pool.stats().opened);
}

TEST(SessionPoolTest, neverMoreSessionsThanItsSize) {
    PoolSettings settings = sized(4);
    settings.waitDeadline = std::chrono::seconds(60);
    SessionPool pool(_database.sessionSettings(), settings);
    std::atomic<int> lent{0}, most{0};
    std::vector<std::thread> threads;
    threads.reserve(16);
    for (int i = 0; i < 16; ++i)
        threads.emplace_back([&] {
            for (int k = 0; k < 20; ++k) {
                SessionPool::Lease lease = pool.acquire();
                const int now = ++lent;
                for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
                }
                idOf(lease);
                --lent;
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    CPPUNIT_ASSERT(most <= 4);
    CPPUNIT_ASSERT(pool.stats().opened <= 4);
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, pool.stats().inUse);
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, pool.stats().waiting);
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, pool.stats().timeouts);
}

TEST(SessionPoolTest, exhaustedPoolIsUnavailableAfterTheDeadline) {
    SessionPool pool(_database.sessionSettings(), sized(1));
    {
        const SessionPool::Lease lease = pool.acquire();
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, pool.stats().inUse);
        CPPUNIT_ASSERT(isExhausted(pool));
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{1}, pool.stats().timeouts);
    }
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, pool.stats().idle);
    CPPUNIT_ASSERT(!isExhausted(pool));
}

TEST(SessionPoolTest, waiterGetsTheSessionThatComesBack) {
    PoolSettings settings = sized(1);
    settings.waitDeadline = std::chrono::seconds(60);
    SessionPool pool(_database.sessionSettings(), settings);
    std::optional<SessionPool::Lease> lease(pool.acquire());
    const std::int64_t id = idOf(*lease);
    std::int64_t got = 0;
    std::thread waiter([&] {
        SessionPool::Lease other = pool.acquire();
        got = idOf(other);
    });
    while (pool.stats().waiting == 0)
        std::this_thread::yield();
    lease.reset();
    waiter.join();
    CPPUNIT_ASSERT_EQUAL(id, got);
}

TEST(SessionPoolTest, everyWaiterIsServedInTheEnd) {
    PoolSettings settings = sized(1);
    settings.waitDeadline = std::chrono::seconds(60);
    SessionPool pool(_database.sessionSettings(), settings);
    std::atomic<bool> served{false};
    std::atomic<int> greedyRounds{0};
    // Two threads that come back at once would keep a third from its turn for ever.
    std::vector<std::thread> greedy;
    greedy.reserve(2);
    for (int i = 0; i < 2; ++i)
        greedy.emplace_back([&] {
            while (!served) {
                SessionPool::Lease lease = pool.acquire();
                idOf(lease);
                ++greedyRounds;
            }
        });
    while (greedyRounds < 10)
        std::this_thread::yield();
    for (int i = 0; i < 20; ++i) {
        SessionPool::Lease lease = pool.acquire();
        idOf(lease);
    }
    served = true;
    for (std::thread& thread : greedy)
        thread.join();
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, pool.stats().timeouts);
}

TEST(SessionPoolTest, brokenSessionIsDropped) {
    SessionPool pool(_database.sessionSettings(), sized(1));
    std::int64_t first = 0;
    {
        SessionPool::Lease lease = pool.acquire();
        first = idOf(lease);
        killed(first);
        CPPUNIT_ASSERT_THROW(idOf(lease), DatabaseError);
    }
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, pool.stats().idle);
    SessionPool::Lease lease = pool.acquire();
    CPPUNIT_ASSERT(idOf(lease) != first);
}

TEST(SessionPoolTest, deadSessionIsReplacedWhenItWasIdleForLong) {
    PoolSettings settings = sized(1);
    settings.checkAfterIdle = milliseconds(0);
    SessionPool pool(_database.sessionSettings(), settings);
    SessionPool::Lease lease = pool.acquire();
    const std::int64_t first = idOf(lease);
    lease.release();
    killed(first);
    std::this_thread::sleep_for(milliseconds(1));
    lease = pool.acquire();
    CPPUNIT_ASSERT(idOf(lease) != first);
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{2}, pool.stats().opened);
}

TEST(SessionPoolTest, oneLostSessionMakesTheOthersSuspect) {
    PoolSettings settings = sized(3);
    settings.checkAfterIdle = std::chrono::hours(1);
    SessionPool pool(_database.sessionSettings(), settings);
    std::vector<std::int64_t> ids;
    {
        SessionPool::Lease a = pool.acquire(), b = pool.acquire(), c = pool.acquire();
        for (SessionPool::Lease* lease : {&a, &b, &c})
            ids.push_back(idOf(*lease));
    }
    for (const std::int64_t id : ids)
        killed(id);
    SessionPool::Lease first = pool.acquire();
    CPPUNIT_ASSERT_THROW(idOf(first), DatabaseError);
    first.release();
    SessionPool::Lease a = pool.acquire(), b = pool.acquire(), c = pool.acquire();
    for (SessionPool::Lease* lease : {&a, &b, &c})
        CPPUNIT_ASSERT(std::count(ids.begin(), ids.end(), idOf(*lease)) == 0);
}

TEST(SessionPoolTest, freshSessionIsNewlyOpened) {
    SessionPool pool(_database.sessionSettings(), sized(1));
    SessionPool::Lease lease = pool.acquire();
    const std::int64_t first = idOf(lease);
    lease.release();
    lease = pool.acquireFresh();
    CPPUNIT_ASSERT(idOf(lease) != first);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, pool.stats().inUse + pool.stats().idle);
}

TEST(SessionPoolTest, oldSessionIsClosedWhenItComesBack) {
    PoolSettings settings = sized(1);
    settings.maxAge = milliseconds(1);
    SessionPool pool(_database.sessionSettings(), settings);
    SessionPool::Lease lease = pool.acquire();
    std::this_thread::sleep_for(milliseconds(2));
    lease.release();
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, pool.stats().idle);
}

TEST(SessionPoolTest, sessionComesBackTidy) {
    _database.exec("CREATE TABLE n (a INT) ENGINE=InnoDB");
    SessionPool pool(_database.sessionSettings(), sized(1));
    SessionPool::Lease lease = pool.acquire();
    const std::int64_t first = idOf(lease);
    lease->begin();
    lease->execute("INSERT INTO n VALUES (1)");
    lease->query("SELECT seq FROM " + numbersTo(1000)).next();
    lease.release();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _database.integer("SELECT COUNT(*) FROM n"));
    lease = pool.acquire();
    CPPUNIT_ASSERT_EQUAL(first, idOf(lease));
    CPPUNIT_ASSERT(!lease->inTransaction());
    lease->execute("INSERT INTO n VALUES (2)");
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, _database.integer("SELECT SUM(a) FROM n"));
}

TEST(SessionPoolTest, failedOpeningFreesItsPlace) {
    host::SessionSettings settings = _database.sessionSettings();
    settings.user = "nobody-of-ours";
    settings.password = "wrong";
    SessionPool pool(settings, sized(1));
    for (int i = 0; i < 3; ++i)
        CPPUNIT_ASSERT_THROW(pool.acquire(), DatabaseError);
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, pool.stats().inUse);
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, pool.stats().opened);
}

TEST(SessionPoolTest, closedPoolRefusesAndClosesWhatComesBack) {
    PoolSettings settings = sized(2);
    settings.waitDeadline = std::chrono::seconds(60);
    SessionPool pool(_database.sessionSettings(), settings);
    SessionPool::Lease a = pool.acquire(), b = pool.acquire();
    bool refused = false;
    std::thread waiter([&] { refused = isExhausted(pool); });
    while (pool.stats().waiting == 0)
        std::this_thread::yield();
    pool.close();
    waiter.join();
    CPPUNIT_ASSERT(refused);
    CPPUNIT_ASSERT(isExhausted(pool));
    const std::int64_t id = idOf(a);
    a.release();
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, pool.stats().idle);
    CPPUNIT_ASSERT(id != idOf(b));
}

TEST(SessionPoolTest, leaseMayOutliveThePool) {
    std::optional<SessionPool> pool(std::in_place, _database.sessionSettings(), sized(1));
    SessionPool::Lease lease = pool->acquire();
    pool.reset();
    CPPUNIT_ASSERT(idOf(lease) > 0);
}

} // namespace supplierd::tests
