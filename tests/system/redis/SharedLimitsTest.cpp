#include "tests/support/Control.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"
#include "tests/system/fixtures/ServerLogs.h"
#include "tests/system/redis/ServersOfRedis.h"

#include <iostream>
#include <memory>
#include <string>
#include <thread>

namespace supplierd::tests {

using namespace std::chrono_literals;

namespace {

/// That a busy machine does not reach.
constexpr const char* PATIENT = "time_limit = \"1s\"\n";

} // namespace

/// Rate limits of servers that share a Redis.
class SharedLimitsTest : public CppUnit::TestFixture {
protected:
    static std::string statusOf(const ServerProcess& server) { return runControl(server, {"status"}).output; }
    static void requireAtMost(int times, const Taken& taken) {
        for (const auto& [status, count] : taken.others)
            CPPUNIT_FAIL(std::to_string(count) + " responses with " + std::to_string(status));
        CPPUNIT_ASSERT(taken.allowed >= 1'000 && taken.allowed <= times * 1'000);
        CPPUNIT_ASSERT(taken.refused > 0);
    }
};

TEST(SharedLimitsTest, keyGetsExactlyItsLimitFromAllServersTogether) {
    ServersOfRedis servers(PATIENT);
    const auto taken = take(servers, servers.newKey(), 150, 500, [&] { servers.redis().run({"SCRIPT", "FLUSH"}); });
    CPPUNIT_ASSERT_EQUAL(1'000, taken.allowed);
    CPPUNIT_ASSERT_EQUAL(200, taken.refused);
    CPPUNIT_ASSERT_EQUAL(0.0, servers.sum("supplierd_redis_calls_total{result=\"failed\"}"));
    CPPUNIT_ASSERT(servers.sum("supplierd_redis_seconds_count") >= 1'200);
    requireRateLimitHeaders(servers.server(1).client(servers.newKey()).get("/test/whoami"));
}

TEST(SharedLimitsTest, noRequestFailsWhenRedisIsKilled) {
    ServersOfRedis servers(PATIENT);
    const auto key = servers.newKey();
    const auto taken = take(servers, key, 450, 600, [&] { servers.redis().kill(); });
    requireAtMost(3, taken);
    std::cout << "  Redis killed in the middle: " << taken.allowed << " of a limit of 1000, by three servers\n";
    CPPUNIT_ASSERT_EQUAL(3.0, servers.sum("supplierd_redis_away"));
    CPPUNIT_ASSERT(servers.sum("supplierd_redis_calls_total{result=\"skipped\"}") > 0);
    for (int i = 0; i < ServersOfRedis::COUNT; ++i)
        logLine(servers.server(i), "Redis cannot be used");
    requireIn("away: this server counts rate limits by itself", statusOf(servers.server(0)));
    servers.redis().start();
    servers.awaitRedis();
    for (int i = 0; i < ServersOfRedis::COUNT; ++i) { // the count goes on
        logLine(servers.server(i), "Redis can be used again");
        requireStatus(429, servers.server(i).client(key).get("/test/whoami"));
    }
    requireIn("in use: rate limits are counted there", statusOf(servers.server(0)));
}

TEST(SharedLimitsTest, noRequestFailsWhenRedisHangs) {
    ServersOfRedis servers;
    const auto taken = take(servers, servers.newKey(), 450, 600, [&] { servers.redis().pause(); });
    requireAtMost(3, taken);
    std::cout << "  Redis hanging in the middle: " << taken.allowed << " of a limit of 1000, by three servers\n";
    servers.redis().resume();
    servers.awaitRedis();
}

TEST(SharedLimitsTest, failedAuthenticationsAreCountedTogether) {
    ServersOfRedis servers(PATIENT, "[auth]\nfailures_per_minute = 12\n");
    int unauthorized = 0;
    for (int i = 0; i < 24; ++i) {
        const auto response = servers.server(i).client("sk_aaaaaaaa_" + std::string(43, 'b')).get("/test/whoami");
        unauthorized += response.status == 401 ? 1 : 0;
        if (response.status != 401) {
            requireStatus(429, response);
            const auto seconds = std::stoi(response.header("Retry-After"));
            CPPUNIT_ASSERT(seconds > 0 && seconds <= 60);
        }
    }
    CPPUNIT_ASSERT_EQUAL(12, unauthorized);
    const auto key = servers.newKey(); // that no server knows yet: a good one is nobody's guess
    for (int i = 0; i < ServersOfRedis::COUNT; ++i)
        requireStatus(200, servers.server(i).client(key).get("/test/whoami"));
}

TEST(SharedLimitsTest, requestsWithoutAKeyAreCountedTogether) {
    ServersOfRedis servers(PATIENT, "[rate_limit]\npublic_per_minute = 9\n");
    for (int i = 0; i < 9; ++i)
        requireStatus(200, servers.server(i).rootClient().get("/test/public"));
    for (int i = 0; i < ServersOfRedis::COUNT; ++i)
        requireStatus(429, servers.server(i).rootClient().get("/test/public"));
}

TEST(SharedLimitsTest, windowOutlastsRedisAndTheServers) {
    ServersOfRedis servers(PATIENT);
    const auto key = servers.newKey({{"hourly_limit", "20"}});
    for (int i = 0; i < 6; ++i)
        requireStatus(200, servers.server(i).client(key).get("/test/whoami"));
    for (int i = 0; i < ServersOfRedis::COUNT; ++i)
        CPPUNIT_ASSERT_EQUAL(0, servers.server(i).stop()); // each leaves its count in the database
    servers.redis().kill();
    servers.redis().start();
    servers.server(1).start();
    const auto response = servers.server(1).client(key).get("/test/whoami");
    CPPUNIT_ASSERT_EQUAL(std::string("13"), response.header("X-RateLimit-Remaining"));
}

TEST(SharedLimitsTest, serversSayWhenTheyCountApart) {
    ServersOfRedis servers;
    auto options = probed();
    options.migrate = false;
    ServerProcess apart(servers.database(), options);
    logLine(apart, "another server runs on this database, and this one has no [redis]");
    CPPUNIT_ASSERT_EQUAL(std::string::npos, servers.server(0).log().find("another server"));
    const auto doctor = runControl(apart, {"doctor"});
    requireIn("without Redis", doctor.output);
    requireIn("with Redis " + servers.redis().socket(), doctor.output);
    auto elsewhere = probed(servers.redis().configuration("prefix = \"other:\"\n"));
    elsewhere.migrate = false;
    ServerProcess other(servers.database(), elsewhere);
    logLine(other, "its [redis] names another Redis, database or prefix");
    CPPUNIT_ASSERT_EQUAL(0, other.stop());
    waitFor("three other servers",
            [&] { return servers.database().integer("SELECT COUNT(*) FROM servers WHERE redis <> ''") == 3; });
    CPPUNIT_ASSERT_EQUAL(0, servers.server(2).stop());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, servers.database().integer("SELECT COUNT(*) FROM servers"));
}

TEST(SharedLimitsTest, checkAndDoctorSayWhatIsWrong) {
    const PrivateRedis redis({"--requirepass", "right"});
    TestDatabase database;
    auto options = probed(redis.configuration());
    options.environment = {{"SUPPLIERD_REDIS_PASSWORD", "wrong"}};
    ServerProcess server(database, options); // starts all the same
    logLine(server, "Redis does not take the password of the table [redis]: WRONGPASS");
    const auto run = [&](std::vector<std::string> arguments, const char* password) {
        return runCommand({.arguments = std::move(arguments), .environment = {{"SUPPLIERD_REDIS_PASSWORD", password}}});
    };
    const std::vector<std::string> check{ServerProcess::serverProgram(), "--config=" + server.configFile().string(),
                                         "--check-config"};
    const std::vector<std::string> doctor{ServerProcess::controlProgram(), "--config", server.configFile(), "doctor"};
    auto result = run(check, "wrong");
    CPPUNIT_ASSERT_EQUAL(0, result.exitCode);
    requireIn("cannot be used: Redis does not take the password of the table [redis]", result.errors);
    requireIn("Redis does not take the password of the table [redis]", run(doctor, "wrong").output);
    result = run(check, "right");
    CPPUNIT_ASSERT_EQUAL(std::string(), result.errors);
    requireIn(" answers in ", run(doctor, "right").output);
}

} // namespace supplierd::tests
