#pragma once

#include "host/auth/LocalRateLimiter.h"
#include "host/http/ApiListener.h"
#include "host/observe/JsonLogger.h"
#include "host/observe/TlsMetrics.h"
#include "tests/support/HttpClient.h"
#include "tests/support/TemporaryDirectory.h"

#include <supplierd/Response.h>
#include <supplierd/testing/FakeCacheMemory.h>

#include <prometheus/registry.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

/// Letters without a rhythm, so that a part cannot be taken for another; a shorter one is the begin of a longer one.
std::string patternBytes(std::size_t size);

/// A content in memory that gives its pieces, without a descriptor.
class MemoryContent : public Content {
public:
    explicit MemoryContent(std::string bytes) : _bytes(std::move(bytes)) {}

    std::uint64_t size() const override { return _bytes.size(); }
    std::string read(std::uint64_t offset, std::size_t wanted) const override {
        return _bytes.substr(static_cast<std::size_t>(offset), wanted);
    }

private:
    const std::string _bytes;
};

/// A content in an unnamed file, which read() never touches.
class FileContent : public Content {
public:
    explicit FileContent(const std::string& bytes);
    ~FileContent() override;

    std::uint64_t size() const override { return _size; }
    std::string read(std::uint64_t offset, std::size_t wanted) const override;
    int descriptor() const override { return _descriptor; }
    /// Cuts the file, as nobody may while it is served.
    void truncate(std::uint64_t size) const;

private:
    const std::uint64_t _size;
    const int _descriptor;
};

/// Endless enough to fill every buffer on the way: `size` bytes that nobody stores.
class WideContent : public Content {
public:
    explicit WideContent(std::uint64_t size) : _size(size) {}

    std::uint64_t size() const override { return _size; }
    std::string read(std::uint64_t, std::size_t wanted) const override { return std::string(wanted, 'w'); }

private:
    const std::uint64_t _size;
};

/// The pipeline behind a real listener on loopback, with routes of a test's own and no database: public routes only.
class ContentServer {
public:
    static constexpr int THREADS = 8;

    explicit ContentServer(const std::vector<Route>& routes,
                           std::chrono::milliseconds requestTimeout = std::chrono::seconds(30),
                           int publicPerMinute = 6'000);
    ~ContentServer();

    HttpClient client() const { return HttpClient("http://" + _listener->address().toString()); }
    Poco::Net::SocketAddress address() const { return _listener->address(); }
    /// As ApiListener::stop().
    bool stop(std::chrono::milliseconds deadline);
    /// Returns once no request is worked on; fails the test when that does not come.
    void waitUntilIdle() const;
    /// Requests and responses that wait for a worker.
    std::size_t waiting() const { return _listener->waiting(); }

    std::string accessLog();
    std::string log();
    std::string metrics() const { return _metrics.text(); }

private:
    host::Settings _settings;
    TemporaryDirectory _directory;
    host::LogWriter _logWriter;
    host::LogWriter _accessWriter;
    host::JsonLogger _logger;
    host::AccessLog _accessLog;
    std::shared_ptr<prometheus::Registry> _registry = std::make_shared<prometheus::Registry>();
    host::ServerMetrics _metrics;
    host::TlsMetrics _tlsMetrics;
    host::SessionPool _pool;
    host::PooledDatabase _database;
    host::LocalRateLimiter _rateLimiter;
    testing::FakeCacheMemory _cacheMemory;
    host::Authenticator _authenticator;
    host::RequestAuthenticators _requestAuthenticators;
    host::RequestObservers _observers;
    host::IdempotencyStore _idempotency;
    host::Router _router;
    host::HeapTrimmer _heap;
    host::Pipeline _pipeline;
    std::unique_ptr<host::ApiListener> _listener;
    bool _stopped = false;
};

/// A public GET.
Route publicRoute(std::string pattern, Handler handler, Method method = Method::Get);

} // namespace supplierd::tests
