#include "host/db/Connector.h"
#include "host/db/SessionPool.h"
#include "host/db/nodes/DatabaseNodes.h"
#include "host/db/schema/Migrator.h"
#include "tests/support/Concurrency.h"
#include "tests/support/PrivateMariaDb.h"
#include "tests/support/Test.h"

#include <supplierd/Errors.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace supplierd::tests {

using host::DatabaseNodes;
using host::NodeAddress;
using host::NodeFitness;
using host::openSession;
using host::PooledSession;
using host::SessionPool;
using host::SessionSettings;
using std::chrono::milliseconds;

namespace {

constexpr std::int64_t RAISE = std::int64_t{1} << 20;

/// Of the file that packaging/operating/replication.md shows.
PrivateMariaDb::Options numbered(int number) {
    return {.tcp = true,
            .arguments = {"--server-id=" + std::to_string(number), "--log-bin=binlog", "--binlog-format=ROW",
                          "--log-slave-updates", "--gtid-strict-mode"}};
}

std::optional<std::string> ask(const PrivateMariaDb& server, const std::string& sql) {
    SessionSettings settings;
    settings.socket = server.socket();
    settings.user = "root";
    PooledSession session(openSession(settings));
    Rows& rows = session.query(sql);
    return rows.next() && !rows.isNull(0) ? std::optional(std::string(rows.text(0))) : std::nullopt;
}

void run(const PrivateMariaDb& server, std::initializer_list<std::string> statements) {
    SessionSettings settings;
    settings.socket = server.socket();
    settings.user = "root";
    PooledSession session(openSession(settings));
    for (const auto& statement : statements)
        session.run(statement);
}

/// Of the marketplace's last change.
std::int64_t number(const PrivateMariaDb& server) {
    return std::stoll(
        *ask(server, "SELECT CAST(change_seq AS CHAR(20)) FROM stock.supplier_state WHERE supplier_id = 0"));
}

std::string socketOf(PooledSession& session) {
    Rows& row = session.query("SELECT CAST(@@socket AS CHAR(200))");
    CPPUNIT_ASSERT(row.next());
    return std::string(row.text(0));
}

bool isOn(SessionPool& pool, const PrivateMariaDb& server) {
    try {
        return socketOf(*pool.acquireFresh()) == server.socket();
    } catch (const ApiError&) {
        return false;
    } catch (const DatabaseError&) {
        return false;
    }
}

bool isRefused(SessionPool& pool) {
    try {
        (*pool.acquireFresh()).ping();
        return false;
    } catch (const ApiError&) {
        return true;
    } catch (const DatabaseError&) {
        return true; // the node was lost while a session was being opened
    }
}

} // namespace

/// A primary and a replica that follows it, as packaging/operating/replication.md sets them up.
class ReplicationTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        run(_primary, {"CREATE USER replica@'%'", "GRANT REPLICATION SLAVE ON *.* TO replica@'%'",
                       "CREATE DATABASE stock", "CREATE TABLE stock.roses (stems INT)"});
        SessionSettings schema = settings().at(settings().nodes.front());
        host::Migrator(schema, {}).apply();
        run(_primary, {"UPDATE stock.supplier_state SET change_seq = 20"});
        run(_replica, {"SET GLOBAL read_only = ON",
                       "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = " + std::to_string(_primary.port()) +
                           ", MASTER_USER = 'replica', MASTER_USE_GTID = slave_pos, MASTER_CONNECT_RETRY = 1",
                       "START SLAVE"});
        awaitReplica();
        _nodes = std::make_shared<DatabaseNodes>(settings(), std::nullopt, nullptr);
        _pool.emplace(settings(), host::PoolSettings{}, _nodes);
        CPPUNIT_ASSERT_EQUAL(_primary.socket(), socketOf(*_pool->acquire()));
    }

    void tearDown() override {
        _pool.reset();
        _nodes.reset();
    }

