#pragma once

#include "tests/support/HttpClient.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/TestDatabase.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace supplierd::tests {

/// The plugins of these tests beyond those that every server of a test has: `orders`, the routes of FeederPlugin, and
/// `inventory`, which changes the same stock.
std::vector<std::filesystem::path> orderPluginFiles();
/// A client of the operators' side of a server.
HttpClient operatorClient(const ServerProcess& server, const std::string& key);

/// One database and one server for all tests of this program; each test makes traders of its own.
class OrdersWorld {
public:
    static OrdersWorld& instance();

    TestDatabase& database() { return _database; }
    ServerProcess& server() { return _server; }
    std::int64_t category() const { return _category; }
    /// The platform, on a connection of its own.
    HttpClient platform() const { return operatorClient(_server, _operatorKey); }
    const std::string& operatorKey() const { return _operatorKey; }

    /// The body of an order that is in order, under a number of its own, with `changes` merged into it.
    nlohmann::json order(const nlohmann::json& items, const nlohmann::json& changes = nlohmann::json::object());
    /// `data.order` of what feeding it answers; fails unless that is 201.
    nlohmann::json feed(const nlohmann::json& items, const nlohmann::json& changes = nlohmann::json::object());

private:
    OrdersWorld();

    TestDatabase _database;
    ServerProcess _server;
    std::int64_t _category;
    std::string _operatorKey;
    int _orders = 0;
};

/// 422 with one detail for each of the given `field:code`, in any order, and no other. Returns the error.
nlohmann::json requireProblems(const HttpResponse& response, std::vector<std::string> problems);

/// Fails when something of the orders in the database does not add up: totals that differ from a recount, amounts that
/// are not the sum of their lines, a group whose history does not lead to its state.
void requireSoundOrders(TestDatabase& database);

} // namespace supplierd::tests
