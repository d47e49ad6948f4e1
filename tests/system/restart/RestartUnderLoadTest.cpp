#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/RunningServer.h"
#include "tests/system/fixtures/ServerLogs.h"
#include "tests/system/restart/KeepAliveLoad.h"
#include "tests/system/restart/SocketHolder.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

namespace supplierd::tests {

using namespace std::chrono_literals;

/// A restart under load refuses and drops no request. SUPPLIERD_TEST_RESTARTS and SUPPLIERD_TEST_RESTART_SECONDS make
/// it longer (tests/bench/run --restarts).
class RestartUnderLoadTest : public CppUnit::TestFixture {
protected:
    static int setting(const char* name, int preset) {
        const char* const given = std::getenv(name);
        return given ? std::atoi(given) : preset;
    }

    template <class Restart>
    void underLoad(const std::string& url, ServerProcess& server, const Restart& restart) {
        const int restarts = setting("SUPPLIERD_TEST_RESTARTS", 3);
        const auto between = std::chrono::milliseconds(setting("SUPPLIERD_TEST_RESTART_SECONDS", 0)) * 1000 / restarts;
        const auto key = server.createKey(server.createSupplier("Rozenhof"), {{"hourly_limit", "1000000000"}});
        KeepAliveLoad load(url, key, "/test/whoami", 16);
        for (int i = 0; i < restarts; ++i) {
            const auto next = std::chrono::steady_clock::now() + between;
            load.waitForMore(20);
            std::this_thread::sleep_until(next); // only in the long run
            restart();
        }
        load.waitForMore(20);
        load.finish();
        std::string all;
        for (const auto& failure : load.failures())
            all += failure + "\n";
        if (between > 0ms)
            std::cerr << "\n"
                      << restarts << " restarts: " << load.answered() << " responses, " << load.failures().size()
                      << " failed requests\n";
        CPPUNIT_ASSERT_EQUAL_MESSAGE(server.log(), std::string(), all);
    }

    TestDatabase _database;
};

TEST(RestartUnderLoadTest, restartWithASocketThatSomebodyHolds) {
    const SocketHolder holder;
    ServerProcess server(ServerProcess::NotStarted{}, _database, probed());
    server.migrate();
    auto running = std::make_unique<ChildProcess>(holder.command(server));
    underLoad(holder.url(), server, [&] {
        running->signal(SIGTERM);
        CPPUNIT_ASSERT_EQUAL(0, running->waitFor(60s).value_or(-1));
        running = std::make_unique<ChildProcess>(holder.command(server));
    });
    running->signal(SIGTERM);
    CPPUNIT_ASSERT_EQUAL(0, running->waitFor(60s).value_or(-1));
}

TEST(RestartUnderLoadTest, handOverToASuccessor) {
    ServerProcess server(_database, probed());
    RunningServer running(server);
    underLoad(server.url(), server, [&] { running.handOver(); });
}

} // namespace supplierd::tests
