#include "tests/support/Control.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"
#include "tests/system/cluster/GaleraCluster.h"
#include "tests/system/faults/FaultFixture.h"
#include "tests/system/faults/MysqlProxy.h"
#include "tests/system/faults/WritingLoad.h"
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

using Clock = std::chrono::steady_clock;

constexpr int CLIENTS = 16;
constexpr int SUPPLIERS = 4;
/// One more, whom the clients leave alone.
constexpr std::size_t OBSERVED = SUPPLIERS;
constexpr auto LOOK_INTERVAL = std::chrono::milliseconds(10);
/// The session that says that the node's disk is full.
constexpr auto SELECT_MARK = "SELECT IS_USED_LOCK('supplierd.disk.full')";
/// Nothing is ever that slow; only a hang is.
constexpr auto LOOK_LIMIT = std::chrono::seconds(60);

struct OnGalera {
    // The tests' own database goes where the server's is.
    OnGalera() { ::setenv("SUPPLIERD_TEST_DB_SOCKET", cluster.socket(0).c_str(), 1); }

    GaleraCluster cluster;
};

std::vector<std::string> socketsOf(const GaleraCluster& cluster) {
    std::vector<std::string> sockets;
    for (std::size_t node = 0; node < cluster.size(); ++node)
        sockets.push_back(cluster.socket(node));
    return sockets;
}

std::string databaseOf(const std::vector<std::string>& nodes, const std::string& further = {}) {
    std::string hosts;
    for (const std::string& node : nodes)
        hosts += (hosts.empty() ? "\"" : ", \"") + node + "\"";
    return "[database]\nsocket = \"\"\nreturn_after = \"2s\"\nhosts = [" + hosts + "]\n" + further +
           "\n[rate_limit]\nrequests_per_hour = 1000000000\n";
}

class ClusterFixture : private OnGalera, public SuppliersFixture {
public:
    ClusterFixture() : SuppliersFixture({.configuration = databaseOf(socketsOf(cluster()))}, SUPPLIERS + 1) {}

    GaleraCluster& cluster() { return OnGalera::cluster; }

    /// The node that the server writes to.
    std::optional<std::size_t> writer() {
        for (std::size_t node = 0; node < cluster().size(); ++node)
            if (server().metric("supplierd_database_writer{node=\"" + cluster().socket(node) + "\"}") == 1)
                return node;
        return std::nullopt;
    }
};

bool writesTo(const ServerProcess& server, const std::string& node) {
    return server.metric("supplierd_database_writer{node=\"" + node + "\"}") == 1;
}

bool readsInStep(const ServerProcess& server) {
    return server.metric("supplierd_database_reads_in_step") != 0;
}

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
        _server = std::make_unique<ServerProcess>(on.database(),
                                                  ServerOptions{.configuration = databaseOf(hosts), .migrate = false});
        CPPUNIT_ASSERT(writesTo(*_server, hosts.front()));
    }

    ServerProcess& server() { return *_server; }
    void cutOff() { _ways.clear(); }

private:
    std::vector<std::unique_ptr<MysqlProxy>> _ways;
    std::unique_ptr<ServerProcess> _server;
};

/// One client on a supplier's catalogue that nobody else changes: what it was told is there, every read has.
class OwnReads {
public:
    OwnReads(const SuppliersFixture& fixture, HttpClient writer, HttpClient reader)
        : _fixture(fixture), _writer(std::move(writer)), _reader(std::move(reader)), _thread([this] { run(); }) {}
    ~OwnReads() { finish(); }
    OwnReads(const OwnReads&) = delete;
    OwnReads& operator=(const OwnReads&) = delete;

    void finish() {
        _isStopping = true;
        if (_thread.joinable())
            _thread.join();
    }
    int checked() const { return _checked; }
    const std::string& failure() const { return _failure; }

private:
    void run() {
        try {
            for (int i = 0; !_isStopping && _failure.empty(); ++i) {
                const auto written = _writer.post("/products", _fixture.product("Own " + std::to_string(i)));
                if (written.status == 201)
                    check(written.data().at("product").at("id").get<std::int64_t>());
                else if (written.status != 503)
                    _failure = "the writer got " + written.statusLine + ": " + written.body;
            }
        } catch (const std::exception& error) {
            _failure = error.what();
        }
    }

