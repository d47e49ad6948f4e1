#pragma once

#include "host/gate/Semaphore.h"
#include "host/redis/CircuitBreaker.h"
#include "host/redis/RedisConnection.h"

#include <supplierd/Log.h>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace supplierd::host {

/// A Lua script that Redis keeps, known by the hash of its text. It works on one key.
class RedisScript {
public:
    explicit RedisScript(std::string text);
    const std::string& text() const { return _text; }
    const std::string& hash() const { return _hash; }

private:
    std::string _text;
    std::string _hash;
};

struct RedisResponse {
    enum class Outcome {
        Answered,
        Unanswered, ///< it was asked: whether it did so is unknown
        NotAsked    ///< it has not done so, and knows nothing of it
    };

    Outcome outcome = Outcome::NotAsked;
    RedisReply reply = {};
};

/// What requests ask of Redis: never longer than redis.time_limit, and not at all while it fails (CircuitBreaker).
/// While one round trip is under way, those who come wait for its end and share the next one: their commands go out
/// with one write, each gets its own reply. One that takes long holds nobody up: the next goes by another connection of
/// the pool. The probe is a thread of its own, so that no request waits for a Redis that is away, and asks when no
/// request does. Nothing throws: who gets no answer does without. Thread: any.
class RedisClient {
public:
    struct Dependencies {
        const RedisSettings& settings;
        Logger& log;
        std::shared_ptr<prometheus::Registry> registry;
    };

    /// Asks once; when that fails, the log says why, and it is asked again and again.
    explicit RedisClient(Dependencies dependencies);
    RedisClient(const RedisClient&) = delete;
    RedisClient& operator=(const RedisClient&) = delete;

    RedisResponse call(const std::string& command);
    RedisResponse evaluate(const RedisScript& script, std::string_view key, std::span<const std::string> arguments);
    bool isAway() const { return _breaker.isOpen(); }
    const RedisSettings& settings() const { return _deps.settings; }

private:
    using Clock = RedisConnection::Clock;

    /// Someone who waits for the end of a round. Each wake has to be waited for.
    struct Waiter {
        Semaphore wake;        ///< called, or the round has ended
        bool isCalled = false; ///< to begin it
    };
    /// Commands that share a round trip.
    struct Round {
        std::string commands;
        std::vector<RedisResponse> answers; ///< in the order of the commands
        std::vector<Waiter*> waiters;
        Clock::time_point deadline = Clock::time_point::max(); ///< the first one's
        prometheus::Counter* unanswered = nullptr;             ///< what those without an answer count as
    };
    struct Idle {
        std::unique_ptr<RedisConnection> connection;
        Clock::time_point usedAt;
    };
    using Lock = std::unique_lock<std::mutex>;

    template <class Ask>
    RedisResponse run(const Ask& ask);
    RedisResponse ask(const std::string& command, Clock::time_point deadline);
    void awaitEnd(Lock& lock, const std::shared_ptr<Round>& round);
    bool mayBegin() const;
    void begin(Lock& lock, const std::shared_ptr<Round>& round, const Waiter& self);
    void endTrip(Lock& lock);
    static void wakeOthers(const Round& round, const Waiter& self);
    std::exception_ptr exchange(Round& round, std::unique_ptr<RedisConnection>& connection) noexcept;
    std::unique_ptr<RedisConnection> connect(Clock::time_point deadline);
    std::unique_ptr<RedisConnection> takeIdle();
    void noteFailure(const std::exception_ptr& failure);
    void noteFailure(const std::string& reason);
    void noteAway(const std::string& reason);
    void probe(const std::stop_token& stop);
    void askIdle();
    std::optional<std::string> tryOnce();

    Dependencies _deps;
    CircuitBreaker _breaker;
    prometheus::Family<prometheus::Counter>& _calls;
    prometheus::Counter& _answered;
    prometheus::Counter& _failed;
    prometheus::Counter& _busy;
    prometheus::Counter& _skipped;
    prometheus::Counter& _roundTrips;
    prometheus::Gauge& _away;
    prometheus::Histogram& _seconds;
    const Clock::duration _patience; ///< a round trip that takes longer holds up no other one

    std::mutex _mutex; ///< of the following
    std::shared_ptr<Round> _next;
    int _underWay = 0;          ///< round trips, and those that somebody is called to begin
    Clock::time_point _begunAt; ///< the last one of those
    std::vector<Idle> _idle;    ///< the last one first
    std::optional<Poco::Net::SocketAddress> _address;
    std::condition_variable_any _wakeProbe;
    std::jthread _probe;
};

} // namespace supplierd::host
