#include "host/redis/RedisClient.h"

#include "tests/host/redis/FakeRedis.h"
#include "tests/host/redis/RedisUser.h"
#include "tests/support/Concurrency.h"
#include "tests/support/PrivateRedis.h"
#include "tests/support/Test.h"

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

namespace supplierd::tests {

using namespace std::chrono_literals;
using host::RedisResponse;
using Outcome = host::RedisResponse::Outcome;

class RedisClientTest : public CppUnit::TestFixture {
protected:
    /// It answers PING all the time, so the log must not say again and again that it is well.
    static void requireAwayUntil(RedisUser& user, const std::string& reason, const std::function<void()>& mend) {
        const host::RedisScript script("return redis.call('INCR', KEYS[1])");
        for (int i = 0; i < host::CircuitBreaker::FAILURES; ++i)
            CPPUNIT_ASSERT(user.client().evaluate(script, "k", {}).outcome == Outcome::NotAsked);
        std::this_thread::sleep_for(host::CircuitBreaker::FIRST_PAUSE * 2); // the first probe
        CPPUNIT_ASSERT(user.client().isAway());
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, user.log.lines().size());
        CPPUNIT_ASSERT_MESSAGE(user.log.lines()[0].fields.at("reason"),
                               user.log.lines()[0].fields.at("reason").find(reason) != std::string::npos);
        mend();
        user.awaitBack();
        CPPUNIT_ASSERT(user.client().evaluate(script, "k", {}).outcome == Outcome::Answered);
    }

    /// What Redis says to these: PONG to "PING", and its word to each "ECHO".
    static std::string replies(const std::string& commands) {
        std::string said;
        for (std::size_t at = 0; (at = commands.find('*', at)) != std::string::npos; ++at) {
            const auto end = commands.find('*', at + 1);
            const auto command = commands.substr(at, end == std::string::npos ? end : end - at);
            const auto word = command.rfind("\r\n", command.size() - 3) + 2;
            said += command.find("PING") != std::string::npos ? "+PONG\r\n" : "+" + command.substr(word);
        }
        return said;
    }

    static void requireAnswer(const std::string& text, const RedisResponse& answer) {
        CPPUNIT_ASSERT(answer.outcome == Outcome::Answered);
        CPPUNIT_ASSERT_EQUAL(text, answer.reply.text);
    }
};

TEST(RedisClientTest, connectionIsUsedAgain) {
    FakeRedis fake([](const std::string&) { return "+PONG\r\n"; });
    RedisUser user(patient(fake.settings()));
    for (int i = 0; i < 20; ++i)
        requireAnswer("PONG", user.client().call(host::redisCommand({"PING"})));
    CPPUNIT_ASSERT_EQUAL(1, fake.connections());
    CPPUNIT_ASSERT_EQUAL(20.0, user.metric("supplierd_redis_calls_total{result=\"answered\"}"));
    CPPUNIT_ASSERT_EQUAL(20.0, user.metric("supplierd_redis_seconds_count"));
}

TEST(RedisClientTest, threadsGetTheirOwnAnswers) {
    const PrivateRedis redis;
    auto settings = patient(settingsOf(redis));
    settings.poolSize = 3;
    RedisUser user(settings);
    together(8, [&](int thread) {
        for (int i = 0; i < 200; ++i) {
            const auto text = std::to_string(thread) + " " + std::to_string(i);
            requireAnswer(text, user.client().call(host::redisCommand({"ECHO", text})));
        }
    });
}

TEST(RedisClientTest, callsOfTheSameMomentShareARoundTrip) {
    FakeRedis fake([](const std::string& commands) {
        std::this_thread::sleep_for(5ms); // meanwhile the others come
        return replies(commands);
    });
    RedisUser user(patient(fake.settings()));
    together(8, [&](int thread) {
        for (int i = 0; i < 20; ++i) {
            const auto text = std::to_string(thread) + " " + std::to_string(i);
            requireAnswer(text, user.client().call(host::redisCommand({"ECHO", text})));
        }
    });
    CPPUNIT_ASSERT_EQUAL(160.0, user.metric("supplierd_redis_calls_total{result=\"answered\"}"));
    const auto trips = user.metric("supplierd_redis_round_trips_total");
    CPPUNIT_ASSERT_MESSAGE(std::to_string(trips), trips >= 20 && trips <= 80);
    CPPUNIT_ASSERT_EQUAL(1, fake.connections());
}

