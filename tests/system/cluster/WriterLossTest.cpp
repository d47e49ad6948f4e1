#include "tests/support/Control.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"
#include "tests/system/cluster/ClusterTest.h"
#include "tests/system/faults/MysqlProxy.h"
#include "tests/system/fixtures/RunningServer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {
namespace {

constexpr int CLIENTS = 16;
/// The session that says that the node's disk is full.
constexpr auto SELECT_MARK = "SELECT IS_USED_LOCK('supplierd.disk.full')";

/// A further server on the cluster, whose ways to some nodes can be cut.
class ServerBehindWays {
public:
    ServerBehindWays(ClusterFixture& on, const std::vector<std::size_t>& nodes) {
        auto hosts = socketsOf(on.cluster());
        for (const std::size_t node : nodes) {
            const auto port = std::stoul(on.cluster().run(node, "SELECT @@port"));
            _ways.push_back(std::make_unique<MysqlProxy>(static_cast<unsigned>(port)));
            hosts[node] = "127.0.0.1:" + std::to_string(_ways.back()->port());
        }
        // MariaDB 11.8 offers TLS by itself, through which a way does not see.
        _server = std::make_unique<ServerProcess>(
            on.database(), ServerOptions{.configuration = databaseOf(hosts, "tls = \"off\""), .migrate = false});
        CPPUNIT_ASSERT(writesTo(*_server, hosts.front()));
    }

    ServerProcess& server() { return *_server; }
    void cutOff() { _ways.clear(); }

private:
    std::vector<std::unique_ptr<MysqlProxy>> _ways;
    std::unique_ptr<ServerProcess> _server;
};

} // namespace

/// The node that is written to goes, in each of the ways that nodes go, under sixteen clients.
class WriterLossTest : public ClusterTest {
protected:
    using Action = std::function<void(GaleraCluster&, std::size_t)>;

    void loseWriter(const char* how, const Action& lose, const Action& mend) {
        ClusterFixture& on = inStep();
        constexpr std::size_t lost = 0;
        awaitTrue("the first node is written to", [&] { return on.writer() == lost; });
        const auto failovers = on.server().metric("supplierd_database_failovers_total");
        WritingLoad writes(on, SUPPLIERS, {.clients = CLIENTS, .prefix = how, .someWithoutKey = true});
        OwnReads reads(on, on.client(OBSERVED), on.client(OBSERVED));
        awaitWrites(writes, 100);
        lose(on.cluster(), lost);
        const auto pause = awaitOtherWriter(on, writes, lost);
        mend(on.cluster(), lost);
        awaitWrites(writes, 100);
        on.cluster().awaitAllInStep();
        awaitTrue("every node is up", [&] {
            for (std::size_t node = 0; node < on.cluster().size(); ++node)
                if (on.server().metric("supplierd_database_node_up{node=\"" + on.cluster().socket(node) + "\"}") != 1)
                    return false;
            return true;
        });
        requireAsAcknowledged(on, writes, {&reads});
        std::printf("\n  %s: writes were back after %.2f s, %zu acknowledged; ", how,
                    std::chrono::duration<double>(pause).count(), writes.acknowledged());
        CPPUNIT_ASSERT(on.server().metric("supplierd_database_failovers_total") > failovers);
    }

    /// The longest while without an acknowledged write until the server writes to another node.
    Clock::duration awaitOtherWriter(ClusterFixture& on, const WritingLoad& writes, std::size_t lost) {
        Clock::duration longest{0};
        auto last = Clock::now();
        auto seen = writes.acknowledged();
        std::size_t since = 0;
        awaitTrue("writes on another node", [&] {
            if (const auto now = writes.acknowledged(); now > seen) {
                longest = std::max(longest, Clock::now() - last);
                last = Clock::now();
                const auto writer = on.writer();
                since = writer && writer != lost ? since + now - seen : 0;
                seen = now;
            }
            return since >= 50;
        });
        return longest;
    }
};

