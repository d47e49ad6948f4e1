#include "tests/support/Test.h"
#include "tests/system/catalog/AnswerCheck.h"
#include "tests/system/catalog/ListReaders.h"
#include "tests/system/catalog/ListServers.h"
#include "tests/system/catalog/ProductWriters.h"
#include "tests/system/cluster/GaleraCluster.h"
#include "tests/system/fixtures/ModelRun.h"

#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// The first and the last read where they write, the others from a node of their own each.
constexpr std::size_t SERVERS = 4;
constexpr std::size_t READS_FROM[] = {0, 2, 1};
/// The test's own session is on that node, which nothing happens to.
constexpr std::size_t OWN_NODE = 2;
/// Of a round, before and behind what happens in it.
constexpr milliseconds UNDISTURBED{400};
constexpr auto LOOK_INTERVAL = milliseconds(50);
constexpr auto LOOK_LIMIT = std::chrono::seconds(60);

bool readsElsewhere(std::size_t server) {
    return server == 1 || server == 2;
}

/// Written to in the order of the nodes, by all.
std::vector<ServerOptions> optionsOn(const GaleraCluster& cluster) {
    std::string hosts;
    for (std::size_t node = 0; node < cluster.size(); ++node)
        hosts += (hosts.empty() ? "\"" : ", \"") + cluster.socket(node) + "\"";
    std::vector<ServerOptions> all;
    for (std::size_t server = 0; server < SERVERS; ++server) {
        ServerOptions options = ListServers::serverOptions(server);
        options.configuration += "[database]\nsocket = \"\"\nreturn_after = "
                                 "\"1s\"\nfailover_after = \"1s\"\nhosts = [" +
                                 hosts + "]\n";
        if (readsElsewhere(server))
            options.configuration += "read_from = \"" + cluster.socket(READS_FROM[server]) + "\"\n";
        options.migrate = server == 0;
        all.push_back(std::move(options));
    }
    return all;
}

/// What happens to a node, for some time.
struct Disturbance {
    const char* name;
    std::function<void()> begin;
    std::function<void()> end;
};

enum Kind : std::size_t { Killed, Stopped, ReadOnly, CutOff, KINDS };

Disturbance disturbanceOf(const GaleraCluster& cluster, std::size_t node, Kind kind) {
    const auto run = [&cluster, node](const char* sql) { return [&cluster, node, sql] { cluster.run(node, sql); }; };
    switch (kind) {
    case Killed:
        return {"kill -9", [&cluster, node] { cluster.kill(node); }, [&cluster] { cluster.start(); }};
    case Stopped:
        return {"SIGSTOP", [&cluster, node] { cluster.pause(node); }, [&cluster, node] { cluster.resume(node); }};
    case ReadOnly:
        return {"read_only", run("SET GLOBAL read_only = ON"), run("SET GLOBAL read_only = OFF")};
    default:
        return {"cutting off", run("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=1'"),
                run("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=0'")};
    }
}

/// One round.
struct Event {
    std::size_t node = 0;
    Kind kind = Killed;
    milliseconds lasting{0};
    /// Of the last server, in the middle of it: it reads where it writes, and others go elsewhere meanwhile.
    milliseconds pause{0};
    bool isServerKilled = false;
};

} // namespace

/// Sixteen writers and eight readers on four servers over three nodes of Galera, of which one fails every round. Every
/// answer is what the commits up to its number give. None is older than what a writer was told before its request was
/// sent. What another answer has shown does not count: every server asks the node that it writes to for the last
/// change, and those that take rows from another node may show a commit before that one does. The node that is written
/// to fails in each way, and then, for as long as SUPPLIERD_TEST_MODEL_SECONDS says, any node in any way.
class ClusterListsTest : public CppUnit::TestFixture {
protected:
    using Run = ModelRun<ListServers, ProductWriters, ListReaders, AnswerCheck>;