TEST(RedisClientTest, roundTripThatTakesLongHoldsNobodyUp) {
    std::atomic<bool> isOtherAnswered{false};
    FakeRedis fake([&](const std::string& commands) {
        while (commands.find("first") != std::string::npos && !isOtherAnswered)
            std::this_thread::sleep_for(1ms);
        return replies(commands);
    });
    auto settings = fake.settings();
    settings.timeLimit = 2s;
    RedisUser user(settings);
    together({[&] {
                  requireAnswer("first", user.client().call(host::redisCommand({"ECHO", "first"})));
              },
              [&] {
                  awaitThat("the first is under way",
                            [&] { return user.metric("supplierd_redis_round_trips_total") == 1; });
                  requireAnswer("other", user.client().call(host::redisCommand({"ECHO", "other"})));
                  isOtherAnswered = true;
              }});
    CPPUNIT_ASSERT_EQUAL(2, fake.connections());
}

TEST(RedisClientTest, oneRoundTripThatFailsIsOneFailure) {
    std::atomic<bool> isSilent{true};
    FakeRedis fake([&](const std::string& commands) {
        return isSilent && commands.find("ECHO") != std::string::npos ? std::string() : replies(commands);
    });
    auto settings = fake.settings();
    settings.timeLimit = 1s;
    settings.poolSize = 1;
    RedisUser user(settings);
    together(8, [&](int /*thread*/) {
        const auto answer = user.client().call(host::redisCommand({"ECHO", "text"}));
        CPPUNIT_ASSERT(answer.outcome != Outcome::Answered);
    });
    CPPUNIT_ASSERT_EQUAL(8.0, user.metric("supplierd_redis_calls_total{result=\"failed\"}") +
                                  user.metric("supplierd_redis_calls_total{result=\"busy\"}"));
    CPPUNIT_ASSERT(!user.client().isAway());
    isSilent = false;
    requireAnswer("text", user.client().call(host::redisCommand({"ECHO", "text"})));
}

TEST(RedisClientTest, scriptThatRedisForgotIsSentAnew) {
    const PrivateRedis redis;
    RedisUser user(patient(settingsOf(redis)));
    const host::RedisScript script("return {KEYS[1], ARGV[1]}");
    for (int i = 0; i < 3; ++i) {
        const auto answer = user.client().evaluate(script, "k", std::array{std::to_string(i)});
        CPPUNIT_ASSERT(answer.outcome == Outcome::Answered);
        CPPUNIT_ASSERT_EQUAL(std::to_string(i), answer.reply.items.at(1).text);
        redis.run({"SCRIPT", "FLUSH"});
    }
    CPPUNIT_ASSERT_EQUAL(0.0, user.metric("supplierd_redis_calls_total{result=\"failed\"}"));
}

TEST(RedisClientTest, redisThatIsAwayAtTheStartIsFoundLater) {
    PrivateRedis redis;
    redis.kill();
    RedisUser user(patient(settingsOf(redis)));
    CPPUNIT_ASSERT(user.client().isAway());
    CPPUNIT_ASSERT(user.client().call(host::redisCommand({"PING"})).outcome == Outcome::NotAsked);
    CPPUNIT_ASSERT_EQUAL(1.0, user.metric("supplierd_redis_away"));
    redis.start();
    user.awaitBack();
    requireAnswer("PONG", user.client().call(host::redisCommand({"PING"})));
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, user.log.lines().size());
}

