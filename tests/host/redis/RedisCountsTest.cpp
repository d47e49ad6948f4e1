#include "host/auth/AddressLimiter.h"
#include "host/redis/RedisRateLimiter.h"
#include "tests/host/redis/RedisUser.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Json.h"
#include "tests/support/PrivateRedis.h"
#include "tests/support/Test.h"

#include <supplierd/testing/FakeDatabase.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;
using host::AddressLimiter;

namespace {

constexpr std::int64_t KEY = 7;
constexpr const char* WINDOW_OF_KEY = "supplierd:key:7";

/// A host as far as its limits go.
struct CountingHost {
    explicit CountingHost(const host::RedisSettings& settings) : user(settings), counts(user.client()) {
        addresses.share(&counts, "failures");
    }
    std::int64_t use(std::int64_t limit) { return rates.count(KEY, limit).remaining; }
    /// Saves, and returns the rows that were written: the key, the window, its age and the requests.
    Json save() {
        testing::FakeDatabase database;
        database.whenExecute("INSERT INTO rate_limit_windows").thenAffects(1);
        rates.save(database);
        return database.statements().empty() ? Json::array()
                                             : Json::parse(database.statements()[0].parameters.at(0).text());
    }
    void merge(std::int64_t windowId, std::chrono::seconds age, std::int64_t used) {
        rates.merge(KEY, {windowId, age, used, std::chrono::steady_clock::now()});
    }

    RedisUser user;
    host::RedisCounts counts;
    host::RedisRateLimiter rates{counts};
    AddressLimiter addresses{60};
};

} // namespace

/// The limiters over SharedCounts in a real Redis.
class RedisCountsTest : public CppUnit::TestFixture {
public:
    void setUp() override { build(5s); }

protected:
    CountingHost& at(int i) { return *_hosts[static_cast<std::size_t>(i) % _hosts.size()]; }
    void build(std::chrono::milliseconds timeLimit) {
        auto settings = settingsOf(_redis);
        settings.timeLimit = timeLimit;
        _hosts.clear();
        for (int i = 0; i < 3; ++i)
            _hosts.push_back(std::make_unique<CountingHost>(settings));
    }
    void hang() {
        _redis.pause();
        together(3, [&](int i) {
            while (at(i).counts.isAvailable())
                at(i).user.client().call(host::redisCommand({"PING"}));
        });
    }
    void awaitBack() {
        for (auto& host : _hosts)
            host->user.awaitBack();
    }

    PrivateRedis _redis;
    std::vector<std::unique_ptr<CountingHost>> _hosts;
};

TEST(RedisCountsTest, hostsTogetherGetExactlyTheLimit) {
    std::atomic<int> allowed{0};
    together(8, [&](int thread) {
        for (int i = 0; i < 300; ++i)
            allowed += at(thread + i).rates.count(KEY, 1'000).allowed ? 1 : 0;
    });
    CPPUNIT_ASSERT_EQUAL(1'000, allowed.load());
    CPPUNIT_ASSERT_EQUAL(std::string("1000"), _redis.run({"GET", WINDOW_OF_KEY}));
    for (auto& host : _hosts)
        CPPUNIT_ASSERT_EQUAL(0.0, host->user.metric("supplierd_redis_calls_total{result=\"failed\"}"));
}

TEST(RedisCountsTest, headersAreAsThoseOfOneServer) {
    const auto first = at(0).rates.count(KEY, 3);
    const auto now = host::RateLimitMoment::now().unixSeconds;
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, first.limit);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, first.remaining);
    CPPUNIT_ASSERT(std::abs(first.resetAt - now - 3'600) <= 1);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, at(1).use(3));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, at(2).use(3));
    const auto refused = at(0).rates.count(KEY, 3);
    CPPUNIT_ASSERT(!refused.allowed);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, refused.remaining);
    CPPUNIT_ASSERT(refused.secondsLeft > 0 && refused.secondsLeft <= 3'600);
    CPPUNIT_ASSERT(std::abs(first.resetAt - refused.resetAt) <= 1);
    const auto raised = at(1).rates.count(KEY, 10);
    CPPUNIT_ASSERT(raised.allowed);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{6}, raised.remaining);
}

TEST(RedisCountsTest, refusedRequestsNeitherCountNorExtendTheWindow) {
    at(0).use(1);
    _redis.run({"PEXPIRE", WINDOW_OF_KEY, "100000"});
    for (int i = 0; i < 20; ++i)
        CPPUNIT_ASSERT(!at(i).rates.count(KEY, 1).allowed);
    CPPUNIT_ASSERT_EQUAL(std::string("1"), _redis.run({"GET", WINDOW_OF_KEY}));
    CPPUNIT_ASSERT(std::stoll(_redis.run({"PTTL", WINDOW_OF_KEY})) <= 100'000);
}

TEST(RedisCountsTest, newWindowBeginsWhenTheOldOneEnds) {
    at(0).use(1);
    CPPUNIT_ASSERT(!at(1).rates.count(KEY, 1).allowed);
    _redis.run({"PEXPIRE", WINDOW_OF_KEY, "60"});
    CPPUNIT_ASSERT(!at(0).rates.count(KEY, 1).allowed); // and learns of the end
    CPPUNIT_ASSERT(!at(1).rates.count(KEY, 1).allowed);
    std::this_thread::sleep_for(100ms);
    CPPUNIT_ASSERT(at(0).rates.count(KEY, 1).allowed);
    CPPUNIT_ASSERT(!at(1).rates.count(KEY, 1).allowed);
    CPPUNIT_ASSERT(std::stoll(_redis.run({"PTTL", WINDOW_OF_KEY})) > 3'500'000);
}

TEST(RedisCountsTest, peekingCountsNothing) {
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, at(0).rates.peek(KEY, 5).remaining);
    CPPUNIT_ASSERT_EQUAL(std::string(), _redis.run({"GET", WINDOW_OF_KEY}));
    at(1).use(5);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{4}, at(0).rates.peek(KEY, 5).remaining);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, at(0).use(5));
}

