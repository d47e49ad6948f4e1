#pragma once

#include "host/redis/CircuitBreaker.h"
#include "host/redis/RedisConnection.h"

#include <supplierd/Log.h>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
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

struct RedisAnswer {
    enum class Outcome {
        Answered,
        Unanswered, ///< it was asked: whether it did so is unknown
        NotAsked    ///< it has not done so, and knows nothing of it
    };

    Outcome outcome = Outcome::NotAsked;
    RedisReply reply = {};
};

/// What requests ask of Redis: never longer than redis.time_limit, and not at all while it fails (CircuitBreaker). The
/// probe is a thread of its own, so that no request waits for a Redis that is away. Nothing throws: who gets no answer
/// does without. Thread: any.
class RedisClient {
public:
    struct Dependencies {
        const RedisSettings& settings;
        Logger& log;
        std::shared_ptr<prometheus::Registry> registry;
    };

    /// Asks once; when that fails, the log says why, and it is asked again and again.
    explicit RedisClient(Dependencies dependencies);
    ~RedisClient();
    RedisClient(const RedisClient&) = delete;
    RedisClient& operator=(const RedisClient&) = delete;

    RedisAnswer call(const Poco::Redis::Array& command);
    RedisAnswer evaluate(const RedisScript& script, const std::string& key, const std::vector<std::string>& arguments);
    bool isAway() const { return _breaker.isOpen(); }
    const RedisSettings& settings() const { return _deps.settings; }

private:
    using Clock = RedisConnection::Clock;
    using Exchange = std::function<RedisReply(RedisConnection&, Clock::time_point)>;

    RedisAnswer run(const Exchange& exchange);
    /// Null: all are in use until the deadline.
    std::unique_ptr<RedisConnection> acquire(Clock::time_point deadline);
    std::unique_ptr<RedisConnection> takeIdle();
    void release(std::unique_ptr<RedisConnection> connection);
    void noteFailure(const std::string& reason);
    void noteAway(const std::string& reason);
    void probe();
    std::optional<std::string> tryOnce();

    Dependencies _deps;
    CircuitBreaker _breaker;
    prometheus::Family<prometheus::Counter>& _calls;
    prometheus::Counter& _answered;
    prometheus::Counter& _failed;
    prometheus::Counter& _busy;
    prometheus::Counter& _skipped;
    prometheus::Gauge& _away;
    prometheus::Histogram& _seconds;

    std::mutex _mutex; ///< of the following
    std::condition_variable _freed;
    std::vector<std::unique_ptr<RedisConnection>> _idle; ///< the last one first
    int _inUse = 0;
    std::optional<Poco::Net::SocketAddress> _address;
    std::condition_variable _wakeProbe;
    bool _isStopping = false;
    std::thread _probe;
};

} // namespace supplierd::host
