#include "OrdersFixture.h"
#include "tests/support/OperatorClient.h"
#include "tests/support/Test.h"
#include "tests/system/faults/FaultFixture.h"

#include <array>
#include <memory>

namespace supplierd::tests {

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
public:
    void setUp() override {
        _fixture = std::make_unique<FaultFixture>(
            FaultOptions{.proxied = true,
                         .database = TIME_LIMITS,
                         .pluginFiles = {ServerProcess::pluginFile("inventory"), ServerProcess::pluginFile("orders")}});
        _platform = std::make_unique<OperatorClient>(*_fixture);
        _supplier = std::make_unique<HttpClient>(_fixture->client());
        json product = _fixture->product("Rosa Avalanche");
        product["stock_qty"] = START;
        _product = _supplier->post("/products", product).data()["product"]["id"];
        _fixture->server().approveProduct(_product);
    }
    void tearDown() override {
        _supplier.reset();
        _platform.reset();
        _fixture.reset();
    }

protected:
    HttpResponse place(int number, const HttpHeaders& headers = {}) {
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
        TestDatabase& database = _fixture->database();
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
        _fixture->requireSoundOrders();
        _fixture->requireTrueNumbers();
    }

    std::unique_ptr<FaultFixture> _fixture;
    std::unique_ptr<OperatorClient> _platform;
    std::unique_ptr<HttpClient> _supplier;
    std::int64_t _product = 0;
};

TEST(OrderLostCommitTest, ordersAreTakenOnceWhenTheAnswerToCommitIsCut) {
    for (int i = 0; i < ROUNDS; ++i) {
        _fixture->proxy().arm("COMMIT", FAULTS[static_cast<std::size_t>(i) % FAULTS.size()]);
        const HttpResponse response = place(i, headers(i));
        // The database was there all the time: every outcome could be found out.
        requireStatus(201, response);
        const HttpResponse again = place(i);
        requireStatus(200, again);
        CPPUNIT_ASSERT_EQUAL(response.data(), again.data());
    }
    CPPUNIT_ASSERT_EQUAL(ROUNDS, _fixture->proxy().strikes());
    requireLedger(ROUNDS, 0);
}

TEST(OrderLostCommitTest, cancellationsPutBackOnceWhenTheAnswerToCommitIsCut) {
    for (int i = 0; i < ROUNDS; ++i) {
        const std::int64_t group = place(i).data()["order"]["groups"][0]["id"];
        if (i % 8 == 7)
            continue; // stays, so that the ledger has both
        _fixture->proxy().arm("COMMIT", FAULTS[static_cast<std::size_t>(i) % FAULTS.size()]);
        const HttpResponse response = cancel(group, headers(i));
        requireStatus(200, response);
        CPPUNIT_ASSERT_EQUAL(json("cancelled"), response.data()["order"]["status"]);
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, response.data()["order"]["status_history"].size());
        requireProblems(cancel(group), {"status:unsupported"});
    }
    CPPUNIT_ASSERT_EQUAL(ROUNDS - ROUNDS / 8, _fixture->proxy().strikes());
    requireLedger(ROUNDS, ROUNDS - ROUNDS / 8);
}

TEST(OrderLostCommitTest, connectionCutAtAnyStatementOfAnOrderIsNotSeenByThePlatform) {
    int orders = 0;
    for (const char* statement :
         {"START TRANSACTION", "INSERT INTO orders", "FROM JSON_TABLE", "UPDATE supplier_state", "UPDATE JSON_TABLE",
          "INSERT INTO order_groups", "INSERT INTO order_items", "INSERT INTO order_status_history",
          "INSERT INTO order_totals", "INTO audit_log", "INTO operations"})
        for (const Fault fault : FAULTS) {
            _fixture->proxy().arm(statement, fault);
            const HttpResponse response = place(orders++);
            _fixture->proxy().disarm();
            CPPUNIT_ASSERT_EQUAL_MESSAGE(statement + response.body, 201, response.status);
            requireLedger(orders, 0);
        }
    CPPUNIT_ASSERT_MESSAGE("hardly a statement was met", _fixture->proxy().strikes() >= orders * 3 / 4);
}

TEST(OrderLostCommitTest, connectionCutAtAnyStatementOfACancellationIsNotSeenByTheSupplier) {
    int cancelled = 0;
    for (const char* statement :
         {"START TRANSACTION", "UPDATE supplier_state", "UPDATE order_groups", "FROM order_items", "UPDATE JSON_TABLE",
          "UPDATE order_totals", "INSERT INTO order_status_history", "INTO audit_log", "INTO operations"})
        for (const Fault fault : FAULTS) {
            const std::int64_t group = place(cancelled).data()["order"]["groups"][0]["id"];
            _fixture->proxy().arm(statement, fault);
            const HttpResponse response = cancel(group);
            _fixture->proxy().disarm();
            CPPUNIT_ASSERT_EQUAL_MESSAGE(statement + response.body, 200, response.status);
            requireLedger(cancelled + 1, cancelled + 1);
            ++cancelled;
        }
    CPPUNIT_ASSERT_MESSAGE("hardly a statement was met", _fixture->proxy().strikes() >= cancelled * 3 / 4);
}

} // namespace supplierd::tests
