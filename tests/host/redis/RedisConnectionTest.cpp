#include "host/redis/RedisConnection.h"

#include "host/redis/RedisProbe.h"
#include "tests/host/redis/FakeRedis.h"
#include "tests/support/PrivateRedis.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>

namespace supplierd::tests {

using namespace std::chrono_literals;
using host::RedisConnection;
using host::RedisError;
using host::RedisRefusal;
using host::RedisReply;

class RedisConnectionTest : public CppUnit::TestFixture {
protected:
    static RedisConnection::Clock::time_point soon() { return RedisConnection::Clock::now() + 10s; }
    static std::unique_ptr<RedisConnection> open(const host::RedisSettings& settings) {
        return std::make_unique<RedisConnection>(RedisConnection::addressOf(settings), settings, soon());
    }
    static std::string failureOf(const FakeRedis& fake, std::chrono::milliseconds limit = 100ms) {
        const auto settings = fake.settings();
        const auto connection = open(settings);
        try {
            connection->call(host::redisCommand({"ASK"}), RedisConnection::Clock::now() + limit);
        } catch (const RedisError& error) {
            return error.what();
        }
        return "an answer";
    }
};

TEST(RedisConnectionTest, repliesOfEachKindAreRead) {
    const PrivateRedis redis;
    host::RedisSettings settings;
    settings.socket = redis.socket();
    const auto connection = open(settings);
    const auto ask = [&](const std::vector<std::string>& words) {
        return connection->call(host::redisCommand(words), soon());
    };
    CPPUNIT_ASSERT(ask({"SET", "a b", "1\r\n2"}).kind == RedisReply::Kind::Text);
    CPPUNIT_ASSERT_EQUAL(std::string("1\r\n2"), ask({"GET", "a b"}).text);
    CPPUNIT_ASSERT(ask({"GET", "none"}).kind == RedisReply::Kind::Nothing);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{-2}, ask({"PTTL", "none"}).integer);
    CPPUNIT_ASSERT(ask({"NONSENSE"}).kind == RedisReply::Kind::Error);
    const auto list = ask({"EVAL", "return {1, 'two', {3}}", "0"});
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, list.items.size());
    CPPUNIT_ASSERT_EQUAL(std::string("two"), list.items[1].text);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, list.items[2].items.at(0).integer);
    CPPUNIT_ASSERT(connection->isQuiet());
}

TEST(RedisConnectionTest, passwordAndDatabaseOpenIt) {
    const PrivateRedis redis({"--requirepass", "pa ss;word"});
    host::RedisSettings settings;
    settings.socket = redis.socket();
    settings.password = "pa ss;word";
    settings.database = 3;
    CPPUNIT_ASSERT(open(settings)->call(host::redisCommand({"SET", "k", "v"}), soon()).text == "OK");
    CPPUNIT_ASSERT_EQUAL(std::string("v"), redis.run({"-a", "pa ss;word", "--no-auth-warning", "-n", "3", "GET", "k"}));
    settings.database = 99;
    CPPUNIT_ASSERT_THROW(open(settings), RedisRefusal);
}

TEST(RedisConnectionTest, wrongPasswordIsSaidToBeSo) {
    const PrivateRedis redis({"--requirepass", "right"});
    host::RedisSettings settings;
    settings.socket = redis.socket();
    settings.password = "wrong";
    const auto look = host::probeRedis(settings, 5s);
    requireIn("Redis does not take the password of the table [redis]: WRONGPASS", look.failure);
    CPPUNIT_ASSERT(look.failure.find("wrong") == std::string::npos ||
                   look.failure.find("\"wrong\"") == std::string::npos);
    settings.password = "right";
    CPPUNIT_ASSERT_EQUAL(std::string(), host::probeRedis(settings, 5s).failure);
}

TEST(RedisConnectionTest, missingPasswordIsSaidToBeSo) {
    const PrivateRedis redis({"--requirepass", "right"});
    host::RedisSettings settings;
    settings.socket = redis.socket();
    requireIn("NOAUTH", host::probeRedis(settings, 5s).failure);
}