TEST(WriterLossTest, whoAloneDoesNotReachTheFirstNodeIsNotReadyAndNoAnswerIsOld) {
    ClusterFixture& on = inStep();
    // By TCP it comes from elsewhere than by the sockets.
    on.cluster().run(0, "CREATE USER IF NOT EXISTS root@'127.0.0.1'; GRANT ALL ON *.* TO root@'127.0.0.1'");
    ServerBehindWays cutOff(on, {0});
    ServerBehindWays reading(on, {1, 2});
    awaitTrue("plain reads of the first node", [&] {
        return on.writer() == std::size_t{0} && !readsInStep(on.server()) && !readsInStep(reading.server());
    });
    // Nobody else writes to the two catalogs.
    OwnReads ofAll(on, cutOff.server().client(on.supplier(OBSERVED).key()), on.client(OBSERVED));
    OwnReads ofOthers(on, on.client(0), reading.server().client(on.supplier(0).key()));
    awaitReads(ofAll, 20);
    reading.cutOff(); // from the nodes that it does not write to
    cutOff.cutOff();
    awaitTrue("it is not ready", [&] { return cutOff.server().adminClient().get("/readyz").status == 503; });
    requireIn("does not reach", cutOff.server().adminClient().get("/readyz").body);
    awaitReads(ofOthers, 300);
    const auto refused = cutOff.server().client(on.supplier(1).key()).get("/products");
    requireStatus(503, refused);
    for (std::size_t node = 0; node < on.cluster().size(); ++node)
        CPPUNIT_ASSERT(!writesTo(cutOff.server(), on.cluster().socket(node)));
    ofAll.finish();
    ofOthers.finish();
    CPPUNIT_ASSERT_EQUAL(std::string(), ofAll.failure());
    CPPUNIT_ASSERT_EQUAL(std::string(), ofOthers.failure());
    for (ServerProcess* server : {&on.server(), &reading.server()}) {
        CPPUNIT_ASSERT_MESSAGE("who reaches it stays", writesTo(*server, on.cluster().socket(0)));
        CPPUNIT_ASSERT_MESSAGE("and reads plainly", !readsInStep(*server));
    }
    CPPUNIT_ASSERT_EQUAL(0.0, on.server().metric("supplierd_internal_errors_total"));
}

TEST(WriterLossTest, nothingAcknowledgedIsLostWhenTheWriterIsKilled) {
    loseWriter(
        "kill -9", [](GaleraCluster& cluster, std::size_t node) { cluster.kill(node); },
        [](GaleraCluster& cluster, std::size_t) { cluster.start(); });
}

TEST(WriterLossTest, nothingAcknowledgedIsLostWhenTheWriterSaysNothing) {
    loseWriter(
        "SIGSTOP", [](GaleraCluster& cluster, std::size_t node) { cluster.pause(node); },
        [](GaleraCluster& cluster, std::size_t node) { cluster.resume(node); });
}

TEST(WriterLossTest, writesGoOnWhenTheWriterIsClosedForThem) {
    loseWriter(
        "read_only", [](GaleraCluster& cluster, std::size_t node) { cluster.run(node, "SET GLOBAL read_only = ON"); },
        [](GaleraCluster& cluster, std::size_t node) { cluster.run(node, "SET GLOBAL read_only = OFF"); });
}

TEST(WriterLossTest, writesGoOnWhenTheWriterRejectsQueries) {
    const auto reject = [](const char* what) {
        return [what](GaleraCluster& cluster, std::size_t node) {
            cluster.run(node, std::string("SET GLOBAL wsrep_reject_queries = ") + what);
        };
    };
    loseWriter("wsrep_reject_queries", reject("ALL"), reject("NONE"));
}

TEST(WriterLossTest, nothingAcknowledgedIsLostWhenTheWriterIsCutOff) {
    const auto isolate = [](int on) {
        return [on](GaleraCluster& cluster, std::size_t node) {
            cluster.run(node, "SET GLOBAL wsrep_provider_options = 'gmcast.isolate=" + std::to_string(on) + "'");
        };
    };
    loseWriter("gmcast.isolate", isolate(1), isolate(0));
}

TEST(WriterLossTest, writesGoOnElsewhereWhenTheWritersDiskIsFull) {
    const auto fill = [](GaleraCluster& cluster, std::size_t node) {
        cluster.run(node, "DELIMITER |\nCREATE TRIGGER " + clusterFixture().database().name() +
                              ".full BEFORE INSERT ON products FOR EACH ROW BEGIN IF @@wsrep_node_name = 'node" +
                              std::to_string(node + 1) +
                              "' THEN SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1114, MESSAGE_TEXT = 'full'; "
                              "END IF; END|\n");
    };
    const auto makeRoom = [](GaleraCluster& cluster, std::size_t node) {
        // On another one: nobody writes there.
        cluster.run((node + 1) % cluster.size(), "DROP TRIGGER " + clusterFixture().database().name() + ".full");
        CPPUNIT_ASSERT_MESSAGE("it is marked", cluster.run(node, SELECT_MARK).find("NULL") == std::string::npos);
        cluster.kill(node);
        cluster.start();
    };
    loseWriter("disk full", fill, makeRoom);
}

