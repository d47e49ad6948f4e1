#pragma once

#include "tests/support/Answers.h"
#include "tests/support/TestMarket.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace supplierd::tests {

/// The plugins of these tests beyond those that every server of a test has: `orders`, and `inventory`,
/// which changes the same stock.
std::vector<std::filesystem::path> orderPluginFiles();
/// A client of the operators' side of a server.
HttpClient operatorClient(const ServerProcess& server, const std::string& key);

/// One server for all tests of this program; each test makes traders of its own.
class OrdersWorld : public TestMarket {
public:
    static OrdersWorld& instance();

    /// The platform, on a connection of its own.
    HttpClient platform() const { return platformClient(_operatorKey); }
    const std::string& operatorKey() const { return _operatorKey; }

    /// The body of an order that is in order, under a number of its own, with `changes` merged into it.
    nlohmann::json order(const nlohmann::json& items, const nlohmann::json& changes = nlohmann::json::object());
    /// `data.order` of what placing it answers; fails unless that is 201.
    nlohmann::json place(const nlohmann::json& items, const nlohmann::json& changes = nlohmann::json::object());

private:
    OrdersWorld();

    std::string _operatorKey;
    int _orders = 0;
};

/// Fails when something of the orders in the database does not add up: totals that differ from a recount, amounts that
/// are not the sum of their lines, a group whose history does not lead to its state.
void requireSoundOrders(TestDatabase& database);

} // namespace supplierd::tests
