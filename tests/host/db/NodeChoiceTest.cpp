#include "host/db/nodes/NodeChoice.h"

#include "tests/support/Test.h"

#include <vector>

namespace supplierd::tests {

using host::chooseWriter;
using host::judge;
using host::NodeFitness;
using host::NodeReport;
using host::NodeView;
using host::WriterChoice;

namespace {

constexpr std::chrono::milliseconds RETURN_AFTER{10'000};
constexpr std::chrono::milliseconds LONG{60'000};

NodeView synced(std::chrono::milliseconds since = LONG, const std::string& membership = "7") {
    return {NodeFitness::InStep, "cluster-a", membership, since};
}

NodeView ofClusterB() {
    return {NodeFitness::InStep, "cluster-b", "1", LONG};
}

NodeView donor() {
    return {NodeFitness::Behind, "cluster-a", "7"};
}

NodeView full() {
    NodeView node = donor();
    node.isFull = true;
    return node;
}

/// Of a primary with replicas.
NodeView writable() {
    return {NodeFitness::InStep, "", "", LONG};
}

/// A former primary that has come back.
NodeView stray() {
    NodeView node = writable();
    node.isStray = true;
    return node;
}

NodeView lost() {
    return {};
}

WriterChoice choose(const std::vector<NodeView>& nodes, std::optional<std::size_t> current = std::nullopt,
                    const std::string& cluster = {}) {
    return chooseWriter(nodes, current, cluster, RETURN_AFTER);
}

NodeReport galera(int state, const char* name) {
    NodeReport report;
    report.isGalera = true;
    report.state = state;
    report.stateName = name;
    return report;
}

} // namespace

class NodeChoiceTest : public CppUnit::TestFixture {};

TEST(NodeChoiceTest, firstNodeInStepIsChosen) {
    CPPUNIT_ASSERT(choose({synced(), synced(), synced()}).node == 0U);
    CPPUNIT_ASSERT(choose({lost(), synced(), synced()}).node == 1U);
    CPPUNIT_ASSERT_MESSAGE("nobody waits at the start",
                           choose({synced(std::chrono::milliseconds(0)), synced()}).node == 0U);
}

TEST(NodeChoiceTest, donorIsChosenOnlyForWantOfAnother) {
    CPPUNIT_ASSERT(choose({donor(), synced()}).node == 1U);
    CPPUNIT_ASSERT(choose({donor(), lost()}).node == 0U);
}

TEST(NodeChoiceTest, noneIsChosenWhenNoneCanBeWrittenTo) {
    const auto choice = choose({lost(), lost()}, 0);
    CPPUNIT_ASSERT(!choice.node);
    CPPUNIT_ASSERT(!choice.isAmbiguous);
}

TEST(NodeChoiceTest, lostWriterIsLeftForTheNextNode) {
    CPPUNIT_ASSERT(choose({lost(), synced(), synced()}, 0, "cluster-a").node == 1U);
    CPPUNIT_ASSERT(choose({synced(), lost(), synced()}, 1, "cluster-a").node == 0U);
}

TEST(NodeChoiceTest, writerStaysWhileItIsADonor) {
    CPPUNIT_ASSERT(choose({donor(), synced()}, 0, "cluster-a").node == 0U);
    CPPUNIT_ASSERT(choose({lost(), donor(), synced()}, 1, "cluster-a").node == 1U);
}

TEST(NodeChoiceTest, writerWhoseDiskIsFullIsLeftForOneThatIsInStep) {
    NodeReport report = galera(NodeReport::SYNCED, "Synced");
    report.markedFullBy = 7;
    CPPUNIT_ASSERT(judge(report).first == NodeFitness::Behind && report.isClosed());
    CPPUNIT_ASSERT(choose({full(), synced()}, 0).node == 1U);
    CPPUNIT_ASSERT(choose({full(), full(), synced(std::chrono::milliseconds(0))}, 0).node == 2U);
    CPPUNIT_ASSERT_MESSAGE("nor is it returned to", choose({full(), synced()}, 1).node == 1U);
    CPPUNIT_ASSERT_MESSAGE("nor begun with", choose({full(), synced()}).node == 1U);
}

TEST(NodeChoiceTest, writerWhoseDiskIsFullStaysForWantOfAnother) {
    CPPUNIT_ASSERT(choose({full(), full(), lost()}, 0).node == 0U);
    CPPUNIT_ASSERT(choose({full(), donor()}, 0).node == 0U);
    CPPUNIT_ASSERT_MESSAGE("other members", choose({full(), synced(LONG, "8")}, 0).node == 0U);
    CPPUNIT_ASSERT_MESSAGE("another cluster", choose({full(), ofClusterB()}, 0, "cluster-a").node == 0U);
    CPPUNIT_ASSERT(choose({full(), lost()}).node == 0U);
}

TEST(NodeChoiceTest, earlierNodeIsReturnedToOnlyAfterItWasInStepForLong) {
    CPPUNIT_ASSERT(choose({synced(RETURN_AFTER - std::chrono::milliseconds(1)), synced()}, 1, "cluster-a").node == 1U);
    CPPUNIT_ASSERT(choose({synced(RETURN_AFTER), synced()}, 1, "cluster-a").node == 0U);
    CPPUNIT_ASSERT_MESSAGE("a later one never is", choose({lost(), synced(), synced()}, 1, "cluster-a").node == 1U);
    CPPUNIT_ASSERT_MESSAGE("a donor is not in step", choose({donor(), synced()}, 1, "cluster-a").node == 1U);
}

TEST(NodeChoiceTest, earlierNodeWithOtherMembersIsNotReturnedTo) {
    CPPUNIT_ASSERT(choose({synced(LONG, "1"), synced(LONG, "7")}, 1, "cluster-a").node == 1U);
}

TEST(NodeChoiceTest, promotedReplicaStaysTheWriterWhenTheOldPrimaryComesBack) {
    CPPUNIT_ASSERT(choose({lost(), writable()}, 0).node == 1U);
    const auto choice = choose({writable(), writable()}, 1);
    CPPUNIT_ASSERT(choice.node == 1U);
    CPPUNIT_ASSERT_MESSAGE("the operator is told", choice.isAmbiguous);
}

TEST(NodeChoiceTest, formerPrimaryIsNotGoneToWhileThePromotedReplicaIsAway) {
    const auto choice = choose({stray(), lost()}, 1);
    CPPUNIT_ASSERT(!choice.node);
    CPPUNIT_ASSERT_MESSAGE("the operator is told", choice.areStray);
    CPPUNIT_ASSERT_MESSAGE("it comes back itself", choose({stray(), writable()}).node == 1U);
    CPPUNIT_ASSERT_MESSAGE("another replica is promoted", choose({stray(), lost(), writable()}, 1).node == 2U);
    CPPUNIT_ASSERT_MESSAGE("beside the writer it is told of", choose({stray(), writable()}, 1).isAmbiguous);
    CPPUNIT_ASSERT_MESSAGE("one that was closed is none", !choose({lost(), lost()}, 1).areStray);
}

TEST(NodeChoiceTest, ofTwoUnrelatedWritableNodesNoneIsChosen) {
    const auto choice = choose({writable(), writable()});
    CPPUNIT_ASSERT(!choice.node);
    CPPUNIT_ASSERT(choice.isAmbiguous);
    CPPUNIT_ASSERT(choose({writable(), lost()}).node == 0U);
}

TEST(NodeChoiceTest, nodeOfAnotherClusterIsNotFollowed) {
    const NodeView other{NodeFitness::InStep, "cluster-b", "1", LONG};
    CPPUNIT_ASSERT(!choose({lost(), other}, 0, "cluster-a").node);
    CPPUNIT_ASSERT(choose({lost(), other, synced()}, 0, "cluster-a").node == 2U);
    CPPUNIT_ASSERT_MESSAGE("at the start nobody knows which is right", choose({synced(), other}).isAmbiguous);
}

TEST(NodeChoiceTest, nodeThatWasBegunAnewIsLeft) {
    CPPUNIT_ASSERT(choose({ofClusterB(), synced(), synced()}, 0, "cluster-a").node == 1U);
}

TEST(NodeChoiceTest, clusterThatWasBegunAnewIsToldOnceNobodyIsLeftOfTheFormer) {
    const auto choice = choose({ofClusterB(), ofClusterB(), ofClusterB()}, std::nullopt, "cluster-a");
    CPPUNIT_ASSERT(!choice.node);
    CPPUNIT_ASSERT(choice.isReplaced);
    CPPUNIT_ASSERT_MESSAGE("one may be of the former",
                           !choose({ofClusterB(), ofClusterB(), lost()}, std::nullopt, "cluster-a").isReplaced);
    CPPUNIT_ASSERT_MESSAGE("one is of the former",
                           !choose({ofClusterB(), ofClusterB(), synced()}, std::nullopt, "cluster-a").isReplaced);
    CPPUNIT_ASSERT_MESSAGE("nothing was known before", !choose({ofClusterB(), ofClusterB()}).isReplaced);
    CPPUNIT_ASSERT_MESSAGE("a primary alone is of none", !choose({writable()}, std::nullopt, "cluster-a").isReplaced);
}

TEST(NodeChoiceTest, nodesAreJudgedByWhatTheySay) {
    const auto fitness = [](const NodeReport& report) { return judge(report).first; };
    CPPUNIT_ASSERT(fitness(galera(NodeReport::SYNCED, "Synced")) == NodeFitness::InStep);
    CPPUNIT_ASSERT(fitness(galera(NodeReport::DONOR, "Donor/Desynced")) == NodeFitness::Behind);
    CPPUNIT_ASSERT(fitness(galera(NodeReport::JOINED, "Joined")) == NodeFitness::Behind);
    CPPUNIT_ASSERT(fitness(galera(1, "Joining")) == NodeFitness::Unfit);
    NodeReport cutOff = galera(NodeReport::SYNCED, "Synced");
    cutOff.isReady = false;
    CPPUNIT_ASSERT(fitness(cutOff) == NodeFitness::Unfit);
    CPPUNIT_ASSERT(judge(cutOff).second.starts_with("not ready (Synced)"));
    cutOff.stateName = "Inconsistent"; // its disk was full, and it runs on
    CPPUNIT_ASSERT(fitness(cutOff) == NodeFitness::Unfit);
    CPPUNIT_ASSERT(judge(cutOff).second.find("until it is restarted") != std::string::npos);
    NodeReport replica;
    CPPUNIT_ASSERT(fitness(replica) == NodeFitness::InStep);
    replica.isReadOnly = true;
    CPPUNIT_ASSERT(fitness(replica) == NodeFitness::Unfit);
    replica.isReadOnly = false;
    replica.isReplicating = true;
    CPPUNIT_ASSERT(fitness(replica) == NodeFitness::Unfit);
}

} // namespace supplierd::tests
