#include "host/server/FrontPart.h"

#include <algorithm>
#include <filesystem>
#include <thread>
#include <utility>

namespace supplierd::host {

namespace {

/// How long a successor waits for what this server has counted.
constexpr auto YIELD_LIMIT = std::chrono::seconds(1);
/// How long it has to take the path of the control socket, which it may have none of.
constexpr auto SUCCESSOR_LIMIT = std::chrono::seconds(3);

} // namespace

FrontPart::FrontPart(ServerBasis& basis, int passed, AccessLog* accessLog, DatabasePart& database,
                     AccountsPart& accounts, PluginsPart& plugins)
    : _basis(basis),
      _passed(passed),
      _accessLog(accessLog),
      _database(database),
      _accounts(accounts),
      _plugins(plugins),
      _tlsMetrics(*basis.registry) {}

bool FrontPart::start() {
    _pipeline = std::make_unique<Pipeline>(PipelineParts{
        _basis.settings, _database.database(), _accounts.authenticator(), _accounts.requestAuthenticators(),
        _accounts.rateLimiter(), _accounts.sharedCounts(), _accounts.idempotency(), _plugins.router(), _heap,
        _basis.metrics, _plugins.observers(), _accessLog, _basis.log});
    _plugins.count(*_pipeline);
    _listener = std::make_unique<ApiListener>(
        _basis.settings.server, *_pipeline, _passed,
        ApiListener::Notices{_tlsMetrics, [this](const std::string& failure) { noteCertificate(failure); },
                             [this](const auto& proxy, std::string_view reason) { noteProxyFailure(proxy, reason); }});
    openControlSocket();
    return true;
}

/// Where nobody has made the folder of the default path (systemd does), supplierctl is not wanted here.
void FrontPart::openControlSocket() {
    const auto& path = _basis.settings.server.controlSocket;
    if (path.empty() || (path == DEFAULT_CONTROL_SOCKET && !std::filesystem::is_directory(path.parent_path())))
        return;
    _control = std::make_unique<ControlListener>(_basis.settings.server, *_pipeline);
}

void FrontPart::serve() {
    const auto& settings = _basis.settings;
    _housekeeper = std::make_unique<Housekeeper>(
        Housekeeper::Dependencies{_database.database(), _accounts.authenticator(), _accounts.rateLimiter(),
                                  _accounts.idempotency(), _heap, _accounts.audit(), _database.presence(), _basis.log,
                                  settings.audit.retention, settings.audit.pushRetention, settings.changes.retention});
    _listener->start();
    if (_control)
        _control->start();
    _isServing = true;
}

void FrontPart::measure() {
    if (_listener)
        _listener->measure(_basis.metrics);
}

void FrontPart::drain() {
    if (std::exchange(_isDraining, true) || !_isServing)
        return;
    const bool isHandedOver = _basis.stopReason == StopReason::HandedOver;
    const auto backlog = isHandedOver || _passed >= 0 ? Gate::Backlog::Leave : Gate::Backlog::Serve;
    const int connections = _listener->drain(_basis.deadline.requestsUntil(), backlog);
    if (isHandedOver)
        _accounts.rateLimiter().reserve(
            connections); // each may bring a last request, while the successor counts already
}

void FrontPart::yield() {
    drain();
    if (!_housekeeper->yield(YIELD_LIMIT))
        _basis.log.warning("the successor does not know the last requests that were counted for the rate limits");
}

void FrontPart::pauseBeforeStop() {
    const auto pause = _basis.settings.server.drainPause;
    if (pause.count() == 0 || !_isServing)
        return;
    _isPausing = true;
    _basis.log.information("stopping: not ready any more, and serving until server.drain_pause has passed",
                           {{"pause_ms", std::int64_t{pause.count()}}});
    _basis.deadline.doing("waiting for server.drain_pause");
    std::this_thread::sleep_until(std::min(std::chrono::steady_clock::now() + pause, _basis.deadline.requestsUntil()));
}

void FrontPart::stop() {
    if (!_pipeline)
        return;
    _basis.deadline.doing("finishing requests");
    // The successor takes the path when it serves, which it does once this server has yielded.
    if (_control && _isServing && _basis.stopReason == StopReason::HandedOver)
        _control->waitForSuccessor(SUCCESSOR_LIMIT);
    _control.reset();
    drain();
    if (_isServing.exchange(false) && !_listener->stop(_basis.deadline.requestsUntil()))
        _basis.log.warning("requests were cut off at server.shutdown_deadline",
                           {{"deadline_ms", std::int64_t{_basis.settings.server.shutdownDeadline.count()}}});
    if (_pipeline->running() == 0) // else what is unfinished are the requests
        _basis.deadline.doing("writing down the last uses of keys");
    _accounts.rateLimiter().reserve(0);
    _housekeeper.reset();
    if (_pipeline->running() > 0)
        _basis.deadline.endNow(); // what they use must not go
    _listener.reset();
}

void FrontPart::noteCertificate(const std::string& failure) {
    if (failure.empty())
        _basis.log.information("the renewed TLS certificate is in use");
    else
        _basis.log.error("the TLS certificate was changed and cannot be used; the one before stays in use",
                         {{"reason", failure}});
}

/// Reported once a minute: a proxy that is set up wrong fails with every connection.
void FrontPart::noteProxyFailure(const Poco::Net::IPAddress& proxy, std::string_view reason) {
    _basis.metrics.proxyFailures(reason).Increment();
    ++_unreportedProxyFailures;
    const auto now = std::chrono::steady_clock::now();
    if (now < _nextProxyWarning)
        return;
    _nextProxyWarning = now + std::chrono::minutes(1);
    _basis.log.warning("a connection of a trusted proxy was closed: it did not begin with a whole PROXY header, as "
                       "server.proxy_protocol demands",
                       {{"proxy", proxy.toString()},
                        {"reason", std::string(reason)},
                        {"closed_since_last_told", std::exchange(_unreportedProxyFailures, 0)}});
}

} // namespace supplierd::host
