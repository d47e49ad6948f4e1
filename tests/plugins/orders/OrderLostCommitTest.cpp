#include "OrdersWorld.h"
#include "tests/system/faults/SupplierWorld.h"

#include <cppunit/extensions/HelperMacros.h>

#include <array>
#include <memory>

namespace supplierd::tests {

using nlohmann::json;

namespace {

constexpr int ROUNDS = 80;
constexpr std::int64_t START = 1'000;
constexpr std::int64_t EACH = 3;
constexpr std::array<Fault, 4> FAULTS{Fault::AfterReply, Fault::AtOnce, Fault::Late, Fault::BeforeCommand};

constexpr const char* TIME_LIMITS = R"(
read_timeout = "3s"
statement_time_limit = "2s"
lock_wait_timeout = "2s"
)";

} // namespace

/// The connection to the database is lost around the COMMIT of an order or of a cancellation. A recount of the ledger
/// (what was there, what the orders took, what came back) shows that each took effect exactly once.
class OrderLostCommitTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(OrderLostCommitTest);
    CPPUNIT_TEST(testOrdersAreTakenOnceWhenTheAnswerToCommitIsCut);
    CPPUNIT_TEST(testCancellationsPutBackOnceWhenTheAnswerToCommitIsCut);
    CPPUNIT_TEST(testConnectionCutAtAnyStatementOfAnOrderIsNotSeenByThePlatform);
    CPPUNIT_TEST(testConnectionCutAtAnyStatementOfACancellationIsNotSeenByTheSupplier);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override {
        _world = std::make_unique<SupplierWorld>(
            WorldOptions{.proxied = true, .database = TIME_LIMITS, .pluginFiles = orderPluginFiles()});
        _platform = std::make_unique<HttpClient>(
            operatorClient(_world->server(), _world->server().createOperatorKey({{"hourly_limit", "10000000"}})));
        _supplier = std::make_unique<HttpClient>(_world->client());
        json product = _world->product("Rosa Avalanche");
        product["stock_qty"] = START;
        _product = _supplier->post("/products", product).data()["product"]["id"];
        _world->server().approveProduct(_product);
    }
    void tearDown() override {
        _supplier.reset();
        _platform.reset();
        _world.reset();
    }

    void testOrdersAreTakenOnceWhenTheAnswerToCommitIsCut() {
        for (int i = 0; i < ROUNDS; ++i) {
            _world->proxy().arm("COMMIT", FAULTS[static_cast<std::size_t>(i) % FAULTS.size()]);
            const HttpResponse response = feed(i, headers(i));
            // The database was there all the time: every outcome could be found out.
            CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 201, response.status);
            const HttpResponse again = feed(i);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(again.body, 200, again.status);
            CPPUNIT_ASSERT_EQUAL(response.data(), again.data());
        }
        CPPUNIT_ASSERT_EQUAL(ROUNDS, _world->proxy().strikes());
        requireLedger(ROUNDS, 0);
    }

    void testCancellationsPutBackOnceWhenTheAnswerToCommitIsCut() {
        for (int i = 0; i < ROUNDS; ++i) {
            const std::int64_t group = feed(i).data()["order"]["groups"][0]["id"];
            if (i % 8 == 7)
                continue; // stays, so that the ledger has both
            _world->proxy().arm("COMMIT", FAULTS[static_cast<std::size_t>(i) % FAULTS.size()]);
            const HttpResponse response = cancel(group, headers(i));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
            CPPUNIT_ASSERT_EQUAL(json("cancelled"), response.data()["order"]["status"]);
            CPPUNIT_ASSERT_EQUAL(std::size_t{2}, response.data()["order"]["status_history"].size());
            requireProblems(cancel(group), {"status:unsupported"});
        }
        CPPUNIT_ASSERT_EQUAL(ROUNDS - ROUNDS / 8, _world->proxy().strikes());
        requireLedger(ROUNDS, ROUNDS - ROUNDS / 8);
    }

    void testConnectionCutAtAnyStatementOfAnOrderIsNotSeenByThePlatform() {
        int orders = 0;
        for (const char* statement :
             {"START TRANSACTION", "INSERT INTO orders", "FROM JSON_TABLE", "UPDATE supplier_state",
              "UPDATE JSON_TABLE", "INSERT INTO order_groups", "INSERT INTO order_items",
              "INSERT INTO order_status_history", "INSERT INTO order_totals", "INTO audit_log", "INTO operations"})
            for (const Fault fault : FAULTS) {
                _world->proxy().arm(statement, fault);
                const HttpResponse response = feed(orders++);
                _world->proxy().disarm();
                CPPUNIT_ASSERT_EQUAL_MESSAGE(statement + response.body, 201, response.status);
                requireLedger(orders, 0);
            }
        CPPUNIT_ASSERT_MESSAGE("hardly a statement was met", _world->proxy().strikes() >= orders * 3 / 4);
    }

    void testConnectionCutAtAnyStatementOfACancellationIsNotSeenByTheSupplier() {
        int cancelled = 0;
        for (const char* statement : {"START TRANSACTION", "UPDATE supplier_state", "UPDATE order_groups",
                                      "FROM order_items", "UPDATE JSON_TABLE", "UPDATE order_totals",
                                      "INSERT INTO order_status_history", "INTO audit_log", "INTO operations"})
            for (const Fault fault : FAULTS) {
                const std::int64_t group = feed(cancelled).data()["order"]["groups"][0]["id"];
                _world->proxy().arm(statement, fault);
                const HttpResponse response = cancel(group);
                _world->proxy().disarm();
                CPPUNIT_ASSERT_EQUAL_MESSAGE(statement + response.body, 200, response.status);
                requireLedger(cancelled + 1, cancelled + 1);
                ++cancelled;
            }
        CPPUNIT_ASSERT_MESSAGE("hardly a statement was met", _world->proxy().strikes() >= cancelled * 3 / 4);
    }

