#include "Trader.h"
#include "tests/support/ReadsBesideWriter.h"

#include <cppunit/extensions/HelperMacros.h>

#include <atomic>
#include <mutex>
#include <string>

namespace supplierd::tests {

using nlohmann::json;

/// Orders are read beside somebody who moves them: what is answered was there at one moment.
class WholeOrderTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(WholeOrderTest);
    CPPUNIT_TEST(testOrderAndItsHistoryAreOfOneMoment);
    CPPUNIT_TEST(testRepeatedOrderAndItsHistoryAreOfOneMoment);
    CPPUNIT_TEST_SUITE_END();

public:
    void testOrderAndItsHistoryAreOfOneMoment() {
        Trader trader;
        const auto product = trader.product(1'000'000);
        HttpClient other = trader.anotherClient();
        std::atomic<std::int64_t> group{trader.sell(product, 1)};
        const auto write = [&] {
            for (const char* status : {"confirmed", "processing", "shipped", "delivered"}) {
                const HttpResponse response =
                    other.post("/orders/" + std::to_string(group) + "/status", {{"status", status}});
                CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
            }
            group = trader.sell(product, 1);
        };
        readBesideWriter(
            [&] {
                const json order = trader.read(group);
                CPPUNIT_ASSERT_EQUAL_MESSAGE(order.dump(), order["status"],
                                             order["status_history"].back()["to_status"]);
            },
            write);
    }

    void testRepeatedOrderAndItsHistoryAreOfOneMoment() {
        Trader trader;
        const auto product = trader.product(1'000'000);
        HttpClient other = trader.anotherClient();
        HttpClient feeder = world().platform();
        HttpClient repeater = world().platform();
        std::mutex mutex;
        json fed;
        const auto write = [&] {
            const json body = world().order({{{"product_id", product}, {"quantity", 1}}});
            const HttpResponse first = feeder.post("/orders", body);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(first.body, 201, first.status);
            {
                const std::lock_guard lock(mutex);
                fed = body;
            }
            const std::int64_t group = first.data()["order"]["groups"][0]["id"];
            for (const char* status : {"confirmed", "processing", "shipped", "delivered"}) {
                const HttpResponse response =
                    other.post("/orders/" + std::to_string(group) + "/status", {{"status", status}});
                CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
            }
        };
        write();
        readBesideWriter(
            [&] {
                json body;
                {
                    const std::lock_guard lock(mutex);
                    body = fed;
                }
                const HttpResponse again = repeater.post("/orders", body);
                CPPUNIT_ASSERT_EQUAL_MESSAGE(again.body, 200, again.status);
                const json group = again.data()["order"]["groups"][0];
                CPPUNIT_ASSERT_EQUAL_MESSAGE(group.dump(), group["status"],
                                             group["status_history"].back()["to_status"]);
            },
            write);
    }

private:
    static OrdersWorld& world() { return OrdersWorld::instance(); }
};

CPPUNIT_TEST_SUITE_REGISTRATION(WholeOrderTest);

} // namespace supplierd::tests
