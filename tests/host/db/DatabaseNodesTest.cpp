#include "host/db/nodes/DatabaseNodes.h"

#include "host/db/Connector.h"
#include "host/db/PooledDatabase.h"
#include "host/db/SessionPool.h"
#include "tests/support/Concurrency.h"
#include "tests/support/PrivateMariaDb.h"
#include "tests/support/Test.h"

#include <supplierd/Errors.h>

#include <future>
#include <memory>
#include <string>

namespace supplierd::tests {

using host::DatabaseNodes;
using host::NodeAddress;
using host::NodeFitness;
using host::NodeRole;
using host::openSession;
using host::PooledDatabase;
using host::PooledSession;
using host::SessionPool;
using host::SessionSettings;
using std::chrono::milliseconds;

namespace {

constexpr auto LOOK_LIMIT = std::chrono::seconds(60);

/// A primary and its replica, as far as anybody can see who does not compare their rows.
struct Pair {
    PrivateMariaDb primary;
    PrivateMariaDb replica;
};

Pair& pair() {
    static Pair shared;
    return shared;
}

void run(const PrivateMariaDb& server, const std::string& sql) {
    SessionSettings settings;
    settings.socket = server.socket();
    settings.user = "root";
    PooledSession(openSession(settings)).run(sql);
}

void setReadOnly(const PrivateMariaDb& server, bool isReadOnly) {
    run(server, std::string("SET GLOBAL read_only = ") + (isReadOnly ? "1" : "0"));
}

constexpr std::int64_t SUPPLIER = 7;

/// The table of the suppliers' last numbers, where one supplier has that one.
void setLastChange(const PrivateMariaDb& server, std::int64_t number) {
    run(server, "CREATE DATABASE IF NOT EXISTS changes");
    run(server, "CREATE OR REPLACE TABLE changes.supplier_state (supplier_id BIGINT PRIMARY KEY, change_seq BIGINT)");
    run(server, "INSERT INTO changes.supplier_state VALUES (0, 1), (" + std::to_string(SUPPLIER) + ", " +
                    std::to_string(number) + ")");
}

std::string socketOf(PooledSession& session) {
    Rows& row = session.query("SELECT CAST(@@socket AS CHAR(200))");
    CPPUNIT_ASSERT(row.next());
    return std::string(row.text(0));
}

} // namespace

class DatabaseNodesTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        if (pair().primary.pid() < 0)
            pair().primary.start();
        setReadOnly(pair().primary, false);
        setReadOnly(pair().replica, true);
    }

    void waitForHungNode(bool isLeftBefore) {
        const auto nodes = watch();
        SessionPool pool(settings(), {}, nodes);
        auto lease = pool.acquire();
        auto waiting = std::async(std::launch::async, [&lease] {
            try {
                (*lease).query("SELECT SLEEP(600)").next();
            } catch (const DatabaseError& error) {
                return error.isConnectionLost();
            }
            return false;
        });
        if (isLeftBefore) {
            promoteReplica(*nodes);
            setReadOnly(pair().primary, true);
            waitUntil([&] { return socketOf(*pool.acquireFresh()) == pair().replica.socket(); });
            CPPUNIT_ASSERT_MESSAGE("what runs may end",
                                   waiting.wait_for(milliseconds(0)) == std::future_status::timeout);
        }
        pair().primary.pause();
        const bool isInterrupted =
            waiting.wait_for(LOOK_LIMIT) == std::future_status::ready; // readTimeout is far beyond
        pair().primary.resume();
        CPPUNIT_ASSERT(isInterrupted);
        CPPUNIT_ASSERT(waiting.get());
        lease.release();
        waitUntil([&] { return !isRefused(pool); });
        CPPUNIT_ASSERT_EQUAL((isLeftBefore ? pair().replica : pair().primary).socket(), socketOf(*pool.acquire()));
    }

