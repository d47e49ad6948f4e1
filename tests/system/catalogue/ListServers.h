#pragma once

#include "CommitLog.h"
#include "tests/support/HttpClient.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/TestDatabase.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

namespace supplierd::tests {

/// A greatest value that many threads raise.
class Highest {
public:
    void raise(std::int64_t value) {
        std::int64_t present = _value;
        while (present < value && !_value.compare_exchange_weak(present, value)) {
        }
    }
    std::int64_t get() const { return _value; }

private:
    std::atomic<std::int64_t> _value{0};
};

/// A supplier, and what of its products somebody has heard of. Thread: any.
struct ListedSupplier {
    std::int64_t id = 0;
    std::string key;
    Highest heardOf;

    std::int64_t anyProduct(std::mt19937& random) const;
    void add(std::int64_t product);
    void remove(std::int64_t product);
    std::size_t products() const;

private:
    mutable std::mutex _mutex;
    std::vector<std::int64_t> _products;
};

/// Two servers on one database, and suppliers with products: the first two with some hundred; the last with so many
/// that the second server, which has little memory, answers its lists from the database.
class ListServers {
public:
    static constexpr std::size_t SUPPLIERS = 3;

    ListServers();

    TestDatabase& database() { return _database; }
    CommitLog& log() { return *_log; }
    ServerProcess& server(std::size_t index) { return *_servers[index]; }
    ListedSupplier& supplier(std::size_t index) { return *_suppliers[index]; }
    const std::vector<std::int64_t>& categories() const { return _categories; }
    const std::string& operatorKey() const { return _operatorKey; }
    Highest& marketplaceHeardOf() { return _marketplaceHeardOf; }
    /// The present number, from the database.
    std::int64_t committed(std::int64_t supplierId);

    std::string url(std::size_t server) const;
    void killAndStart(std::size_t server);

private:
    void fill(ListedSupplier& supplier, int products, int nameLength);

    TestDatabase _database;
    std::array<std::unique_ptr<ServerProcess>, 2> _servers;
    mutable std::mutex _mutex;
    std::array<std::string, 2> _urls;
    std::vector<std::int64_t> _categories;
    std::string _operatorKey;
    std::vector<std::unique_ptr<ListedSupplier>> _suppliers;
    Highest _marketplaceHeardOf;
    std::unique_ptr<CommitLog> _log;
};

/// Connections of one thread to both servers, made anew when a server was killed.
class ServerConnections {
public:
    explicit ServerConnections(const ListServers& servers) : _servers(servers) {}

    HttpClient& to(std::size_t server, const std::string& key);
    /// After an error: the server may be another process now. Waits a moment.
    void forget(std::size_t server);

private:
    const ListServers& _servers;
    std::map<std::pair<std::size_t, std::string>, std::unique_ptr<HttpClient>> _clients;
};

} // namespace supplierd::tests
