#include "tests/system/catalogue/AnswerCheck.h"
#include "tests/system/catalogue/ListReaders.h"
#include "tests/system/catalogue/ListServers.h"
#include "tests/system/catalogue/ProductWriters.h"
#include "tests/system/cluster/GaleraCluster.h"

#include <cppunit/extensions/HelperMacros.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <random>
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
constexpr auto UNDISTURBED = std::chrono::seconds(1);
constexpr auto LOOK_INTERVAL = milliseconds(50);
constexpr auto LOOK_LIMIT = std::chrono::seconds(60);

int setting(const char* name, int preset) {
    const char* const given = std::getenv(name);
    return given != nullptr ? std::atoi(given) : preset;
}

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
        options.configuration += "[idempotency]\nlease = \"5s\"\n[database]\nsocket = \"\"\nreturn_after = "
                                 "\"1s\"\nfailover_after = \"1s\"\nhosts = [" +
                                 hosts + "]\n";
        if (readsElsewhere(server))
            options.configuration += "read_from = \"" + cluster.socket(READS_FROM[server]) + "\"\n";
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

std::vector<Disturbance> disturbancesOf(const GaleraCluster& cluster, std::size_t node) {
    const auto run = [&cluster, node](const char* sql) { return [&cluster, node, sql] { cluster.run(node, sql); }; };
    return {{"kill -9", [&cluster, node] { cluster.kill(node); }, [&cluster] { cluster.start(); }},
            {"SIGSTOP", [&cluster, node] { cluster.pause(node); }, [&cluster, node] { cluster.resume(node); }},
            {"cut off", run("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=1'"),
             run("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=0'")},
            {"read_only", run("SET GLOBAL read_only = ON"), run("SET GLOBAL read_only = OFF")}};
}

} // namespace

/// Sixteen writers and eight readers on four servers over three nodes of Galera, of which one fails every round: the
/// one that is written to, or one that a server reads from. Every answer is what the commits up to its number give.
/// None is older than what a writer was told before its request was sent. What another answer has shown does not count:
/// every server asks the node that it writes to for the last change, and those that take rows from another node may
/// show a commit before that one does. SUPPLIERD_TEST_MODEL_SECONDS: for so long; without it the test is skipped.
/// SUPPLIERD_TEST_SEED: the same choices again.
class ClusterListsTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(ClusterListsTest);
    CPPUNIT_TEST(testNoServerShowsLessThanWasAcknowledgedBeforeWhicheverNodeFails);
    CPPUNIT_TEST_SUITE_END();

