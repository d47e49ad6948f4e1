#include "host/auth/AddressLimiter.h"

#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"

#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;

namespace {

/// Says of every window that one was counted in it just now, or what a test wants, and keeps what it was asked.
class OtherServersCounts final : public host::SharedCounts {
public:
    std::optional<host::SharedCount> count(const host::SharedCountRequest& request) override {
        asked.push_back(request);
        return answer;
    }

    std::optional<host::SharedCount> answer = host::SharedCount{true, 1, 60s};
    std::vector<host::SharedCountRequest> asked;
};

} // namespace

class AddressLimiterTest : public CppUnit::TestFixture {
protected:
    static std::string stranger(int i) {
        return "10." + std::to_string(i >> 16) + "." + std::to_string(i >> 8 & 255) + "." + std::to_string(i & 255);
    }

    void takeAll(std::string_view address, host::AddressLimiter::Clock::time_point when) {
        for (int i = 0; i < 60; ++i)
            _limiter.take(address, when);
    }

    host::AddressLimiter _limiter{60};
    const host::AddressLimiter::Clock::time_point _now = host::AddressLimiter::Clock::now();
};

TEST(AddressLimiterTest, addressIsLetThroughAsOftenAsTheLimitSays) {
    for (int i = 0; i < 60; ++i)
        CPPUNIT_ASSERT_EQUAL(0, _limiter.take("192.0.2.1", _now));
    CPPUNIT_ASSERT_EQUAL(60, _limiter.take("192.0.2.1", _now));
}

TEST(AddressLimiterTest, blockedAddressIsToldHowLong) {
    takeAll("192.0.2.1", _now);
    CPPUNIT_ASSERT_EQUAL(15, _limiter.take("192.0.2.1", _now + 45s));
    CPPUNIT_ASSERT_EQUAL(1, _limiter.take("192.0.2.1", _now + 59'900ms));
}

TEST(AddressLimiterTest, blockEndsWithTheMinute) {
    takeAll("192.0.2.1", _now);
    CPPUNIT_ASSERT_EQUAL(0, _limiter.take("192.0.2.1", _now + 60s));
}

TEST(AddressLimiterTest, twoMinutesDoNotAddUp) {
    for (const auto when : {_now, _now + 61s})
        for (int i = 0; i < 59; ++i)
            CPPUNIT_ASSERT_EQUAL(0, _limiter.take("192.0.2.1", when));
    CPPUNIT_ASSERT_EQUAL(0, _limiter.take("192.0.2.1", _now + 61s));
}

TEST(AddressLimiterTest, addressesAreCountedApart) {
    takeAll("192.0.2.1", _now);
    CPPUNIT_ASSERT_EQUAL(0, _limiter.take("192.0.2.2", _now));
    takeAll("2001:db8::1", _now);
    CPPUNIT_ASSERT_EQUAL(0, _limiter.take("2001:db8:0:1::1", _now));
}

TEST(AddressLimiterTest, addressesOfOneNetworkAreCountedTogether) {
    for (int i = 0; i < 60; ++i)
        CPPUNIT_ASSERT_EQUAL(0, _limiter.take("2001:db8::" + std::to_string(i), _now));
    CPPUNIT_ASSERT(_limiter.take("2001:db8::ffff:ffff:1", _now) > 0);
    takeAll("192.0.2.1", _now);
    CPPUNIT_ASSERT(_limiter.take("::ffff:192.0.2.1", _now) > 0);
}

TEST(AddressLimiterTest, manyAddressesRefuseNoStranger) {
    for (int i = 0; i < 120'000; ++i)
        CPPUNIT_ASSERT_EQUAL(0, _limiter.take(stranger(i), _now));
    CPPUNIT_ASSERT_EQUAL(0, _limiter.take("192.0.2.1", _now));
}

TEST(AddressLimiterTest, threadsTogetherGetExactlyTheLimit) {
    constexpr int TIMES = 10'000;
    host::AddressLimiter limiter{2 * TIMES};
    std::atomic<int> allowed{0};
    together(4, [&](int thread) {
        for (int i = 0; i < TIMES; ++i) {
            limiter.take(stranger(thread * TIMES + i), _now);
            if (limiter.take("192.0.2.1", _now) == 0)
                ++allowed;
        }
    });
    CPPUNIT_ASSERT_EQUAL(2 * TIMES, allowed.load());
}

TEST(AddressLimiterTest, whoCountsForAllServersIsToldOfTheWindowThatRuns) {
    OtherServersCounts counts;
    _limiter.share(&counts, "failures");
    _limiter.take("192.0.2.1", _now);
    _limiter.take("192.0.2.1", _now + 45s);
    CPPUNIT_ASSERT(counts.asked.at(0).known.left == 0ms && counts.asked.at(0).known.used == 0);
    CPPUNIT_ASSERT(counts.asked.at(1).known.left == 15s);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, counts.asked.at(1).known.used);
}

TEST(AddressLimiterTest, whoCountsForAllServersDecides) {
    OtherServersCounts counts;
    _limiter.share(&counts, "failures");
    for (int i = 0; i < 100; ++i)
        CPPUNIT_ASSERT_EQUAL(0, _limiter.take("192.0.2.1", _now));
    counts.answer = host::SharedCount{false, 60, 20'500ms};
    CPPUNIT_ASSERT_EQUAL(21, _limiter.take("192.0.2.1", _now));
    CPPUNIT_ASSERT_EQUAL(std::string("failures:192.0.2.1"), counts.asked.back().name);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{60}, counts.asked.back().limit);
}

TEST(AddressLimiterTest, whileNobodyCountsForAllServersTheOwnCountGoesOn) {
    OtherServersCounts counts;
    _limiter.share(&counts, "failures");
    counts.answer->used = 58;
    CPPUNIT_ASSERT_EQUAL(0, _limiter.take("192.0.2.1", _now));
    counts.answer.reset();
    for (int i = 0; i < 2; ++i)
        CPPUNIT_ASSERT_EQUAL(0, _limiter.take("192.0.2.1", _now));
    CPPUNIT_ASSERT_EQUAL(60, _limiter.take("192.0.2.1", _now));
}

TEST(AddressLimiterTest, ofTooManyTheOneWithTheLeastLeftIsDropped) {
    takeAll("192.0.2.1", _now);
    takeAll("192.0.2.2", _now + 1s);
    for (int i = 0; i < 49'999; ++i)
        _limiter.take(stranger(i), _now + 2s);
    CPPUNIT_ASSERT(_limiter.take("192.0.2.2", _now + 2s) > 0);
    CPPUNIT_ASSERT_EQUAL(0, _limiter.take("192.0.2.1", _now + 2s));
}

} // namespace supplierd::tests
