#include "DeliveryQueue.h"

#include <cppunit/extensions/HelperMacros.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace supplierd::tests {

using namespace std::chrono_literals;
using webhooks::Attempt;
using webhooks::Delivery;
using webhooks::DeliveryQueue;
using webhooks::Errand;

namespace {

constexpr std::int64_t ENDPOINT = 1;

DeliveryQueue::Limits limits() {
    return {.senders = 2, .perEndpoint = 2, .perSecond = 1'000'000, .timeout = 1s, .firstPause = 1ms};
}

void own(DeliveryQueue& queue, int count) {
    const auto now = webhooks::Clock::now();
    auto target = std::make_shared<webhooks::Target>();
    target->endpointId = ENDPOINT;
    queue.own(std::move(target), 0, 1, now + 1h);
    std::vector<Delivery> deliveries(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        deliveries[static_cast<std::size_t>(i)].id = i + 1;
        deliveries[static_cast<std::size_t>(i)].due = now;
    }
    queue.add(ENDPOINT, std::move(deliveries), true);
}

Attempt failed(const Errand& errand, std::optional<std::string> body) {
    Attempt attempt;
    attempt.endpointId = ENDPOINT;
    attempt.deliveryId = errand.delivery.id;
    attempt.outcome = Attempt::Outcome::Retry;
    attempt.attempts = errand.delivery.attempts + 1;
    attempt.body = std::move(body);
    return attempt;
}

} // namespace

/// What is in memory of deliveries.
class DeliveryQueueTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(DeliveryQueueTest);
    CPPUNIT_TEST(testBodyIsInMemoryUntilTheDatabaseHasIt);
    CPPUNIT_TEST_SUITE_END();

public:
    void testBodyIsInMemoryUntilTheDatabaseHasIt() {
        DeliveryQueue queue(limits());
        own(queue, 1);
        const Errand first = *queue.next();
        CPPUNIT_ASSERT(!first.delivery.body && !first.delivery.hasStoredBody);
        queue.finish(first, failed(first, "the body"));
        const Errand second = *queue.next();
        CPPUNIT_ASSERT_EQUAL(std::string("the body"), second.delivery.body.value_or(""));
        const auto attempts = queue.takeAttempts().first;
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, attempts.size());
        queue.forgetBodies(attempts);
        queue.finish(second, failed(second, std::nullopt));
        const Errand third = *queue.next();
        CPPUNIT_ASSERT(!third.delivery.body);
        CPPUNIT_ASSERT(third.delivery.hasStoredBody);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(DeliveryQueueTest);

} // namespace supplierd::tests
