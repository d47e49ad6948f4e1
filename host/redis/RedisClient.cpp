#include "host/redis/RedisClient.h"

#include <Poco/DigestEngine.h>
#include <Poco/SHA1Engine.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace supplierd::host {

namespace {

using Outcome = RedisResponse::Outcome;

const prometheus::Histogram::BucketBoundaries REDIS_SECONDS = {0.0001, 0.00025, 0.0005, 0.001, 0.0025,
                                                               0.005,  0.01,    0.02,   0.05};

template <class Builder>
auto& redisFamily(prometheus::Registry& registry, Builder builder, const char* name, const char* help) {
    return builder.Name(name).Help(help).Register(registry);
}

/// A connection that was used so shortly before is not looked at: that is a system call.
constexpr std::chrono::milliseconds FRESH{1};

/// So long after the last round trip the probe asks, so that operators hear of a Redis that is gone.
constexpr std::chrono::seconds IDLE{5};

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

/// Not less than one: who waits sleeps.
std::chrono::milliseconds timeUntil(std::chrono::steady_clock::time_point until) {
    const auto left = until - std::chrono::steady_clock::now();
    return std::max(std::chrono::ceil<std::chrono::milliseconds>(left), std::chrono::milliseconds(1));
}

std::string commandOf(std::string_view verb, std::string_view script, std::string_view key,
                      std::span<const std::string> arguments) {
    std::vector<std::string_view> words{verb, script, "1", key};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return redisCommand(words);
}

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
      _roundTrips(redisFamily(*_deps.registry, prometheus::BuildCounter(), "supplierd_redis_round_trips_total",
                              "How often Redis was asked: calls of the same moment share a round trip")
                      .Add({})),
      _away(redisFamily(*_deps.registry, prometheus::BuildGauge(), "supplierd_redis_away",
                        "1 while Redis is not asked, because it failed: this server counts by itself")
                .Add({})),
      _seconds(redisFamily(*_deps.registry, prometheus::BuildHistogram(), "supplierd_redis_seconds",
                           "How long Redis took to answer")
                   .Add({}, REDIS_SECONDS)),
      _patience(Clock::duration(_deps.settings.timeLimit) / 4) {
    _idle.reserve(static_cast<std::size_t>(_deps.settings.poolSize));
    if (const auto reason = tryOnce()) {
        _breaker.open();
        noteAway(*reason);
    }
    _probe = std::jthread([this](const std::stop_token& stop) { probe(stop); });
}

RedisResponse RedisClient::call(const std::string& command) {
    return run([&](Clock::time_point deadline) { return ask(command, deadline); });
}

RedisResponse RedisClient::evaluate(const RedisScript& script, std::string_view key,
                                    std::span<const std::string> arguments) {
    return run([&](Clock::time_point deadline) {
        auto answer = ask(commandOf("EVALSHA", script.hash(), key, arguments), deadline);
        if (answer.reply.kind == RedisReply::Kind::Error && answer.reply.text.starts_with("NOSCRIPT"))
            answer = ask(commandOf("EVAL", script.text(), key, arguments), deadline);
        return answer;
    });
}

template <class Ask>
RedisResponse RedisClient::run(const Ask& ask) {
    if (_breaker.isOpen()) {
        _skipped.Increment();
        return {};
    }
    const auto begunAt = Clock::now();
    auto answer = ask(begunAt + _deps.settings.timeLimit);
    if (answer.outcome != Outcome::Answered)
        return answer;
    if (answer.reply.kind == RedisReply::Kind::Error) {
        _failed.Increment();
        noteFailure(refusalOf(answer.reply));
        return {};
    }
    _breaker.succeeded();
    _answered.Increment();
    _seconds.Observe(std::chrono::duration<double>(Clock::now() - begunAt).count());
    return answer;
}

/// Joins the next round, and begins it when nobody else has to.
RedisResponse RedisClient::ask(const std::string& command, Clock::time_point deadline) {
    Lock lock(_mutex);
    if (!_next)
        _next = std::make_shared<Round>();
    const auto round = _next;
    const auto place = round->answers.size();
    round->commands.reserve(round->commands.size() + command.size()); // what throws leaves the round as it was
    round->waiters.reserve(place + 1);
    round->answers.emplace_back();
    round->commands += command;
    round->deadline = std::min(round->deadline, deadline);
    awaitEnd(lock, round);
    auto answer = std::move(round->answers[place]);
    if (answer.outcome != Outcome::Answered)
        round->unanswered->Increment();
    return answer;
}

/// Leaves the lock unlocked. Who waits to the end needs it no more: else all would wait for it in turn.
void RedisClient::awaitEnd(Lock& lock, const std::shared_ptr<Round>& round) {
    Waiter self;
    if (mayBegin()) {
        ++_underWay;
        begin(lock, round, self);
        return;
    }
    round->waiters.push_back(&self);
    while (true) {
        const bool isLeft =
            round == _next && !self.isCalled; // nobody has it in hand, so nobody wakes this one for sure
        const bool isFull = _underWay >= _deps.settings.poolSize;
        const auto until = isFull ? round->deadline : std::min(round->deadline, _begunAt + _patience);
        lock.unlock();
        const bool isWoken = isLeft ? self.wake.acquireWithin(timeUntil(until)) : (self.wake.acquire(), true);
        if (isWoken && !self.isCalled)
            return;
        lock.lock();
        if (isWoken && round != _next) { // called, but somebody else was faster
            self.isCalled = false;
            endTrip(lock);
            lock.lock();
        } else if (isWoken) {
            begin(lock, round, self);
            return;
        } else if (round == _next && !self.isCalled && mayBegin()) {
            ++_underWay;
            begin(lock, round, self);
            return;
        } else if (round == _next && !self.isCalled && Clock::now() >= round->deadline) {
            _next.reset();
            round->unanswered = &_busy;
            lock.unlock();
            wakeOthers(*round, self);
            return;
        }
    }
}

bool RedisClient::mayBegin() const {
    return _underWay == 0 || (_underWay < _deps.settings.poolSize && Clock::now() >= _begunAt + _patience);
}

/// Leaves the lock unlocked. Whatever happens, those who wait are woken.
void RedisClient::begin(Lock& lock, const std::shared_ptr<Round>& round, const Waiter& self) {
    _next.reset();
    _begunAt = Clock::now();
    auto connection = takeIdle();
    lock.unlock();
    const auto failure = exchange(*round, connection);
    lock.lock();
    if (connection && _idle.size() < _idle.capacity())
        _idle.push_back({std::move(connection), Clock::now()});
    endTrip(lock);
    wakeOthers(*round, self);
    if (failure)
        noteFailure(failure);
}

/// Calls somebody to begin the next round, if there is one. Leaves the lock unlocked.
void RedisClient::endTrip(Lock& lock) {
    --_underWay;
    Waiter* called = nullptr;
    if (_next && mayBegin() && !_next->waiters.front()->isCalled) {
        ++_underWay;
        _begunAt = Clock::now();
        called = _next->waiters.front();
        called->isCalled = true;
    }
    lock.unlock();
    if (called)
        called->wake.release();
}

void RedisClient::wakeOthers(const Round& round, const Waiter& self) {
    for (auto* waiter : round.waiters)
        if (waiter != &self)
            waiter->wake.release();
}

/// Returns why it failed: the connection is closed then, and what was sent and not answered may be done or not.
std::exception_ptr RedisClient::exchange(Round& round, std::unique_ptr<RedisConnection>& connection) noexcept {
    if (_breaker.isOpen()) {
        round.unanswered = &_skipped;
        return nullptr;
    }
    round.unanswered = &_failed;
    _roundTrips.Increment();
    try {
        if (!connection)
            connection = connect(round.deadline);
        for (auto& answer : round.answers)
            answer.outcome = Outcome::Unanswered;
        connection->send(round.commands, round.deadline);
        for (auto& answer : round.answers) {
            answer.reply = connection->receive(round.deadline);
            answer.outcome = Outcome::Answered;
        }
        return nullptr;
    } catch (...) {
        connection.reset();
        return std::current_exception();
    }
}

std::unique_ptr<RedisConnection> RedisClient::connect(Clock::time_point deadline) {
    std::unique_lock lock(_mutex);
    const auto address = _address;
    lock.unlock();
    if (!address)
        throw RedisError("its address is not known");
    return std::make_unique<RedisConnection>(*address, _deps.settings, deadline);
}

/// One that the other side has left, or that has bytes for nobody, is closed instead.
std::unique_ptr<RedisConnection> RedisClient::takeIdle() {
    while (!_idle.empty()) {
        auto idle = std::move(_idle.back());
        _idle.pop_back();
        if (Clock::now() < idle.usedAt + FRESH || idle.connection->isQuiet())
            return std::move(idle.connection);
    }
    return nullptr;
}

void RedisClient::noteFailure(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& error) {
        noteFailure(error.what());
    }
}

void RedisClient::noteFailure(const std::string& reason) {
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

void RedisClient::probe(const std::stop_token& stop) {
    std::unique_lock lock(_mutex);
    while (!stop.stop_requested()) {
        if (!_wakeProbe.wait_for(lock, stop, IDLE, [this] { return _breaker.isOpen(); })) {
            if (!stop.stop_requested() && Clock::now() >= _begunAt + IDLE) {
                lock.unlock();
                askIdle();
                lock.lock();
            }
            continue;
        }
        _wakeProbe.wait_for(lock, stop, _breaker.nextPause(), [] { return false; });
        if (stop.stop_requested())
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

/// For requests that do not come: they would find out the same.
void RedisClient::askIdle() {
    for (int i = 0; i < CircuitBreaker::FAILURES; ++i)
        if (call(redisCommand({"PING"})).outcome == Outcome::Answered)
            return;
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
        _idle.push_back({std::move(connection), Clock::now()});
        return std::nullopt;
    } catch (const std::exception& failure) {
        return failure.what();
    }
}

} // namespace supplierd::host
