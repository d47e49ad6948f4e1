#include "DeliveryQueue.h"

#include <cppunit/extensions/HelperMacros.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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

constexpr std::size_t PRODUCT_EVENT = 3;

/// One delivery about each of these products.
void own(DeliveryQueue& queue, const std::vector<std::int64_t>& products) {
    const auto now = webhooks::Clock::now();
    auto target = std::make_shared<webhooks::Target>();
    target->endpointId = ENDPOINT;
    queue.own(std::move(target), 0, 1, now + 1h);
    std::vector<Delivery> deliveries;
    for (const std::int64_t product : products) {
        Delivery& delivery = deliveries.emplace_back();
        delivery.id = static_cast<std::int64_t>(deliveries.size());
        delivery.message.event = PRODUCT_EVENT;
        delivery.message.objects = {product};
        delivery.due = now;
    }
    queue.add(ENDPOINT, std::move(deliveries), true);
}

Attempt ended(const Errand& errand, Attempt::Outcome outcome) {
    Attempt attempt;
    attempt.endpointId = ENDPOINT;
    attempt.deliveryId = errand.delivery.id;
    attempt.outcome = outcome;
    attempt.attempts = errand.delivery.attempts + 1;
    return attempt;
}

Attempt failed(const Errand& errand, std::optional<std::string> body = std::nullopt) {
    Attempt attempt = ended(errand, Attempt::Outcome::Retry);
    attempt.body = std::move(body);
    return attempt;
}

} // namespace

/// What is in memory of deliveries, and what senders get of it.
class DeliveryQueueTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(DeliveryQueueTest);
    CPPUNIT_TEST(testBodyIsInMemoryUntilTheDatabaseHasIt);
    CPPUNIT_TEST(testDeliveriesAboutOneObjectKeepTheirOrderOverFailures);
    CPPUNIT_TEST(testWhatIsLeftOfADroppedEndpointComesAgain);
    CPPUNIT_TEST_SUITE_END();

public:
    void testBodyIsInMemoryUntilTheDatabaseHasIt() {
        DeliveryQueue queue(limits());
        own(queue, {7});
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

    void testDeliveriesAboutOneObjectKeepTheirOrderOverFailures() {
        DeliveryQueue queue(limits());
        own(queue, {7, 7, 8});
        const Errand first = *queue.next();
        const Errand other = *queue.next();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, first.delivery.id);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, other.delivery.id);
        queue.finish(first, failed(first));
        queue.finish(other, ended(other, Attempt::Outcome::Delivered));
        const Errand again = *queue.next();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, again.delivery.id);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, again.delivery.attempts);
        queue.finish(again, ended(again, Attempt::Outcome::Failed));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, queue.next()->delivery.id);
    }

    /// And what was under way of it then counts no more.
    void testWhatIsLeftOfADroppedEndpointComesAgain() {
        DeliveryQueue queue(limits());
        own(queue, {7, 7});
        const Errand before = *queue.next();
        queue.keepOnly({});
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, queue.count());
        own(queue, {7, 7});
        const Errand again = *queue.next();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, again.delivery.id);
        queue.finish(before, ended(before, Attempt::Outcome::Delivered));
        queue.finish(again, failed(again));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, queue.next()->delivery.id);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(DeliveryQueueTest);

} // namespace supplierd::tests
