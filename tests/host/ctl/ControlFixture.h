#pragma once

#include "tests/support/Json.h"
#include "tests/support/PrivateMariaDb.h"
#include "tests/support/ServerFixture.h"

#include <cppunit/TestFixture.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

/// Runs the built supplierctl as a process, with the configuration of a server that does not run.
class ControlFixture : public CppUnit::TestFixture {
public:
    void setUp() override {
        if (countsStatements())
            _mariaDb = std::make_unique<PrivateMariaDb>();
        _fixture = std::make_unique<ServerFixture>(ServerProcess::NotStarted{},
                                                   ServerOptions{.plugins = plugins(), .pluginFiles = pluginFiles()},
                                                   _mariaDb.get());
    }

protected:
    /// Those that are enabled.
    virtual std::vector<std::string> plugins() const { return {"categories", "catalog"}; }
    virtual std::vector<std::filesystem::path> pluginFiles() const { return {}; }
    /// Then the database server is its own: other programs execute statements on the common one.
    virtual bool countsStatements() const { return false; }

    CommandResult run(const std::vector<std::string>& arguments,
                      const std::map<std::string, std::string>& environment = {});
    /// With --json; fails the test unless the exit code is `exitCode`.
    Json runJson(std::vector<std::string> arguments, int exitCode = 0);
    /// Fails the test unless the exit code is 0; returns standard output.
    std::string runWell(const std::vector<std::string>& arguments);
    /// Fails the test unless the exit code is that; returns standard error.
    std::string runBadly(const std::vector<std::string>& arguments, int exitCode);

    /// The audit log, oldest first: "action object id supplier before after", one line each.
    std::string audited();
    /// Who supplierctl says it was.
    static std::string actor();

    std::filesystem::path configFile() const { return server().configFile(); }
    void writeExtraConfiguration(const std::string& text);

    TestDatabase& database() const { return _fixture->database(); }
    ServerProcess& server() const { return _fixture->server(); }

private:
    /// Between setUp() and tearDown() only: the fixtures of all tests exist before the first test runs.
    std::unique_ptr<PrivateMariaDb> _mariaDb;
    std::unique_ptr<ServerFixture> _fixture;
};

/// The same, on a database that is migrated.
class MigratedControlFixture : public ControlFixture {
public:
    void setUp() override {
        ControlFixture::setUp();
        server().migrate();
    }
};

/// The same, with the server running: commands that are rows beside operators' routes go there.
class ServedControlFixture : public MigratedControlFixture {
public:
    void setUp() override {
        MigratedControlFixture::setUp();
        server().start();
    }

protected:
    std::vector<std::string> plugins() const override { return {"categories", "catalog", "platform"}; }
};

} // namespace supplierd::tests
