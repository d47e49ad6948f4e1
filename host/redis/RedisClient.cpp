#include "host/redis/RedisClient.h"

#include <Poco/DigestEngine.h>
#include <Poco/SHA1Engine.h>

#include <exception>
#include <utility>

namespace supplierd::host {

namespace {

using Outcome = RedisAnswer::Outcome;

const prometheus::Histogram::BucketBoundaries REDIS_SECONDS = {0.0001, 0.00025, 0.0005, 0.001, 0.0025,
                                                               0.005,  0.01,    0.02,   0.05};

template <class Builder>
auto& redisFamily(prometheus::Registry& registry, Builder builder, const char* name, const char* help) {
    return builder.Name(name).Help(help).Register(registry);
}

/// What the probe asks for besides an answer: a replica, one that is loading or full, and one that refuses scripts to
/// this user, answer PING.
constexpr const char* WRITE_TRIAL = "return redis.call('SET', KEYS[1], 1, 'PX', 1000)";

/// What Redis refuses, and what can be done where that is not in its words.
std::string refusalOf(const RedisReply& reply) {
    const std::string said = "Redis says: " + reply.text;
    if (reply.text.starts_with("MOVED ") || reply.text.starts_with("ASK "))
        return said + ": a Redis Cluster cannot be used; configure a single Redis";
    if (reply.text.starts_with("READONLY"))
        return said + " Configure the address of the primary";
    return said;
}

/// A place in the pool, given back whatever happens.
class Place {
public:
    Place(std::mutex& mutex, std::condition_variable& freed, int& inUse)
        : _mutex(mutex), _freed(freed), _inUse(inUse) {}
    ~Place() {
        {
            const std::lock_guard lock(_mutex);
            --_inUse;
        }
        _freed.notify_one();
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

private:
    std::mutex& _mutex;
    std::condition_variable& _freed;
    int& _inUse;
};

} // namespace

RedisScript::RedisScript(std::string text) : _text(std::move(text)) {
    Poco::SHA1Engine engine;
    engine.update(_text);
    _hash = Poco::DigestEngine::digestToHex(engine.digest());
}

RedisClient::RedisClient(Dependencies dependencies)
    : _deps(std::move(dependencies)),
      _calls(redisFamily(*_deps.registry, prometheus::BuildCounter(), "supplierd_redis_calls_total",
                         "What Redis was to be asked, by result: answered, failed, busy (no connection of the pool "
                         "was free in time), skipped (Redis was away)")),
      _answered(_calls.Add({{"result", "answered"}})),
      _failed(_calls.Add({{"result", "failed"}})),
      _busy(_calls.Add({{"result", "busy"}})),
      _skipped(_calls.Add({{"result", "skipped"}})),
      _away(redisFamily(*_deps.registry, prometheus::BuildGauge(), "supplierd_redis_away",
                        "1 while Redis is not asked, because it failed: this server counts by itself")
                .Add({})),
      _seconds(redisFamily(*_deps.registry, prometheus::BuildHistogram(), "supplierd_redis_seconds",
                           "How long Redis took to answer")
                   .Add({}, REDIS_SECONDS)) {
    if (const auto reason = tryOnce()) {
        _breaker.open();
        noteAway(*reason);
    }
    _probe = std::thread([this] { probe(); });
}

RedisClient::~RedisClient() {
    {
        const std::lock_guard lock(_mutex);
        _isStopping = true;
    }
    _wakeProbe.notify_all();
    _probe.join();
}

RedisAnswer RedisClient::call(const Poco::Redis::Array& command) {
    return run(
        [&](RedisConnection& connection, Clock::time_point deadline) { return connection.call(command, deadline); });
}

RedisAnswer RedisClient::evaluate(const RedisScript& script, const std::string& key,
                                  const std::vector<std::string>& arguments) {
    const auto command = [&](const char* verb, const std::string& what) {
        Poco::Redis::Array words;
        words << verb << what << "1" << key << arguments;
        return words;
    };
    return run([&](RedisConnection& connection, Clock::time_point deadline) {
        auto reply = connection.call(command("EVALSHA", script.hash()), deadline);
        if (reply.kind == RedisReply::Kind::Error && reply.text.starts_with("NOSCRIPT"))
            reply = connection.call(command("EVAL", script.text()), deadline);
        return reply;
    });
}

RedisAnswer RedisClient::run(const Exchange& exchange) {
    if (_breaker.isOpen()) {
        _skipped.Increment();
        return {};
    }
    const auto begunAt = Clock::now();
    const auto deadline = begunAt + _deps.settings.timeLimit;
    auto outcome = Outcome::NotAsked;
    try {
        auto connection = acquire(deadline);
        if (!connection) {
            _busy.Increment();
            return {};
        }
        const Place place(_mutex, _freed, _inUse);
        outcome = Outcome::Unanswered;
        auto reply = exchange(*connection, deadline);
        if (reply.kind == RedisReply::Kind::Error) {
            outcome = Outcome::NotAsked;
            throw RedisRefusal(refusalOf(reply));
        }
        release(std::move(connection));
        _breaker.succeeded();
        _answered.Increment();
        _seconds.Observe(std::chrono::duration<double>(Clock::now() - begunAt).count());
        return {Outcome::Answered, std::move(reply)};
    } catch (const RedisError& error) {
        noteFailure(error.what());
        return {outcome, {}};
    }
}

std::unique_ptr<RedisConnection> RedisClient::acquire(Clock::time_point deadline) {
    std::unique_lock lock(_mutex);
    const auto isFree = [this] { return _inUse < _deps.settings.poolSize; };
    if (!_freed.wait_until(lock, deadline, isFree))
        return nullptr;
    ++_inUse;
    if (auto idle = takeIdle())
        return idle;
    const auto address = _address;
    lock.unlock();
    try {
        if (!address)
            throw RedisError("its address is not known");
        return std::make_unique<RedisConnection>(*address, _deps.settings, deadline);
    } catch (...) {
        const Place place(_mutex, _freed, _inUse);
        throw;
    }
}

/// One that the other side has left, or that has bytes for nobody, is closed instead.
std::unique_ptr<RedisConnection> RedisClient::takeIdle() {
    while (!_idle.empty()) {
        auto connection = std::move(_idle.back());
        _idle.pop_back();
        if (connection->isQuiet())
            return connection;
    }
    return nullptr;
}

void RedisClient::release(std::unique_ptr<RedisConnection> connection) {
    const std::lock_guard lock(_mutex);
    _idle.push_back(std::move(connection));
}

void RedisClient::noteFailure(const std::string& reason) {
    _failed.Increment();
    if (_breaker.failed())
        noteAway(reason);
}

void RedisClient::noteAway(const std::string& reason) {
    _away.Set(1);
    _deps.log.warning("Redis cannot be used: this server counts rate limits by itself until it can",
                      {{"redis", _deps.settings.where()}, {"reason", reason}});
    const std::lock_guard lock(_mutex);
    _idle.clear();
    _wakeProbe.notify_all();
}

void RedisClient::probe() {
    std::unique_lock lock(_mutex);
    while (true) {
        _wakeProbe.wait(lock, [this] { return _isStopping || _breaker.isOpen(); });
        if (_wakeProbe.wait_for(lock, _breaker.nextPause(), [this] { return _isStopping; }))
            return;
        lock.unlock();
        if (!tryOnce()) {
            _breaker.close();
            _away.Set(0);
            _deps.log.information("Redis can be used again: rate limits are counted there",
                                  {{"redis", _deps.settings.where()}});
        }
        lock.lock();
    }
}

/// Why it cannot be used; nothing: it can.
std::optional<std::string> RedisClient::tryOnce() {
    try {
        const auto address = RedisConnection::addressOf(_deps.settings);
        const auto deadline = Clock::now() + _deps.settings.timeLimit;
        auto connection = std::make_unique<RedisConnection>(address, _deps.settings, deadline);
        if (const auto reply = connection->call(redisCommand({"PING"}), deadline); reply.text != "PONG")
            return reply.kind == RedisReply::Kind::Error ? refusalOf(reply)
                                                         : std::string("it did not answer PING with PONG");
        const auto trial = redisCommand({"EVAL", WRITE_TRIAL, "1", _deps.settings.prefix + "trial"});
        if (const auto reply = connection->call(trial, deadline); reply.kind == RedisReply::Kind::Error)
            return refusalOf(reply);
        const std::lock_guard lock(_mutex);
        _address = address;
        _idle.push_back(std::move(connection));
        return std::nullopt;
    } catch (const std::exception& failure) {
        return failure.what();
    }
}

} // namespace supplierd::host
