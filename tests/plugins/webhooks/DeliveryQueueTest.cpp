#include "DeliveryQueue.h"

#include "tests/support/Test.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;
using webhooks::Attempt;
using webhooks::Delivery;
using webhooks::DeliveryQueue;
using webhooks::WorkItem;

namespace {

constexpr std::int64_t ENDPOINT = 1;

DeliveryQueue::Limits limits() {
    return {.senders = 32, .perEndpoint = 2, .perSecond = 1'000'000, .timeout = 1s, .firstPause = 1ms};
}

constexpr std::size_t PRODUCT_EVENT = 3;

/// One delivery about each of these products, full ones.
void own(DeliveryQueue& queue, const std::vector<std::int64_t>& products, std::int64_t supplier = 1,
         std::int64_t endpoint = ENDPOINT, bool hasStoredBody = true) {
    const auto now = webhooks::Clock::now();
    auto target = std::make_shared<webhooks::Target>();
    target->endpointId = endpoint;
    target->supplierId = supplier;
    target->isFull = true;
    queue.own(std::move(target), 0, 1, now + 1h);
    std::vector<Delivery> deliveries;
    for (const std::int64_t product : products) {
        Delivery& delivery = deliveries.emplace_back();
        delivery.id = static_cast<std::int64_t>(deliveries.size());
        delivery.message.event = PRODUCT_EVENT;
        delivery.message.objects = {product};
        delivery.due = now;
        delivery.hasStoredBody = hasStoredBody;
    }
    queue.add(endpoint, std::move(deliveries), true);
}

Attempt ended(const WorkItem& item, Attempt::Outcome outcome) {
    Attempt attempt;
    attempt.endpointId = item.target->endpointId;
    attempt.deliveryId = item.delivery.id;
    attempt.outcome = outcome;
    attempt.attempts = item.delivery.attempts + 1;
    return attempt;
}

Attempt failed(const WorkItem& item) {
    return ended(item, Attempt::Outcome::Retry);
}

Attempt delivered(const WorkItem& item, std::chrono::milliseconds took) {
    Attempt attempt = ended(item, Attempt::Outcome::Delivered);
    attempt.took = took;
    return attempt;
}

/// About a hundred products.
void ownMany(DeliveryQueue& queue, std::int64_t supplier, int endpoints) {
    std::vector<std::int64_t> products(100);
    std::iota(products.begin(), products.end(), 1);
    for (int i = 0; i < endpoints; ++i)
        own(queue, products, supplier, 100 * supplier + i);
}

constexpr std::int64_t LAST = 99;

/// A supplier that has taken so much time that it is served where nobody else may be.
void ownLast(DeliveryQueue& queue) {
    ownMany(queue, LAST, 1);
    const WorkItem item = *queue.next();
    queue.finish(item, delivered(item, 1h));
}

/// Takes as many as others than the last one may have at once: how many of each supplier.
std::map<std::int64_t, int> takeAll(DeliveryQueue& queue) {
    std::map<std::int64_t, int> counts;
    for (;;) {
        const WorkItem item = *queue.next();
        if (item.target->supplierId == LAST) {
            queue.finish(item, delivered(item, 0ms));
            return counts;
        }
        ++counts[item.target->supplierId];
    }
}

} // namespace

/// What is in memory of deliveries, and what senders get of it.
class DeliveryQueueTest : public CppUnit::TestFixture {};

TEST(DeliveryQueueTest, bodiesAreWrittenBeforeTheyAreSent) {
    DeliveryQueue queue(limits());
    own(queue, {7, 8, 9}, 1, ENDPOINT, false);
    WorkItem first = *queue.next();
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, first.withoutBody.size());
    queue.putBack(first, 2);
    const WorkItem second = *queue.next();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, second.delivery.id);
    CPPUNIT_ASSERT(second.delivery.hasStoredBody && second.withoutBody.empty());
    queue.finish(first, failed(first));
    queue.finish(second, delivered(second, 0ms));
    const WorkItem again = *queue.next();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, again.delivery.id);
    CPPUNIT_ASSERT(again.delivery.hasStoredBody && again.withoutBody.empty());
    const WorkItem third = *queue.next();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, third.delivery.id);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, third.withoutBody.size());
}

/// Also when its endpoint wants full ones by now.
TEST(DeliveryQueueTest, whatWasSentThinStaysThin) {
    DeliveryQueue queue(limits());
    own(queue, {7}, 1, ENDPOINT, false);
    WorkItem first = *queue.next();
    first.withoutBody.clear();
    queue.finish(first, failed(first));
    CPPUNIT_ASSERT(queue.next()->withoutBody.empty());
}

TEST(DeliveryQueueTest, supplierHasAQuarterOfTheSendersAndTheNextOneFindsSomeFree) {
    DeliveryQueue queue(limits());
    ownLast(queue);
    ownMany(queue, 1, 10);
    CPPUNIT_ASSERT_EQUAL(8, takeAll(queue)[1]);
    for (const std::int64_t supplier : {2, 3, 4}) {
        ownMany(queue, supplier, 10);
        const int count = takeAll(queue)[supplier];
        CPPUNIT_ASSERT(count > 0 && count < 8);
    }
    own(queue, {1}, 5, 500);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, queue.next()->target->supplierId);
}

TEST(DeliveryQueueTest, whoTookTheLeastTimeIsNext) {
    DeliveryQueue queue(limits());
    ownMany(queue, 1, 10);
    const WorkItem slow = *queue.next();
    queue.finish(slow, delivered(slow, 10s));
    ownMany(queue, 2, 1);
    for (int i = 0; i < 50; ++i) {
        const WorkItem item = *queue.next();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, item.target->supplierId);
        queue.finish(item, delivered(item, 100ms));
    }
}

TEST(DeliveryQueueTest, endpointsOfASupplierHaveTheirTurns) {
    DeliveryQueue queue(limits());
    ownMany(queue, 1, 3);
    for (int i = 0; i < 9; ++i) {
        const WorkItem item = *queue.next();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{100 + i % 3}, item.target->endpointId);
        queue.finish(item, delivered(item, 1ms));
    }
}

TEST(DeliveryQueueTest, deliveriesAboutOneObjectKeepTheirOrderOverFailures) {
    DeliveryQueue queue(limits());
    own(queue, {7, 7, 8});
    const WorkItem first = *queue.next();
    const WorkItem other = *queue.next();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, first.delivery.id);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, other.delivery.id);
    queue.finish(first, failed(first));
    queue.finish(other, ended(other, Attempt::Outcome::Delivered));
    const WorkItem again = *queue.next();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, again.delivery.id);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, again.delivery.attempts);
    queue.finish(again, ended(again, Attempt::Outcome::Failed));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, queue.next()->delivery.id);
}

/// And what was under way of it then counts no more.
TEST(DeliveryQueueTest, whatIsLeftOfADroppedEndpointComesAgain) {
    DeliveryQueue queue(limits());
    own(queue, {7, 7});
    const WorkItem before = *queue.next();
    queue.keepOnly({});
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, queue.count());
    own(queue, {7, 7});
    const WorkItem again = *queue.next();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, again.delivery.id);
    queue.finish(before, ended(before, Attempt::Outcome::Delivered));
    queue.finish(again, failed(again));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, queue.next()->delivery.id);
}

} // namespace supplierd::tests
