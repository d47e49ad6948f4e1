#include "host/db/nodes/NodeChoice.h"

#include "tests/support/Test.h"

#include <vector>

namespace supplierd::tests {

using host::chooseWriter;
using host::isLeftOut;
using host::judge;
using host::judgeOptions;
using host::NodeFitness;
using host::NodeReport;
using host::NodeView;
using host::WriterChoice;

namespace {

constexpr std::chrono::milliseconds RETURN_AFTER{10'000};
constexpr std::chrono::milliseconds LONG{60'000};

NodeView synced(std::chrono::milliseconds since = LONG, std::int64_t view = 7) {
    return {NodeFitness::InStep, "cluster-a", view, since};
}

NodeView ofClusterB() {
    return {NodeFitness::InStep, "cluster-b", 1, LONG};
}

NodeView donor() {
    return {NodeFitness::Behind, "cluster-a", 7};
}

NodeView full() {
    NodeView node = donor();
    node.isFull = true;
    return node;
}

/// Of a primary with replicas.
NodeView writable() {
    return {NodeFitness::InStep, "", 0, LONG};
}

/// A former primary that has come back.
NodeView formerPrimary() {
    NodeView node = writable();
    node.isFormerPrimary = true;
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
    CPPUNIT_ASSERT(judge(report).first == NodeFitness::Behind && report.isFull());
    CPPUNIT_ASSERT(choose({full(), synced()}, 0).node == 1U);
    CPPUNIT_ASSERT(choose({full(), full(), synced(std::chrono::milliseconds(0))}, 0).node == 2U);
    CPPUNIT_ASSERT_MESSAGE("nor is it returned to", choose({full(), synced()}, 1).node == 1U);
    CPPUNIT_ASSERT_MESSAGE("nor begun with", choose({full(), synced()}).node == 1U);
}

TEST(NodeChoiceTest, writerWhoseDiskIsFullStaysForWantOfAnother) {
    CPPUNIT_ASSERT(choose({full(), full(), lost()}, 0).node == 0U);
    CPPUNIT_ASSERT(choose({full(), donor()}, 0).node == 0U);
    CPPUNIT_ASSERT_MESSAGE("other members", choose({full(), synced(LONG, 8)}, 0).node == 0U);
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
    CPPUNIT_ASSERT(choose({synced(LONG, 1), synced(LONG, 7)}, 1, "cluster-a").node == 1U);
}

TEST(NodeChoiceTest, promotedReplicaStaysTheWriterWhenTheOldPrimaryComesBack) {
    CPPUNIT_ASSERT(choose({lost(), writable()}, 0).node == 1U);
    const auto choice = choose({writable(), writable()}, 1);
    CPPUNIT_ASSERT(choice.node == 1U);
    CPPUNIT_ASSERT_MESSAGE("the operator is told", choice.isAmbiguous);
}

TEST(NodeChoiceTest, formerPrimaryIsNotGoneToWhileThePromotedReplicaIsAway) {
    const auto choice = choose({formerPrimary(), lost()}, 1);
    CPPUNIT_ASSERT(!choice.node);
    CPPUNIT_ASSERT_MESSAGE("the operator is told", choice.areFormerPrimaries);
    CPPUNIT_ASSERT_MESSAGE("it comes back itself", choose({formerPrimary(), writable()}).node == 1U);
    CPPUNIT_ASSERT_MESSAGE("another replica is promoted", choose({formerPrimary(), lost(), writable()}, 1).node == 2U);
    CPPUNIT_ASSERT_MESSAGE("beside the writer it is told of", choose({formerPrimary(), writable()}, 1).isAmbiguous);
    CPPUNIT_ASSERT_MESSAGE("one that was closed is none", !choose({lost(), lost()}, 1).areFormerPrimaries);
}

TEST(NodeChoiceTest, ofTwoUnrelatedWritableNodesNoneIsChosen) {
    const auto choice = choose({writable(), writable()});
    CPPUNIT_ASSERT(!choice.node);
    CPPUNIT_ASSERT(choice.isAmbiguous);
    CPPUNIT_ASSERT(choose({writable(), lost()}).node == 0U);
}

TEST(NodeChoiceTest, nodeOfAnotherClusterIsNotFollowed) {
    const NodeView other{NodeFitness::InStep, "cluster-b", 1, LONG};
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

TEST(NodeChoiceTest, silentWriterIsAwaitedWhileItMayBeAMember) {
    NodeView silent;
    silent.isSilentMember = silent.isLastWriter = true;
    CPPUNIT_ASSERT(!choose({silent, synced(), synced()}, 0, "cluster-a").node);
    CPPUNIT_ASSERT(choose({silent, synced(), synced()}, 0, "cluster-a").awaited == 0U);
    CPPUNIT_ASSERT(!choose({silent, synced(), synced()}, std::nullopt, "cluster-a").node);
    silent.isSilentMember = false; // it was left out
    CPPUNIT_ASSERT(choose({silent, synced(), synced()}, 0, "cluster-a").node == 1U);
}

TEST(NodeChoiceTest, earlierNodeThatOthersWriteToIsUsedOrNone) {
    NodeView first = synced(std::chrono::milliseconds(0));
    first.isOthersWriter = true;
    CPPUNIT_ASSERT_MESSAGE("at once", choose({first, synced()}, 1, "cluster-a").node == 0U);
    first = lost();
    first.isOthersWriter = first.isSilentMember = true;
    CPPUNIT_ASSERT(choose({first, synced()}, 1, "cluster-a").awaited == 0U);
    CPPUNIT_ASSERT(choose({first, synced()}).awaited == 0U);
    CPPUNIT_ASSERT_MESSAGE("a later one does not count", choose({synced(), first}, 0, "cluster-a").node == 0U);
}

TEST(NodeChoiceTest, nodeIsLeftOutWhenAllMembersOfALaterViewAreOthers) {
    const auto in = [](std::int64_t view, std::size_t members) {
        NodeReport report = galera(NodeReport::SYNCED, "Synced");
        report.cluster = "cluster-a";
        report.view = view;
        report.members = members;
        return report;
    };
    const auto leftOut = [](const std::vector<NodeReport>& nodes) { return isLeftOut(nodes, 0); };
    CPPUNIT_ASSERT(leftOut({in(7, 3), in(8, 2), in(8, 2)}));
    CPPUNIT_ASSERT_MESSAGE("the third one may be out", !leftOut({in(7, 3), in(8, 2), in(7, 3)}));
    CPPUNIT_ASSERT_MESSAGE("it is back", !leftOut({in(7, 3), in(9, 3), in(9, 3)}));
    CPPUNIT_ASSERT(!leftOut({in(7, 3), in(7, 3), in(7, 3)}));
    CPPUNIT_ASSERT_MESSAGE("it saw more than they", !leftOut({in(9, 3), in(8, 2), in(8, 2)}));
    CPPUNIT_ASSERT_MESSAGE("no member that may commit", !leftOut({in(7, 3), in(0, 1), in(0, 1)}));
    NodeReport another = in(8, 1);
    another.cluster = "cluster-b";
    CPPUNIT_ASSERT_MESSAGE("another cluster", !leftOut({in(7, 3), another, another}));
    CPPUNIT_ASSERT_MESSAGE("a member is not known", !leftOut({in(7, 4), in(8, 3), in(8, 3)}));
}

TEST(NodeChoiceTest, nodeWhoseSettingsLetItAnswerWhenItIsLeftOutIsNotUsed) {
    const auto judged = [](const std::string& options) {
        NodeReport report = galera(NodeReport::SYNCED, "Synced");
        judgeOptions(options, report);
        return report;
    };
    CPPUNIT_ASSERT_MESSAGE("as Galera comes", judge(judged("")).first == NodeFitness::InStep);
    CPPUNIT_ASSERT(judged("").noticesLeftOutAfter == std::chrono::milliseconds(1'600));
    const std::string recommended =
        "base_port = 4567; evs.inactive_check_period = PT0.2S; evs.keepalive_period = PT0.3S; evs.suspect_timeout = ";
    CPPUNIT_ASSERT(judge(judged(recommended + "PT2S; pc.ignore_sb = false; ")).first == NodeFitness::InStep);
    CPPUNIT_ASSERT(judged(recommended + "PT2S").noticesLeftOutAfter == std::chrono::milliseconds(600));
    CPPUNIT_ASSERT(judge(judged(recommended + "PT1M")).first == NodeFitness::InStep);
    CPPUNIT_ASSERT(judge(judged(recommended + "PT1.3S")).first == NodeFitness::Unfit);
    CPPUNIT_ASSERT(judge(judged("pc.ignore_quorum = true")).second.starts_with("pc.ignore_quorum = true"));
    CPPUNIT_ASSERT(judge(judged("pc.ignore_sb = yes")).first == NodeFitness::Unfit);
}

} // namespace supplierd::tests