    void check(std::int64_t id) {
        const std::string path = "/products/" + std::to_string(id);
        for (const std::string& asked : {path, std::string("/products?per_page=1")}) {
            const auto read = _reader.get(asked);
            if (read.status == 503)
                continue;
            const bool isList = asked != path;
            if (read.status != 200 || (isList && read.data().at("products").at(0).at("id") != id))
                _failure = asked + " after product " + std::to_string(id) + ": " + read.statusLine + " " + read.body;
            ++_checked;
        }
    }

    const SuppliersFixture& _fixture;
    HttpClient _writer;
    HttpClient _reader;
    std::atomic<bool> _isStopping{false};
    std::atomic<int> _checked{0};
    std::string _failure;
    std::thread _thread;
};

} // namespace

/// The node that is written to goes, in each of the ways that nodes go, under sixteen clients.
class WriterLossTest : public CppUnit::TestFixture {
protected:
    // First: no node was left a moment ago.

    using Action = std::function<void(GaleraCluster&, std::size_t)>;

    static void requireGalera() {
        if (!GaleraCluster::isAvailable())
            throw Skip("galera-4 is not installed");
    }

    static ClusterFixture& clusterFixture() {
        static ClusterFixture shared;
        return shared;
    }

    void loseWriter(const char* how, const Action& lose, const Action& mend) {
        requireGalera();
        ClusterFixture& on = clusterFixture();
        on.cluster().awaitAllInStep();
        constexpr std::size_t lost = 0;
        awaitTrue("the first node is written to", [&] { return on.writer() == lost; });
        const auto failovers = on.server().metric("supplierd_database_failovers");
        WritingLoad writes(on, SUPPLIERS, {.clients = CLIENTS, .prefix = how, .someWithoutKey = true});
        OwnReads reads(on, on.client(OBSERVED), on.client(OBSERVED));
        awaitWrites(writes, 100);
        lose(on.cluster(), lost);
        const auto pause = awaitOtherWriter(on, writes, lost);
        mend(on.cluster(), lost);
        awaitWrites(writes, 100);
        on.cluster().awaitAllInStep();
        writes.finish();
        reads.finish();
        std::printf("\n  %s: writes were back after %.2f s, %zu acknowledged; ", how,
                    std::chrono::duration<double>(pause).count(), writes.acknowledged());
        if (!writes.complaints().empty())
            CPPUNIT_FAIL(std::to_string(writes.complaints().size()) +
                         " wrong responses, the first: " + writes.complaints().front() + "\n" + on.server().log());
        CPPUNIT_ASSERT_EQUAL(std::string(), reads.failure());
        CPPUNIT_ASSERT_MESSAGE("nothing was read", reads.checked() > 0);
        CPPUNIT_ASSERT(on.server().metric("supplierd_database_failovers") > failovers);
        awaitTrue("every node is up", [&] {
            for (std::size_t node = 0; node < on.cluster().size(); ++node)
                if (on.server().metric("supplierd_database_node_up{node=\"" + on.cluster().socket(node) + "\"}") != 1)
                    return false;
            return true;
        });
        requireSameOnAllNodes(on);
        on.database().exec("SET wsrep_sync_wait = 7"); // it reads on one node, and the server may write to another
        requireWritesAsAcknowledged(on, writes.writes());
        on.requireTrueNumbers();
        CPPUNIT_ASSERT_EQUAL(0.0, on.server().metric("supplierd_internal_errors_total"));
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

    void awaitWrites(const WritingLoad& writes, std::size_t further) {
        const auto wanted = writes.acknowledged() + further;
        awaitTrue("writes go on", [&] { return writes.acknowledged() >= wanted; });
    }

    void awaitTrue(const std::string& what, const std::function<bool()>& condition) {
        const auto deadline = Clock::now() + LOOK_LIMIT;
        while (!condition()) {
            if (Clock::now() > deadline)
                CPPUNIT_FAIL(what + ": waited in vain\n" + clusterFixture().server().log());
            std::this_thread::sleep_for(LOOK_INTERVAL);
        }
    }

    void requireSameOnAllNodes(ClusterFixture& on) {
        const std::string sql = "SET wsrep_sync_wait = 1; SELECT COUNT(*), SUM(id), SUM(change_seq) FROM " +
                                on.database().name() + ".products";
        const auto first = on.cluster().run(0, sql);
        for (std::size_t node = 1; node < on.cluster().size(); ++node)
            CPPUNIT_ASSERT_EQUAL(first, on.cluster().run(node, sql));
    }
};

TEST(WriterLossTest, whoAloneDoesNotReachTheFirstNodeIsNotReadyAndNoAnswerIsOld) {
    requireGalera();
    ClusterFixture& on = clusterFixture();
    on.cluster().awaitAllInStep();
    // By TCP it comes from elsewhere than by the sockets.
    on.cluster().run(0, "CREATE USER IF NOT EXISTS root@'127.0.0.1'; GRANT ALL ON *.* TO root@'127.0.0.1'");
    ServerBehindWays cutOff(on, {0});
    ServerBehindWays reading(on, {1, 2});
    awaitTrue("plain reads of the first node", [&] {
        return on.writer() == std::size_t{0} && !readsInStep(on.server()) && !readsInStep(reading.server());
    });
    // Nobody else writes to the two catalogues.
    OwnReads ofAll(on, cutOff.server().client(on.supplier(OBSERVED).key()), on.client(OBSERVED));
    OwnReads ofOthers(on, on.client(0), reading.server().client(on.supplier(0).key()));
    const auto awaitReads = [&](const OwnReads& reads, int further) {
        awaitTrue("reads", [&reads, wanted = reads.checked() + further] {
            return reads.checked() >= wanted || !reads.failure().empty();
        });
    };
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
    requireGalera();
    ClusterFixture& on = clusterFixture();
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

TEST(WriterLossTest, aServerStartsWhileTheFirstNodeIsDead) {
    requireGalera();
    ClusterFixture& on = clusterFixture();
    on.cluster().awaitAllInStep();
    on.cluster().kill(0);
    {
        const ServerProcess further(
            on.database(), ServerOptions{.configuration = databaseOf(socketsOf(on.cluster())), .migrate = false});
        awaitTrue("it writes to the next node", [&] { return writesTo(further, on.cluster().socket(1)); });
    }
    on.cluster().start();
    on.cluster().awaitAllInStep();
}

TEST(WriterLossTest, aWriterThatIsADonorStaysAndIsReadInStep) {
    requireGalera();
    ClusterFixture& on = clusterFixture();
    on.cluster().awaitAllInStep();
    const auto first = on.cluster().socket(0);
    awaitTrue("plain reads", [&] { return writesTo(on.server(), first) && !readsInStep(on.server()); });
    on.cluster().run(0, "SET GLOBAL wsrep_desync = ON");
    awaitTrue("reads in step", [&] { return readsInStep(on.server()); });
    CPPUNIT_ASSERT(writesTo(on.server(), first));
    const ServerProcess further(on.database(),
                                ServerOptions{.configuration = databaseOf(socketsOf(on.cluster())), .migrate = false});
    awaitTrue("who begins writes to the next node", [&] { return writesTo(further, on.cluster().socket(1)); });
    on.cluster().run(0, "SET GLOBAL wsrep_desync = OFF");
    awaitTrue("it comes back", [&] { return writesTo(further, first); });
    awaitTrue("plain reads again", [&] { return !readsInStep(on.server()) && !readsInStep(further); });
}

TEST(WriterLossTest, doctorTellsOfEachNode) {
    requireGalera();
    ClusterFixture& on = clusterFixture();
    on.cluster().awaitAllInStep();
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
    requireGalera();
    ClusterFixture& on = clusterFixture();
    on.cluster().awaitAllInStep();
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

TEST(WriterLossTest, writesGoOnWhenNodesAreStartedAgainOfWhichTooFewWereLeft) {
    requireGalera();
    ClusterFixture& on = clusterFixture();
    on.cluster().awaitAllInStep();
    auto client = on.client(OBSERVED);
    const auto created = client.post("/products", on.product("Before"));
    requireStatus(201, created);
    const std::string path = "/products/" + std::to_string(idOf(created.data().at("product")));
    on.cluster().kill(0);
    on.cluster().kill(1);
    on.cluster().start(); // the third one alone is no majority: nobody could join it
    on.cluster().awaitAllInStep();
    awaitTrue("writes", [&] { return client.post("/products", on.product("After")).status == 201; });
    requireStatus(200, client.get(path));
    requireSameOnAllNodes(on);
}

// Last: the fixture's process ends.
TEST(WriterLossTest, aClusterThatWasBegunAnewIsFollowedByASuccessor) {
    requireGalera();
    ClusterFixture& on = clusterFixture();
    on.cluster().awaitAllInStep();
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
