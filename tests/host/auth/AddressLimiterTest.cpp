#include "host/auth/AddressLimiter.h"

#include <cppunit/extensions/HelperMacros.h>

#include <string>

namespace supplierd::tests {

using namespace std::chrono_literals;

class AddressLimiterTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(AddressLimiterTest);
    CPPUNIT_TEST(testAddressMayFailAsOftenAsTheLimitSays);
    CPPUNIT_TEST(testBlockedAddressIsToldHowLong);
    CPPUNIT_TEST(testBlockEndsWithTheMinute);
    CPPUNIT_TEST(testFailuresOfTwoMinutesDoNotAddUp);
    CPPUNIT_TEST(testAddressesAreCountedApart);
    CPPUNIT_TEST(testWhatIsTakenIsCountedUntilTheLimit);
    CPPUNIT_TEST(testManyAddressesNeitherGrowItWithoutEndNorEscapeIt);
    CPPUNIT_TEST(testAddressesAreForgottenWhenTheirMinuteIsOver);
    CPPUNIT_TEST_SUITE_END();

public:
    void testAddressMayFailAsOftenAsTheLimitSays() {
        for (int i = 0; i < 60; ++i) {
            CPPUNIT_ASSERT_EQUAL(0, _limiter.blockedFor("192.0.2.1", _now));
            _limiter.take("192.0.2.1", _now);
        }
        CPPUNIT_ASSERT_EQUAL(60, _limiter.blockedFor("192.0.2.1", _now));
    }

    void testBlockedAddressIsToldHowLong() {
        fail("192.0.2.1", 60, _now);
        CPPUNIT_ASSERT_EQUAL(15, _limiter.blockedFor("192.0.2.1", _now + 45s));
        CPPUNIT_ASSERT_EQUAL(1, _limiter.blockedFor("192.0.2.1", _now + 59'900ms));
    }

    void testBlockEndsWithTheMinute() {
        fail("192.0.2.1", 60, _now);
        CPPUNIT_ASSERT_EQUAL(0, _limiter.blockedFor("192.0.2.1", _now + 60s));
    }

    void testFailuresOfTwoMinutesDoNotAddUp() {
        fail("192.0.2.1", 59, _now);
        fail("192.0.2.1", 59, _now + 61s);
        CPPUNIT_ASSERT_EQUAL(0, _limiter.blockedFor("192.0.2.1", _now + 61s));
    }

    void testAddressesAreCountedApart() {
        fail("192.0.2.1", 60, _now);
        CPPUNIT_ASSERT_EQUAL(0, _limiter.blockedFor("192.0.2.2", _now));
    }

    void testWhatIsTakenIsCountedUntilTheLimit() {
        for (int i = 0; i < 60; ++i)
            CPPUNIT_ASSERT_EQUAL(0, _limiter.take("192.0.2.1", _now));
        CPPUNIT_ASSERT_EQUAL(45, _limiter.take("192.0.2.1", _now + 15s));
        CPPUNIT_ASSERT_EQUAL(0, _limiter.take("192.0.2.2", _now + 15s));
        CPPUNIT_ASSERT_EQUAL(0, _limiter.take("192.0.2.1", _now + 60s));
    }

    void testManyAddressesNeitherGrowItWithoutEndNorEscapeIt() {
        for (int i = 0; i < 50'000; ++i)
            _limiter.take("2001:db8::" + std::to_string(i), _now);
        fail("192.0.2.1", 30, _now);
        fail("192.0.2.2", 30, _now);
        // There is no room for two more addresses: they share one count, and it is at its limit.
        CPPUNIT_ASSERT(_limiter.blockedFor("192.0.2.3", _now) > 0);
        CPPUNIT_ASSERT_EQUAL(0, _limiter.blockedFor("2001:db8::1", _now));
    }

    void testAddressesAreForgottenWhenTheirMinuteIsOver() {
        for (int i = 0; i < 50'000; ++i)
            _limiter.take("2001:db8::" + std::to_string(i), _now);
        fail("192.0.2.1", 60, _now + 61s);
        CPPUNIT_ASSERT(_limiter.blockedFor("192.0.2.1", _now + 61s) > 0);
        CPPUNIT_ASSERT_EQUAL(0, _limiter.blockedFor("192.0.2.2", _now + 61s));
    }

private:
    void fail(std::string_view address, int times, host::AddressLimiter::Clock::time_point when) {
        for (int i = 0; i < times; ++i)
            _limiter.take(address, when);
    }

    host::AddressLimiter _limiter{60};
    const host::AddressLimiter::Clock::time_point _now = host::AddressLimiter::Clock::now();
};

CPPUNIT_TEST_SUITE_REGISTRATION(AddressLimiterTest);

} // namespace supplierd::tests