public:
    void testNoServerShowsLessThanWasAcknowledgedBeforeWhicheverNodeFails() {
        if (!GaleraCluster::isAvailable()) {
            std::printf("skipped: galera-4 is not installed ");
            return;
        }
        const auto seed =
            static_cast<unsigned>(setting("SUPPLIERD_TEST_SEED", static_cast<int>(std::random_device{}() % 1'000'000)));
        const int seconds = setting("SUPPLIERD_TEST_MODEL_SECONDS", 0);
        if (seconds == 0) {
            std::printf("skipped: SUPPLIERD_TEST_MODEL_SECONDS says for how long ");
            return;
        }
        const GaleraCluster cluster;
        ::setenv("SUPPLIERD_TEST_DB_SOCKET", cluster.socket(OWN_NODE).c_str(), 1);
        // What was committed on another node is waited for.
        ListServers servers(optionsOn(cluster), "SET wsrep_sync_wait = 7");
        servers.demandAcknowledgedOnly();
        AnswerCheck check(servers.log());
        std::mt19937 random(seed);
        const auto end = Clock::now() + std::chrono::seconds(seconds);
        for (unsigned round = 0; round < LEAST_ROUNDS || Clock::now() < end; ++round)
            runRound(round, cluster, servers, seed + round * 10'000, random, check);
        print(seed, check);
        CPPUNIT_ASSERT_MESSAGE(_failures.empty() ? "" : _failures.begin()->first, _failures.empty());
        CPPUNIT_ASSERT_MESSAGE("hardly anything was read or written",
                               _answers > 100 && check.commits() > 50 && check.walksChecked() > 0);
        CPPUNIT_ASSERT_MESSAGE("nobody went to another node",
                               servers.server(0).metric("supplierd_database_failovers") > 0);
    }

private:
    /// The first one loses the node that is written to, the second the one that the last server reads from.
    static constexpr unsigned LEAST_ROUNDS = 2;

    void runRound(unsigned round, const GaleraCluster& cluster, ListServers& servers, unsigned seed,
                  std::mt19937& random, AnswerCheck& check) {
        const auto below = [&random](int end) { return std::uniform_int_distribution<int>(0, end - 1)(random); };
        const std::size_t node = round < LEAST_ROUNDS ? round : static_cast<std::size_t>(below(OWN_NODE));
        const auto disturbances = disturbancesOf(cluster, node);
        const int number = below(static_cast<int>(disturbances.size()));
        const auto& chosen = disturbances[round == 0 ? 0 : static_cast<std::size_t>(number)]; // the first one is felt
        // Shorter and longer than it takes until a silent node is left, by Galera and by the servers.
        const milliseconds lasting(200 + below(3'800));
        const std::string what = "seed " + std::to_string(seed) + ", " + chosen.name + " of node " +
                                 std::to_string(node + 1) + " for " + std::to_string(lasting.count()) + " ms";
        ProductWriters writers(servers, seed);
        ListReaders readers(servers, seed);
        std::this_thread::sleep_for(UNDISTURBED);
        chosen.begin();
        std::this_thread::sleep_for(lasting);
        if (below(4) == 0)
            servers.killAndStart(1);
        chosen.end();
        try {
            cluster.awaitAllInStep();
        } catch (const std::exception& failure) {
            // MariaDB gave a node up. What it was in the middle of counts, too.
            std::cerr << "\n(" << what << ": " << failure.what() << ") ";
            ++_restarted;
            cluster.start();
            cluster.awaitAllInStep();
        }
        std::this_thread::sleep_for(UNDISTURBED);
        if (below(2) == 0)
            awaitReturn(servers, cluster);
        readers.finish();
        writers.finish();
        ++_disturbances[std::string(chosen.name) + " of node " + std::to_string(node + 1)];
        take(readers, writers, check, what, servers);
    }

    static void awaitReturn(ListServers& servers, const GaleraCluster& cluster) {
        const auto deadline = Clock::now() + LOOK_LIMIT;
        for (std::size_t server = 0; server < SERVERS; ++server)
            while (servers.server(server).metric("supplierd_database_writer{node=\"" + cluster.socket(0) + "\"}") !=
                   1) {
                CPPUNIT_ASSERT_MESSAGE("server " + std::to_string(server) + " does not return to the first node",
                                       Clock::now() < deadline);
                std::this_thread::sleep_for(LOOK_INTERVAL);
            }
    }

    void take(ListReaders& readers, ProductWriters& writers, AnswerCheck& check, const std::string& what,
              ListServers& servers) {
        auto answers = readers.takeAnswers();
        auto writes = writers.takeWrites();
        _answers += answers.size();
        _acknowledged += writes.size();
        _unchanged += readers.unchanged();
        for (const auto& [status, count] : writers.answers())
            _written[status.substr(status.find_last_of(' ') + 1)] += count;
        for (const auto& [status, count] : readers.failures())
            if (status == "503")
                _refused += count;
            else
                _failures[what + ": " + status] += count;
        try {
            check.check(std::move(answers), std::move(writes));
        } catch (const std::exception& error) {
            CPPUNIT_FAIL(what + ": " + error.what() + logsOf(servers));
        }
    }

    static std::string logsOf(ListServers& servers) {
        constexpr std::size_t LENGTH = 5'000;
        std::string logs;
        for (std::size_t server = 0; server < SERVERS; ++server) {
            const std::string log = servers.server(server).log();
            logs += "\nthe last of the log of server " + std::to_string(server) + ":\n" +
                    log.substr(log.size() - std::min(log.size(), LENGTH));
        }
        return logs;
    }

    void print(unsigned seed, const AnswerCheck& check) const {
        std::cerr << "\n(seed " << seed << ": " << _answers << " answers, " << _unchanged << " of them 304, "
                  << check.productsCompared() << " products compared, " << check.walksChecked()
                  << " walks to their end; " << check.commits() << " commits replayed, " << _acknowledged
                  << " acknowledged values found; writes by status:";
        for (const auto& [status, count] : _written)
            std::cerr << ' ' << status << " x" << count << ',';
        std::cerr << " reads refused with 503: " << _refused << "; disturbances:";
        for (const auto& [name, count] : _disturbances)
            std::cerr << ' ' << name << " x" << count << ',';
        std::cerr << " nodes that MariaDB gave up: " << _restarted << ") ";
    }

    std::size_t _answers = 0;
    std::size_t _unchanged = 0;
    std::size_t _acknowledged = 0;
    std::size_t _refused = 0;
    std::size_t _restarted = 0;
    std::map<std::string, std::size_t> _written;
    std::map<std::string, std::size_t> _failures;
    std::map<std::string, std::size_t> _disturbances;
};

CPPUNIT_TEST_SUITE_REGISTRATION(ClusterListsTest);

} // namespace supplierd::tests
