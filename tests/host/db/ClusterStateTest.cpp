#include "host/db/nodes/ClusterState.h"

#include "tests/support/Test.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace supplierd::tests {

using host::ClusterState;
using host::LOOK_HOLDS;
using host::NodeAddress;
using host::NodeClock;
using host::NodeProbe;
using host::NodeReport;
using host::SessionSettings;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds NOTICES{600};
constexpr milliseconds LOOK_INTERVAL{500};

SessionSettings threeNodes() {
    SessionSettings settings;
    for (const char* name : {"db1", "db2", "db3"})
        settings.nodes.push_back(*NodeAddress::parse(name));
    return settings;
}

NodeReport member(std::int64_t view, std::size_t members) {
    NodeReport report;
    report.isGalera = true;
    report.stateName = "Synced";
    report.cluster = "cluster-a";
    report.view = view;
    report.members = members;
    report.noticesLeftOutAfter = NOTICES;
    return report;
}

NodeReport donor(NodeReport report) {
    report.state = NodeReport::DONOR;
    report.stateName = "Donor/Desynced";
    return report;
}

std::optional<NodeReport> closed(NodeReport report) {
    report.isReadOnly = true;
    return report;
}

} // namespace

/// What one server decides from what three nodes of Galera say, by a clock of the test's own.
class ClusterStateTest : public CppUnit::TestFixture {
protected:
    using Reports = std::vector<std::optional<NodeReport>>;

    /// Looks at all nodes now. Nothing: that one says nothing.
    void look(const Reports& reports) {
        for (std::size_t i = 0; i < reports.size(); ++i) {
            NodeProbe::Answer answer{reports[i], "no answer"};
            if (answer.report)
                answer.report->identity = "node" + std::to_string(i);
            _state.accept(i, answer, _now, _now);
        }
        if (_others)
            _state.noteOtherWriters(*_others, _now);
        _state.decide(_now);
        if (writer() && _showsWriter)
            _state.noteShown("node" + std::to_string(*writer()), _now, _now);
    }
    /// And again, as often as a server does.
    void lookFor(milliseconds time, const Reports& reports) {
        for (const auto end = _now + time; _now < end; _now += LOOK_INTERVAL)
            look(reports);
        look(reports);
    }
    void pass(milliseconds time) {
        _now += time;
        _state.decide(_now);
    }
    std::optional<std::size_t> writer() const { return _state.decision().writer.node; }
    bool readsInStep() const { return _state.decision().writer.readsInStep; }
    /// Later than the first node has to be in step for, and than reads are.
    static constexpr std::chrono::seconds LONG{20};

    const Reports _all = Reports(3, member(7, 3));
    const Reports _leftOut = {std::nullopt, member(8, 2), member(8, 2)};
    NodeClock::time_point _now = NodeClock::now();
    std::optional<std::set<std::string>> _others; ///< what their rows say; nothing: they cannot be read
    bool _showsWriter = true;
    const SessionSettings _settings = threeNodes();
    ClusterState _state{_settings, std::nullopt};
};

TEST(ClusterStateTest, nothingIsChosenBeforeEveryNodeWasAsked) {
    for (std::size_t i = 0; i < 3; ++i) {
        CPPUNIT_ASSERT(!writer() && _state.decision().isUndecided);
        _state.accept(2 - i, {member(7, 3)}, _now, _now);
        _state.decide(_now);
    }
    CPPUNIT_ASSERT(writer() == std::size_t{0});
    CPPUNIT_ASSERT_EQUAL(std::string(), _state.decision().problem);
}

TEST(ClusterStateTest, aSilentNodeIsLeftOnlyWhenTheOthersShowThatItIsNoMember) {
    look(_all);
    look({std::nullopt, member(7, 3), member(7, 3)});
    CPPUNIT_ASSERT(!writer());
    CPPUNIT_ASSERT(_state.decision().problem.starts_with("this server does not reach db1"));
    look({std::nullopt, member(8, 2), member(7, 3)});
    CPPUNIT_ASSERT_MESSAGE("the third one may be missing", !writer());
    look(_leftOut);
    CPPUNIT_ASSERT_MESSAGE("it may not have noticed", !writer() && _state.decision().isUndecided);
    pass(NOTICES);
    CPPUNIT_ASSERT(writer() == std::size_t{1} && readsInStep());
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{1}, _state.decision().failovers);
}

