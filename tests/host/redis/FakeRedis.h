#pragma once

#include "host/config/Settings.h"

#include <Poco/Net/ServerSocket.h>
#include <Poco/Net/StreamSocket.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

/// Listens where a Redis should, and answers whatever the test says.
class FakeRedis {
public:
    /// Gets what came, and gives what is sent; "" sends nothing.
    using Answer = std::function<std::string(const std::string& command)>;

    explicit FakeRedis(Answer answer);
    ~FakeRedis();
    FakeRedis(const FakeRedis&) = delete;
    FakeRedis& operator=(const FakeRedis&) = delete;

    /// How many connections there were.
    int connections() const { return _connections; }
    /// As often as this, the answer's bytes are sent one at a time; zero: all at once.
    void drip(std::chrono::milliseconds pause) { _pause = pause; }
    host::RedisSettings settings() const;

private:
    void serve(Poco::Net::StreamSocket& socket);

    Answer _answer;
    std::atomic<std::chrono::milliseconds> _pause{};
    Poco::Net::ServerSocket _listening;
    std::atomic<int> _connections{0};
    std::atomic<bool> _stopping{false};
    std::mutex _mutex;
    std::vector<std::thread> _threads;
    std::thread _accepting;
};

} // namespace supplierd::tests
