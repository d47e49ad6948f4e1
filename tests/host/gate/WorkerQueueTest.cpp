#include "host/gate/WorkerQueue.h"

#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"

#include <chrono>

namespace supplierd::tests {

class WorkerQueueTest : public CppUnit::TestFixture {};

TEST(WorkerQueueTest, workersComeAndGoWhileOthersDo) {
    host::WorkerQueue queue({4, 4, 10});
    together(4, [&](int) {
        for (int i = 0; i < 5'000; ++i) {
            host::WorkerQueue::Worker worker;
            queue.add(worker);
            CPPUNIT_ASSERT(queue.next(worker, std::chrono::milliseconds(0)) == nullptr);
            queue.makeRoom(host::WorkerQueue::Clock::now());
            queue.remove(worker);
        }
    });
    CPPUNIT_ASSERT_EQUAL(0, queue.working());
}

} // namespace supplierd::tests