TEST(ClusterStateTest, aMemberThatHostsDoesNotNameKeepsEverybodyFromLeaving) {
    look(Reports(3, member(7, 4)));
    lookFor(LONG, {std::nullopt, member(8, 3), member(8, 3)});
    CPPUNIT_ASSERT(!writer());
}

TEST(ClusterStateTest, aNodeThatSaysThatItIsNotReadyIsLeftAtOnce) {
    look(_all);
    NodeReport cutOff = member(0, 1);
    cutOff.isReady = false;
    look({cutOff, member(8, 2), member(8, 2)});
    CPPUNIT_ASSERT(writer() == std::size_t{1});
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{1}, _state.nodes()[0].losses);
}

TEST(ClusterStateTest, aClosedNodeIsLeftWhenEverybodyHasSeenThat) {
    look(_all);
    const Reports reports{closed(member(7, 3)), member(7, 3), member(7, 3)};
    look(reports);
    CPPUNIT_ASSERT(!writer() && _state.decision().isUndecided);
    pass(LOOK_HOLDS - milliseconds(1));
    CPPUNIT_ASSERT(!writer());
    pass(milliseconds(1));
    CPPUNIT_ASSERT(writer() == std::size_t{1});
    CPPUNIT_ASSERT_EQUAL_MESSAGE("what runs may end", std::uint64_t{0}, _state.nodes()[0].losses);
}

TEST(ClusterStateTest, readsOfTheFirstNodeArePlainWhenNothingHasHappenedForLong) {
    look(_all);
    CPPUNIT_ASSERT(readsInStep());
    lookFor(LONG, _all);
    CPPUNIT_ASSERT(writer() == std::size_t{0} && !readsInStep());
    lookFor(LOOK_INTERVAL, Reports(3, member(8, 3)));
    CPPUNIT_ASSERT_MESSAGE("other members", readsInStep());
    lookFor(LONG, Reports(3, member(8, 3)));
    CPPUNIT_ASSERT(!readsInStep());
    _now += LOOK_HOLDS * 2;
    look(Reports(3, member(8, 3)));
    CPPUNIT_ASSERT_MESSAGE("this process slept", readsInStep());
}

TEST(ClusterStateTest, theFirstNodeIsReturnedToAndReadPlainlyOnlyWithAllThatTheOthersHad) {
    _others = {"node1"};
    look(_all);
    look(_leftOut);
    pass(NOTICES);
    lookFor(LONG, _leftOut);
    CPPUNIT_ASSERT_MESSAGE("another node than the first", writer() == std::size_t{1} && readsInStep());
    Reports back(3, member(9, 3));
    back[1]->committed = 50;
    lookFor(_settings.returnAfter - LOOK_INTERVAL, back);
    CPPUNIT_ASSERT(writer() == std::size_t{1});
    lookFor(LOOK_INTERVAL, back);
    CPPUNIT_ASSERT(writer() == std::size_t{0});
    lookFor(LONG, back);
    CPPUNIT_ASSERT_MESSAGE("it lacks what the second one had", readsInStep());
    back[0]->committed = 50;
    look(back);
    CPPUNIT_ASSERT(!readsInStep());
}

TEST(ClusterStateTest, anEarlierMemberThatDoesNotAnswerIsUsedByNobodyOrByAll) {
    const Reports joining{std::nullopt, member(9, 3), member(9, 3)};
    look(joining);
    CPPUNIT_ASSERT_MESSAGE("others may write to it", !writer() && _state.decision().needsOtherWriters);
    _others = {"node1"};
    lookFor(LONG, joining);
    CPPUNIT_ASSERT_MESSAGE("they do not", writer() == std::size_t{1} && _state.decision().needsOtherWriters);
    _others = {"node0", "node1"};
    look(joining);
    CPPUNIT_ASSERT(!writer());
    look(Reports(3, member(9, 3)));
    CPPUNIT_ASSERT_MESSAGE("at once", writer() == std::size_t{0} && !_state.decision().needsOtherWriters);
}

