#include "tests/system/faults/FaultFixture.h"

#include "tests/support/Places.h"

#include <mysql/mysql.h>

#include <stdexcept>

namespace supplierd::tests {
namespace {

ServerOptions serverOptions(const FaultOptions& options, unsigned databasePort) {
    return {.pluginFiles = options.pluginFiles,
            .configuration =
                "[database]\ntls = \"off\"\n" + options.database + "\n[rate_limit]\nrequests_per_hour = 1000000000\n",
            .databasePort = databasePort};
}

} // namespace

std::filesystem::path faultPlugin() {
    return buildPath("test-plugins/test-faults.so");
}

FaultFixture::FaultFixture(const FaultOptions& options)
    : FaultyDatabase(options.proxied),
      SuppliersFixture(serverOptions(options, options.proxied ? proxy().port() : mariaDb().port()), options.suppliers,
                       &mariaDb()) {}

SuppliersFixture::SuppliersFixture(const ServerOptions& options, int suppliers, PrivateMariaDb* mariaDb)
    : ServerFixture(options, mariaDb) {
    for (int i = 0; i < suppliers; ++i)
        _suppliers.emplace_back(SupplierOptions{}, *this);
}

Json SuppliersFixture::product(const std::string& name) const {
    return supplier().productBody({{"name", name}, {"stock_qty", 40}});
}

std::int64_t SuppliersFixture::productsNamed(const std::string& name) {
    return database().integer("SELECT COUNT(*) FROM products WHERE deleted = 0 AND name = " + database().quote(name));
}

CatalogLock::CatalogLock(TestDatabase& database, std::int64_t supplierId) : _connection(mysql_init(nullptr)) {
    const std::string lock =
        "SELECT change_seq FROM supplier_state WHERE supplier_id = " + std::to_string(supplierId) + " FOR UPDATE";
    if (mysql_real_connect(_connection, nullptr, "root", nullptr, database.name().c_str(), 0, database.socket().c_str(),
                           0) == nullptr ||
        mysql_query(_connection, "START TRANSACTION") != 0 || mysql_query(_connection, lock.c_str()) != 0) {
        const std::string reason = mysql_error(_connection);
        mysql_close(_connection);
        throw std::runtime_error("cannot lock the catalog: " + reason);
    }
    mysql_free_result(mysql_store_result(_connection));
}

CatalogLock::~CatalogLock() {
    mysql_close(_connection); // rolls back
}

} // namespace supplierd::tests
