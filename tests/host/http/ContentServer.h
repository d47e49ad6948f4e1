#pragma once

#include "host/http/ApiListener.h"
#include "host/observe/JsonLogger.h"
#include "tests/support/HttpClient.h"
#include "tests/support/TemporaryDirectory.h"

#include <prometheus/registry.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

/// The pipeline behind a real listener on loopback, with routes of a test's own and no database: public routes only.
class ContentServer {
public:
    explicit ContentServer(const std::vector<Route>& routes,
                           std::chrono::milliseconds requestTimeout = std::chrono::seconds(30));
    ~ContentServer();

    HttpClient client() const { return HttpClient("http://" + _listener->address().toString()); }
    Poco::Net::SocketAddress address() const { return _listener->address(); }
    /// As ApiListener::stop().
    bool stop(std::chrono::milliseconds deadline);
    /// Returns once no request is worked on; fails the test when that does not come.
    void waitUntilIdle() const;

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
    host::ServerMetrics _metrics;
    host::SessionPool _pool;
    host::PooledDatabase _database;
    host::RateLimiter _rateLimiter;
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
