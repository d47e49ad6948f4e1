#include "host/db/nodes/ReadLease.h"

#include "tests/support/Test.h"

#include <vector>

namespace supplierd::tests {

using host::leaseEnd;
using host::leasesOver;
using host::LOOK_HOLDS;
using host::MARK_OUTLASTED;
using host::NodeLook;
using host::SeenMark;
using host::SETTLING;
using host::SILENCE_EXCUSED;
using std::chrono::milliseconds;

namespace {

using Time = host::LeaseClock::time_point;
using Mark = std::optional<Time>;

constexpr milliseconds MOMENT{1};

Time at(int ms) {
    return Time(std::chrono::hours(1)) + milliseconds(ms);
}

NodeLook member(int begunMs) {
    return {at(begunMs), true, false};
}

NodeLook marked(int begunMs) {
    return {at(begunMs), true, true};
}

/// It answers, with other members than the first node, or that it takes no statements.
NodeLook apart(int begunMs) {
    return {at(begunMs), false, false};
}

NodeLook neverSeen() {
    return {};
}

Time leaseOf(const std::vector<NodeLook>& looks, std::size_t members) {
    return leaseEnd(looks, members);
}

Mark overAt(const std::vector<Mark>& marks, std::size_t node, std::size_t members) {
    return leasesOver(marks, node, members);
}

bool meetsAMark(unsigned seen, const std::vector<Mark>& marks) {
    for (std::size_t node = 0; node < marks.size(); ++node)
        if ((seen & (1U << node)) && marks[node])
            return true;
    return false;
}

} // namespace

class ReadLeaseTest : public CppUnit::TestFixture {};

TEST(ReadLeaseTest, leaseLastsForASecondFromTheLookAtTheMostNodes) {
    CPPUNIT_ASSERT(leaseOf({member(0), member(300), member(200)}, 3) == at(200) + LOOK_HOLDS);
    CPPUNIT_ASSERT(leaseOf({member(5), member(4), member(3), member(2), member(1)}, 5) == at(3) + LOOK_HOLDS);
    CPPUNIT_ASSERT_MESSAGE("the others are no members",
                           leaseOf({member(0), apart(9), apart(9)}, 1) == at(0) + LOOK_HOLDS);
}

TEST(ReadLeaseTest, oneOfThreeMembersMayBeSilentForAWhile) {
    const int silence = static_cast<int>(SILENCE_EXCUSED.count());
    CPPUNIT_ASSERT(leaseOf({member(2'000), member(2'000), member(0)}, 3) == at(2'000) + LOOK_HOLDS);
    CPPUNIT_ASSERT(leaseOf({member(silence), member(silence), member(0)}, 3) == at(0) + SILENCE_EXCUSED);
    CPPUNIT_ASSERT(leaseOf({member(silence), member(silence), neverSeen()}, 3) < at(0));
    CPPUNIT_ASSERT_MESSAGE("two of three are silent",
                           leaseOf({member(2'000), member(0), member(0)}, 3) == at(0) + LOOK_HOLDS);
}

TEST(ReadLeaseTest, nodeThatIsNoMemberNeedsNoLook) {
    CPPUNIT_ASSERT(leaseOf({member(0), member(0), neverSeen()}, 2) == at(0) + LOOK_HOLDS);
    CPPUNIT_ASSERT(leaseOf({member(0), neverSeen(), neverSeen()}, 1) == at(0) + LOOK_HOLDS);
}

TEST(ReadLeaseTest, ofTwoNodesBothAreLookedAt) {
    CPPUNIT_ASSERT(leaseOf({member(2'000), member(0)}, 2) == at(0) + LOOK_HOLDS);
    CPPUNIT_ASSERT(leaseOf({member(2'000), neverSeen()}, 1) == at(2'000) + LOOK_HOLDS);
    CPPUNIT_ASSERT_MESSAGE("more members than are known", leaseOf({member(2'000), member(0)}, 3) == at(0) + LOOK_HOLDS);
}

TEST(ReadLeaseTest, markedNodeGivesNoLease) {
    CPPUNIT_ASSERT(leaseOf({member(0), marked(0), marked(0)}, 3) < at(0));
    CPPUNIT_ASSERT(leaseOf({member(0), marked(0)}, 2) < at(0));
}

TEST(ReadLeaseTest, nodesWithOtherMembersGiveNoLease) {
    CPPUNIT_ASSERT(leaseOf({member(0), apart(0), apart(0)}, 3) < at(0));
    CPPUNIT_ASSERT_MESSAGE("one may be late to know",
                           leaseOf({member(0), member(0), apart(0)}, 3) == at(0) + LOOK_HOLDS);
}

TEST(ReadLeaseTest, leasesAreOverASecondAfterEnoughNodesWereMarked) {
    CPPUNIT_ASSERT(overAt({{}, at(0), at(100)}, 1, 3) == at(100) + LOOK_HOLDS);
    CPPUNIT_ASSERT(overAt({{}, at(100), at(0)}, 1, 3) == at(100) + LOOK_HOLDS);
    CPPUNIT_ASSERT_MESSAGE("half of two", overAt({{}, at(0)}, 1, 2) == at(0) + LOOK_HOLDS);
    CPPUNIT_ASSERT(overAt({{}, at(0), at(1), at(2), at(3)}, 1, 5) == at(2) + LOOK_HOLDS);
}

TEST(ReadLeaseTest, leasesOutlastFewerMarksUntilSilenceIsNotExcused) {
    CPPUNIT_ASSERT(overAt({{}, at(0), {}}, 1, 3) == at(0) + SILENCE_EXCUSED + LOOK_HOLDS);
}

TEST(ReadLeaseTest, nodeThatIsNotMarkedIsNotWrittenTo) {
    CPPUNIT_ASSERT(!overAt({{}, {}, at(0)}, 1, 3));
    CPPUNIT_ASSERT(!overAt({at(0), {}, at(0)}, 1, 3));
}

TEST(ReadLeaseTest, marksOfAllMembersAreEnough) {
    CPPUNIT_ASSERT(overAt({{}, at(0), {}}, 1, 1) == at(0) + LOOK_HOLDS);
}

/// Each set of nodes that one server marks, against each that another one looks at, just before the marks.
TEST(ReadLeaseTest, whoeverReadsPlainlyMeetsTheMarksWithinTheWait) {
    constexpr int MARKING = 10'000;
    int cases = 0;
    for (std::size_t nodes = 2; nodes <= 5; ++nodes)
        for (unsigned reached = 0; reached < (1U << nodes); ++reached)
            for (unsigned seen = 0; seen < (1U << nodes); ++seen) {
                std::vector<Mark> marks(nodes);
                std::vector<NodeLook> looks;
                for (std::size_t node = 0; node < nodes; ++node) {
                    if (reached & (1U << node))
                        marks[node] = at(MARKING);
                    looks.push_back(member(MARKING - 1));
                }
                const auto over = overAt(marks, nodes - 1, nodes);
                if (!over)
                    continue;
                ++cases;
                if (meetsAMark(seen, marks))
                    continue; // and reads in step
                // Whom it reaches it goes on looking at, to the last moment.
                for (std::size_t node = 0; node < nodes; ++node)
                    if (seen & (1U << node))
                        looks[node].begun = *over - MOMENT;
                CPPUNIT_ASSERT(leaseOf(looks, nodes) < *over);
            }
    CPPUNIT_ASSERT(cases > 100);
}

TEST(ReadLeaseTest, markThatChangesHandsStandsSinceTheFirst) {
    SeenMark mark;
    mark.see(7, at(0), at(10));
    CPPUNIT_ASSERT(mark.since == at(10));
    mark.see(7, at(1'500), at(1'510));
    CPPUNIT_ASSERT(mark.since == at(10));
    mark.see(8, at(2'000), at(2'010));
    CPPUNIT_ASSERT_MESSAGE("everybody has met the former", mark.since == at(10));
    CPPUNIT_ASSERT(!mark.hasLapsed);
}

TEST(ReadLeaseTest, markThatEndedBeforeEverybodyMetItBeginsAnew) {
    SeenMark mark;
    mark.see(7, at(0), at(10));
    mark.see(8, at(500), at(510));
    CPPUNIT_ASSERT(mark.since == at(510));
    CPPUNIT_ASSERT(!mark.hasLapsed);
}

TEST(ReadLeaseTest, markThatWasMissedForLongHasLapsed) {
    SeenMark mark;
    mark.see(7, at(0), at(10));
    mark.see(7, at(2'000), at(2'010));
    const Time late = at(2'000) + MARK_OUTLASTED + milliseconds(10);
    SeenMark sameSession = mark;
    sameSession.see(7, late, late);
    CPPUNIT_ASSERT_MESSAGE("it was there all the time", sameSession.since == at(10) && !sameSession.hasLapsed);
    mark.see(8, late, late);
    CPPUNIT_ASSERT(mark.since == late && mark.hasLapsed);
}

} // namespace supplierd::tests
