#include "host/redis/RevocationChannel.h"

#include "tests/host/redis/FakeRedis.h"
#include "tests/host/redis/RedisUser.h"
#include "tests/support/PrivateRedis.h"
#include "tests/support/Test.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;

namespace {

/// Hears on a channel, and keeps what it heard.
class Listener {
public:
    explicit Listener(const host::RedisSettings& settings)
        : _settings(settings),
          _channel({_settings, log, registry, [this](const host::Revocation& revocation) { note(revocation); },
                    [this] { ++missed; }}) {}

    std::vector<std::string> heard() const {
        const std::lock_guard lock(_mutex);
        return _heard;
    }

    KeptLog log;
    std::shared_ptr<prometheus::Registry> registry = std::make_shared<prometheus::Registry>();
    std::atomic<int> missed{0};

private:
    void note(const host::Revocation& revocation) {
        const std::lock_guard lock(_mutex);
        _heard.push_back(revocation.keyId != 0 ? "key " + std::to_string(revocation.keyId)
                                               : "supplier " + std::to_string(revocation.supplierId));
    }

    mutable std::mutex _mutex;
    std::vector<std::string> _heard;
    const host::RedisSettings _settings;
    host::RevocationChannel _channel;
};

/// As a server tells it.
void publish(const host::RedisSettings& settings, const host::Revocation& revocation) {
    const auto deadline = host::RedisConnection::Clock::now() + 5s;
    host::RedisConnection connection(host::RedisConnection::addressOf(settings), settings, deadline);
    const auto reply = connection.call(host::publishCommand(settings, revocation), deadline);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(reply.text, false, reply.kind == host::RedisReply::Kind::Error);
}

} // namespace

class RevocationChannelTest : public CppUnit::TestFixture {
protected:
    PrivateRedis _redis;
};

TEST(RevocationChannelTest, everybodyHearsOfIt) {
    const Listener first(patient(settingsOf(_redis)));
    const Listener second(patient(settingsOf(_redis)));
    awaitThat("both listen", [&] { return first.missed == 1 && second.missed == 1; });
    publish(settingsOf(_redis), {.keyId = 12});
    publish(settingsOf(_redis), {.supplierId = 3});
    for (const auto* listener : {&first, &second}) {
        awaitThat("it heard", [&] { return listener->heard().size() == 2; });
        CPPUNIT_ASSERT_EQUAL(std::string("key 12"), listener->heard()[0]);
        CPPUNIT_ASSERT_EQUAL(std::string("supplier 3"), listener->heard()[1]);
        CPPUNIT_ASSERT_EQUAL(1, listener->missed.load());
    }
}

TEST(RevocationChannelTest, onlyThoseOfOnePrefixHearOfIt) {
    auto settings = settingsOf(_redis);
    settings.prefix = "other:";
    const Listener other(settings);
    const Listener ours(settingsOf(_redis));
    awaitThat("both listen", [&] { return other.missed == 1 && ours.missed == 1; });
    publish(settingsOf(_redis), {.keyId = 1});
    publish(settings, {.keyId = 2});
    awaitThat("both heard", [&] { return !other.heard().empty() && !ours.heard().empty(); });
    CPPUNIT_ASSERT_EQUAL(std::string("key 2"), other.heard().at(0));
    CPPUNIT_ASSERT_EQUAL(std::string("key 1"), ours.heard().at(0));
}

TEST(RevocationChannelTest, listenerThatLostRedisHasMissedSomething) {
    const Listener listener(settingsOf(_redis));
    awaitThat("it listens", [&] { return listener.missed == 1; });
    _redis.kill();
    awaitThat("the loss is told", [&] { return !listener.log.lines().empty(); });
    _redis.start();
    awaitThat("it listens again", [&] { return listener.missed == 2; });
    publish(settingsOf(_redis), {.keyId = 5});
    awaitThat("it heard", [&] { return !listener.heard().empty(); });
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, listener.log.lines().size());
}

TEST(RevocationChannelTest, hangingRedisIsNoticed) {
    const Listener listener(settingsOf(_redis));
    awaitThat("it listens", [&] { return listener.missed == 1; });
    _redis.pause();
    awaitThat("the loss is told", [&] { return !listener.log.lines().empty(); });
    _redis.resume();
    awaitThat("it listens again", [&] { return listener.missed == 2; });
}

TEST(RevocationChannelTest, messageThatIsNotUnderstoodMayBeAnything) {
    const Listener listener(settingsOf(_redis));
    awaitThat("it listens", [&] { return listener.missed == 1; });
    int missed = 1;
    for (const auto* message : {"everybody", "key x", "key -1", "supplier 99999999999999999999", ""}) {
        _redis.run({"PUBLISH", "supplierd:revocations", message});
        ++missed;
        awaitThat(message, [&] { return listener.missed == missed; });
    }
    CPPUNIT_ASSERT(listener.heard().empty());
}

TEST(RevocationChannelTest, itEndsWhileRedisIsAway) {
    _redis.kill();
    { const Listener never(settingsOf(_redis)); }
    FakeRedis silent([](const std::string&) { return ""; });
    { const Listener silenced(silent.settings()); }
    _redis.start();
    const Listener listener(settingsOf(_redis));
    awaitThat("it listens", [&] { return listener.missed == 1; });
    _redis.pause();
}

} // namespace supplierd::tests