TEST(RedisClientTest, redisThatHangsIsLeftAloneUntilItAnswers) {
    PrivateRedis redis;
    auto settings = settingsOf(redis);
    settings.timeLimit = 200ms;
    RedisUser user(settings);
    redis.pause();
    int asked = 0;
    for (; !user.client().isAway(); ++asked)
        CPPUNIT_ASSERT(user.client().call(host::redisCommand({"PING"})).outcome == Outcome::Unanswered);
    CPPUNIT_ASSERT_EQUAL(host::CircuitBreaker::FAILURES, asked);
    for (int i = 0; i < 1'000; ++i)
        CPPUNIT_ASSERT(user.client().call(host::redisCommand({"PING"})).outcome == Outcome::NotAsked);
    CPPUNIT_ASSERT_EQUAL(1'000.0, user.metric("supplierd_redis_calls_total{result=\"skipped\"}"));
    redis.resume();
    user.awaitBack();
    requireAnswer("PONG", user.client().call(host::redisCommand({"PING"})));
    CPPUNIT_ASSERT_EQUAL_MESSAGE("a line when it begins, and one when it ends", std::size_t{2},
                                 user.log.lines().size());
    CPPUNIT_ASSERT(user.log.lines()[0].message.starts_with("Redis cannot be used"));
    CPPUNIT_ASSERT(user.log.lines()[1].message.starts_with("Redis can be used again"));
}

TEST(RedisClientTest, redisThatGoesIsNoticedWithoutARequest) {
    PrivateRedis redis;
    RedisUser user(patient(settingsOf(redis)));
    redis.kill();
    awaitThat("it is noticed", [&] { return user.client().isAway(); });
    redis.start();
    user.awaitBack();
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, user.log.lines().size());
}

TEST(RedisClientTest, redisThatCameBackAtOnceIsNotMissed) {
    PrivateRedis redis;
    RedisUser user(patient(settingsOf(redis)));
    for (int i = 0; i < 3; ++i) {
        requireAnswer("PONG", user.client().call(host::redisCommand({"PING"})));
        redis.kill();
        redis.start();
    }
    CPPUNIT_ASSERT_EQUAL(0.0, user.metric("supplierd_redis_calls_total{result=\"failed\"}"));
}

TEST(RedisClientTest, lateAnswersReachNobody) {
    std::atomic<int> asked{0};
    FakeRedis fake([&](const std::string& command) {
        if (command.find("ECHO") == std::string::npos)
            return std::string("+PONG\r\n");
        if (++asked % 2 == 1)
            std::this_thread::sleep_for(300ms);
        const auto end = command.rfind("\r\n");
        return "+" + command.substr(command.rfind("\r\n", end - 1) + 2, end) + "\n";
    });
    auto settings = fake.settings();
    settings.timeLimit = 150ms;
    RedisUser user(settings);
    for (int i = 0; i < 6; ++i) {
        const auto text = "text " + std::to_string(i);
        const auto answer = user.client().call(host::redisCommand({"ECHO", text}));
        if (answer.outcome == Outcome::Answered)
            CPPUNIT_ASSERT_EQUAL(text, answer.reply.text);
        std::this_thread::sleep_for(200ms); // the late one has come
    }
    CPPUNIT_ASSERT(user.metric("supplierd_redis_calls_total{result=\"failed\"}") >= 2);
    CPPUNIT_ASSERT(user.metric("supplierd_redis_calls_total{result=\"answered\"}") >= 2);
}

TEST(RedisClientTest, refusalsCountAsFailures) {
    const PrivateRedis redis;
    RedisUser user(patient(settingsOf(redis)));
    for (int i = 0; i < host::CircuitBreaker::FAILURES; ++i)
        CPPUNIT_ASSERT(user.client().call(host::redisCommand({"NONSENSE"})).outcome == Outcome::NotAsked);
    CPPUNIT_ASSERT_EQUAL(double{host::CircuitBreaker::FAILURES},
                         user.metric("supplierd_redis_calls_total{result=\"failed\"}"));
    CPPUNIT_ASSERT(user.log.lines().at(0).fields.at("reason").find("unknown command") != std::string::npos);
}

TEST(RedisClientTest, replicaIsNotTakenForWell) {
    const PrivateRedis redis;
    RedisUser user(patient(settingsOf(redis)));
    redis.run({"REPLICAOF", "127.0.0.1", "1"});
    requireAwayUntil(user, "READONLY", [&] { redis.run({"REPLICAOF", "NO", "ONE"}); });
}

TEST(RedisClientTest, fullRedisIsNotTakenForWell) {
    const PrivateRedis redis;
    RedisUser user(patient(settingsOf(redis)));
    redis.run({"CONFIG", "SET", "maxmemory", "1"});
    requireAwayUntil(user, "OOM", [&] { redis.run({"CONFIG", "SET", "maxmemory", "0"}); });
}

TEST(RedisClientTest, clusterIsNamed) {
    FakeRedis fake([](const std::string& command) {
        return std::string(command.find("PING") != std::string::npos ? "+PONG\r\n" : "-MOVED 1234 127.0.0.1:7001\r\n");
    });
    const RedisUser user(patient(fake.settings()));
    CPPUNIT_ASSERT(user.log.lines().at(0).fields.at("reason").find("a Redis Cluster cannot be used") !=
                   std::string::npos);
}

} // namespace supplierd::tests
