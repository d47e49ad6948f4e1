#pragma once

#include "tests/support/Concurrency.h"
#include "tests/support/ServerProcess.h"

#include <string>
#include <vector>

namespace supplierd::tests {

/// A server with the plugin 'operated' (OperatedPlugin.cpp).
class OperatedServer {
public:
    explicit OperatedServer(std::string configuration = {}, std::vector<std::string> plugins = {});

    ServerProcess& server() { return _server; }
    TestDatabase& database() { return _database; }
    /// A client of the plugin's public routes.
    HttpClient client() const;
    /// supplierctl on this server's configuration.
    CommandResult run(std::vector<std::string> arguments) const;
    /// With --json; fails the test unless the exit code is `exitCode`.
    Json runJson(std::vector<std::string> arguments, int exitCode = 0) const;
    /// A row of `supplierctl job list`.
    Json job(const std::string& name) const;
    std::int64_t runsOf(const std::string& job);

private:
    TestDatabase _database;
    ServerProcess _server;
};

/// A second server of the same database.
ServerOptions operatedOptions(std::string configuration = {}, std::vector<std::string> plugins = {});

} // namespace supplierd::tests
