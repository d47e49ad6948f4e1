#pragma once

#include "host/gate/Gate.h"
#include "host/http/ListeningSocket.h"

#include <Poco/Net/HTTPServer.h>
#include <Poco/ThreadPool.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace supplierd::host {

/// What is in the way of serving, by check; an empty reason means that the check passed.
using Readiness = std::map<std::string, std::string>;

/// The operators' listener, loopback unless configured otherwise: /healthz, /readyz, /status, /metrics.
/// Thread: one, main's; the functions are called on the listener's own threads.
class AdminListener {
public:
    struct Dependencies {
        Poco::Net::SocketAddress address;
        std::function<Readiness()> readiness;
        std::function<std::string()> metrics;
        int passed = -1; ///< a socket that is used instead of binding; -1: none
        /// What runs here, as JSON; may be null.
        std::function<std::string()> status = {};
        /// Plugins that are not served, and why; named beside the checks without failing them. May be null.
        std::function<Readiness()> leftOut = {};
    };

    /// Opens the socket and starts to answer. Throws std::runtime_error that names the address and the setting.
    explicit AdminListener(Dependencies dependencies);
    ~AdminListener();

    /// Accepts no further connection: another process answers on the same socket from now on.
    void leave();

    Poco::Net::SocketAddress address() const { return _gate.address(); }
    int descriptor() const { return _socket.descriptor(); }

private:
    Poco::ThreadPool _threads;
    ListeningSocket _socket;
    std::unique_ptr<Refusals> _refusals;
    Gate _gate;
    std::unique_ptr<Poco::Net::HTTPServer> _server;
};

} // namespace supplierd::host
