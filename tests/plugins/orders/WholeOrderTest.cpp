#include "OrdersFixture.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"

#include <atomic>
#include <mutex>
#include <string>

namespace supplierd::tests {

/// Orders are read beside somebody who moves them: what is answered was there at one moment.
class WholeOrderTest : public CppUnit::TestFixture {};

TEST(WholeOrderTest, orderAndItsHistoryAreOfOneMoment) {
    OrdersClient supplier;
    const auto product = supplier.product(1'000'000);
    HttpClient other = supplier.anotherClient();
    std::atomic<std::int64_t> group{supplier.sell(product, 1)};
    const auto write = [&] {
        for (const char* status : {"confirmed", "processing", "shipped", "delivered"}) {
            const HttpResponse response =
                other.post("/orders/" + std::to_string(group) + "/status", {{"status", status}});
            requireStatus(200, response);
        }
        group = supplier.sell(product, 1);
    };
    readBesideWriter(
        [&] {
            const json order = supplier.order(group);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(order.dump(), order["status"], order["status_history"].back()["to_status"]);
        },
        write);
}

TEST(WholeOrderTest, repeatedOrderAndItsHistoryAreOfOneMoment) {
    OrdersClient supplier;
    const auto product = supplier.product(1'000'000);
    HttpClient other = supplier.anotherClient();
    HttpClient placer = operatorClient();
    HttpClient repeater = operatorClient();
    std::mutex mutex;
    json placed;
    const auto write = [&] {
        const json body = orderBody({{{"product_id", product}, {"quantity", 1}}});
        const HttpResponse first = placer.post("/orders", body);
        requireStatus(201, first);
        {
            const std::lock_guard lock(mutex);
            placed = body;
        }
        const std::int64_t group = first.data()["order"]["groups"][0]["id"];
        for (const char* status : {"confirmed", "processing", "shipped", "delivered"}) {
            const HttpResponse response =
                other.post("/orders/" + std::to_string(group) + "/status", {{"status", status}});
            requireStatus(200, response);
        }
    };
    write();
    readBesideWriter(
        [&] {
            json body;
            {
                const std::lock_guard lock(mutex);
                body = placed;
            }
            const HttpResponse again = repeater.post("/orders", body);
            requireStatus(200, again);
            const json group = again.data()["order"]["groups"][0];
            CPPUNIT_ASSERT_EQUAL_MESSAGE(group.dump(), group["status"], group["status_history"].back()["to_status"]);
        },
        write);
}

} // namespace supplierd::tests
