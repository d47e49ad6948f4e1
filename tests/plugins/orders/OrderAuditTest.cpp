#include "OrdersFixture.h"
#include "tests/support/Test.h"

namespace supplierd::tests {

using nlohmann::json;

/// Everything that is done to orders is in the audit log, and nothing that was refused.
class OrderAuditTest : public CppUnit::TestFixture {
protected:
    static std::vector<TestRow> entriesOf(const std::string& object, std::int64_t id) {
        return fixture().database().query("SELECT actor, action, before_json, after_json, supplier_id, request_id "
                                          "FROM audit_log WHERE object = '" +
                                          object + "' AND object_id = " + std::to_string(id) + " ORDER BY id");
    }

    static void requireEntry(const TestRow& entry, const std::string& actor, const std::string& action,
                             const std::string& before, const std::string& after) {
        CPPUNIT_ASSERT_EQUAL(actor, *entry[0]);
        CPPUNIT_ASSERT_EQUAL(action, *entry[1]);
        CPPUNIT_ASSERT_EQUAL(json::parse(before), json::parse(*entry[2]));
        CPPUNIT_ASSERT_EQUAL(json::parse(after), json::parse(*entry[3]));
    }

    OrdersClient _supplier;
};

TEST(OrderAuditTest, movesAreRecordedWithTheKeyThatMadeThem) {
    const auto product = _supplier.product(10);
    const auto group = _supplier.sell(product, 1);
    HttpClient& http = _supplier;
    const std::string path = "/orders/" + std::to_string(group) + "/status";
    http.post(path, {{"status", "confirmed"}, {"comment", "Yes"}}, {{"X-Request-Id", "move-1"}});
    _supplier.move(group, "processing");
    _supplier.move(group, "shipped", {{"tracking", {{"number", "3S"}}}});
    _supplier.move(group, "delivered");
    const auto completed = operatorClient().postEmpty("/order-groups/" + std::to_string(group) + "/complete");
    requireStatus(200, completed);
    const auto entries = entriesOf("order_group", group);
    CPPUNIT_ASSERT_EQUAL(std::size_t{5}, entries.size());
    const std::string key = _supplier.key().substr(0, 11);
    requireEntry(entries[0], key, "order_group.move", R"({"status":"pending"})",
                 R"({"status":"confirmed","comment":"Yes"})");
    CPPUNIT_ASSERT_EQUAL(std::string("move-1"), *entries[0][5]);
    CPPUNIT_ASSERT_EQUAL(std::to_string(_supplier.id()), *entries[0][4]);
    requireEntry(entries[2], key, "order_group.move", R"({"status":"processing"})",
                 R"({"status":"shipped","tracking":{"carrier":null,"number":"3S","url":null}})");
    requireEntry(entries[4], operatorKey().substr(0, 11), "order_group.complete", R"({"status":"delivered"})",
                 R"({"status":"completed"})");

    const auto cancelled = _supplier.groupIn("cancelled", product);
    requireEntry(entriesOf("order_group", cancelled).at(0), key, "order_group.cancel", R"({"status":"pending"})",
                 R"({"status":"cancelled"})");
}

TEST(OrderAuditTest, placedOrderIsRecordedOnce) {
    const auto product = _supplier.product(10, "2");
    const json body = orderBody({{{"product_id", product}, {"quantity", 1}}});
    HttpClient platform = operatorClient();
    const json order = platform.post("/orders", body).data()["order"];
    requireStatus(200, platform.post("/orders", body));
    const auto entries = entriesOf("order", order["id"]);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, entries.size());
    const json group{
        {"id", order["groups"][0]["id"]}, {"supplier_id", _supplier.id()}, {"items_count", 1}, {"total", 2.42}};
    const json after{{"order_number", body["order_number"]}, {"currency", "EUR"}, {"groups", json::array({group})}};
    CPPUNIT_ASSERT_EQUAL(std::string("order.create"), *entries[0][1]);
    CPPUNIT_ASSERT_EQUAL(operatorKey().substr(0, 11), *entries[0][0]);
    CPPUNIT_ASSERT(!entries[0][2] || entries[0][2]->empty());
    CPPUNIT_ASSERT_EQUAL(after, json::parse(*entries[0][3]));
}

TEST(OrderAuditTest, refusedMovesLeaveNoTrace) {
    const auto group = _supplier.sell(_supplier.product(10), 1);
    _supplier.move(group, "shipped");
    _supplier.move(group, "pending");
    CPPUNIT_ASSERT(entriesOf("order_group", group).empty());
}

} // namespace supplierd::tests
