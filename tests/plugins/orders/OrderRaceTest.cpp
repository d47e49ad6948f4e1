#include "OrdersFixture.h"
#include "host/db/Connector.h"
#include "host/db/PooledSession.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace supplierd::tests {

namespace {

constexpr int REPETITIONS = 100;

/// The responses that several clients got at once.
class Responses {
public:
    void add(HttpResponse response) {
        const std::lock_guard lock(_mutex);
        _all.push_back(std::move(response));
    }
    int count(int status) const {
        return static_cast<int>(std::count_if(_all.begin(), _all.end(),
                                              [status](const HttpResponse& one) { return one.status == status; }));
    }
    const std::vector<HttpResponse>& all() const { return _all; }

private:
    std::mutex _mutex;
    std::vector<HttpResponse> _all;
};

std::string statusPath(std::int64_t group) {
    return "/orders/" + std::to_string(group) + "/status";
}

} // namespace

/// Orders and moves that get in each other's way.
class OrderRaceTest : public CppUnit::TestFixture {
public:
    void tearDown() override { fixture().requireSoundOrders(); }

protected:
    /// Until the server's session is in such a statement, so it has done what comes before.
    static void waitUntilRunning(const std::string& statement) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(4);
        while (fixture().database().integer("SELECT COUNT(*) FROM information_schema.processlist WHERE DB = DATABASE() "
                                            "AND ID <> CONNECTION_ID() AND INFO LIKE '%" +
                                            statement + "%'") == 0) {
            CPPUNIT_ASSERT_MESSAGE("it does not come", std::chrono::steady_clock::now() < deadline);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }

    /// An order with a number of its own; on any thread.
    static json numbered(const json& items) {
        static std::atomic<int> number{0};
        return {{"order_number", "R-" + std::to_string(++number)},
                {"customer", {{"company_name", "Racer"}}},
                {"items", items}};
    }

    /// How many of so many buyers at once got one of that product; the others were told that nothing is left.
    static int buyers(int count, std::int64_t product) {
        Responses responses;
        together(count, [&](int) {
            HttpClient platform = operatorClient();
            responses.add(platform.post("/orders", numbered({{{"product_id", product}, {"quantity", 1}}})));
        });
        for (const HttpResponse& response : responses.all())
            if (response.status != 201)
                requireProblems(response, {"items[0].quantity:out_of_range"});
        return responses.count(201);
    }

    void raceForConfirmation(int racers, int rounds) {
        const auto product = _supplier.product(rounds);
        std::vector<HttpClient> clients;
        for (int i = 0; i < racers; ++i)
            clients.push_back(_supplier.anotherClient());
        for (int i = 0; i < rounds; ++i) {
            const auto group = _supplier.sell(product, 1);
            Responses responses;
            together(racers, [&](int me) {
                responses.add(clients[static_cast<std::size_t>(me)].post(statusPath(group), {{"status", "confirmed"}}));
            });
            requireOneWinner(responses, racers);
            CPPUNIT_ASSERT_EQUAL(std::size_t{2}, _supplier.order(group)["status_history"].size());
        }
    }

    static void requireOneWinner(const Responses& responses, int racers) {
        CPPUNIT_ASSERT_EQUAL(1, responses.count(200));
        CPPUNIT_ASSERT_EQUAL(racers - 1, responses.count(422));
        for (const HttpResponse& response : responses.all())
            if (response.status != 200)
                requireProblems(response, {"status:unsupported"});
    }

    /// What the orders that were not cancelled have of a product.
    static std::int64_t taken(std::int64_t product) {
        return fixture().database().integer(
            "SELECT COALESCE(SUM(i.quantity), 0) FROM order_items i JOIN order_groups g "
            "ON g.id = i.order_group_id WHERE g.status <> 6 AND i.product_id = " +
            std::to_string(product));
    }

    OrdersClient _supplier;
};

TEST(OrderRaceTest, oneOfTwoRacingMovesWins) {
    raceForConfirmation(2, REPETITIONS);
}

TEST(OrderRaceTest, oneOfManyRacingMovesWins) {
    raceForConfirmation(12, 20);
}

