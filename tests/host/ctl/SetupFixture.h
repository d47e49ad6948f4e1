#pragma once

#include "tests/support/ChildProcess.h"
#include "tests/support/Json.h"
#include "tests/support/PrivateMariaDb.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/TestDatabase.h"

#include <cppunit/TestFixture.h>

#include <filesystem>
#include <string>
#include <vector>

namespace supplierd::tests {

/// A database server of the tests' own, where root needs no password, and a configuration that says nothing of a
/// database yet.
class SetupFixture : public CppUnit::TestFixture {
public:
    void setUp() override;

protected:
    /// The server, the same for all tests of the program.
    static PrivateMariaDb& mariaDb();
    /// A session of root's.
    TestDatabase& administrator() { return _administrator; }

    std::filesystem::path folder() const { return _folder.path(); }
    std::filesystem::path configFile() const { return folder() / "supplierd.toml"; }
    /// What setup writes.
    std::filesystem::path ownFile() const { return folder() / "conf.d/10-setup.toml"; }
    std::string ownText() const { return readWholeFile(ownFile()); }
    std::filesystem::path passwordFile() const { return folder() / "database-password"; }
    /// What the package installs, as far as a test needs it, before `more`.
    void writeConfiguration(const std::string& more = {});
    std::string configuration() const { return readWholeFile(configFile()); }
    std::string password() const;

    /// `supplierctl setup` on that server's socket with --yes, and with names of this test's own.
    std::vector<std::string> arguments(std::vector<std::string> more = {}) const;
    CommandResult run(const std::vector<std::string>& arguments) const;
    /// With --json; fails the test unless it ends with 0.
    Json setUpWell(const std::vector<std::string>& more = {}) const;
    /// Fails the test unless it ends so; standard error.
    std::string setUpBadly(int exitCode, const std::vector<std::string>& more = {}) const;
    /// The states of the steps of that name: "done", or "done already" when it was told twice.
    static std::string stateOf(const Json& report, const std::string& step);
    /// supplierctl with the configuration that setup wrote.
    void requireUsable() const;

    std::string database() const { return _name; }
    std::string user() const { return _name; }

private:
    std::string _name;
    TemporaryDirectory _folder{"setup"};
    TestDatabase _administrator{mariaDb()};
};

} // namespace supplierd::tests
