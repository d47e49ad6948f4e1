#pragma once

#include "tests/support/ServerProcess.h"
#include "tests/support/TestDatabase.h"

#include <cstdint>
#include <optional>
#include <string>

namespace supplierd::tests {

/// A database, a server on it, and a category of products. Tests add suppliers of their own (SupplierClient).
class ServerFixture {
public:
    /// `mariaDb`: a database server of the test's own, which must outlive this object.
    explicit ServerFixture(ServerOptions options = {}, PrivateMariaDb* mariaDb = nullptr);
    /// As ServerProcess::NotStarted, and without a category.
    ServerFixture(ServerProcess::NotStarted tag, ServerOptions options, PrivateMariaDb* mariaDb = nullptr);

    TestDatabase& database() { return _database; }
    ServerProcess& server() { return _server; }
    /// "Cut flowers"; 0 without the plugin of categories.
    std::int64_t category() const { return _category; }

    /// Fails when the change log has not one entry for each number of a supplier, or as requireChangeSeqs() does.
    void requireTrueNumbers();
    /// Fails when a product has a change_seq beyond its supplier's.
    void requireChangeSeqs(std::optional<std::int64_t> supplier = {});
    /// Fails when something of the orders in the database does not add up: totals that differ from a recount, amounts
    /// that are not the sum of their lines, a group whose history does not lead to its state.
    void requireSoundOrders();

private:
    TestDatabase _database;
    ServerProcess _server;
    std::int64_t _category = 0;
};

/// The one that all tests of a program share, with the plugins that its supplierd_add_test() names. A program that
/// needs other options defines this function itself.
ServerFixture& fixture();

/// Fails, showing the rows, when there are any.
void requireNoRows(TestDatabase& database, const std::string& message, const std::string& sql);

} // namespace supplierd::tests