protected:
    static SessionSettings settings() {
        SessionSettings both;
        both.user = "root";
        both.readTimeout = std::chrono::minutes(15);
        both.statementTimeLimit = std::chrono::minutes(11);
        both.failoverAfter = milliseconds(500);
        both.nodes = {*NodeAddress::parse(pair().primary.socket()), *NodeAddress::parse(pair().replica.socket())};
        return both;
    }

    static std::shared_ptr<DatabaseNodes> watch() {
        return std::make_shared<DatabaseNodes>(settings(), std::nullopt, nullptr);
    }

    /// Returns when that is known; the primary is still written to.
    static void promoteReplica(const DatabaseNodes& nodes) {
        setReadOnly(pair().replica, false);
        waitUntil([&] { return nodes.status().at(1).fitness == NodeFitness::InStep; });
    }

    /// With the answer that a client gets.
    static bool isRefused(SessionPool& pool) {
        try {
            (*pool.acquireFresh()).ping();
            return false;
        } catch (const ApiError& error) {
            CPPUNIT_ASSERT(error.kind() == ErrorKind::Unavailable && error.retryAfter() > 0);
            return true;
        } catch (const DatabaseError&) {
            return true; // the node was lost while a session was being opened
        }
    }
};

TEST(DatabaseNodesTest, sessionsGoToTheNodeThatCanBeWrittenTo) {
    const auto nodes = watch();
    SessionPool pool(settings(), {}, nodes);
    CPPUNIT_ASSERT_EQUAL(pair().primary.socket(), socketOf(*pool.acquire()));
    const auto status = nodes->status();
    CPPUNIT_ASSERT(status.at(0).isWriter && status.at(0).isUp && status.at(0).fitness == NodeFitness::InStep);
    CPPUNIT_ASSERT(!status.at(1).isWriter && status.at(1).isUp && status.at(1).fitness == NodeFitness::Unfit);
    PooledSession alone(openSession(settings()));
    CPPUNIT_ASSERT_EQUAL_MESSAGE("without anybody who watches", pair().primary.socket(), socketOf(alone));
}

TEST(DatabaseNodesTest, promotedReplicaIsTakenAndTheOldPrimaryLeftAlone) {
    const auto nodes = watch();
    SessionPool pool(settings(), {}, nodes);
    socketOf(*pool.acquire());
    pair().primary.kill();
    waitUntil([&] { return isRefused(pool); });
    setReadOnly(pair().replica, false);
    waitUntil([&] { return !isRefused(pool); });
    CPPUNIT_ASSERT_EQUAL(pair().replica.socket(), socketOf(*pool.acquire()));
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{1}, nodes->overview().failovers);
    pair().primary.start();
    waitUntil([&] { return nodes->status().at(0).fitness == NodeFitness::InStep; });
    CPPUNIT_ASSERT_EQUAL(pair().replica.socket(), socketOf(*pool.acquireFresh()));
}

TEST(DatabaseNodesTest, oldPrimaryIsNotWrittenToWhileThePromotedReplicaRestarts) {
    const auto nodes = watch();
    SessionPool pool(settings(), {}, nodes);
    socketOf(*pool.acquire());
    pair().primary.kill();
    setReadOnly(pair().replica, false);
    waitUntil([&] { return !isRefused(pool); });
    pair().primary.start();
    waitUntil([&] { return nodes->status().at(0).fitness == NodeFitness::InStep; });
    pair().replica.stop();
    waitUntil([&] { return !nodes->status().at(1).isUp; });
    CPPUNIT_ASSERT_MESSAGE("it lacks what was written since", isRefused(pool));
    pair().replica.start();
    waitUntil([&] { return !isRefused(pool); });
    CPPUNIT_ASSERT_EQUAL(pair().replica.socket(), socketOf(*pool.acquire()));
    pair().replica.stop();
    setReadOnly(pair().primary, true);
    waitUntil([&] { return nodes->status().at(0).fitness == NodeFitness::Unfit; });
    setReadOnly(pair().primary, false);
    waitUntil([&] { return !isRefused(pool); });
    CPPUNIT_ASSERT_EQUAL_MESSAGE("promoted", pair().primary.socket(), socketOf(*pool.acquire()));
    pair().replica.start();
}

