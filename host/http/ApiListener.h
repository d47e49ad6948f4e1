#pragma once

#include "host/config/Settings.h"
#include "host/gate/Gate.h"
#include "host/gate/tls/TlsContext.h"
#include "host/http/ListeningSocket.h"
#include "host/http/pipeline/Pipeline.h"

#include <Poco/Net/HTTPServer.h>
#include <Poco/ThreadPool.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>

namespace supplierd::host {

/// The API's listener: the gate, and behind it Poco's HTTPServer, whose workers take requests through the pipeline.
/// Thread: one, main's.
class ApiListener {
public:
    /// What the gate tells of. Thread: the gate's.
    struct Notices {
        TlsMetrics& tlsMetrics;
        TlsContext::Notice onNewCertificate;
        /// See Refusals::noteProxyFailure().
        std::function<void(const Poco::Net::IPAddress& proxy, std::string_view reason)> onProxyFailure;
    };

    /// Opens the socket, or takes `passed` (-1: none); connections wait until start(). Throws std::runtime_error.
    ApiListener(const ServerSettings& settings, Pipeline& pipeline, int passed, Notices notices);
    ~ApiListener();

    void start();
    Poco::Net::SocketAddress address() const { return _gate.address(); }
    /// Requests and responses for which no worker is free.
    std::size_t waiting() { return _gate.queue().waiting(); }
    int descriptor() const { return _socket.descriptor(); }
    bool isSecure() const { return _tls != nullptr; }
    using Clock = Gate::Clock;

    /// Stops accepting; what is in the backlog is accepted first unless it is left to another process. From now on
    /// every answer closes its connection, and an idle one may bring a last request within server.drain_grace. Once;
    /// returns the connections that there are.
    int drain(Clock::time_point until, Gate::Backlog backlog);
    /// After drain(): lets running requests finish. False when `until` came first: what still ran then is cut off, and
    /// when a handler runs on regardless (Pipeline::running()), this object must not be destroyed any more.
    bool stop(Clock::time_point until);
    /// Sets the gauges of the gate. Thread: any.
    void measure(ServerMetrics& metrics);

private:
    const ServerSettings _settings;
    Pipeline& _pipeline;
    Poco::ThreadPool _threads;
    ListeningSocket _socket;
    std::unique_ptr<Refusals> _refusals;
    std::unique_ptr<TlsContext> _tls;
    Gate _gate;
    std::unique_ptr<Poco::Net::HTTPServer> _server;
};

} // namespace supplierd::host
