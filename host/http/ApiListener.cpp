#include "host/http/ApiListener.h"

#include "host/http/WorkerServer.h"
#include "host/http/pipeline/PipelineHandlers.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <limits>
#include <thread>
#include <utility>

namespace supplierd::host {

namespace {

constexpr auto POLL = std::chrono::milliseconds(5);
constexpr auto ACCEPT_LIMIT = std::chrono::seconds(2);         // what accepting the backlog takes at most
constexpr auto CUT_OFF_GRACE = std::chrono::milliseconds(250); // to notice that the connection is gone

/// As many as there can be, with some files left for everything else: sessions, logs, pictures.
int mostConnections() {
    constexpr rlim_t OTHERS = 512;
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY)
        return std::numeric_limits<int>::max();
    return static_cast<int>(std::max(files.rlim_cur, OTHERS + 64) - OTHERS);
}

GateSettings gateSettings(const ServerSettings& settings) {
    constexpr int SHORT_RUNNING_PER_PROCESSOR = 2;
    GateSettings gate;
    gate.headTimeout = std::min(gate.headTimeout, settings.requestTimeout);
    gate.keepAliveTimeout = settings.keepAliveTimeout;
    gate.patience = settings.requestTimeout;
    gate.workers = settings.threads;
    gate.shortRunning =
        std::max(2, static_cast<int>(std::thread::hardware_concurrency()) * SHORT_RUNNING_PER_PROCESSOR);
    gate.maxQueued = static_cast<std::size_t>(settings.maxQueued);
    gate.queueTime = settings.queueTime;
    gate.maxConnections = std::min(settings.maxConnections, mostConnections());
    gate.connectionsPerAddress = settings.connectionsPerAddress;
    gate.trustedProxies = settings.trustedProxies;
    gate.forwardedHeader = settings.forwardedHeader;
    gate.proxyProtocol = settings.proxyProtocol;
    gate.held = {static_cast<std::uint64_t>(settings.heldMemory), static_cast<std::uint64_t>(settings.heldFiles)};
    return gate;
}

} // namespace

namespace {

std::unique_ptr<TlsContext> makeTls(const ServerSettings& settings, ApiListener::Notices& notices) {
    if (settings.tlsCertificate.empty())
        return nullptr;
    return std::make_unique<TlsContext>(TlsContext::Files{settings.tlsCertificate, settings.tlsKey}, notices.tlsMetrics,
                                        std::move(notices.onNewCertificate));
}

} // namespace

ApiListener::ApiListener(const ServerSettings& settings, Pipeline& pipeline, int passed, Notices notices)
    : _settings(settings),
      _pipeline(pipeline),
      _threads("http", 2, settings.threads + 1),
      _socket({settings.listen, "server.listen", passed}),
      _refusals(makePipelineRefusals(pipeline, std::move(notices.onProxyFailure))),
      _tls(makeTls(settings, notices)),
      _gate(gateSettings(settings), _socket.descriptor(), *_refusals, _tls.get()),
      _server(makeWorkerServer(makePipelineHandlers(pipeline), _threads, _gate, settings.threads)) {}

ApiListener::~ApiListener() = default;

void ApiListener::start() {
    _server->start();
    _gate.start();
}

int ApiListener::drain(Clock::time_point until, Gate::Backlog backlog) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    const auto atMost = [left](std::chrono::milliseconds time) {
        return std::clamp(left, std::chrono::milliseconds(0), time);
    };
    const int connections = _gate.drain(backlog, atMost(_settings.drainGrace), atMost(ACCEPT_LIMIT));
    _socket.close(); // whoever comes now is refused, unless the socket is open in another process too
    return connections;
}

void ApiListener::measure(ServerMetrics& metrics) {
    constexpr std::array<const char*, Connection::PHASES> STATES = {"proxy_header", "handshake", "waiting",   "body",
                                                                    "answering",    "sending",   "lingering", "closed"};
    const auto phases = _gate.phases();
    for (std::size_t i = 0; i + 1 < STATES.size(); ++i)
        metrics.connections(STATES.at(i)).Set(phases.at(i));
    const auto held = _gate.ledger().held();
    metrics.held("memory").Set(static_cast<double>(held.memory));
    metrics.held("files").Set(static_cast<double>(held.files));
    raiseTo(metrics.heldRefused(), _gate.ledger().refused());
    metrics.queued().Set(static_cast<double>(_gate.queue().waiting()));
    metrics.working().Set(_gate.queue().working());
}

bool ApiListener::stop(Clock::time_point until) {
    const bool finished = _gate.finish(until);
    _server->stop();
    const auto end = Clock::now() + CUT_OFF_GRACE;
    while (_pipeline.running() > 0 && Clock::now() < end)
        std::this_thread::sleep_for(POLL);
    if (_pipeline.running() > 0)
        return false;
    _threads.joinAll();
    return finished;
}

} // namespace supplierd::host
