#include "host/db/CatalogueGate.h"

#include "tests/host/db/AwaitSleep.h"
#include "tests/support/Test.h"
#include "tests/support/Thrown.h"

#include <supplierd/Errors.h>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace supplierd::tests {

using host::CatalogueGate;

namespace {

constexpr std::int64_t ROSES = 1;
constexpr std::int64_t TULIPS = 2;

CatalogueGate::Clock::time_point soon() {
    return CatalogueGate::Clock::now() + std::chrono::milliseconds(50);
}

CatalogueGate::Clock::time_point late() {
    return CatalogueGate::Clock::now() + std::chrono::minutes(1);
}

} // namespace

class CatalogueGateTest : public CppUnit::TestFixture {
protected:
    CatalogueGate _gate{2};

    /// Gives the place back and takes it again until a waiter was faster.
    void awaitWaiter(std::int64_t supplier, std::optional<CatalogueGate::Place>& last) {
        for (;;) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            last.reset();
            auto again = _gate.tryEnter(supplier);
            if (!again)
                return;
            last.emplace(std::move(*again));
        }
    }
};

TEST(CatalogueGateTest, placesOfOneCatalogueAreCounted) {
    auto first = _gate.tryEnter(ROSES);
    auto second = _gate.tryEnter(ROSES);
    CPPUNIT_ASSERT(first && second && !_gate.tryEnter(ROSES));
    CPPUNIT_ASSERT(_gate.tryEnter(TULIPS).has_value());
    second.reset();
    CPPUNIT_ASSERT(_gate.tryEnter(ROSES).has_value());
}

TEST(CatalogueGateTest, whoCommitsLetsTheNextOneWork) {
    CatalogueGate gate(3, 1);
    auto first = gate.tryEnter(ROSES);
    CPPUNIT_ASSERT(first && !gate.tryEnter(ROSES));
    auto waiter = std::async(std::launch::async, [&] { return gate.enter(ROSES, late()); });
    first->beginCommit();
    auto second = waiter.get();
    CPPUNIT_ASSERT(!gate.tryEnter(ROSES));
    second.beginCommit();
    auto third = gate.tryEnter(ROSES);
    CPPUNIT_ASSERT(third.has_value());
    third->beginCommit();
    CPPUNIT_ASSERT_MESSAGE("there are three places", !gate.tryEnter(ROSES));
    first.reset();
    CPPUNIT_ASSERT(gate.tryEnter(ROSES).has_value());
}

TEST(CatalogueGateTest, whoseCommitWasRefusedIsAtWorkAgain) {
    CatalogueGate gate(3, 1);
    auto first = gate.tryEnter(ROSES);
    first->beginCommit();
    first->resume();
    CPPUNIT_ASSERT(!gate.tryEnter(ROSES));
    first.reset();
    CPPUNIT_ASSERT(gate.tryEnter(ROSES).has_value());
}

TEST(CatalogueGateTest, placeThatIsGivenBackGoesToTheFirstWaiter) {
    CatalogueGate one(1);
    std::optional<CatalogueGate::Place> held(one.enter(ROSES, late()));
    std::mutex mutex;
    std::vector<int> order;
    const auto wait = [&](int number) {
        const auto place = one.enter(ROSES, late());
        const std::lock_guard lock(mutex);
        order.push_back(number);
    };
    std::vector<std::future<void>> waiting;
    for (int i = 0; i < 5; ++i) {
        std::atomic<pid_t> thread{0};
        waiting.push_back(std::async(std::launch::async, [&thread, &wait, i] {
            thread = ::gettid();
            thread.notify_one();
            wait(i);
        }));
        thread.wait(0);
        awaitSleep(thread);
    }
    held.reset();
    for (auto& waiter : waiting)
        waiter.get();
    CPPUNIT_ASSERT(order == (std::vector<int>{0, 1, 2, 3, 4}));
    CPPUNIT_ASSERT(one.tryEnter(ROSES).has_value());
}

TEST(CatalogueGateTest, nobodyOvertakesAWaiter) {
    auto first = _gate.tryEnter(ROSES);
    auto second = _gate.tryEnter(ROSES);
    auto waiter = std::async(std::launch::async, [&] { return _gate.enter(ROSES, late()); });
    awaitWaiter(ROSES, second);
    const auto place = waiter.get();
    CPPUNIT_ASSERT(!_gate.tryEnter(ROSES));
}

TEST(CatalogueGateTest, waitingEndsInTimeAndLeavesNoTrace) {
    auto first = _gate.tryEnter(ROSES);
    auto second = _gate.tryEnter(ROSES);
    CPPUNIT_ASSERT(isUnavailable([&] { _gate.enter(ROSES, soon()); }));
    first.reset();
    second.reset();
    CPPUNIT_ASSERT(_gate.tryEnter(ROSES).has_value());
}

TEST(CatalogueGateTest, numberOfWaitersIsBounded) {
    CatalogueGate one(1);
    std::optional<CatalogueGate::Place> held(one.enter(ROSES, late()));
    std::atomic<int> refused{0};
    std::vector<std::future<void>> waiting;
    for (std::size_t i = 0; i < CatalogueGate::MOST_WAITING + 3; ++i)
        waiting.push_back(std::async(std::launch::async, [&] {
            if (isUnavailable([&] { one.enter(ROSES, late()); }))
                ++refused;
        }));
    while (refused < 3)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CPPUNIT_ASSERT(one.tryEnter(TULIPS).has_value());
    held.reset();
    for (auto& waiter : waiting)
        waiter.get();
    CPPUNIT_ASSERT_EQUAL(3, refused.load());
    CPPUNIT_ASSERT(one.tryEnter(ROSES).has_value());
}

} // namespace supplierd::tests
