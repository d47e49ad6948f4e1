#include "OrdersWorld.h"

#include <cppunit/TestAssert.h>

namespace supplierd::tests {

using nlohmann::json;

namespace {

constexpr const char* WRONG_TOTALS = R"sql(
SELECT supplier_id, status, SUM(kept), SUM(counted)
FROM (SELECT supplier_id, 0 AS status, pending AS kept, 0 AS counted FROM order_totals
      UNION ALL SELECT supplier_id, 1, confirmed, 0 FROM order_totals
      UNION ALL SELECT supplier_id, 2, processing, 0 FROM order_totals
      UNION ALL SELECT supplier_id, 3, shipped, 0 FROM order_totals
      UNION ALL SELECT supplier_id, 4, delivered, 0 FROM order_totals
      UNION ALL SELECT supplier_id, 5, completed, 0 FROM order_totals
      UNION ALL SELECT supplier_id, 6, cancelled, 0 FROM order_totals
      UNION ALL SELECT supplier_id, status, 0, 1 FROM order_groups) both_of_them
GROUP BY supplier_id, status
HAVING SUM(kept) <> SUM(counted)
)sql";

constexpr const char* WRONG_AMOUNTS = R"sql(
SELECT g.id, g.subtotal, g.vat_total, g.total, g.items_count, s.subtotal, s.vat, s.items
FROM order_groups g JOIN (
    SELECT order_group_id, SUM(lines_total) AS subtotal, SUM(ROUND(lines_total * vat_rate / 100, 2)) AS vat,
        SUM(items) AS items
    FROM (SELECT order_group_id, vat_rate, SUM(ROUND(quantity * unit_price, 2)) AS lines_total, COUNT(*) AS items
          FROM order_items GROUP BY order_group_id, vat_rate) rates
    GROUP BY order_group_id) s ON s.order_group_id = g.id
WHERE g.subtotal <> s.subtotal OR g.vat_total <> s.vat OR g.total <> s.subtotal + s.vat OR g.items_count <> s.items
)sql";

constexpr const char* WRONG_HISTORY = R"sql(
SELECT g.id, g.status, h.to_status
FROM order_groups g LEFT JOIN order_status_history h
    ON h.id = (SELECT MAX(l.id) FROM order_status_history l WHERE l.order_group_id = g.id)
WHERE h.to_status IS NULL OR h.to_status <> g.status
)sql";

constexpr const char* STALE_CHANGE_SEQ = R"sql(
SELECT s.supplier_id, s.change_seq, MAX(p.change_seq)
FROM supplier_state s JOIN products p ON p.supplier_id = s.supplier_id
GROUP BY s.supplier_id HAVING MAX(p.change_seq) > s.change_seq
)sql";

std::string rowsAsText(const std::vector<TestRow>& rows) {
    std::string text;
    for (const auto& row : rows) {
        for (const auto& value : row)
            text += value.value_or("NULL") + " ";
        text += "\n";
    }
    return text;
}

ServerOptions serverOptions() {
    ServerOptions options;
    options.pluginFiles = orderPluginFiles();
    return options;
}

} // namespace

std::vector<std::filesystem::path> orderPluginFiles() {
    return {ServerProcess::pluginFile("inventory"), ServerProcess::pluginFile("orders")};
}

HttpClient operatorClient(const ServerProcess& server, const std::string& key) {
    return HttpClient(platformUrl(server), key);
}

OrdersWorld::OrdersWorld()
    : TestMarket(serverOptions()), _operatorKey(server().createOperatorKey({{"hourly_limit", "10000000"}})) {}

OrdersWorld& OrdersWorld::instance() {
    static OrdersWorld world;
    return world;
}

json OrdersWorld::order(const json& items, const json& changes) {
    json body{{"order_number", "N-" + std::to_string(++_orders)},
              {"customer", {{"company_name", "Bloemen Jansen"}}},
              {"items", items}};
    body.merge_patch(changes);
    return body;
}

json OrdersWorld::place(const json& items, const json& changes) {
    return dataOf(platform().post("/orders", order(items, changes)), 201)["order"];
}

void requireSoundOrders(TestDatabase& database) {
    CPPUNIT_ASSERT_EQUAL_MESSAGE("order_totals differs from a recount", std::string(),
                                 rowsAsText(database.query(WRONG_TOTALS)));
    CPPUNIT_ASSERT_EQUAL_MESSAGE("amounts are not those of the lines", std::string(),
                                 rowsAsText(database.query(WRONG_AMOUNTS)));
    CPPUNIT_ASSERT_EQUAL_MESSAGE("a history does not lead to the state", std::string(),
                                 rowsAsText(database.query(WRONG_HISTORY)));
    CPPUNIT_ASSERT_EQUAL_MESSAGE("a product has a change_seq beyond its supplier's", std::string(),
                                 rowsAsText(database.query(STALE_CHANGE_SEQ)));
}

} // namespace supplierd::tests
