#include "host/redis/RedisProbe.h"

#include "host/redis/RedisConnection.h"

#include <string_view>
#include <vector>

namespace supplierd::host {

namespace {

constexpr const char* TRIAL = R"lua(
redis.call('SET', KEYS[1], 1, 'PX', 1000)
redis.call('PEXPIRE', KEYS[1], 1000)
redis.call('INCRBY', KEYS[1], 1)
return {redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])}
)lua";

/// The line "redis_version:7.0.15" of INFO, which is longer than a reply may be: asked by a script.
constexpr const char* VERSION_OF = R"lua(
return string.match(redis.call('INFO', 'server'), 'redis_version:([%w.]+)')
)lua";

RedisReply ask(RedisConnection& connection, const std::vector<std::string>& words,
               RedisConnection::Clock::time_point deadline) {
    auto reply = connection.call(redisCommand(words), deadline);
    if (reply.kind == RedisReply::Kind::Error)
        throw RedisRefusal(words.front() + ": Redis says: " + reply.text);
    return reply;
}

} // namespace

RedisProbe probeRedis(const RedisSettings& settings, std::chrono::milliseconds limit) {
    using Clock = RedisConnection::Clock;
    RedisProbe probe;
    try {
        const auto deadline = Clock::now() + limit;
        RedisConnection connection(RedisConnection::addressOf(settings), settings, deadline);
        ask(connection, {"EVAL", TRIAL, "1", settings.prefix + "trial"}, deadline);
        const auto begunAt = Clock::now();
        ask(connection, {"EVAL", TRIAL, "1", settings.prefix + "trial"}, deadline);
        probe.answeredIn = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begunAt);
        probe.version = connection.call(redisCommand({"EVAL", VERSION_OF, "0"}), deadline).text;
        if (probe.version.starts_with("ERR") || probe.version.find(' ') != std::string::npos)
            probe.version.clear(); // not everybody may ask
    } catch (const RedisError& error) {
        probe.failure = error.what();
    }
    return probe;
}

} // namespace supplierd::host
