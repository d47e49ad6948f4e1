#include "host/redis/CircuitBreaker.h"

#include "tests/support/Test.h"

#include <chrono>

namespace supplierd::tests {

using namespace std::chrono_literals;
using host::CircuitBreaker;

class CircuitBreakerTest : public CppUnit::TestFixture {
protected:
    void fail(CircuitBreaker::Clock::time_point when) {
        for (int i = 0; i < CircuitBreaker::FAILURES; ++i)
            _breaker.failed(when);
        CPPUNIT_ASSERT(_breaker.isOpen());
    }

    CircuitBreaker _breaker;
    const CircuitBreaker::Clock::time_point _now = CircuitBreaker::Clock::now();
};

TEST(CircuitBreakerTest, failuresInARowOpenIt) {
    for (int i = 1; i < CircuitBreaker::FAILURES; ++i) {
        CPPUNIT_ASSERT(!_breaker.failed(_now));
        CPPUNIT_ASSERT(!_breaker.isOpen());
    }
    CPPUNIT_ASSERT(_breaker.failed(_now));
    CPPUNIT_ASSERT(_breaker.isOpen());
}

TEST(CircuitBreakerTest, successBetweenFailuresKeepsItClosed) {
    for (int i = 0; i < 10; ++i) {
        for (int j = 1; j < CircuitBreaker::FAILURES; ++j)
            CPPUNIT_ASSERT(!_breaker.failed(_now));
        _breaker.succeeded();
    }
    CPPUNIT_ASSERT(!_breaker.isOpen());
}

TEST(CircuitBreakerTest, onlyOneIsToldThatItOpened) {
    fail(_now);
    for (int i = 0; i < 10; ++i)
        CPPUNIT_ASSERT(!_breaker.failed(_now));
    CPPUNIT_ASSERT(!_breaker.open(_now));
}

TEST(CircuitBreakerTest, probeThatSucceedsClosesIt) {
    fail(_now);
    _breaker.close(_now);
    CPPUNIT_ASSERT(!_breaker.isOpen());
    CPPUNIT_ASSERT(!_breaker.failed(_now)); // it counts from the beginning
}

TEST(CircuitBreakerTest, pausesGrowUntilTheLongest) {
    fail(_now);
    auto expected = CircuitBreaker::FIRST_PAUSE;
    for (int i = 0; i < 10; ++i) {
        CPPUNIT_ASSERT(expected == _breaker.nextPause());
        expected = std::min(expected * 2, CircuitBreaker::LONGEST_PAUSE);
    }
}

TEST(CircuitBreakerTest, pausesGoOnGrowingWhenItFailsAgainSoon) {
    fail(_now);
    _breaker.nextPause();
    _breaker.close(_now + 1s);
    fail(_now + 2s);
    CPPUNIT_ASSERT(CircuitBreaker::FIRST_PAUSE * 2 == _breaker.nextPause());
    _breaker.close(_now + 3s);
    fail(_now + 3s + CircuitBreaker::CONVALESCENCE);
    CPPUNIT_ASSERT(CircuitBreaker::FIRST_PAUSE == _breaker.nextPause());
}

} // namespace supplierd::tests
