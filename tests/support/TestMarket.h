#pragma once

#include "tests/support/HttpClient.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/TestDatabase.h"

#include <cstdint>
#include <string>

namespace supplierd::tests {

/// A database, a server on it and a category: what all tests of a program share, who make suppliers of their own.
class TestMarket {
public:
    explicit TestMarket(ServerOptions options, const std::string& category = "Cut flowers");

    TestDatabase& database() { return _database; }
    ServerProcess& server() { return _server; }
    std::int64_t category() const { return _category; }
    /// A client of the operators' API with that key.
    HttpClient platformClient(const std::string& key = {}) const;

private:
    TestDatabase _database;
    ServerProcess _server;
    std::int64_t _category;
};

/// The address of the operators' API of a server.
std::string platformUrl(const ServerProcess& server);

} // namespace supplierd::tests