TEST(WriterLossTest, aWriterThatAnotherServerFoundFullIsLeft) {
    std::future<void> marking;
    const auto mark = [&marking](GaleraCluster& cluster, std::size_t node) {
        marking = std::async(std::launch::async, [&cluster, node] {
            cluster.run(node, "SELECT GET_LOCK('supplierd.disk.full', 0); SELECT SLEEP(600)");
        });
    };
    const auto end = [&marking](GaleraCluster& cluster, std::size_t node) {
        cluster.run(node, "KILL QUERY " + cluster.run(node, SELECT_MARK));
        CPPUNIT_ASSERT_THROW(marking.get(), std::runtime_error); // it was interrupted
    };
    loseWriter("found full by another server", mark, end);
}

TEST(WriterLossTest, readsOfAnotherNodeSeeWhatWasWrittenBefore) {
    ClusterFixture& on = inStep();
    const std::string& last = on.cluster().socket(on.cluster().size() - 1);
    ServerProcess reader(
        on.database(),
        {.configuration = databaseOf(socketsOf(on.cluster()), "read_from = \"" + last + "\"\n"), .migrate = false});
    reader.start();
    CPPUNIT_ASSERT_EQUAL(1.0, reader.metric("supplierd_database_reader{node=\"" + last + "\"}"));
    CPPUNIT_ASSERT_EQUAL(0.0, reader.metric("supplierd_database_writer{node=\"" + last + "\"}"));
    // The other server writes, so that this one cannot know of it by itself.
    OwnReads reads(on, on.client(OBSERVED), reader.client(on.supplier(OBSERVED).key()));
    awaitTrue("reads of another node", [&] { return reads.checked() >= 200 || !reads.failure().empty(); });
    reads.finish();
    CPPUNIT_ASSERT_EQUAL(std::string(), reads.failure());
}

TEST(WriterLossTest, doctorTellsOfEachNode) {
    ClusterFixture& on = inStep();
    on.cluster().run(1, "SET GLOBAL read_only = ON");
    const auto doctor = runControl(on.server(), {"doctor"});
    on.cluster().run(1, "SET GLOBAL read_only = OFF");
    const auto lineOf = [&](std::size_t node) {
        const auto begin = doctor.output.find("database " + on.cluster().socket(node));
        CPPUNIT_ASSERT_MESSAGE(doctor.output + doctor.errors, begin != std::string::npos);
        return doctor.output.substr(begin, doctor.output.find('\n', begin) - begin);
    };
    requireIn("Synced, can be written to", lineOf(0));
    requireIn("read-only: not written to", lineOf(1));
    requireIn("Synced, can be written to", lineOf(2));
}

TEST(WriterLossTest, doctorTellsOfWhatKeepsASilentNodeFromBeingLeft) {
    ClusterFixture& on = inStep();
    const ServerProcess lacking(
        ServerProcess::NotStarted{}, on.database(),
        {.configuration = databaseOf({on.cluster().socket(0), on.cluster().socket(1)}), .migrate = false});
    requireIn("the cluster has 3 members with data, and hosts names 2 of them", runControl(lacking, {"doctor"}).output);
    const auto setSuspectTimeout = [&](const std::string& period) {
        on.cluster().run(2, "SET GLOBAL wsrep_provider_options = 'evs.suspect_timeout=" + period + "'");
    };
    setSuspectTimeout("PT1.2S");
    const auto doctor = runControl(on.server(), {"doctor"}).output;
    setSuspectTimeout("PT2S");
    requireIn("evs.suspect_timeout = PT1.2S: others go on without it too soon", doctor);
    CPPUNIT_ASSERT_MESSAGE(doctor, doctor.find("hosts names") == std::string::npos);
}

// Last: the fixture's process ends.
TEST(WriterLossTest, aClusterThatWasBegunAnewIsFollowedByASuccessor) {
    ClusterFixture& on = inStep();
    const auto created = on.client(OBSERVED).post("/products", on.product("Of the former cluster"));
    requireStatus(201, created);
    const std::string path = "/products/" + std::to_string(idOf(created.data().at("product")));
    RunningServer running(on.server());
    std::string key;
    std::int64_t category = 0;
    on.cluster().beginAnew([&] {
        on.cluster().run(0, "CREATE DATABASE " + on.database().name() + " COLLATE utf8mb4_unicode_520_ci");
        on.server().migrate();
        category = on.server().createCategory("Of the new cluster");
        key = on.server().createKey(on.server().createSupplier("Of the new cluster"));
    });
    running.awaitSuccessor();
    auto client = on.server().client(key);
    requireStatus(
        201,
        client.post("/products",
                    {{"name", "Of the new cluster"}, {"category_id", category}, {"base_price", 1}, {"unit", "stem"}}));
    CPPUNIT_ASSERT_EQUAL(std::size_t(1), dataOf(client.get("/products")).at("products").size());
    requireStatus(401, on.client(OBSERVED).get(path)); // nothing of what the former one had
}

} // namespace supplierd::tests
