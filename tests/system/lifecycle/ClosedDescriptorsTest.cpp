#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <signal.h>

#include <filesystem>
#include <string>

namespace supplierd::tests {

using namespace std::chrono_literals;

/// Programs that are started with closed standard descriptors: nothing that they open later takes those numbers, where
/// a log line would go into it.
class ClosedDescriptorsTest : public CppUnit::TestFixture {
protected:
    static std::vector<std::string> closed(std::vector<std::string> command) {
        command.insert(command.begin(), {"sh", "-c", "exec \"$@\" <&- >&- 2>&-", "sh"});
        return command;
    }
};

TEST(ClosedDescriptorsTest, serverOpensNothingInTheirPlace) {
    TestDatabase database;
    ServerProcess server(ServerProcess::NotStarted{}, database, probed("[log]\naccess_log = \"-\"\n"));
    server.migrate();
    ChildProcess process({.arguments = closed({ServerProcess::serverProgram(), "--config", server.configFile()})});
    waitFor("a server that serves", [&] { return std::filesystem::exists(server.directory() / "address.json"); });
    const auto descriptors = std::filesystem::path("/proc") / std::to_string(process.pid()) / "fd";
    for (const char* number : {"0", "1", "2"})
        CPPUNIT_ASSERT_EQUAL(std::string("/dev/null"), std::filesystem::read_symlink(descriptors / number).string());
    process.signal(SIGTERM);
    CPPUNIT_ASSERT_EQUAL(0, process.waitFor(60s).value_or(-1));
}

TEST(ClosedDescriptorsTest, supplierctlWritesNowhere) {
    TestDatabase database;
    ServerProcess server(ServerProcess::NotStarted{}, database, probed());
    const auto result = runCommand(
        {.arguments = closed({ServerProcess::controlProgram(), "--config", server.configFile(), "migrate"})});
    CPPUNIT_ASSERT_EQUAL(0, result.exitCode);
    CPPUNIT_ASSERT(database.integer("SELECT COUNT(*) FROM schema_migrations") > 0);
}

TEST(ClosedDescriptorsTest, imageWorkerSaysThatItHasNoChannel) {
    const auto worker = ServerProcess::pluginFile("media").parent_path() / "media/supplierd-imageworker";
    CPPUNIT_ASSERT_EQUAL(2, runCommand({.arguments = closed({worker})}).exitCode);
}

} // namespace supplierd::tests