TEST(ClusterStateTest, aCommandThatAsksNobodyGoesByTheFirstMemberThatAnswers) {
    const auto askFirstTwo = [&] {
        for (std::size_t i = 0; i < 3; ++i)
            _state.accept(i, i == 1 ? NodeProbe::Answer{member(8, 2)} : NodeProbe::Answer{}, _now, _now);
        _state.decide(_now);
    };
    askFirstTwo();
    CPPUNIT_ASSERT_MESSAGE("a server would ask the others", !_state.decision().choice.node);
    _state.noteOtherWriters({}, _now);
    askFirstTwo();
    CPPUNIT_ASSERT(_state.decision().choice.node == std::size_t{1});
}

TEST(ClusterStateTest, whatTheRowsOfOthersSaidHoldsForSeconds) {
    const Reports joining{std::nullopt, member(9, 3), member(9, 3)};
    _others = {"node1"};
    lookFor(LONG, joining);
    CPPUNIT_ASSERT(writer() == std::size_t{1});
    _others.reset();
    lookFor(milliseconds(4'500), joining);
    CPPUNIT_ASSERT(writer() == std::size_t{1});
    lookFor(LOOK_INTERVAL, joining);
    CPPUNIT_ASSERT_MESSAGE("they may write to the first node by now", !writer());
}

TEST(ClusterStateTest, aServerThatWakesDoesNotWriteToALaterNodeBeforeItKnowsTheOthers) {
    _others = {"node1"};
    look(_leftOut);
    pass(NOTICES);
    lookFor(LOOK_INTERVAL, _leftOut);
    CPPUNIT_ASSERT(writer() == std::size_t{1});
    _others.reset();
    _now += LONG;
    look(Reports(3, member(9, 3)));
    CPPUNIT_ASSERT(writer() == std::size_t{0});
}

TEST(ClusterStateTest, outsideOfGaleraThereAreNoRowsToWaitFor) {
    NodeReport report;
    report.cluster = "replication-group";
    look({std::nullopt, report, report});
    CPPUNIT_ASSERT(writer() == std::size_t{1} && !_state.decision().needsOtherWriters);
    lookFor(_settings.returnAfter - LOOK_INTERVAL, Reports(3, report));
    CPPUNIT_ASSERT(writer() == std::size_t{1});
    lookFor(LOOK_INTERVAL, Reports(3, report));
    CPPUNIT_ASSERT(writer() == std::size_t{0});
}

TEST(ClusterStateTest, replicasAreNotWaitedForNorSlowLooks) {
    NodeReport primary;
    look({primary, closed(primary), closed(primary)});
    CPPUNIT_ASSERT_MESSAGE("at once", writer() == std::size_t{0});
    ClusterState slow(_settings, std::nullopt);
    for (int i = 0; i < 2; ++i, _now += LOOK_HOLDS * 2) {
        for (std::size_t node = 0; node < 3; ++node)
            slow.accept(node, {node == 2 ? closed(member(7, 3)) : member(7, 3)}, _now, _now);
        slow.decide(_now);
    }
    CPPUNIT_ASSERT(slow.decision().writer.node == std::size_t{0});
}

TEST(ClusterStateTest, readsArePlainOnlyWhileOthersSeeWhereThisServerWrites) {
    _showsWriter = false;
    look(_all);
    lookFor(LONG, _all);
    CPPUNIT_ASSERT(readsInStep() && _state.decision().needsToBeShown);
    _showsWriter = true;
    lookFor(LOOK_INTERVAL, _all);
    CPPUNIT_ASSERT_MESSAGE("they have not read it", readsInStep() && !_state.decision().needsToBeShown);
    lookFor(LONG, _all);
    CPPUNIT_ASSERT(!readsInStep());
    _showsWriter = false;
    lookFor(std::chrono::minutes(1), _all);
    CPPUNIT_ASSERT_MESSAGE("the row is old", readsInStep());
    _showsWriter = true;
    lookFor(LOOK_INTERVAL, _all);
    CPPUNIT_ASSERT_MESSAGE("they may have gone by that", readsInStep());
    lookFor(LONG, _all);
    CPPUNIT_ASSERT(!readsInStep());
}

TEST(ClusterStateTest, aNodeThatIsReturnedToIsReadInStepUntilOthersSeeThat) {
    _others = {"node1"};
    look(_leftOut);
    pass(NOTICES);
    look(_leftOut);
    CPPUNIT_ASSERT(writer() == std::size_t{1});
    _showsWriter = false;
    lookFor(_settings.returnAfter, Reports(3, member(9, 3)));
    lookFor(LONG, Reports(3, member(9, 3)));
    CPPUNIT_ASSERT(writer() == std::size_t{0} && readsInStep());
    _showsWriter = true;
    lookFor(LONG, Reports(3, member(9, 3)));
    CPPUNIT_ASSERT(!readsInStep());
}

TEST(ClusterStateTest, aDonorIsLeftWhenEverybodyReadsItInStep) {
    const Reports donates{donor(member(7, 3)), member(7, 3), member(7, 3)};
    look(donates);
    CPPUNIT_ASSERT(!writer() && _state.decision().isUndecided);
    pass(LOOK_HOLDS);
    CPPUNIT_ASSERT(writer() == std::size_t{1});
}

TEST(ClusterStateTest, aWriterThatIsADonorStaysAndIsReadInStepUntilOthersAreBack) {
    look(_all);
    lookFor(LONG, _all);
    CPPUNIT_ASSERT(!readsInStep());
    Reports donates = _all;
    donates[0] = donor(member(7, 3));
    look(donates);
    CPPUNIT_ASSERT(writer() == std::size_t{0} && readsInStep());
    lookFor(LONG, donates);
    CPPUNIT_ASSERT(readsInStep());
    lookFor(_settings.returnAfter, _all);
    CPPUNIT_ASSERT_MESSAGE("who began meanwhile writes to another node", writer() == std::size_t{0} && readsInStep());
    lookFor(LONG, _all);
    CPPUNIT_ASSERT(!readsInStep());
}

TEST(ClusterStateTest, aMemberThatRejectsQueriesMayTakeThemAgainAtAnyMoment) {
    look(_all);
    Reports rejects = _all;
    rejects[0]->isReady = false;
    look(rejects);
    CPPUNIT_ASSERT(!writer() && _state.decision().isUndecided);
    pass(LOOK_HOLDS);
    CPPUNIT_ASSERT(writer() == std::size_t{1});
}

TEST(ClusterStateTest, aWriterWithoutFreeSessionsIsReadInStep) {
    look(_all);
    lookFor(LONG, _all);
    _now += LOOK_INTERVAL;
    _state.accept(0, {std::nullopt, "too many connections", true}, _now, _now);
    _state.decide(_now);
    CPPUNIT_ASSERT(writer() == std::size_t{0} && readsInStep());
    _now += LOOK_INTERVAL;
    look(_all);
    CPPUNIT_ASSERT(readsInStep());
}

TEST(ClusterStateTest, aNodeThatNeverAnsweredNoticesAsLateAsTheOthers) {
    look({std::nullopt, member(8, 3), member(8, 3)});
    look({std::nullopt, member(9, 2), member(9, 2)});
    CPPUNIT_ASSERT(!writer() && _state.decision().isUndecided);
    pass(NOTICES);
    CPPUNIT_ASSERT(writer() == std::size_t{1});
}

TEST(ClusterStateTest, aClusterThatLostItsMajorityIsFollowedWhenItIsStartedAgain) {
    look(_all);
    look(Reports{member(7, 3), member(8, 2), member(8, 2)});
    NodeReport alone = member(0, 1);
    alone.isReady = false;
    alone.cluster = "00000000-0000-0000-0000-000000000000";
    look({alone, std::nullopt, std::nullopt});
    CPPUNIT_ASSERT(!writer());
    look({member(1, 1), alone, alone});
    CPPUNIT_ASSERT_MESSAGE("what the others said before counts no more", writer() == std::size_t{0});
    look({member(1, 1), std::nullopt, std::nullopt});
    CPPUNIT_ASSERT(writer() == std::size_t{0});
}

TEST(ClusterStateTest, aClusterThatWasStartedAgainCountsFromTheBeginning) {
    look(_all);
    look(Reports(3));
    CPPUNIT_ASSERT(!writer());
    look({std::nullopt, member(2, 2), member(2, 2)});
    pass(NOTICES);
    CPPUNIT_ASSERT(writer() == std::size_t{1});
}

} // namespace supplierd::tests
