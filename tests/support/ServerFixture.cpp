#include "tests/support/ServerFixture.h"

#include <cppunit/TestAssert.h>

#include <algorithm>
#include <utility>

namespace supplierd::tests {

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

std::int64_t firstCategory(ServerProcess& server, const std::vector<std::string>& plugins) {
    return std::ranges::count(plugins, "categories") > 0 ? server.createCategory("Cut flowers") : 0;
}

std::string conditionOf(std::optional<std::int64_t> supplier) {
    return supplier ? " = " + std::to_string(*supplier) : " > 0";
}

} // namespace

ServerFixture::ServerFixture(ServerOptions options, PrivateMariaDb* mariaDb)
    : _database(mariaDb != nullptr ? TestDatabase(*mariaDb) : TestDatabase()),
      _server(_database, options),
      _category(firstCategory(_server, options.plugins)) {}

ServerFixture::ServerFixture(ServerProcess::NotStarted tag, ServerOptions options, PrivateMariaDb* mariaDb)
    : _database(mariaDb != nullptr ? TestDatabase(*mariaDb) : TestDatabase()),
      _server(tag, _database, std::move(options)) {}

void ServerFixture::requireTrueNumbers() {
    requireNoRows(
        _database, "the change log has not one entry for each number",
        "SELECT s.supplier_id, s.change_seq, COALESCE(SUM(c.change_seq - COALESCE(c.follows, c.change_seq - 1)), 0) AS "
        "logged "
        "FROM supplier_state s LEFT JOIN changes c ON c.supplier_id = s.supplier_id AND c.change_seq <= s.change_seq "
        "WHERE s.supplier_id > 0 GROUP BY s.supplier_id HAVING logged <> s.change_seq");
    requireChangeSeqs();
}

void ServerFixture::requireChangeSeqs(std::optional<std::int64_t> supplier) {
    requireNoRows(_database, "a product has a change_seq beyond its supplier's",
                  "SELECT s.supplier_id, s.change_seq, MAX(p.change_seq) FROM supplier_state s JOIN products p ON "
                  "p.supplier_id = s.supplier_id WHERE s.supplier_id" +
                      conditionOf(supplier) + " GROUP BY s.supplier_id HAVING MAX(p.change_seq) > s.change_seq");
}

void ServerFixture::requireSoundOrders() {
    if (_database.query("SHOW TABLES LIKE 'order_groups'").empty())
        return;
    requireNoRows(_database, "order_totals differs from a recount", WRONG_TOTALS);
    requireNoRows(_database, "amounts are not those of the lines", WRONG_AMOUNTS);
    requireNoRows(_database, "a history does not lead to the state", WRONG_HISTORY);
    requireChangeSeqs();
}

void requireNoRows(TestDatabase& database, const std::string& message, const std::string& sql) {
    std::string rows;
    for (const TestRow& row : database.query(sql)) {
        for (const auto& value : row)
            rows += value.value_or("NULL") + " ";
        rows += "\n";
    }
    CPPUNIT_ASSERT_EQUAL_MESSAGE(message, std::string(), rows);
}

} // namespace supplierd::tests
