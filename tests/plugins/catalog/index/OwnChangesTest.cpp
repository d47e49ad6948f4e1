#include "index/OwnChanges.h"

#include "tests/support/Test.h"

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

namespace supplierd::tests {

using namespace catalog;
using namespace std::chrono_literals;

class OwnChangesTest : public CppUnit::TestFixture {
protected:
    using Announced = OwnChanges::Announced;

    std::unique_ptr<Announced> announce(std::int64_t seq) {
        return std::make_unique<Announced>(_changes, seq, NumbersChange{5, {{.id = seq}}});
    }
    void commit(std::int64_t seq) { announce(seq)->commit(true); }
    bool has(std::int64_t seq) const { return _changes->find(seq) != nullptr; }

    const std::shared_ptr<OwnChanges> _changes = std::make_shared<OwnChanges>();
};

TEST(OwnChangesTest, aCommittedChangeIsThereUntilItIsForgotten) {
    commit(4);
    commit(5);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{4}, _changes->find(4)->products.front().id);
    CPPUNIT_ASSERT(!has(3));
    CPPUNIT_ASSERT(_changes->haveAll(4, 5));
    CPPUNIT_ASSERT(!_changes->haveAll(3, 5));
    _changes->forgetUpTo(4);
    CPPUNIT_ASSERT(!has(4));
    CPPUNIT_ASSERT(has(5));
    _changes->clear();
    CPPUNIT_ASSERT(!has(5));
}

TEST(OwnChangesTest, whatIsNotCommittedIsMissing) {
    auto announced = announce(2);
    CPPUNIT_ASSERT(_changes->haveAll(2, 2));
    CPPUNIT_ASSERT(!_changes->haveAll(2, 3));
    CPPUNIT_ASSERT(!has(2));
    announced.reset();
    CPPUNIT_ASSERT(!_changes->haveAll(2, 2));
}

TEST(OwnChangesTest, aChangeThatDidMoreThanIsKnownIsMissing) {
    announce(2)->commit(false);
    CPPUNIT_ASSERT(!_changes->haveAll(2, 2));
    const auto first = announce(3); // two notes under one number
    const auto second = announce(3);
    first->commit(false);
    CPPUNIT_ASSERT(!_changes->haveAll(3, 3));
    second->commit(false);
    CPPUNIT_ASSERT(!_changes->haveAll(3, 3));
}

TEST(OwnChangesTest, oneThatWasRolledBackSaysNothingOfTheNextWithItsNumber) {
    auto rolledBack = announce(2);
    announce(2)->commit(true);
    rolledBack.reset();
    CPPUNIT_ASSERT(has(2));
    rolledBack = announce(3);
    const auto next = announce(3);
    rolledBack.reset();
    CPPUNIT_ASSERT(_changes->haveAll(3, 3));
    next->commit(true);
    CPPUNIT_ASSERT(has(3));
}

TEST(OwnChangesTest, oneThatWasForgottenMeanwhileStaysSo) {
    const auto late = announce(2);
    _changes->forgetUpTo(3);
    late->commit(true);
    CPPUNIT_ASSERT(!has(2));
}

TEST(OwnChangesTest, oneBehindAGapIsForgotten) {
    commit(2);
    _changes->forgetUnlessAll(2, 2);
    CPPUNIT_ASSERT(has(2));
    commit(4);
    _changes->forgetUnlessAll(2, 4);
    CPPUNIT_ASSERT(!has(4));
    CPPUNIT_ASSERT(has(2));
}

TEST(OwnChangesTest, whoWaitsGoesOnWhenItIsCommittedOrNotExpectedAnyMore) {
    const auto waitsUntil = [&](const std::function<void(Announced&)>& act) {
        auto announced = announce(2);
        std::thread other([&] {
            std::this_thread::sleep_for(5ms);
            act(*announced);
            announced.reset();
        });
        const auto deadline = OwnChanges::Clock::now() + 1min;
        _changes->wait(2, deadline);
        other.join();
        CPPUNIT_ASSERT(OwnChanges::Clock::now() < deadline);
    };
    waitsUntil([](Announced& announced) { announced.commit(true); });
    _changes->clear();
    waitsUntil([](Announced& announced) { announced.commit(false); });
    waitsUntil([](Announced&) {});
    waitsUntil([&](Announced&) { _changes->forgetUpTo(3); });
    const auto late = announce(2);
    _changes->wait(2, OwnChanges::Clock::now() + 5ms);
    CPPUNIT_ASSERT(!has(2));
}

TEST(OwnChangesTest, thoseThatNobodyTakesDoNotGather) {
    for (std::int64_t seq = 1; seq <= 1'000; ++seq)
        commit(seq);
    CPPUNIT_ASSERT(!has(900));
    CPPUNIT_ASSERT(_changes->haveAll(950, 1'000));
}

} // namespace supplierd::tests
