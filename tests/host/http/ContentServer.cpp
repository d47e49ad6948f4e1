#include "tests/host/http/ContentServer.h"

#include "tests/support/ChildProcess.h"

#include <cppunit/TestAssert.h>

#include <thread>

namespace supplierd::tests {

namespace {

host::Settings settingsOf(std::chrono::milliseconds requestTimeout) {
    host::Settings settings;
    settings.server.listen = Poco::Net::SocketAddress("127.0.0.1", 0);
    settings.server.threads = 8;
    settings.server.requestTimeout = requestTimeout;
    return settings;
}

} // namespace

ContentServer::ContentServer(const std::vector<Route>& routes, std::chrono::milliseconds requestTimeout)
    : _settings(settingsOf(requestTimeout)),
      _logWriter(_directory / "server.log"),
      _accessWriter(_directory / "access.log"),
      _logger(_logWriter, "supplierd", LogLevel::Information),
      _accessLog(_accessWriter),
      _metrics(std::make_shared<prometheus::Registry>()),
      _pool(_settings.database.session, {}),
      _database(_pool, &_logger),
      _authenticator(_database, _settings.auth, _rateLimiter),
      _requestAuthenticators(_authenticator),
      _observers(_metrics.observerDropped(), _logger),
      _idempotency(_database, _settings.idempotency),
      _router(_metrics),
      _pipeline({_settings, _database, _authenticator, _requestAuthenticators, _rateLimiter, _idempotency, _router,
                 _heap, _metrics, _observers, &_accessLog, _logger}) {
    for (const auto& route : routes)
        _router.add(route);
    _listener = std::make_unique<host::ApiListener>(_settings.server, _pipeline, -1);
    _listener->start();
}

ContentServer::~ContentServer() {
    if (!_stopped)
        stop(std::chrono::seconds(10));
}

bool ContentServer::stop(std::chrono::milliseconds deadline) {
    _stopped = true;
    const auto until = host::ApiListener::Clock::now() + deadline;
    _listener->drain(until, host::ConnectionDrain::Backlog::Serve);
    return _listener->stop(until);
}

void ContentServer::waitUntilIdle() const {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (_pipeline.running() > 0) {
        CPPUNIT_ASSERT_MESSAGE("a worker still hangs", std::chrono::steady_clock::now() < limit);
        std::this_thread::yield();
    }
}

std::string ContentServer::accessLog() {
    _accessWriter.flush();
    return readWholeFile(_directory / "access.log");
}

std::string ContentServer::log() {
    _logWriter.flush();
    return readWholeFile(_directory / "server.log");
}

Route publicRoute(std::string pattern, Handler handler, Method method) {
    Route route;
    route.method = method;
    route.pattern = std::move(pattern);
    route.audience = Audience::Public;
    route.handler = std::move(handler);
    return route;
}

} // namespace supplierd::tests