TEST(OrderRaceTest, moveThatComesSecondIsToldWhatTheFirstDid) {
    const auto product = _supplier.product(5);
    const std::string group = std::to_string(_supplier.sell(product, 5));
    // Another host's confirmation, not yet committed.
    host::PooledSession other(host::openSession(fixture().database().sessionSettings()));
    other.begin();
    other.run("UPDATE order_groups SET status = 1 WHERE id = " + group);
    other.run("INSERT INTO order_status_history (order_group_id, from_status, to_status, changed_by) VALUES (" + group +
              ", 0, 1, 0)");
    other.run("UPDATE order_totals SET pending = pending - 1, confirmed = confirmed + 1 WHERE supplier_id = " +
              std::to_string(_supplier.id()));
    auto second = std::async(std::launch::async, [&] {
        return _supplier.anotherClient().post("/orders/" + group + "/status", {{"status", "cancelled"}});
    });
    waitUntilRunning("UPDATE order_groups");
    other.commit();
    const json error = requireProblems(second.get(), {"status:unsupported"});
    CPPUNIT_ASSERT_EQUAL(json("the order went from pending to confirmed meanwhile, so it did not go to cancelled; "
                              "look at it again"),
                         error["message"]);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, stockOf(product));
    requireStatus(200, _supplier.move(std::stoll(group), "cancelled"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, stockOf(product));
}

TEST(OrderRaceTest, shipmentAndCancellationExcludeEachOther) {
    HttpClient clients[] = {_supplier.anotherClient(), _supplier.anotherClient()};
    std::map<std::string, int> winners;
    for (int i = 0; i < REPETITIONS; ++i) {
        const auto product = _supplier.product(1);
        const auto group = _supplier.groupIn("processing", product);
        Responses responses;
        together(2, [&](int me) {
            responses.add(clients[me].post(statusPath(group), {{"status", me == 0 ? "shipped" : "cancelled"}}));
        });
        requireOneWinner(responses, 2);
        const std::string status = _supplier.order(group)["status"];
        CPPUNIT_ASSERT_EQUAL(std::int64_t{status == "cancelled" ? 1 : 0}, stockOf(product));
        ++winners[status];
    }
    CPPUNIT_ASSERT_EQUAL(REPETITIONS, winners["shipped"] + winners["cancelled"]);
}

TEST(OrderRaceTest, racingCancellationsPutBackOnce) {
    for (int i = 0; i < 20; ++i) {
        const auto product = _supplier.product(10);
        const auto group = _supplier.sell(product, 4);
        Responses responses;
        together(6, [&](int) {
            HttpClient client = _supplier.anotherClient();
            responses.add(client.post(statusPath(group), {{"status", "cancelled"}}));
        });
        requireOneWinner(responses, 6);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, stockOf(product));
    }
}

TEST(OrderRaceTest, fiftyBuyersGetTenStems) {
    const auto product = _supplier.product(10);
    const int sold = buyers(50, product);
    CPPUNIT_ASSERT_EQUAL(10, sold);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, stockOf(product));
}

TEST(OrderRaceTest, twentyFiveOrdersForTenLeaveNothing) {
    for (int i = 0; i < REPETITIONS; ++i) {
        const auto product = _supplier.product(10);
        CPPUNIT_ASSERT_EQUAL(10, buyers(25, product));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, stockOf(product));
    }
}

TEST(OrderRaceTest, ordersOfTheSameSuppliersInOppositeOrderAllSucceed) {
    OrdersClient other;
    const auto mine = _supplier.product(1'000);
    const auto theirs = other.product(1'000);
    together(8, [&](int me) {
        HttpClient platform = operatorClient();
        for (int i = 0; i < 25; ++i) {
            json items{{{"product_id", mine}, {"quantity", 1}}, {{"product_id", theirs}, {"quantity", 1}}};
            if (me % 2 == 1)
                std::swap(items[0], items[1]);
            const HttpResponse response = platform.post("/orders", numbered(items));
            requireStatus(201, response);
        }
    });
    CPPUNIT_ASSERT_EQUAL(std::int64_t{800}, stockOf(mine));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{800}, stockOf(theirs));
}

TEST(OrderRaceTest, sameOrderRacingIsTakenOnce) {
    for (int i = 0; i < 20; ++i) {
        const auto product = _supplier.product(10);
        const json body = numbered({{{"product_id", product}, {"quantity", 3}}});
        Responses responses;
        together(10, [&](int) { responses.add(operatorClient().post("/orders", body)); });
        CPPUNIT_ASSERT_EQUAL(1, responses.count(201));
        CPPUNIT_ASSERT_EQUAL(9, responses.count(200));
        for (const HttpResponse& response : responses.all())
            CPPUNIT_ASSERT_EQUAL(responses.all().front().data(), response.data());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, stockOf(product));
    }
}

