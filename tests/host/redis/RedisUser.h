#pragma once

#include "host/redis/RedisClient.h"
#include "tests/support/PrivateRedis.h"

#include <supplierd/Log.h>

#include <cppunit/extensions/HelperMacros.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace supplierd::tests {

struct KeptLine {
    std::string message;
    std::map<std::string, std::string> fields;
};

/// Thread: any.
class KeptLog final : public Logger {
public:
    using Logger::write;
    void write(LogLevel /*level*/, std::string_view message, std::span<const LogField> fields) override {
        KeptLine line{std::string(message), {}};
        for (const auto& field : fields)
            line.fields.emplace(field.name, field.value);
        const std::lock_guard lock(_mutex);
        _lines.push_back(std::move(line));
    }
    std::vector<KeptLine> lines() const {
        const std::lock_guard lock(_mutex);
        return _lines;
    }

private:
    mutable std::mutex _mutex;
    std::vector<KeptLine> _lines;
};

inline host::RedisSettings settingsOf(const PrivateRedis& redis) {
    host::RedisSettings settings;
    settings.socket = redis.socket();
    return settings;
}

/// With a time limit that a busy machine does not reach.
inline host::RedisSettings patient(host::RedisSettings settings) {
    settings.timeLimit = std::chrono::seconds(5);
    return settings;
}

inline void awaitThat(const std::string& what, const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition()) {
        CPPUNIT_ASSERT_MESSAGE(what, std::chrono::steady_clock::now() < deadline);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

/// A RedisClient with its surroundings.
class RedisUser {
public:
    explicit RedisUser(host::RedisSettings settings)
        : _settings(std::move(settings)),
          _client(std::make_unique<host::RedisClient>(host::RedisClient::Dependencies{_settings, log, registry})) {}

    host::RedisClient& client() { return *_client; }
    const host::RedisSettings& settings() const { return _settings; }
    /// Of its registry, by name and labels; 0 when there is none.
    double metric(const std::string& name) const {
        std::ostringstream text;
        text << '\n' << prometheus::TextSerializer().Serialize(registry->Collect());
        const auto found = text.str().find("\n" + name + " ");
        return found == std::string::npos ? 0 : std::stod(text.str().substr(found + name.size() + 2));
    }
    void awaitBack() {
        awaitThat("Redis is found again", [this] { return !_client->isAway(); });
    }

    KeptLog log;
    std::shared_ptr<prometheus::Registry> registry = std::make_shared<prometheus::Registry>();

private:
    const host::RedisSettings _settings;
    std::unique_ptr<host::RedisClient> _client;
};

} // namespace supplierd::tests