TEST(RedisCountsTest, keyWithoutAnEndGetsOne) {
    at(0).use(5);
    _redis.run({"PERSIST", WINDOW_OF_KEY});
    at(0).use(5);
    CPPUNIT_ASSERT(std::stoll(_redis.run({"PTTL", WINDOW_OF_KEY})) > 0);
    _redis.run({"PEXPIRE", WINDOW_OF_KEY, "99999999"}); // as if Redis' clock had been set back
    at(0).use(5);
    CPPUNIT_ASSERT(std::stoll(_redis.run({"PTTL", WINDOW_OF_KEY})) <= 3'600'000);
}

TEST(RedisCountsTest, windowThatRedisLostGoesOn) {
    for (int i = 0; i < 9; ++i)
        at(i).use(20);
    _redis.run({"PEXPIRE", WINDOW_OF_KEY, "1000000"});
    at(0).use(20);
    _redis.run({"FLUSHALL"});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{9}, at(0).use(20));
    CPPUNIT_ASSERT(std::stoll(_redis.run({"PTTL", WINDOW_OF_KEY})) <= 1'000'000);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{8}, at(1).use(20));
}

TEST(RedisCountsTest, windowOfTheDatabaseGoesOn) {
    at(0).merge(42, 600s, 7);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, at(0).use(10));
    CPPUNIT_ASSERT(std::stoll(_redis.run({"PTTL", WINDOW_OF_KEY})) <= 3'000'000);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, at(1).use(10));
    // What this host itself has counted, and no more, is what it adds to the database.
    CPPUNIT_ASSERT_EQUAL(1, at(1).save().at(0).at(3).get<int>());
}

TEST(RedisCountsTest, whatTheDatabaseKnowsBesideRedisIsReported) {
    at(0).use(10);
    at(0).merge(at(0).save().at(0).at(1), 1s, 4);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, at(0).use(10));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{4}, at(1).use(10));
    at(0).merge(at(0).save().at(0).at(1), 1s, 1); // Redis is ahead of the database
    _redis.run({"FLUSHALL"});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{4}, at(0).use(10));
}

TEST(RedisCountsTest, whatWasCountedMeanwhileIsReported) {
    build(200ms);
    at(0).use(100);
    at(1).use(100);
    hang();
    for (int i = 0; i < 10; ++i) {
        at(0).use(100);
        at(1).use(100);
    }
    _redis.resume();
    awaitBack();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{100 - 13}, at(0).use(100));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{100 - 24}, at(1).use(100));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{100 - 25}, at(0).use(100));
}

// Redis comes back empty, and the first host has read meanwhile what the second one saved.
TEST(RedisCountsTest, whatTheDatabaseKnowsOfOtherHostsIsNotCountedTwice) {
    for (int i = 0; i < 3; ++i)
        at(i % 2).use(100);
    _redis.kill();
    for (int i = 0; i < 20; ++i)
        at(i % 2).use(100);
    const auto saved = at(0).save().at(0);
    CPPUNIT_ASSERT_EQUAL(12, saved.at(3).get<int>());
    CPPUNIT_ASSERT_EQUAL(11, at(1).save().at(0).at(3).get<int>());
    at(0).merge(saved.at(1), 1s, 23);
    at(1).use(100); // is not in the database yet
    _redis.start();
    awaitBack();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{100 - 24}, at(0).use(100));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{100 - 26}, at(1).use(100));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{100 - 27}, at(0).use(100));
}

