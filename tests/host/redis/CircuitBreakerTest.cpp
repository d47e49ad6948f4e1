#include "host/redis/CircuitBreaker.h"

#include <cppunit/extensions/HelperMacros.h>

#include <chrono>

namespace supplierd::tests {

using namespace std::chrono_literals;
using host::CircuitBreaker;

class CircuitBreakerTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(CircuitBreakerTest);
    CPPUNIT_TEST(testFailuresInARowOpenIt);
    CPPUNIT_TEST(testSuccessBetweenFailuresKeepsItClosed);
    CPPUNIT_TEST(testOnlyOneIsToldThatItOpened);
    CPPUNIT_TEST(testProbeThatSucceedsClosesIt);
    CPPUNIT_TEST(testPausesGrowUntilTheLongest);
    CPPUNIT_TEST(testPausesGoOnGrowingWhenItFailsAgainSoon);
    CPPUNIT_TEST_SUITE_END();

public:
    void testFailuresInARowOpenIt() {
        for (int i = 1; i < CircuitBreaker::FAILURES; ++i) {
            CPPUNIT_ASSERT(!_breaker.failed(_now));
            CPPUNIT_ASSERT(!_breaker.isOpen());
        }
        CPPUNIT_ASSERT(_breaker.failed(_now));
        CPPUNIT_ASSERT(_breaker.isOpen());
    }

    void testSuccessBetweenFailuresKeepsItClosed() {
        for (int i = 0; i < 10; ++i) {
            for (int j = 1; j < CircuitBreaker::FAILURES; ++j)
                CPPUNIT_ASSERT(!_breaker.failed(_now));
            _breaker.succeeded();
        }
        CPPUNIT_ASSERT(!_breaker.isOpen());
    }

    void testOnlyOneIsToldThatItOpened() {
        fail(_now);
        for (int i = 0; i < 10; ++i)
            CPPUNIT_ASSERT(!_breaker.failed(_now));
        CPPUNIT_ASSERT(!_breaker.open(_now));
    }

    void testProbeThatSucceedsClosesIt() {
        fail(_now);
        _breaker.close(_now);
        CPPUNIT_ASSERT(!_breaker.isOpen());
        CPPUNIT_ASSERT(!_breaker.failed(_now)); // it counts from the beginning
    }

    void testPausesGrowUntilTheLongest() {
        fail(_now);
        auto expected = CircuitBreaker::FIRST_PAUSE;
        for (int i = 0; i < 10; ++i) {
            CPPUNIT_ASSERT(expected == _breaker.nextPause());
            expected = std::min(expected * 2, CircuitBreaker::LONGEST_PAUSE);
        }
    }

    void testPausesGoOnGrowingWhenItFailsAgainSoon() {
        fail(_now);
        _breaker.nextPause();
        _breaker.close(_now + 1s);
        fail(_now + 2s);
        CPPUNIT_ASSERT(CircuitBreaker::FIRST_PAUSE * 2 == _breaker.nextPause());
        _breaker.close(_now + 3s);
        fail(_now + 3s + CircuitBreaker::CONVALESCENCE);
        CPPUNIT_ASSERT(CircuitBreaker::FIRST_PAUSE == _breaker.nextPause());
    }

private:
    void fail(CircuitBreaker::Clock::time_point when) {
        for (int i = 0; i < CircuitBreaker::FAILURES; ++i)
            _breaker.failed(when);
        CPPUNIT_ASSERT(_breaker.isOpen());
    }

    CircuitBreaker _breaker;
    const CircuitBreaker::Clock::time_point _now = CircuitBreaker::Clock::now();
};

CPPUNIT_TEST_SUITE_REGISTRATION(CircuitBreakerTest);

} // namespace supplierd::tests