    static Event anyEvent(std::mt19937& random) {
        const auto below = [&random](std::size_t end) {
            return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
        };
        Event event;
        event.node = below(OWN_NODE);
        event.kind = static_cast<Kind>(below(KINDS));
        // Shorter and longer than it takes until a silent node is left, by Galera and by the servers.
        event.lasting = milliseconds(200 + below(3'800));
        if (below(3) == 0)
            event.pause = milliseconds(100 + below(2'900));
        event.isServerKilled = below(4) == 0;
        return event;
    }

    static void runRound(const Event& event, const GaleraCluster& cluster, ListServers& servers, Run& run) {
        const Disturbance disturbance = disturbanceOf(cluster, event.node, event.kind);
        std::string what = std::string(disturbance.name) + " of node " + std::to_string(event.node + 1);
        if (event.pause.count() > 0)
            what += " and pause of a server";
        try {
            run.round(what, [&] {
                std::this_thread::sleep_for(UNDISTURBED);
                disturbance.begin();
                disturb(event, disturbance, servers);
                awaitAllInStep(cluster, what);
                if (event.isServerKilled)
                    servers.killAndStart(1);
                awaitReturn(servers, cluster);
                std::this_thread::sleep_for(UNDISTURBED);
            });
        } catch (const std::exception& error) {
            CPPUNIT_FAIL(logsOf(servers) + "for " + std::to_string(event.lasting.count()) + " ms, pause " +
                         std::to_string(event.pause.count()) + " ms: " + error.what());
        }
    }

    static void disturb(const Event& event, const Disturbance& disturbance, ListServers& servers) {
        const std::size_t last = SERVERS - 1;
        std::this_thread::sleep_for(event.lasting / 2);
        if (event.pause.count() > 0)
            servers.pause(last);
        std::this_thread::sleep_for(event.lasting / 2);
        disturbance.end();
        if (event.pause.count() > 0) {
            std::this_thread::sleep_for(event.pause);
            servers.resume(last);
        }
    }

    static void awaitAllInStep(const GaleraCluster& cluster, const std::string& what) {
        try {
            cluster.awaitAllInStep();
        } catch (const std::exception& failure) {
            // MariaDB gave a node up. What it was in the middle of counts, too.
            std::cerr << "\n(" << what << ": " << failure.what() << ") ";
            cluster.start();
            cluster.awaitAllInStep();
        }
    }

    static void awaitReturn(ListServers& servers, const GaleraCluster& cluster) {
        const auto deadline = Clock::now() + LOOK_LIMIT;
        const std::string writesToTheFirst = "supplierd_database_writer{node=\"" + cluster.socket(0) + "\"}";
        for (std::size_t server = 0; server < SERVERS; ++server)
            while (servers.server(server).metric(writesToTheFirst) != 1) {
                if (Clock::now() > deadline)
                    throw std::runtime_error("server " + std::to_string(server) + " does not return to the first node");
                std::this_thread::sleep_for(LOOK_INTERVAL);
            }
    }

    /// What the servers say of the nodes, of numbers that were raised, and of failures.
    static std::string logsOf(ListServers& servers) {
        constexpr std::size_t LONGEST = 400;
        std::string logs;
        for (std::size_t server = 0; server < SERVERS; ++server) {
            logs += "\nof the log of server " + std::to_string(server) + ":\n";
            std::istringstream log(servers.server(server).log());
            for (std::string line; std::getline(log, line);)
                if (line.find("\"node\":") != std::string::npos || line.find("\"run\":") != std::string::npos ||
                    line.find("\"error\"") != std::string::npos)
                    logs += line.substr(0, LONGEST) + "\n";
        }
        return logs;
    }
};

TEST(ClusterListsTest, noServerShowsLessThanWasAcknowledgedBeforeWhicheverNodeFails) {
    if (!GaleraCluster::isAvailable()) {
        throw Skip("galera-4 is not installed");
    }
    const GaleraCluster cluster;
    ::setenv("SUPPLIERD_TEST_DB_SOCKET", cluster.socket(OWN_NODE).c_str(), 1);
    // What was committed on another node is waited for.
    ListServers servers(optionsOn(cluster), "SET wsrep_sync_wait = 7");
    servers.demandAcknowledgedOnly();
    AnswerCheck check(servers.log());
    Run run(servers, check);
    const auto end = Clock::now() + ModelSettings::length(std::chrono::seconds(0));
    for (const Event& event : {Event{0, ReadOnly, milliseconds(1'000)}, Event{0, Stopped, milliseconds(1'400)},
                               Event{0, Killed, milliseconds(200), milliseconds(1'500)}}) {
        runRound(event, cluster, servers, run);
    }
    std::mt19937 random(run.seed());
    while (Clock::now() < end)
        runRound(anyEvent(random), cluster, servers, run);
    run.counts().requireNoFailure();
    CPPUNIT_ASSERT_MESSAGE("hardly anything was read or written",
                           run.counts().answers > 100 && run.counts().commits > 50 && run.counts().walks > 0);
    CPPUNIT_ASSERT_MESSAGE("nobody went to another node",
                           servers.server(0).metric("supplierd_database_failovers_total") > 0);
}

} // namespace supplierd::tests
