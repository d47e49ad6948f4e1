#include "tests/system/faults/SupplierWorld.h"

#include <cppunit/extensions/HelperMacros.h>
#include <mysql/mysql.h>

#include <stdexcept>

namespace supplierd::tests {
namespace {

constexpr const char* STALE_CHANGE_SEQ = R"sql(
SELECT s.supplier_id, s.change_seq, MAX(p.change_seq) FROM supplier_state s JOIN products p ON p.supplier_id = s.supplier_id
GROUP BY s.supplier_id HAVING MAX(p.change_seq) > s.change_seq
)sql";

constexpr const char* HOLES_IN_THE_LOG = R"sql(
SELECT s.supplier_id, s.change_seq, COUNT(c.change_seq)
FROM supplier_state s LEFT JOIN changes c ON c.supplier_id = s.supplier_id AND c.change_seq <= s.change_seq
GROUP BY s.supplier_id HAVING COUNT(c.change_seq) <> s.change_seq
)sql";

std::string tomlOf(const WorldOptions& options) {
    return "[database]\ntls = \"off\"\n" + options.database + "\n[rate_limit]\nrequests_per_hour = 1000000000\n" +
           "[idempotency]\nlease = \"" + options.lease + "\"\n";
}

ServerOptions serverOptions(const WorldOptions& options, unsigned databasePort) {
    ServerOptions result;
    result.configuration = tomlOf(options);
    result.pluginFiles = options.pluginFiles;
    result.databasePort = databasePort;
    return result;
}

std::string rowsAsText(const std::vector<TestRow>& rows) {
    std::string text;
    for (const auto& row : rows) {
        for (const auto& value : row)
            text += value.value_or("NULL") + " ";
        text += "\n";
    }
    return text;
}

} // namespace

SupplierWorld::SupplierWorld(const WorldOptions& options)
    : _mariaDb(PrivateMariaDb::Options{.tcp = true}),
      _database(_mariaDb),
      _proxy(options.proxied ? std::make_unique<MysqlProxy>(_mariaDb.port()) : nullptr),
      _server(_database, serverOptions(options, _proxy ? _proxy->port() : _mariaDb.port())) {
    _category = _server.createCategory("Roses");
    for (int i = 0; i < options.suppliers; ++i) {
        const auto id = _server.createSupplier("Supplier " + std::to_string(i + 1));
        // Used before, so that the server does not commit its first use while a test waits for a COMMIT of its own.
        _accounts.push_back({id, _server.createKey(id, {{"last_used_at", "NOW(6)"}})});
    }
}

nlohmann::json SupplierWorld::product(const std::string& name) const {
    return {{"name", name}, {"category_id", _category}, {"base_price", 1.25}, {"unit", "stem"}, {"stock_qty", 40}};
}

double SupplierWorld::metric(const std::string& name) const {
    const auto text = _server.adminClient().get("/metrics").body;
    const auto found = text.find("\n" + name + " ");
    return found == std::string::npos ? 0 : std::stod(text.substr(found + 1 + name.size()));
}

std::int64_t SupplierWorld::productsNamed(const std::string& name) {
    return _database.integer("SELECT COUNT(*) FROM products WHERE deleted = 0 AND name = " + _database.quote(name));
}

void SupplierWorld::requireTrueNumbers() {
    CPPUNIT_ASSERT_EQUAL_MESSAGE("a product has a change_seq beyond its supplier's", std::string(),
                                 rowsAsText(_database.query(STALE_CHANGE_SEQ)));
    CPPUNIT_ASSERT_EQUAL_MESSAGE("the change log has not one entry for each number", std::string(),
                                 rowsAsText(_database.query(HOLES_IN_THE_LOG)));
}

CatalogueLock::CatalogueLock(TestDatabase& database, std::int64_t supplierId) : _connection(mysql_init(nullptr)) {
    const std::string lock =
        "SELECT change_seq FROM supplier_state WHERE supplier_id = " + std::to_string(supplierId) + " FOR UPDATE";
    if (mysql_real_connect(_connection, nullptr, "root", nullptr, database.name().c_str(), 0, database.socket().c_str(),
                           0) == nullptr ||
        mysql_query(_connection, "START TRANSACTION") != 0 || mysql_query(_connection, lock.c_str()) != 0) {
        const std::string reason = mysql_error(_connection);
        mysql_close(_connection);
        throw std::runtime_error("cannot lock the catalogue: " + reason);
    }
    mysql_free_result(mysql_store_result(_connection));
}

CatalogueLock::~CatalogueLock() {
    mysql_close(_connection); // rolls back
}

} // namespace supplierd::tests