TEST(OrderRaceTest, oneOfTwoOrdersWithOneNumberWins) {
    for (int i = 0; i < 20; ++i) {
        const auto product = _supplier.product(10);
        json bodies[] = {numbered({{{"product_id", product}, {"quantity", 1}}}), json()};
        bodies[1] = bodies[0];
        bodies[1]["items"][0]["quantity"] = 2;
        Responses responses;
        together(2, [&](int me) { responses.add(operatorClient().post("/orders", bodies[me])); });
        CPPUNIT_ASSERT_EQUAL(1, responses.count(201));
        CPPUNIT_ASSERT_EQUAL(1, responses.count(422));
        CPPUNIT_ASSERT_EQUAL(10 - taken(product), stockOf(product));
    }
}

TEST(OrderRaceTest, ledgerHoldsBesideOrdersCancellationsAndChanges) {
    constexpr std::int64_t START = 200;
    std::vector<std::int64_t> products;
    for (int i = 0; i < 4; ++i)
        products.push_back(_supplier.product(START));
    together(8, [&](int me) {
        HttpClient platform = operatorClient();
        HttpClient supplier = _supplier.anotherClient();
        for (int i = 0; i < 30; ++i) {
            const auto product = products[static_cast<std::size_t>(me + i) % products.size()];
            const auto next = products[static_cast<std::size_t>(me + i + 1) % products.size()];
            if (me == 7) {
                // A change of the product that is none of its stock.
                supplier.post("/products/" + std::to_string(product), {{"color", "red " + std::to_string(i)}});
                continue;
            }
            const HttpResponse response =
                platform.post("/orders", numbered({{{"product_id", product}, {"quantity", 1 + i % 3}},
                                                   {{"product_id", next}, {"quantity", 1}}}));
            requireStatus(201, response);
            if (i % 2 == 0) {
                const std::int64_t group = response.data()["order"]["groups"][0]["id"];
                const HttpResponse cancelled = supplier.post(statusPath(group), {{"status", "cancelled"}});
                requireStatus(200, cancelled);
            }
        }
    });
    for (const auto product : products)
        CPPUNIT_ASSERT_EQUAL(START - taken(product), stockOf(product));
}

TEST(OrderRaceTest, bulkStockBesideOrdersLosesNothing) {
    constexpr std::int64_t START = 500;
    constexpr int ROUNDS = 60;
    std::vector<std::int64_t> products;
    for (int i = 0; i < 10; ++i)
        products.push_back(_supplier.product(START));
    together(4, [&](int me) {
        HttpClient client = me < 2 ? _supplier.anotherClient() : operatorClient();
        for (int i = 0; i < ROUNDS; ++i) {
            json items = json::array();
            for (const auto product : products)
                items.push_back(me < 2 ? json{{"product_id", product}, {"stock_qty", 1}, {"adjust", true}}
                                       : json{{"product_id", product}, {"quantity", 1}});
            if (me % 2 == 1)
                std::ranges::reverse(items.elements());
            const HttpResponse response =
                me < 2 ? client.post("/stock", {{"items", items}}) : client.post("/orders", numbered(items));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, me < 2 ? 200 : 201, response.status);
            if (me < 2)
                CPPUNIT_ASSERT_EQUAL(json(products.size()), response.data()["updated"]);
        }
    });
    for (const auto product : products)
        CPPUNIT_ASSERT_EQUAL(START, stockOf(product));
}

} // namespace supplierd::tests
