#include "tests/support/ServerFixture.h"

#include <cppunit/TestAssert.h>

#include <algorithm>
#include <utility>

namespace supplierd::tests {

namespace {

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
