#include "tests/system/cluster/ClusterTest.h"

#include <cstdlib>
#include <stdexcept>

namespace supplierd::tests {
namespace {

constexpr auto LOOK_INTERVAL = std::chrono::milliseconds(10);
/// Nothing is ever that slow; only a hang is.
constexpr auto LOOK_LIMIT = std::chrono::seconds(60);

} // namespace

/// The tests' own database goes where the server's is.
OnGalera::OnGalera() {
    ::setenv("SUPPLIERD_TEST_DB_SOCKET", cluster.socket(0).c_str(), 1);
}

std::vector<std::string> socketsOf(const GaleraCluster& cluster) {
    std::vector<std::string> sockets;
    for (std::size_t node = 0; node < cluster.size(); ++node)
        sockets.push_back(cluster.socket(node));
    return sockets;
}

std::string databaseOf(const std::vector<std::string>& nodes, const std::string& further) {
    std::string hosts;
    for (const std::string& node : nodes)
        hosts += (hosts.empty() ? "\"" : ", \"") + node + "\"";
    return "[database]\nsocket = \"\"\nreturn_after = \"2s\"\nhosts = [" + hosts + "]\n" + further +
           "\n[rate_limit]\nrequests_per_hour = 1000000000\n";
}

std::optional<std::size_t> ClusterFixture::writer() {
    for (std::size_t node = 0; node < cluster().size(); ++node)
        if (writesTo(server(), cluster().socket(node)))
            return node;
    return std::nullopt;
}

bool writesTo(const ServerProcess& server, const std::string& node) {
    return server.metric("supplierd_database_writer{node=\"" + node + "\"}") == 1;
}

bool readsInStep(const ServerProcess& server) {
    return server.metric("supplierd_database_reads_in_step") != 0;
}

void OwnReads::run() {
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

void OwnReads::check(std::int64_t id) {
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

ClusterFixture& ClusterTest::clusterFixture() {
    static ClusterFixture shared;
    return shared;
}

ClusterFixture& ClusterTest::inStep() {
    if (!GaleraCluster::isAvailable())
        throw Skip("galera-4 is not installed");
    clusterFixture().cluster().awaitAllInStep();
    return clusterFixture();
}

void ClusterTest::awaitTrue(const std::string& what, const std::function<bool()>& condition) {
    const auto deadline = Clock::now() + LOOK_LIMIT;
    while (!condition()) {
        if (Clock::now() > deadline)
            CPPUNIT_FAIL(what + ": waited in vain\n" + clusterFixture().server().log());
        std::this_thread::sleep_for(LOOK_INTERVAL);
    }
}

void ClusterTest::awaitWrites(const WritingLoad& writes, std::size_t further) {
    const auto wanted = writes.acknowledged() + further;
    awaitTrue("writes go on", [&] { return writes.acknowledged() >= wanted; });
}

void ClusterTest::awaitReads(const OwnReads& reads, int further) {
    const auto wanted = reads.checked() + further;
    awaitTrue("reads go on", [&] { return reads.checked() >= wanted || !reads.failure().empty(); });
}

void ClusterTest::requireRightReads(ClusterFixture& on, const std::vector<OwnReads*>& reads) {
    for (OwnReads* const own : reads) {
        own->finish();
        CPPUNIT_ASSERT_EQUAL(std::string(), own->failure());
        CPPUNIT_ASSERT_MESSAGE("nothing was read", own->checked() > 0);
    }
    on.cluster().awaitAllInStep(); // one that stood still notices late that it was left out
    requireSameOnAllNodes(on);
    CPPUNIT_ASSERT_EQUAL(0.0, on.server().metric("supplierd_internal_errors_total"));
}

void ClusterTest::requireAsAcknowledged(ClusterFixture& on, WritingLoad& writes, const std::vector<OwnReads*>& reads) {
    on.cluster().awaitAllInStep();
    writes.finish();
    if (!writes.complaints().empty())
        CPPUNIT_FAIL(std::to_string(writes.complaints().size()) +
                     " wrong responses, the first: " + writes.complaints().front() + "\n" + on.server().log());
    requireRightReads(on, reads);
    on.database().exec("SET wsrep_sync_wait = 7"); // it reads on one node, and the server may write to another
    requireWritesAsAcknowledged(on, writes.writes());
    on.requireTrueNumbers();
}

void ClusterTest::requireSameOnAllNodes(ClusterFixture& on) {
    const std::string sql =
        "SET wsrep_sync_wait = 1; SELECT COUNT(*), SUM(id), SUM(change_seq) FROM " + on.database().name() + ".products";
    const auto first = on.cluster().run(0, sql);
    for (std::size_t node = 1; node < on.cluster().size(); ++node)
        CPPUNIT_ASSERT_EQUAL(first, on.cluster().run(node, sql));
}

} // namespace supplierd::tests
