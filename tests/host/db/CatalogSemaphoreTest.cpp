#include "host/db/CatalogSemaphore.h"

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

using host::CatalogSemaphore;

namespace {

constexpr std::int64_t ROSES = 1;
constexpr std::int64_t TULIPS = 2;

CatalogSemaphore::Clock::time_point soon() {
    return CatalogSemaphore::Clock::now() + std::chrono::milliseconds(50);
}

CatalogSemaphore::Clock::time_point late() {
    return CatalogSemaphore::Clock::now() + std::chrono::minutes(1);
}

} // namespace

class CatalogSemaphoreTest : public CppUnit::TestFixture {
protected:
    CatalogSemaphore _semaphore{2};

    /// Gives the place back and takes it again until a waiter was faster.
    void awaitWaiter(std::int64_t supplier, std::optional<CatalogSemaphore::Place>& last) {
        for (;;) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            last.reset();
            auto again = _semaphore.tryEnter(supplier);
            if (!again)
                return;
            last.emplace(std::move(*again));
        }
    }
};

TEST(CatalogSemaphoreTest, placesOfOneCatalogAreCounted) {
    auto first = _semaphore.tryEnter(ROSES);
    auto second = _semaphore.tryEnter(ROSES);
    CPPUNIT_ASSERT(first && second && !_semaphore.tryEnter(ROSES));
    CPPUNIT_ASSERT(_semaphore.tryEnter(TULIPS).has_value());
    second.reset();
    CPPUNIT_ASSERT(_semaphore.tryEnter(ROSES).has_value());
}

TEST(CatalogSemaphoreTest, whoCommitsLetsTheNextOneWork) {
    CatalogSemaphore semaphore(3, 1);
    auto first = semaphore.tryEnter(ROSES);
    CPPUNIT_ASSERT(first && !semaphore.tryEnter(ROSES));
    auto waiter = std::async(std::launch::async, [&] { return semaphore.enter(ROSES, late()); });
    first->beginCommit();
    auto second = waiter.get();
    CPPUNIT_ASSERT(!semaphore.tryEnter(ROSES));
    second.beginCommit();
    auto third = semaphore.tryEnter(ROSES);
    CPPUNIT_ASSERT(third.has_value());
    third->beginCommit();
    CPPUNIT_ASSERT_MESSAGE("there are three places", !semaphore.tryEnter(ROSES));
    first.reset();
    CPPUNIT_ASSERT(semaphore.tryEnter(ROSES).has_value());
}

TEST(CatalogSemaphoreTest, whoseCommitWasRefusedIsAtWorkAgain) {
    CatalogSemaphore semaphore(3, 1);
    auto first = semaphore.tryEnter(ROSES);
    first->beginCommit();
    first->resume();
    CPPUNIT_ASSERT(!semaphore.tryEnter(ROSES));
    first.reset();
    CPPUNIT_ASSERT(semaphore.tryEnter(ROSES).has_value());
}

TEST(CatalogSemaphoreTest, placeThatIsGivenBackGoesToTheFirstWaiter) {
    CatalogSemaphore one(1);
    std::optional<CatalogSemaphore::Place> held(one.enter(ROSES, late()));
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

TEST(CatalogSemaphoreTest, nobodyOvertakesAWaiter) {
    auto first = _semaphore.tryEnter(ROSES);
    auto second = _semaphore.tryEnter(ROSES);
    auto waiter = std::async(std::launch::async, [&] { return _semaphore.enter(ROSES, late()); });
    awaitWaiter(ROSES, second);
    const auto place = waiter.get();
    CPPUNIT_ASSERT(!_semaphore.tryEnter(ROSES));
}

TEST(CatalogSemaphoreTest, waitingEndsInTimeAndLeavesNoTrace) {
    auto first = _semaphore.tryEnter(ROSES);
    auto second = _semaphore.tryEnter(ROSES);
    CPPUNIT_ASSERT(isUnavailable([&] { _semaphore.enter(ROSES, soon()); }));
    first.reset();
    second.reset();
    CPPUNIT_ASSERT(_semaphore.tryEnter(ROSES).has_value());
}

TEST(CatalogSemaphoreTest, numberOfWaitersIsBounded) {
    CatalogSemaphore one(1);
    std::optional<CatalogSemaphore::Place> held(one.enter(ROSES, late()));
    std::atomic<int> refused{0};
    std::vector<std::future<void>> waiting;
    for (std::size_t i = 0; i < CatalogSemaphore::MOST_WAITING + 3; ++i)
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
