#pragma once

#include "tests/support/PrivateMariaDb.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/TestDatabase.h"
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

struct WorldOptions {
    int suppliers = 1;
    /// The server reaches its database through SupplierWorld::proxy().
    bool proxied = false;
    /// Further keys of the table [database], one per line.
    std::string database = {};
    /// idempotency.lease
    std::string lease = "60s";
    std::vector<std::filesystem::path> pluginFiles = {};
};

/// A database of its own, the server on it, and suppliers with their keys. What is started ends with the object.
class SupplierWorld {
public:
    struct Account {
        std::int64_t id = 0;
        std::string key;
    };

    explicit SupplierWorld(const WorldOptions& options = {});

    PrivateMariaDb& mariaDb() { return _mariaDb; }
    TestDatabase& database() { return _database; }
    MysqlProxy& proxy() { return *_proxy; }
    ServerProcess& server() { return _server; }

    const Account& account(std::size_t index = 0) const { return _accounts.at(index); }
    HttpClient client(std::size_t index = 0) const { return _server.client(account(index).key); }

    /// The body of a POST /products that is in order.
    nlohmann::json product(const std::string& name) const;
    /// A value of the server's metrics; 0 when it has none of that name (and labels).
    double metric(const std::string& name) const;
    /// Live products of that name, of whatever supplier.
    std::int64_t productsNamed(const std::string& name);
    /// Fails when the suppliers' numbers are not those of their products and of the change log.
    void requireTrueNumbers();

private:
    PrivateMariaDb _mariaDb;
    TestDatabase _database;
    std::unique_ptr<MysqlProxy> _proxy;
    ServerProcess _server;
    std::vector<Account> _accounts;
    std::int64_t _category = 0;
};

/// A transaction of the test's own that holds the lock of a supplier's catalogue until the object goes.
class CatalogueLock {
public:
    CatalogueLock(TestDatabase& database, std::int64_t supplierId);
    ~CatalogueLock();
    CatalogueLock(const CatalogueLock&) = delete;
    CatalogueLock& operator=(const CatalogueLock&) = delete;

private:
    st_mysql* _connection;
};

} // namespace supplierd::tests
