#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <signal.h>

#include <filesystem>
#include <string>

namespace supplierd::tests {

/// A log that cannot be written costs its lines and nothing else, and the other log tells of it.
class LogFailureTest : public CppUnit::TestFixture {
protected:
    TemporaryDirectory _directory{"logs"};
};

TEST(LogFailureTest, serversLogTellsOfTheAccessLog) {
    const auto target = _directory / "access.log";
    std::filesystem::create_symlink("/dev/full", target);
    TestDatabase database;
    ServerProcess server(database, probed("[log]\naccess_log = \"" + target.string() + "\"\n"));
    auto client = server.client(server.createKey(server.createSupplier("Rozenhof")));
    for (int i = 0; i < 3; ++i)
        requireStatus(200, client.get("/test/whoami"));
    const auto lost = Json::parse(logLine(server, "lines of the access log are being lost"));
    CPPUNIT_ASSERT_EQUAL(std::string("No space left on device"), lost.at("reason").get<std::string>());
    waitFor("lines that are counted", [&] {
        return server.adminClient().get("/metrics").body.find("\nsupplierd_log_lines_dropped_total 3\n") !=
               std::string::npos;
    });
    std::filesystem::remove(target);
    server.process().signal(SIGUSR1);
    waitFor("a file that is there again", [&] { return std::filesystem::exists(target); });
    requireStatus(200, client.get("/test/whoami"));
    const auto over = Json::parse(logLine(server, "the access log is written again"));
    CPPUNIT_ASSERT_EQUAL(3, over.at("lines_lost").get<int>());
    CPPUNIT_ASSERT_EQUAL(0, server.stop());
}

TEST(LogFailureTest, accessLogTellsOfTheServersLog) {
    TestDatabase database;
    ServerProcess server(database, probed("[log]\nfile = \"/dev/full\"\n"));
    waitFor("the access log's line", [&] {
        return readWholeFile(server.accessLogFile()).find("lines of the server's log are being lost") !=
               std::string::npos;
    });
    CPPUNIT_ASSERT_EQUAL(0, server.stop());
}

} // namespace supplierd::tests
