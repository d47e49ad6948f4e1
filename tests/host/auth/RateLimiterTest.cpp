#include "host/auth/RateLimiter.h"

#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

namespace supplierd::tests {

namespace {

using namespace std::chrono_literals;
using host::RateLimiter;
using host::RateLimitMoment;

constexpr std::int64_t NOON = 1'800'000'000;
constexpr std::int64_t KEY = 7;

/// So many seconds after noon, by both clocks; the world's clock may have been set since.
RateLimitMoment at(std::int64_t seconds, std::int64_t step = 0) {
    return {std::chrono::steady_clock::time_point(100h) + std::chrono::seconds(seconds), NOON + seconds + step};
}

} // namespace

class RateLimiterTest : public CppUnit::TestFixture {
protected:
    void learn(const host::StoredRateLimitWindow& stored, RateLimitMoment when) {
        _limiter.learn(KEY, stored, {_limiter.beginReading().savings, when});
    }
    std::vector<host::RateLimitUse> save(RateLimitMoment when) {
        auto uses = _limiter.beginSaving(when);
        _limiter.endSaving(uses, uses.size());
        return uses;
    }

    RateLimiter _limiter;
};

TEST(RateLimiterTest, windowBeginsWithTheFirstRequest) {
    const auto state = _limiter.count(KEY, 1'000, at(0));
    CPPUNIT_ASSERT(state.allowed);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1'000}, state.limit);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{999}, state.remaining);
    CPPUNIT_ASSERT_EQUAL(NOON + 3'600, state.resetAt);
    CPPUNIT_ASSERT_EQUAL(NOON + 3'600, _limiter.count(KEY, 1'000, at(1'800)).resetAt);
}

TEST(RateLimiterTest, remainingCountsDownToZero) {
    for (std::int64_t left = 2; left >= 0; --left) {
        const auto state = _limiter.count(KEY, 3, at(0));
        CPPUNIT_ASSERT(state.allowed);
        CPPUNIT_ASSERT_EQUAL(left, state.remaining);
    }
}

TEST(RateLimiterTest, requestBeyondTheLimitIsRefused) {
    _limiter.count(KEY, 1, at(0));
    const auto state = _limiter.count(KEY, 1, at(1));
    CPPUNIT_ASSERT(!state.allowed);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, state.remaining);
    CPPUNIT_ASSERT_EQUAL(NOON + 3'600, state.resetAt);
}

TEST(RateLimiterTest, refusedRequestsDoNotExtendTheWindow) {
    _limiter.count(KEY, 1, at(0));
    for (std::int64_t second = 1; second < 3'600; ++second) {
        const auto state = _limiter.count(KEY, 1, at(second));
        CPPUNIT_ASSERT(!state.allowed);
        CPPUNIT_ASSERT_EQUAL(NOON + 3'600, state.resetAt);
    }
    CPPUNIT_ASSERT(_limiter.count(KEY, 1, at(3'600)).allowed);
}

TEST(RateLimiterTest, newWindowBeginsAfterAnHour) {
    _limiter.count(KEY, 2, at(0));
    _limiter.count(KEY, 2, at(3'599));
    const auto state = _limiter.count(KEY, 2, at(5'000));
    CPPUNIT_ASSERT(state.allowed);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, state.remaining);
    CPPUNIT_ASSERT_EQUAL(NOON + 5'000 + 3'600, state.resetAt);
}

TEST(RateLimiterTest, keysAreCountedApart) {
    _limiter.count(KEY, 1, at(0));
    CPPUNIT_ASSERT(_limiter.count(KEY + 1, 1, at(0)).allowed);
    CPPUNIT_ASSERT(_limiter.count(KEY + 16, 1, at(0)).allowed); // the same shard
    CPPUNIT_ASSERT(!_limiter.count(KEY, 1, at(0)).allowed);
}

TEST(RateLimiterTest, keysOfOneSupplierShareItsLimit) {
    for (std::int64_t key = 1; key <= 5; ++key)
        CPPUNIT_ASSERT(_limiter.count(key, 1'000, {3, 5}, at(0)).allowed);
    const auto refused = _limiter.count(6, 1'000, {3, 5}, at(60));
    CPPUNIT_ASSERT(!refused.allowed);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, refused.limit);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3'540}, refused.secondsLeft);
    CPPUNIT_ASSERT(_limiter.count(6, 1'000, {4, 5}, at(60)).allowed);
    CPPUNIT_ASSERT(_limiter.count(1, 1'000, {3, 5}, at(3'600)).allowed);
}

TEST(RateLimiterTest, aKeyThatIsRefusedUsesNothingOfItsSuppliersLimit) {
    for (int i = 0; i < 10; ++i)
        CPPUNIT_ASSERT_EQUAL(i == 0, _limiter.count(1, 1, {3, 5}, at(0)).allowed);
    for (int i = 0; i < 4; ++i)
        CPPUNIT_ASSERT(_limiter.count(2, 1'000, {3, 5}, at(0)).allowed);
}

TEST(RateLimiterTest, changedLimitAppliesWithinTheWindow) {
    for (int i = 0; i < 5; ++i)
        _limiter.count(KEY, 10, at(0));
    const auto lowered = _limiter.count(KEY, 3, at(0));
    CPPUNIT_ASSERT(!lowered.allowed);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, lowered.remaining);
    const auto raised = _limiter.count(KEY, 20, at(0));
    CPPUNIT_ASSERT(raised.allowed);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{14}, raised.remaining);
}

TEST(RateLimiterTest, clockThatIsSetNeitherFreesNorLocksAKey) {
    for (const std::int64_t step : {-86'400, -3'600, -1, 3'600, 86'400}) {
        RateLimiter limiter;
        limiter.count(KEY, 1, at(0));
        const auto state = limiter.count(KEY, 1, at(1'800, step));
        CPPUNIT_ASSERT(!state.allowed);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1'800}, state.secondsLeft);
        CPPUNIT_ASSERT(std::abs(NOON + 3'600 + step - state.resetAt) <= 1);
        CPPUNIT_ASSERT(!limiter.count(KEY, 1, at(3'599, step)).allowed);
        CPPUNIT_ASSERT(limiter.count(KEY, 1, at(3'600, step)).allowed);
    }
}

TEST(RateLimiterTest, lookingCountsNothing) {
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, _limiter.look(KEY, 3, at(0)).remaining);
    _limiter.count(KEY, 3, at(10));
    const auto state = _limiter.look(KEY, 3, at(20));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, state.remaining);
    CPPUNIT_ASSERT_EQUAL(NOON + 10 + 3'600, state.resetAt);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _limiter.count(KEY, 3, at(30)).remaining);
}

TEST(RateLimiterTest, whatWasCountedIsSavedOnce) {
    _limiter.count(KEY, 10, at(0));
    _limiter.count(KEY, 10, at(1));
    _limiter.count(KEY + 1, 10, at(1));
    const auto uses = _limiter.beginSaving(at(2));
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, uses.size());
    CPPUNIT_ASSERT_EQUAL(KEY, uses[0].keyId);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, uses[0].added);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, uses[0].used);
    CPPUNIT_ASSERT(uses[0].age == 2s);
    _limiter.count(KEY, 10, at(3)); // meanwhile
    _limiter.endSaving(uses, 1);    // the second one failed
    const auto next = _limiter.beginSaving(at(4));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, next[0].added);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, next[0].used);
    CPPUNIT_ASSERT(next[0].windowId == uses[0].windowId);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, next[1].added);
    _limiter.endSaving(next, 2);
    CPPUNIT_ASSERT(_limiter.beginSaving(at(5)).empty());
    _limiter.endSaving({}, 0);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{6}, _limiter.count(KEY, 10, at(6)).remaining);
}

TEST(RateLimiterTest, windowOfTheDatabaseGoesOn) {
    learn({4711, 1'000s, 8}, at(0));
    const auto state = _limiter.count(KEY, 10, at(0));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, state.remaining);
    CPPUNIT_ASSERT_EQUAL(NOON + 2'600, state.resetAt);
    CPPUNIT_ASSERT(_limiter.count(KEY, 10, at(1)).allowed);
    CPPUNIT_ASSERT(!_limiter.count(KEY, 10, at(2)).allowed);
    CPPUNIT_ASSERT(_limiter.count(KEY, 10, at(2'600)).allowed);
}

TEST(RateLimiterTest, windowOfTheDatabaseThatIsOverIsNone) {
    learn({4711, 3'600s, 10}, at(0));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{9}, _limiter.count(KEY, 10, at(0)).remaining);
}

TEST(RateLimiterTest, usesOfOtherServersCount) {
    _limiter.count(KEY, 10, at(0));
    save(at(1));
    _limiter.count(KEY, 10, at(2));
    const auto id = save(at(3)).at(0).windowId;
    _limiter.count(KEY, 10, at(4));
    learn({id, 5s, 6}, at(5)); // four of them others'
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, _limiter.count(KEY, 10, at(5)).remaining);
}

TEST(RateLimiterTest, twoServersThatBeganAtOnceAgree) {
    _limiter.count(KEY, 10, at(2));
    learn({4711, 3s, 6}, at(3)); // the other one's was saved first
    const auto state = _limiter.count(KEY, 10, at(3));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, state.remaining);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{4'711}, save(at(4)).at(0).windowId);
}

TEST(RateLimiterTest, windowBeforeThisOneIsNotLearned) {
    _limiter.count(KEY, 10, at(0));
    learn({4711, 3'599s, 10}, at(1));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{8}, _limiter.count(KEY, 10, at(1)).remaining);
}

// It may hold what is being saved, or may not.
TEST(RateLimiterTest, whatIsReadDuringASavingIsNotLearned) {
    _limiter.count(KEY, 10, at(0));
    const auto reading = _limiter.beginReading();
    const auto uses = _limiter.beginSaving(at(1));
    const auto during = _limiter.beginReading();
    _limiter.endSaving(uses, uses.size());
    for (const auto& one : {reading, during})
        _limiter.learn(KEY, {uses[0].windowId, 1s, 9}, {one.savings, at(1)});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{8}, _limiter.count(KEY, 10, at(1)).remaining);
}

TEST(RateLimiterTest, reservedRequestsAreCountedBeforehandAndTheRestReturned) {
    for (int i = 0; i < 5; ++i)
        _limiter.count(KEY, 10, at(0));
    _limiter.count(KEY + 1, 2, at(0));
    _limiter.reserve(3);
    const auto uses = save(at(1));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{8}, uses[0].used);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, uses[1].used);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{4}, _limiter.count(KEY, 10, at(2)).remaining);
    CPPUNIT_ASSERT(_limiter.count(KEY + 1, 2, at(2)).allowed);
    CPPUNIT_ASSERT(!_limiter.count(KEY + 1, 2, at(2)).allowed);
    _limiter.returnReserved();
    const auto rest = save(at(3));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, rest.size());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{-2}, rest[0].added);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{6}, rest[0].used);
}

TEST(RateLimiterTest, forgettingKeepsWindowsThatStillRun) {
    _limiter.count(KEY, 1, at(0));
    _limiter.count(KEY + 1, 1, at(10));
    _limiter.forgetEnded(at(3'605));
    CPPUNIT_ASSERT(_limiter.count(KEY, 1, at(3'605)).allowed);
    CPPUNIT_ASSERT(!_limiter.count(KEY + 1, 1, at(3'605)).allowed);
}

TEST(RateLimiterTest, threadsTogetherGetExactlyTheLimit) {
    std::atomic<int> allowed{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int request = 0; request < 1'000; ++request)
                if (_limiter.count(KEY, 1'234, at(0)).allowed)
                    ++allowed;
        });
    for (auto& thread : threads)
        thread.join();
    CPPUNIT_ASSERT_EQUAL(1'234, allowed.load());
}

TEST(RateLimiterTest, savingThatFailsBesideRequestsForgetsNone) {
    constexpr int REQUESTS = 50'000;
    std::atomic<bool> isDone{false};
    together({[&] {
                  for (int request = 0; request < REQUESTS; ++request)
                      _limiter.count(KEY, 2 * REQUESTS, at(0));
                  isDone = true;
              },
              [&] {
                  while (!isDone)
                      _limiter.endSaving(_limiter.beginSaving(at(0)), 0);
              }});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{REQUESTS}, save(at(1)).at(0).added);
}

} // namespace supplierd::tests
