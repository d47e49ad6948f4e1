#include "tests/support/PrivateRedis.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/RunningServer.h"
#include "tests/system/fixtures/ServerLogs.h"
#include "tests/system/restart/SocketHolder.h"

#include <signal.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;

namespace {

std::int64_t remaining(const HttpResponse& response) {
    return std::stoll(response.header("X-RateLimit-Remaining"));
}

/// Eight clients that use one key as fast as they get responses, and go on when they are refused.
class GreedyClients {
public:
    GreedyClients(const std::string& url, const std::string& key) {
        for (int i = 0; i < 8; ++i)
            _threads.emplace_back([this, url, key] { run(url, key); });
    }
    ~GreedyClients() { finish(); }
    GreedyClients(const GreedyClients&) = delete;
    GreedyClients& operator=(const GreedyClients&) = delete;

    int allowed() const { return _allowed; }
    int others() const { return _others; }
    void finish() {
        _stopping = true;
        for (auto& thread : _threads)
            if (thread.joinable())
                thread.join();
    }

private:
    void run(const std::string& url, const std::string& key) {
        HttpClient client(url, key);
        while (!_stopping) {
            try {
                const int status = client.get("/test/whoami").status;
                if (status == 200)
                    ++_allowed;
                else if (status != 429)
                    ++_others;
                std::this_thread::sleep_for(status == 200 ? 1ms : 20ms);
            } catch (const std::exception&) {
                ++_others;
            }
        }
    }

    std::atomic<int> _allowed{0};
    std::atomic<int> _others{0};
    std::atomic<bool> _stopping{false};
    std::vector<std::thread> _threads;
};

} // namespace

/// The rate limit's windows go on whichever process serves.
class RateLimitRestartTest : public CppUnit::TestFixture {
protected:
    void start(const std::string& configuration = {}) {
        _server = std::make_unique<ServerProcess>(_database, probed(configuration));
    }

    std::string newKey(int limit) {
        return _server->createKey(_server->createSupplier("Rozenhof"), {{"hourly_limit", std::to_string(limit)}});
    }

    /// One request, after which so many remain; gives the time of the reset.
    std::string use(const std::string& key, std::int64_t left) const {
        const auto response = _server->client(key).get("/test/whoami");
        requireStatus(200, response);
        CPPUNIT_ASSERT_EQUAL(left, remaining(response));
        return response.header("X-RateLimit-Reset");
    }

    template <class Restart>
    void assertExact(const std::string& url, const std::string& key, int limit, const Restart& restart) {
        constexpr int FIRST = 300;
        GreedyClients clients(url, key);
        waitFor("the first requests", [&] { return clients.allowed() >= FIRST; });
        restart();
        waitFor("the last requests", [&] { return clients.allowed() >= limit; });
        std::this_thread::sleep_for(2s); // time for one too many
        clients.finish();
        CPPUNIT_ASSERT_EQUAL(0, clients.others());
        CPPUNIT_ASSERT_EQUAL(limit, clients.allowed());
    }

    TestDatabase _database;
    std::unique_ptr<ServerProcess> _server;
};

TEST(RateLimitRestartTest, windowOutlastsARestart) {
    start();
    const auto key = newKey(10);
    const auto reset = use(key, 9);
    _server->restart();
    const auto after = use(key, 8);
    CPPUNIT_ASSERT(std::abs(std::stoll(reset) - std::stoll(after)) <= 2);
}

TEST(RateLimitRestartTest, windowOutlastsAHandOver) {
    start();
    const auto key = newKey(4);
    use(key, 3);
    RunningServer running(*_server);
    for (std::int64_t left = 2; left >= 0; --left) {
        running.handOver();
        use(key, left);
    }
    running.handOver();
    requireStatus(429, _server->client(key).get("/test/whoami"));
}

TEST(RateLimitRestartTest, killCostsTheLastSecondsOnly) {
    start();
    const auto key = newKey(10);
    use(key, 9);
    waitFor("a window that is saved", [&] {
        return _database.integer("SELECT COUNT(*) FROM rate_limit_windows WHERE used = 1 AND key_id > 0") == 1;
    });
    _server->kill();
    _server->start();
    use(key, 8);
}

TEST(RateLimitRestartTest, serversOnOneDatabaseAgree) {
    start();
    ServerProcess second(_database, probed());
    const auto key = newKey(1'000'000);
    for (int i = 0; i < 10; ++i) {
        requireStatus(200, _server->client(key).get("/test/whoami"));
        requireStatus(200, second.client(key).get("/test/whoami"));
    }
    std::int64_t counted = 20;
    for (auto* server : {_server.get(), &second})
        waitFor("all that was counted", [&] {
            const auto left = remaining(server->client(key).get("/test/whoami"));
            ++counted;
            std::this_thread::sleep_for(200ms);
            return left <= 1'000'000 - 20;
        });
    _server->stop();
    second.stop();
    CPPUNIT_ASSERT_EQUAL(counted, _database.integer("SELECT used FROM rate_limit_windows WHERE key_id > 0"));
}

TEST(RateLimitRestartTest, limitIsExactOverARestartUnderLoad) {
    const SocketHolder holder;
    _server = std::make_unique<ServerProcess>(ServerProcess::NotStarted{}, _database, probed());
    _server->migrate();
    auto running = std::make_unique<ChildProcess>(holder.command(*_server));
    for (const int limit : {305, 330, 600})
        assertExact(holder.url(), newKey(limit), limit, [&] {
            running->signal(SIGTERM);
            CPPUNIT_ASSERT_EQUAL(0, running->waitFor(60s).value_or(-1));
            running = std::make_unique<ChildProcess>(holder.command(*_server));
        });
    running->signal(SIGTERM);
    CPPUNIT_ASSERT_EQUAL(0, running->waitFor(60s).value_or(-1));
}

TEST(RateLimitRestartTest, limitIsExactOverAHandOverUnderLoad) {
    start();
    RunningServer running(*_server);
    for (const int limit : {305, 330, 600})
        assertExact(_server->url(), newKey(limit), limit, [&] { running.handOver(); });
}

TEST(RateLimitRestartTest, limitInRedisIsExactOverAHandOverUnderLoad) {
    const PrivateRedis redis;
    start(redis.configuration("time_limit = \"1s\"\n"));
    RunningServer running(*_server);
    assertExact(_server->url(), newKey(330), 330, [&] { running.handOver(); });
}

} // namespace supplierd::tests
