#pragma once

#include "host/http/ApiListener.h"
#include "host/http/ControlListener.h"
#include "host/http/pipeline/HeapTrimmer.h"
#include "host/http/pipeline/Pipeline.h"
#include "host/observe/AccessLog.h"
#include "host/server/Housekeeper.h"
#include "host/server/PluginsPart.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

namespace supplierd::host {

/// What clients see: the API's listener, the control socket, and the pipeline that requests of both go through.
class FrontPart final : public ServerPart {
public:
    /// `passed`: a socket to listen on that somebody else opened; -1: none. `accessLog`: null: off.
    FrontPart(ServerBasis& basis, int passed, AccessLog* accessLog, DatabasePart& database, AccountsPart& accounts,
              PluginsPart& plugins);

    /// Opens the listeners; connections wait until serve().
    bool start() override;
    void serve();
    void measure() override;
    /// A successor waits for the sockets: stops accepting, and writes down what it has to know.
    void yield();
    /// Not ready any more, and serving still, so that whatever shares the requests out can turn away first.
    void pauseBeforeStop();
    /// Stops accepting, and finishes what runs within the deadline. Ends the process when handlers run on regardless.
    void stop() override;

    bool isServing() const { return _isServing; }
    bool isPausing() const { return _isPausing; }
    ApiListener& listener() { return *_listener; }
    const ApiListener& listener() const { return *_listener; }

private:
    void openControlSocket();
    void noteCertificate(const std::string& failure);
    void noteProxyFailure(const Poco::Net::IPAddress& proxy, std::string_view reason);
    void drain();

    ServerBasis& _basis;
    const int _passed;
    AccessLog* const _accessLog;
    DatabasePart& _database;
    AccountsPart& _accounts;
    PluginsPart& _plugins;
    TlsMetrics _tlsMetrics;
    std::chrono::steady_clock::time_point _nextProxyWarning; ///< the gate's thread's
    int _unreportedProxyFailures = 0;                        ///< its own, too
    HeapTrimmer _heap;
    std::unique_ptr<Pipeline> _pipeline;
    std::unique_ptr<Housekeeper> _housekeeper;
    std::unique_ptr<ApiListener> _listener;
    std::unique_ptr<ControlListener> _control; ///< null: no control socket
    bool _isDraining = false;
    std::atomic<bool> _isServing{false};
    std::atomic<bool> _isPausing{false};
};

} // namespace supplierd::host
