#pragma once

#include "tests/support/Test.h"
#include "tests/system/cluster/GaleraCluster.h"
#include "tests/system/faults/FaultFixture.h"
#include "tests/system/faults/WritingLoad.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

struct OnGalera {
    OnGalera();

    GaleraCluster cluster;
};

std::vector<std::string> socketsOf(const GaleraCluster& cluster);
/// The configuration of a server on these nodes.
std::string databaseOf(const std::vector<std::string>& nodes, const std::string& further = {});

/// A server on a cluster of its own.
class ClusterFixture : private OnGalera, public SuppliersFixture {
public:
    /// Whom WritingLoad writes for. OBSERVED is one more, whom it leaves alone.
    static constexpr int SUPPLIERS = 4;
    static constexpr std::size_t OBSERVED = SUPPLIERS;

    ClusterFixture() : SuppliersFixture({.configuration = databaseOf(socketsOf(cluster()))}, SUPPLIERS + 1) {}

    GaleraCluster& cluster() { return OnGalera::cluster; }
    /// Of a further server.
    ServerOptions options() { return {.configuration = databaseOf(socketsOf(cluster())), .migrate = false}; }
    /// The node that the server writes to.
    std::optional<std::size_t> writer();
};

bool writesTo(const ServerProcess& server, const std::string& node);
bool readsInStep(const ServerProcess& server);

/// One client on a supplier's catalog that nobody else changes: what it was told is there, every read has.
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
    void run();
    void check(std::int64_t id);

    const SuppliersFixture& _fixture;
    HttpClient _writer;
    HttpClient _reader;
    std::atomic<bool> _isStopping{false};
    std::atomic<int> _checked{0};
    std::string _failure;
    std::thread _thread;
};

/// Tests that share a ClusterFixture.
class ClusterTest : public CppUnit::TestFixture {
protected:
    using Clock = std::chrono::steady_clock;
    static constexpr int SUPPLIERS = ClusterFixture::SUPPLIERS;
    static constexpr std::size_t OBSERVED = ClusterFixture::OBSERVED;

    static ClusterFixture& clusterFixture();
    /// The same, all of whose nodes are in step. Skips the test where galera-4 is not installed.
    static ClusterFixture& inStep();

    static void awaitTrue(const std::string& what, const std::function<bool()>& condition);
    static void awaitWrites(const WritingLoad& writes, std::size_t further);
    static void awaitReads(const OwnReads& reads, int further);
    /// Ends the reads: each was right, and all nodes have the same.
    static void requireRightReads(ClusterFixture& on, const std::vector<OwnReads*>& reads);
    /// Ends the load, too: nobody got a wrong response, and what was acknowledged is there, once.
    static void requireAsAcknowledged(ClusterFixture& on, WritingLoad& writes, const std::vector<OwnReads*>& reads);
    static void requireSameOnAllNodes(ClusterFixture& on);
};

} // namespace supplierd::tests
