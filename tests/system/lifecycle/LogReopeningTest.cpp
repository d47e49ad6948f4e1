#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <signal.h>

#include <filesystem>
#include <string>

namespace supplierd::tests {

/// SIGUSR1: the log files are opened anew, so that logrotate can move them.
class LogReopeningTest : public CppUnit::TestFixture {
protected:
    static std::string logConfiguration(const std::filesystem::path& folder) {
        return "[log]\naccess_log = \"" + (folder / "access.log").string() + "\"\nfile = \"" +
               (folder / "server.log").string() + "\"\n";
    }
    static bool contains(const std::filesystem::path& file, const std::string& text) {
        return readWholeFile(file).find(text) != std::string::npos;
    }
};

TEST(LogReopeningTest, signalOpensBothLogsAnew) {
    const TemporaryDirectory logs("logs");
    TestDatabase database;
    ServerProcess server(database, probed(logConfiguration(logs.path())));
    auto client = server.client();
    client.get("/x", {{"X-Request-Id", "before"}});
    waitFor("the line before", [&] { return contains(logs / "access.log", "before"); });
    std::filesystem::rename(logs / "access.log", logs / "access.log.1");
    std::filesystem::rename(logs / "server.log", logs / "server.log.1");
    server.process().signal(SIGUSR1);
    waitFor("new log files", [&] {
        return std::filesystem::exists(logs / "access.log") && std::filesystem::exists(logs / "server.log");
    });
    client.get("/x", {{"X-Request-Id", "after"}});
    waitFor("the line after", [&] { return contains(logs / "access.log", "after"); });
    CPPUNIT_ASSERT(!contains(logs / "access.log.1", "after"));
    CPPUNIT_ASSERT_EQUAL(0, server.stop());
    CPPUNIT_ASSERT(contains(logs / "server.log.1", "serving"));
    CPPUNIT_ASSERT(contains(logs / "server.log", "stopped"));
}

TEST(LogReopeningTest, signalWithoutTheFolderKeepsTheServerRunning) {
    const TemporaryDirectory directory("logs");
    std::filesystem::create_directory(directory / "logs");
    TestDatabase database;
    ServerProcess server(database, probed(logConfiguration(directory / "logs")));
    std::filesystem::rename(directory / "logs", directory / "moved");
    server.process().signal(SIGUSR1);
    waitFor("the complaint", [&] { return contains(directory / "moved/server.log", "cannot open the log file"); });
    requireStatus(404, server.rootClient().get("/x"));
    CPPUNIT_ASSERT_EQUAL(0, server.stop());
}

TEST(LogReopeningTest, signalCutsNoRequestOff) {
    auto client = newClient();
    for (int i = 0; i < 20; ++i) {
        fixture().server().process().signal(SIGUSR1);
        requireStatus(200, client.get("/test/whoami"));
    }
}

} // namespace supplierd::tests