private:
    HttpResponse feed(int number, const HttpHeaders& headers = {}) {
        return _platform->post("/orders",
                               {{"order_number", "L-" + std::to_string(number)},
                                {"customer", {{"company_name", "Jansen"}}},
                                {"items", {{{"product_id", _product}, {"quantity", EACH}}}}},
                               headers);
    }

    HttpResponse cancel(std::int64_t group, const HttpHeaders& headers = {}) {
        return _supplier->post("/orders/" + std::to_string(group) + "/status", {{"status", "cancelled"}}, headers);
    }

    /// Every other request has an Idempotency-Key: the outcome is then looked up in another place.
    static HttpHeaders headers(int round) {
        return round / 4 % 2 == 0 ? HttpHeaders{} : HttpHeaders{{"Idempotency-Key", "round-" + std::to_string(round)}};
    }

    void requireLedger(int orders, int cancelled) {
        TestDatabase& database = _world->database();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{orders}, database.integer("SELECT COUNT(*) FROM orders"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{orders}, database.integer("SELECT COUNT(*) FROM order_groups"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{orders}, database.integer("SELECT COUNT(*) FROM order_items"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{orders + cancelled},
                             database.integer("SELECT COUNT(*) FROM order_status_history"));
        CPPUNIT_ASSERT_EQUAL(
            std::int64_t{orders + cancelled},
            database.integer("SELECT COUNT(*) FROM audit_log WHERE object IN ('order', 'order_group')"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{cancelled}, database.integer("SELECT cancelled FROM order_totals"));
        CPPUNIT_ASSERT_EQUAL(START - EACH * (orders - cancelled),
                             database.integer("SELECT stock_qty FROM products WHERE id = " + std::to_string(_product)));
        requireSoundOrders(database);
        _world->requireTrueNumbers();
    }

    std::unique_ptr<SupplierWorld> _world;
    std::unique_ptr<HttpClient> _platform;
    std::unique_ptr<HttpClient> _supplier;
    std::int64_t _product = 0;
};

CPPUNIT_TEST_SUITE_REGISTRATION(OrderLostCommitTest);

} // namespace supplierd::tests
