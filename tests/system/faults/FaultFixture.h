#pragma once

#include "tests/support/PrivateMariaDb.h"
#include "tests/support/Responses.h"
#include "tests/support/SupplierClient.h"
#include "tests/system/faults/MysqlProxy.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

/// How long a client waits after a 503.
inline constexpr auto PAUSE_AFTER_REFUSAL = std::chrono::milliseconds(20);

struct FaultOptions {
    int suppliers = 1;
    /// The server reaches its database through FaultFixture::proxy().
    bool proxied = false;
    /// Further keys of the table [database], one per line.
    std::string database = {};
    std::vector<std::filesystem::path> pluginFiles = {};
};

/// The plugin of tests/system/fixtures whose routes bring about what the catalog cannot.
std::filesystem::path faultPlugin();

struct FaultyDatabase {
    explicit FaultyDatabase(bool proxied)
        : mariaDb(PrivateMariaDb::Options{.tcp = true}),
          proxy(proxied ? std::make_unique<MysqlProxy>(mariaDb.port()) : nullptr) {}

    PrivateMariaDb mariaDb;
    std::unique_ptr<MysqlProxy> proxy;
};

/// A server, and suppliers on it.
class SuppliersFixture : public ServerFixture {
public:
    SuppliersFixture(const ServerOptions& options, int suppliers, PrivateMariaDb* mariaDb = nullptr);

    const SupplierClient& supplier(std::size_t index = 0) const { return _suppliers.at(index); }
    HttpClient client(std::size_t index = 0) const { return supplier(index).anotherClient(); }

    /// The body of a POST /products that is in order.
    Json product(const std::string& name) const;
    /// Live products of that name, of whatever supplier.
    std::int64_t productsNamed(const std::string& name);

private:
    std::vector<SupplierClient> _suppliers;
};

/// A database server of its own that can fail, and suppliers on it.
class FaultFixture : private FaultyDatabase, public SuppliersFixture {
public:
    explicit FaultFixture(const FaultOptions& options = {});

    PrivateMariaDb& mariaDb() { return FaultyDatabase::mariaDb; }
    MysqlProxy& proxy() { return *FaultyDatabase::proxy; }
};

/// A transaction of the test's own that holds the lock of a supplier's catalog until the object goes.
class CatalogLock {
public:
    CatalogLock(TestDatabase& database, std::int64_t supplierId);
    ~CatalogLock();
    CatalogLock(const CatalogLock&) = delete;
    CatalogLock& operator=(const CatalogLock&) = delete;

private:
    st_mysql* _connection;
};

} // namespace supplierd::tests
