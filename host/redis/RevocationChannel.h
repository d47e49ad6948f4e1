#pragma once

#include "host/auth/Revocation.h"
#include "host/redis/RedisClient.h"

#include <supplierd/Log.h>

#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace supplierd::host {

/// What is published to see whether it may be: says nothing.
constexpr const char* TRIAL_MESSAGE = "trial";

std::string revocationChannel(const RedisSettings& settings);
/// The command that tells all servers of a revocation.
std::string publishCommand(const RedisSettings& settings, const Revocation& revocation);

/// Hears what others tell of revocations, on a thread of its own. While it cannot hear, it tries again and again; each
/// time that it begins to hear it calls `missed`, since something may have been told meanwhile.
class RevocationChannel {
public:
    struct Dependencies {
        const RedisSettings& settings;
        Logger& log;
        std::shared_ptr<prometheus::Registry> registry;
        RevocationListener heard;
        std::function<void()> missed;
    };

    explicit RevocationChannel(Dependencies dependencies);
    ~RevocationChannel();
    RevocationChannel(const RevocationChannel&) = delete;
    RevocationChannel& operator=(const RevocationChannel&) = delete;

private:
    using Clock = RedisConnection::Clock;

    void work();
    void listen();
    void hear(RedisConnection& connection);
    void take(const RedisReply& message);
    bool pause();
    bool isStopping();

    Dependencies _deps;
    const std::string _channel;
    prometheus::Gauge& _listening;
    bool _isLossTold = false;
    std::mutex _mutex; ///< of the following
    std::condition_variable _wake;
    bool _isStopping = false;
    RedisConnection* _connection = nullptr;
    std::thread _thread;
};

} // namespace supplierd::host
