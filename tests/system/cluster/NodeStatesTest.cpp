#include "tests/support/Control.h"
#include "tests/system/cluster/ClusterTest.h"

#include <chrono>
#include <cstddef>
#include <future>
#include <string>
#include <thread>

namespace supplierd::tests {
namespace {

constexpr int CLIENTS = 4;
/// Of the load, which leaves two suppliers alone.
constexpr std::size_t WRITTEN = ClusterFixture::SUPPLIERS - 1;

} // namespace

/// States of nodes that are rarer than their loss, beside several servers.
class NodeStatesTest : public ClusterTest {
protected:
    static WritingLoad::Settings load(const char* prefix) {
        return {.clients = CLIENTS, .prefix = prefix, .someWithoutKey = true};
    }
    /// Two servers, each of which writes what the other one reads.
    struct Both {
        Both(ClusterFixture& on, const ServerProcess& further)
            : ofFirst(on, further.client(on.supplier(OBSERVED).key()), on.client(OBSERVED)),
              ofFurther(on, on.client(WRITTEN), further.client(on.supplier(WRITTEN).key())) {}

        OwnReads ofFirst;
        OwnReads ofFurther;
    };
    static void awaitBoth(const Both& both, int further) {
        awaitReads(both.ofFirst, further);
        awaitReads(both.ofFurther, further);
    }
    /// Both servers read plainly again, and everything was right all the time.
    static void requireReturn(ClusterFixture& on, const ServerProcess& further, WritingLoad& writes, Both& both) {
        awaitPlainReads(on, further);
        awaitPlainReads(on, on.server());
        awaitBoth(both, 100);
        requireAsAcknowledged(on, writes, {&both.ofFirst, &both.ofFurther});
    }
    static void awaitState(ClusterFixture& on, std::size_t node, const std::string& state) {
        awaitTrue("node " + std::to_string(node) + " is " + state, [&] {
            return on.cluster().run(node, "SHOW STATUS LIKE 'wsrep_local_state_comment'").find(state) !=
                   std::string::npos;
        });
    }
    static void awaitPlainReads(ClusterFixture& on, const ServerProcess& server) {
        awaitTrue("plain reads of the first node",
                  [&] { return writesTo(server, on.cluster().socket(0)) && !readsInStep(server); });
    }
};

TEST(NodeStatesTest, aServerAndACommandStartWhileTheFirstNodeIsDead) {
    ClusterFixture& on = inStep();
    on.cluster().kill(0);
    {
        ServerProcess further(on.database(), on.options());
        awaitTrue("it writes to the next node", [&] { return writesTo(further, on.cluster().socket(1)); });
        further.migrate();
    }
    on.cluster().start();
}

TEST(NodeStatesTest, aWriterThatIsOutOfStepStaysAndIsReadInStep) {
    ClusterFixture& on = inStep();
    awaitPlainReads(on, on.server());
    WritingLoad writes(on, WRITTEN, load("desync"));
    on.cluster().run(0, "SET GLOBAL wsrep_desync = ON");
    awaitTrue("reads in step", [&] { return readsInStep(on.server()); });
    CPPUNIT_ASSERT(writesTo(on.server(), on.cluster().socket(0)));
    const ServerProcess further(on.database(), on.options());
    awaitTrue("who begins writes to the next node", [&] { return writesTo(further, on.cluster().socket(1)); });
    Both both(on, further);
    awaitBoth(both, 100);
    on.cluster().run(0, "SET GLOBAL wsrep_desync = OFF");
    requireReturn(on, further, writes, both);
}

TEST(NodeStatesTest, noAnswerIsOldWhileTheWriterGivesItsDataToANewNode) {
    ClusterFixture& on = inStep();
    awaitPlainReads(on, on.server());
    on.cluster().delayTransfers(6);
    on.cluster().run(1, "SET GLOBAL wsrep_desync = ON"); // then it gives nothing
    on.cluster().kill(2);
    on.cluster().removeData(2);
    WritingLoad writes(on, WRITTEN, load("transfer"));
    auto joining = std::async(std::launch::async, [&] { on.cluster().start(); });
    awaitState(on, 0, "Donor/Desynced");
    on.cluster().run(1, "SET GLOBAL wsrep_desync = OFF");
    awaitState(on, 1, "Synced");
    const ServerProcess further(on.database(), on.options());
    CPPUNIT_ASSERT(writesTo(on.server(), on.cluster().socket(0)));
    CPPUNIT_ASSERT_MESSAGE("who begins writes to the next node", writesTo(further, on.cluster().socket(1)));
    Both both(on, further);
    joining.get();
    awaitBoth(both, 100);
    requireReturn(on, further, writes, both);
}

TEST(NodeStatesTest, aWriterThatRejectsQueriesForAMomentStays) {
    ClusterFixture& on = inStep();
    const ServerProcess further(on.database(), on.options());
    awaitPlainReads(on, further);
    awaitPlainReads(on, on.server());
    const auto failovers = on.server().metric("supplierd_database_failovers_total");
    WritingLoad writes(on, WRITTEN, load("reject"));
    Both both(on, further);
    for (int times = 0; times < 5; ++times) {
        awaitBoth(both, 20);
        on.cluster().run(0, "SET GLOBAL wsrep_reject_queries = ALL");
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        on.cluster().run(0, "SET GLOBAL wsrep_reject_queries = NONE");
        awaitWrites(writes, 20);
    }
    awaitBoth(both, 20);
    CPPUNIT_ASSERT_EQUAL(failovers, on.server().metric("supplierd_database_failovers_total"));
    requireAsAcknowledged(on, writes, {&both.ofFirst, &both.ofFurther});
}

TEST(NodeStatesTest, writesGoOnWhenAllNodesWereKilledAndOneBegins) {
    ClusterFixture& on = inStep();
    auto client = on.client(OBSERVED);
    const auto created = client.post("/products", on.product("Before"));
    requireStatus(201, created);
    const std::string path = "/products/" + std::to_string(idOf(created.data().at("product")));
    on.cluster().awaitAllInStep();
    for (std::size_t node = 0; node < on.cluster().size(); ++node)
        on.cluster().kill(node);
    awaitTrue("none is written to", [&] { return !on.writer(); });
    on.cluster().startOnly(1);
    awaitTrue("writes", [&] { return client.post("/products", on.product("Alone")).status == 201; });
    requireStatus(200, client.get(path));
    CPPUNIT_ASSERT(on.writer() == std::size_t{1});
    on.cluster().start();
    awaitTrue("the first node is returned to", [&] { return on.writer() == std::size_t{0}; });
    requireStatus(201, client.post("/products", on.product("After")));
    requireStatus(200, client.get(path));
    awaitPlainReads(on, on.server());
    requireSameOnAllNodes(on);
}

TEST(NodeStatesTest, writesGoOnWhenNodesAreStartedAgainOfWhichTooFewWereLeft) {
    ClusterFixture& on = inStep();
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

} // namespace supplierd::tests
