#pragma once

#include "tests/support/PrivateRedis.h"
#include "tests/system/fixtures/ProbedServer.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

/// Three servers with the probe plugin, on one database and one Redis.
class ServersOfRedis {
public:
    static constexpr int COUNT = 3;

    /// `redis`: further lines of the table [redis]; `more`: further tables.
    explicit ServersOfRedis(const std::string& redis = {}, const std::string& more = {});

    ServerProcess& server(int i) { return *_servers.at(static_cast<std::size_t>(i) % _servers.size()); }
    PrivateRedis& redis() { return _redis; }
    TestDatabase& database() { return _database; }

    std::string newKey(const std::map<std::string, std::string>& columns = {});
    /// Until every server uses Redis.
    void awaitRedis();
    double sum(const std::string& metric);

private:
    PrivateRedis _redis;
    TestDatabase _database;
    std::vector<std::unique_ptr<ServerProcess>> _servers;
};

/// What eight clients got who used one key as fast as they could, each at all servers in turn.
struct Taken {
    int allowed = 0;
    int refused = 0;
    std::map<int, int> others; ///< by status
};

/// Each client sends so many requests. `meanwhile` runs once `after` of them all were answered.
Taken take(ServersOfRedis& servers, const std::string& key, int requestsEach, int after,
           const std::function<void()>& meanwhile);

} // namespace supplierd::tests