TEST(DatabaseNodesTest, noOtherNodeIsUsedBeforeEverybodyKnowsThatOneIsClosed) {
    const auto nodes = watch();
    SessionPool pool(settings(), {}, nodes);
    socketOf(*pool.acquire());
    promoteReplica(*nodes);
    const auto before = std::chrono::steady_clock::now();
    setReadOnly(pair().primary, true);
    waitUntil([&] { return socketOf(*pool.acquire()) == pair().replica.socket(); });
    // Another server may go by what it saw just before, for a second.
    CPPUNIT_ASSERT(std::chrono::steady_clock::now() - before >= std::chrono::seconds(1));
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{1}, nodes->overview().failovers);
}

TEST(DatabaseNodesTest, whoWaitsForANodeThatHangsIsInterrupted) {
    waitForHungNode(false);
}

TEST(DatabaseNodesTest, whoWaitsForAFormerWriterThatHangsIsInterrupted) {
    waitForHungNode(true);
}

TEST(DatabaseNodesTest, ofTwoWritableNodesNeitherGetsASession) {
    setReadOnly(pair().replica, false);
    SessionPool pool(settings(), {}, watch());
    CPPUNIT_ASSERT(isRefused(pool));
    CPPUNIT_ASSERT_THROW(openSession(settings()), host::ConnectError);
}

TEST(DatabaseNodesTest, theLastChangeIsNotAskedOfANodeThatIsClosedForWrites) {
    setLastChange(pair().primary, 1);
    setLastChange(pair().replica, 2);
    SessionSettings both = settings();
    both.database = "changes";
    const auto nodes = std::make_shared<DatabaseNodes>(both, std::nullopt, nullptr);
    SessionPool pool(both, {}, nodes);
    PooledDatabase database(pool);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, database.committed(SUPPLIER).supplier);
    setReadOnly(pair().replica, false);
    waitUntil([&] { return nodes->status().at(1).fitness == NodeFitness::InStep; });
    setReadOnly(pair().primary, true);
    CPPUNIT_ASSERT_EQUAL_MESSAGE("at once", std::int64_t{2}, database.committed(SUPPLIER).supplier);
    setReadOnly(pair().replica, true);
    CPPUNIT_ASSERT_THROW(database.committed(SUPPLIER), ApiError);
}

TEST(DatabaseNodesTest, theLastChangeIsAskedOfTheOnlyNodeThoughItIsClosed) {
    setLastChange(pair().primary, 1);
    SessionSettings one = settings().at(settings().nodes.front());
    one.database = "changes";
    SessionPool pool(one, {});
    PooledDatabase database(pool);
    setReadOnly(pair().primary, true);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, database.committed(SUPPLIER).supplier);
}

TEST(DatabaseNodesTest, addressesAreReadAndWritten) {
    const auto again = [](const std::string& text) {
        const auto node = NodeAddress::parse(text);
        return node ? node->name() : std::string("none");
    };
    CPPUNIT_ASSERT_EQUAL(std::string("db1:3306"), again("db1"));
    CPPUNIT_ASSERT_EQUAL(std::string("db1:3307"), again("db1:3307"));
    CPPUNIT_ASSERT_EQUAL(std::string("[fd00::1]:3307"), again("[fd00::1]:3307"));
    CPPUNIT_ASSERT_EQUAL(std::string("[fd00::1]:3306"), again("[fd00::1]"));
    CPPUNIT_ASSERT_EQUAL(std::string("/run/db.sock"), again("/run/db.sock"));
    for (const std::string bad : {"", ":3306", "db1:", "db1:0", "db1:65536", "db1:x", "[fd00::1", "[::1]x:1", "a b"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(bad, std::string("none"), again(bad));
    CPPUNIT_ASSERT(NodeAddress::parse("127.0.0.2:1")->isLocal() && NodeAddress::parse("/x")->isLocal());
    CPPUNIT_ASSERT(!NodeAddress::parse("8.8.8.8")->isLocal() && !NodeAddress::parse("db1.example")->isLocal());
}

} // namespace supplierd::tests
