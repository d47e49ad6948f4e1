#include "tests/support/Test.h"

#include <supplierd/StopSignal.h>

#include <chrono>
#include <thread>

namespace supplierd::tests {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class StopSignalTest : public CppUnit::TestFixture {
protected:
    StopSignal _signal;
};

TEST(StopSignalTest, waitingEndsWithTheTime) {
    const auto began = Clock::now();
    CPPUNIT_ASSERT(!_signal.waitFor(20ms));
    CPPUNIT_ASSERT(Clock::now() - began >= 20ms);
    CPPUNIT_ASSERT(!_signal.waitFor(-1ms));
}

TEST(StopSignalTest, raisingEndsEveryWaitForGood) {
    std::thread other([this] {
        std::this_thread::sleep_for(10ms);
        _signal.raise();
    });
    const auto began = Clock::now();
    CPPUNIT_ASSERT(_signal.waitFor(1h));
    CPPUNIT_ASSERT(_signal.waitFor(24h * 365));
    CPPUNIT_ASSERT(Clock::now() - began < 1min);
    other.join();
}

} // namespace supplierd::tests
