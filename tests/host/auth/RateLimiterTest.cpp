#include "host/auth/RateLimiter.h"

#include <cppunit/extensions/HelperMacros.h>

#include <atomic>
#include <thread>
#include <vector>

namespace supplierd::tests {

namespace {

constexpr std::int64_t NOON = 1'800'000'000;
constexpr std::int64_t KEY = 7;

} // namespace

class RateLimiterTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(RateLimiterTest);
    CPPUNIT_TEST(testWindowBeginsWithTheFirstRequest);
    CPPUNIT_TEST(testRemainingCountsDownToZero);
    CPPUNIT_TEST(testRequestBeyondTheLimitIsRefused);
    CPPUNIT_TEST(testRefusedRequestsDoNotExtendTheWindow);
    CPPUNIT_TEST(testNewWindowBeginsAfterAnHour);
    CPPUNIT_TEST(testKeysAreCountedApart);
    CPPUNIT_TEST(testChangedLimitAppliesWithinTheWindow);
    CPPUNIT_TEST(testClockThatWasSetBackBeginsANewWindow);
    CPPUNIT_TEST(testForgettingKeepsWindowsThatStillRun);
    CPPUNIT_TEST(testThreadsTogetherGetExactlyTheLimit);
    CPPUNIT_TEST_SUITE_END();

public:
    void testWindowBeginsWithTheFirstRequest() {
        const auto state = _limiter.count(KEY, 1'000, NOON);
        CPPUNIT_ASSERT(state.allowed);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1'000}, state.limit);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{999}, state.remaining);
        CPPUNIT_ASSERT_EQUAL(NOON + 3'600, state.resetAt);
        CPPUNIT_ASSERT_EQUAL(NOON + 3'600, _limiter.count(KEY, 1'000, NOON + 1'800).resetAt);
    }

    void testRemainingCountsDownToZero() {
        for (std::int64_t left = 2; left >= 0; --left) {
            const auto state = _limiter.count(KEY, 3, NOON);
            CPPUNIT_ASSERT(state.allowed);
            CPPUNIT_ASSERT_EQUAL(left, state.remaining);
        }
    }

    void testRequestBeyondTheLimitIsRefused() {
        _limiter.count(KEY, 1, NOON);
        const auto state = _limiter.count(KEY, 1, NOON + 1);
        CPPUNIT_ASSERT(!state.allowed);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, state.remaining);
        CPPUNIT_ASSERT_EQUAL(NOON + 3'600, state.resetAt);
    }

    void testRefusedRequestsDoNotExtendTheWindow() {
        _limiter.count(KEY, 1, NOON);
        for (std::int64_t second = 1; second < 3'600; ++second) {
            const auto state = _limiter.count(KEY, 1, NOON + second);
            CPPUNIT_ASSERT(!state.allowed);
            CPPUNIT_ASSERT_EQUAL(NOON + 3'600, state.resetAt);
        }
        CPPUNIT_ASSERT(_limiter.count(KEY, 1, NOON + 3'600).allowed);
    }

    void testNewWindowBeginsAfterAnHour() {
        _limiter.count(KEY, 2, NOON);
        _limiter.count(KEY, 2, NOON + 3'599);
        const auto state = _limiter.count(KEY, 2, NOON + 5'000);
        CPPUNIT_ASSERT(state.allowed);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, state.remaining);
        CPPUNIT_ASSERT_EQUAL(NOON + 5'000 + 3'600, state.resetAt);
    }

    void testKeysAreCountedApart() {
        _limiter.count(KEY, 1, NOON);
        CPPUNIT_ASSERT(_limiter.count(KEY + 1, 1, NOON).allowed);
        CPPUNIT_ASSERT(_limiter.count(KEY + 16, 1, NOON).allowed); // the same shard
        CPPUNIT_ASSERT(!_limiter.count(KEY, 1, NOON).allowed);
    }

    void testChangedLimitAppliesWithinTheWindow() {
        for (int i = 0; i < 5; ++i)
            _limiter.count(KEY, 10, NOON);
        const auto lowered = _limiter.count(KEY, 3, NOON);
        CPPUNIT_ASSERT(!lowered.allowed);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, lowered.remaining);
        const auto raised = _limiter.count(KEY, 20, NOON);
        CPPUNIT_ASSERT(raised.allowed);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{14}, raised.remaining);
    }

    void testClockThatWasSetBackBeginsANewWindow() {
        _limiter.count(KEY, 1, NOON);
        const auto state = _limiter.count(KEY, 1, NOON - 86'400);
        CPPUNIT_ASSERT(state.allowed);
        CPPUNIT_ASSERT_EQUAL(NOON - 86'400 + 3'600, state.resetAt);
    }

    void testForgettingKeepsWindowsThatStillRun() {
        _limiter.count(KEY, 1, NOON);
        _limiter.count(KEY + 1, 1, NOON + 10);
        _limiter.forgetEnded(NOON + 3'605);
        CPPUNIT_ASSERT(_limiter.count(KEY, 1, NOON + 3'605).allowed);
        CPPUNIT_ASSERT(!_limiter.count(KEY + 1, 1, NOON + 3'605).allowed);
    }

    void testThreadsTogetherGetExactlyTheLimit() {
        std::atomic<int> allowed{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] {
                for (int request = 0; request < 1'000; ++request)
                    if (_limiter.count(KEY, 1'234, NOON).allowed)
                        ++allowed;
            });
        for (auto& thread : threads)
            thread.join();
        CPPUNIT_ASSERT_EQUAL(1'234, allowed.load());
    }

private:
    host::RateLimiter _limiter;
};

CPPUNIT_TEST_SUITE_REGISTRATION(RateLimiterTest);

} // namespace supplierd::tests