protected:
    SessionSettings settings() const {
        SessionSettings both;
        both.user = "root";
        both.database = "stock";
        both.failoverAfter = milliseconds(500);
        both.nodes = {*NodeAddress::parse(_primary.socket()), *NodeAddress::parse(_replica.socket())};
        return both;
    }

    void awaitReplica() const { awaitPosition(_replica, *ask(_primary, "SELECT @@gtid_binlog_pos")); }

    static void awaitPosition(const PrivateMariaDb& server, const std::string& position) {
        waitUntil([&] { return ask(server, "SELECT @@gtid_slave_pos") == position; });
    }

    void promote() const { run(_replica, {"STOP SLAVE", "RESET SLAVE ALL", "SET GLOBAL read_only = OFF"}); }

    PrivateMariaDb _primary{numbered(1)};
    PrivateMariaDb _replica{numbered(2)};
    std::shared_ptr<DatabaseNodes> _nodes;
    std::optional<SessionPool> _pool;
};

TEST(ReplicationTest, replicaIsGoneOnWithUnderRaisedNumbers) {
    run(_primary, {"INSERT INTO stock.roses VALUES (20)", "SET GLOBAL read_only = ON"});
    awaitReplica();
    promote();
    waitUntil([this] { return isOn(*_pool, _replica); });
    CPPUNIT_ASSERT_EQUAL(20 + RAISE, number(_replica));
    run(_primary, {"CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = " + std::to_string(_replica.port()) +
                       ", MASTER_USER = 'replica', MASTER_USE_GTID = slave_pos, MASTER_DEMOTE_TO_SLAVE = 1",
                   "START SLAVE"});
    run(_replica, {"INSERT INTO stock.roses VALUES (50)", "SET GLOBAL read_only = ON"});
    awaitPosition(_primary, *ask(_replica, "SELECT @@gtid_binlog_pos"));
    run(_primary, {"STOP SLAVE", "SET GLOBAL read_only = OFF"});
    waitUntil([this] { return isOn(*_pool, _primary); });
    CPPUNIT_ASSERT_EQUAL_MESSAGE("and back", std::string("70"),
                                 *ask(_primary, "SELECT CAST(SUM(stems) AS CHAR(9)) FROM stock.roses"));
    CPPUNIT_ASSERT_EQUAL(20 + 2 * RAISE, number(_primary));
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{2}, _nodes->overview().failovers);
}

TEST(ReplicationTest, replicaWhoseNumbersCannotBeRaisedIsNotUsed) {
    run(_replica, {"STOP SLAVE", "RENAME TABLE stock.supplier_state TO stock.state"});
    _primary.kill();
    promote();
    waitUntil([this] { return _nodes->status().at(1).isWriter; });
    CPPUNIT_ASSERT(isRefused(*_pool));
    run(_replica, {"RENAME TABLE stock.state TO stock.supplier_state"});
    waitUntil([this] { return isOn(*_pool, _replica); });
    CPPUNIT_ASSERT_EQUAL_MESSAGE("once", 20 + RAISE, number(_replica));
}

TEST(ReplicationTest, replicaThatStillExecutesWhatItReceivedIsNotWrittenTo) {
    run(_primary, {"SET GLOBAL read_only = ON"});
    awaitReplica();
    run(_replica, {"STOP SLAVE IO_THREAD", "SET GLOBAL read_only = OFF"});
    waitUntil([this] { return _nodes->status().at(1).state.find("STOP SLAVE") != std::string::npos; });
    CPPUNIT_ASSERT(_nodes->status().at(1).fitness == NodeFitness::Unfit);
    waitUntil([this] { return isRefused(*_pool); }); // the primary is seen to be closed by another thread
    CPPUNIT_ASSERT_THROW_MESSAGE("without anybody who watches", openSession(settings()), host::ConnectError);
    run(_replica, {"STOP SLAVE"});
    waitUntil([this] { return isOn(*_pool, _replica); });
}

} // namespace supplierd::tests