TEST(RedisConnectionTest, userWhoMayDoTooLittleIsSaidToBeSo) {
    const PrivateRedis redis;
    redis.run({"ACL", "SETUSER", "supplierd", "on", ">secret", "~supplierd:*", "+@read", "+@write", "+@connection"});
    host::RedisSettings settings;
    settings.socket = redis.socket();
    settings.user = "supplierd";
    settings.password = "secret";
    requireIn("EVAL: Redis says: NOPERM", host::probeRedis(settings, 5s).failure);
    redis.run({"ACL", "SETUSER", "supplierd", "+@scripting"});
    CPPUNIT_ASSERT_EQUAL(std::string(), host::probeRedis(settings, 5s).failure);
    settings.prefix = "other:";
    requireIn("EVAL: Redis says: ", host::probeRedis(settings, 5s).failure);
}

TEST(RedisConnectionTest, silenceEndsAtTheDeadline) {
    FakeRedis fake([](const std::string&) { return ""; });
    CPPUNIT_ASSERT_EQUAL(std::string("no answer in time"), failureOf(fake));
}

TEST(RedisConnectionTest, bytesThatDripEndAtTheDeadline) {
    FakeRedis fake([](const std::string&) { return ":" + std::string(10'000, '1') + "\r\n"; });
    fake.drip(5ms);
    const auto begunAt = RedisConnection::Clock::now();
    CPPUNIT_ASSERT_EQUAL(std::string("no answer in time"), failureOf(fake));
    CPPUNIT_ASSERT(RedisConnection::Clock::now() - begunAt < 20s); // of 50
}

TEST(RedisConnectionTest, halfReplyIsNoReply) {
    for (const auto* half : {":12", ":12\r", "*2\r\n:1\r\n", "$5\r\nab", "*2\r\n:1\r\n:2", "$2\r\nab"}) {
        FakeRedis fake([half](const std::string&) { return half; });
        CPPUNIT_ASSERT_EQUAL_MESSAGE(half, std::string("no answer in time"), failureOf(fake));
    }
}

TEST(RedisConnectionTest, nothingIsReadAfterAFailure) {
    FakeRedis fake([](const std::string& command) {
        if (command.find("FIRST") != std::string::npos)
            std::this_thread::sleep_for(150ms);
        return ":1\r\n";
    });
    const auto settings = fake.settings();
    const auto connection = open(settings);
    CPPUNIT_ASSERT_THROW(connection->call(host::redisCommand({"FIRST"}), RedisConnection::Clock::now() + 50ms),
                         RedisError);
    std::this_thread::sleep_for(200ms); // the late reply has come
    CPPUNIT_ASSERT(!connection->isQuiet());
    CPPUNIT_ASSERT_THROW(connection->call(host::redisCommand({"SECOND"}), soon()), RedisError);
}

TEST(RedisConnectionTest, garbageIsRefused) {
    const std::string nested(200, '*');
    for (const std::string& garbage :
         {std::string("HTTP/1.1 400 Bad Request\r\n\r\n"), std::string(":1\n:2\r\n"), std::string(":\r\n"),
          std::string(":1x\r\n"), std::string(":99999999999999999999\r\n"), std::string("$2147483647\r\nab"),
          std::string("$-2\r\n"), std::string("$2\r\nabcd"), std::string("*2147483647\r\n:1\r\n"),
          std::string("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n"), std::string("*-5\r\n"), std::string("\0\0\0\0", 4),
          "+" + std::string(100'000, 'x')}) {
        FakeRedis fake([&](const std::string&) { return garbage; });
        CPPUNIT_ASSERT_EQUAL_MESSAGE(garbage.substr(0, 40),
                                     std::string("what answers there does not speak Redis' protocol"),
                                     failureOf(fake, 10s));
    }
}

TEST(RedisConnectionTest, lateReplyIsNoticed) {
    FakeRedis fake([](const std::string&) { return ":1\r\n:2\r\n"; });
    const auto settings = fake.settings();
    const auto connection = open(settings);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, connection->call(host::redisCommand({"ONE"}), soon()).integer);
    CPPUNIT_ASSERT(!connection->isQuiet()); // one that nobody asked for
}

TEST(RedisConnectionTest, nobodyThereIsAnError) {
    auto settings = std::make_unique<FakeRedis>([](const std::string&) { return ""; })->settings();
    CPPUNIT_ASSERT_THROW(open(settings), RedisError);
    settings.host = "no-such-host.invalid";
    CPPUNIT_ASSERT_THROW(open(settings), RedisError);
    settings.socket = "/nowhere/redis.sock";
    CPPUNIT_ASSERT_THROW(open(settings), RedisError);
}

} // namespace supplierd::tests