// The hosts save and read all the time, as servers do. What one has not read yet when Redis is back may be used again.
TEST(RedisCountsTest, keyGetsItsLimitOnceWhenRedisComesBackEmpty) {
    constexpr int BETWEEN = 60; ///< requests between two rounds of saving
    std::int64_t windowId = 0;
    std::int64_t used = 0;
    int allowed = 0;
    for (int i = 0; i < 1'500; ++i) {
        if (i == 430)
            _redis.kill();
        if (i == 710) {
            _redis.start();
            awaitBack();
        }
        allowed += at(i).rates.count(KEY, 1'000).allowed ? 1 : 0;
        if (i % BETWEEN == 0)
            for (auto& host : _hosts)
                for (const auto& row : host->save()) {
                    windowId = windowId == 0 ? row.at(1).get<std::int64_t>() : windowId;
                    used += row.at(3).get<std::int64_t>();
                }
        if (i % BETWEEN == BETWEEN / 2)
            for (auto& host : _hosts)
                host->merge(windowId, 1s, used);
    }
    CPPUNIT_ASSERT_MESSAGE(std::to_string(allowed), allowed >= 1'000 && allowed <= 1'000 + BETWEEN);
}

// It did not answer, and did count.
TEST(RedisCountsTest, requestWithoutAnAnswerIsNotCountedTwice) {
    build(200ms);
    at(0).use(100);
    _redis.pause();
    at(0).use(100);
    _redis.resume();
    awaitThat("the request is counted", [&] { return _redis.run({"GET", WINDOW_OF_KEY}) == "2"; });
    CPPUNIT_ASSERT_EQUAL(std::int64_t{100 - 3}, at(0).use(100));
}

TEST(RedisCountsTest, hostsWithoutRedisLetThroughAsManyTimesTheLimitAtMost) {
    for (int i = 0; i < 30; ++i)
        at(i).use(100);
    _redis.kill();
    int allowed = 30;
    for (int i = 0; i < 600; ++i)
        allowed += at(i).rates.count(KEY, 100).allowed ? 1 : 0;
    // Each goes on from what it knew.
    CPPUNIT_ASSERT(allowed >= 100 && allowed <= 30 + 3 * 72);
    _redis.start();
    awaitBack();
    for (int i = 0; i < 9; ++i)
        CPPUNIT_ASSERT(!at(i).rates.count(KEY, 100).allowed);
}

TEST(RedisCountsTest, scriptsThatAreFlushedCostNothing) {
    for (int i = 0; i < 12; ++i) {
        CPPUNIT_ASSERT_EQUAL(std::int64_t{99 - i}, at(i).use(100));
        _redis.run({"SCRIPT", "FLUSH"});
    }
}

TEST(RedisCountsTest, foreignValueIsReplaced) {
    const std::vector<std::vector<std::string>> values{
        {"LPUSH", WINDOW_OF_KEY, "x"},      {"HSET", WINDOW_OF_KEY, "a", "b"},
        {"SET", WINDOW_OF_KEY, "text"},     {"SET", WINDOW_OF_KEY, ""},
        {"SET", WINDOW_OF_KEY, "-1000000"}, {"SET", WINDOW_OF_KEY, "1.5"},
        {"SET", WINDOW_OF_KEY, "nan"},      {"SET", WINDOW_OF_KEY, "99999999999999999999"}};
    at(0).use(100);
    std::int64_t left = 99;
    for (const auto& value : values) {
        _redis.run({"DEL", WINDOW_OF_KEY});
        _redis.run(value);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(value.back(), --left, at(0).use(100)); // what this host knows
        CPPUNIT_ASSERT_EQUAL_MESSAGE(value.back(), --left, at(0).use(100));
    }
    CPPUNIT_ASSERT_EQUAL(--left, at(1).use(100)); // and the others learn it
    for (auto& host : _hosts)
        CPPUNIT_ASSERT_EQUAL(0.0, host->user.metric("supplierd_redis_calls_total{result=\"failed\"}"));
}

TEST(RedisCountsTest, addressesAreCountedTogether) {
    for (int i = 0; i < 60; ++i)
        CPPUNIT_ASSERT_EQUAL(0, at(i).addresses.take("192.0.2.1"));
    for (int i = 0; i < 3; ++i) {
        const int seconds = at(i).addresses.take("192.0.2.1");
        CPPUNIT_ASSERT(seconds > 0 && seconds <= 60);
        CPPUNIT_ASSERT_EQUAL(0, at(i).addresses.take("192.0.2.2"));
    }
    _redis.kill();
    for (int i = 0; i < 9; ++i)
        CPPUNIT_ASSERT(at(i).addresses.take("192.0.2.1") > 0); // they know
}

TEST(RedisCountsTest, addressesOfOneNetworkAreCountedTogether) {
    for (int i = 0; i < 60; ++i)
        CPPUNIT_ASSERT_EQUAL(0, at(i).addresses.take("2001:db8::" + std::to_string(i)));
    for (auto& host : _hosts)
        CPPUNIT_ASSERT(host->addresses.take("2001:db8::ffff:1") > 0);
}

} // namespace supplierd::tests
