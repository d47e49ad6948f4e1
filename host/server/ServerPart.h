#pragma once

#include "host/config/Settings.h"
#include "host/observe/ServerMetrics.h"
#include "host/server/process/ShutdownDeadline.h"
#include "host/server/process/Supervisor.h"
#include "host/server/process/TerminationSignal.h"

#include <supplierd/Log.h>

#include <prometheus/registry.h>

#include <atomic>
#include <memory>
#include <stdexcept>

namespace supplierd::host {

/// The server cannot start; what() tells the operator why and what to do.
class StartError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Starting it again does not help until the operator has done what the message says.
class NotSetUpError : public StartError {
public:
    using StartError::StartError;
};

enum class StopReason {
    Stopped,
    HandedOver ///< a successor serves already, with the same sockets
};

/// What all parts of a server share. Everything in it outlives them.
struct ServerBasis {
    const Settings& settings;
    Logger& log;
    std::shared_ptr<prometheus::Registry> registry;
    ServerMetrics& metrics;
    TerminationSignal& termination;
    ShutdownDeadline& deadline;
    const Supervisor& supervisor;
    /// Why the server stops, once it does.
    std::atomic<StopReason> stopReason{StopReason::Stopped};
};

/// A part of a running server. Parts are built and started in one order, and stopped in the reverse one; each uses
/// those before it. Thread: main's, but for measure().
class ServerPart {
public:
    virtual ~ServerPart() = default;

    /// False when termination was requested meanwhile. Throws StartError, PluginStartError, std::runtime_error.
    virtual bool start() = 0;
    /// Sets the gauges that nobody counts meanwhile. Thread: any.
    virtual void measure() {}
    /// Also after a start that failed; a second time it does nothing.
    virtual void stop() = 0;
};

} // namespace supplierd::host
