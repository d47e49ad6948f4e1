#pragma once

#include "host/http/AdminListener.h"
#include "host/server/AccountsPart.h"
#include "host/server/DatabasePart.h"
#include "host/server/FrontPart.h"
#include "host/server/PluginsPart.h"
#include "host/server/ServerLogs.h"
#include "host/server/ServerPart.h"
#include "host/server/process/HandOver.h"
#include "host/server/process/PassedSockets.h"

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::host {

/// A running server: its four parts, which are started in order and stopped in the reverse one, its logs, and the
/// listener that tells operators of it. Thread: main's.
class Server {
public:
    /// What the process has for it.
    struct Environment {
        TerminationSignal& termination;
        ShutdownDeadline& deadline;
        const Supervisor& supervisor;
        PassedSockets::Uses passed;
    };

    Server(const Settings& settings, PluginSet& plugins, Environment environment);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Waits for the database, checks the schema, starts the plugins, opens the listeners. Throws StartError,
    /// PluginStartError, std::runtime_error. Returns false when termination was requested meanwhile.
    bool start();
    /// After start(): answers requests.
    void serve();
    /// A successor is ready and waits: leaves the listening sockets to it, and writes down what it has to know.
    void yield();
    /// Stops accepting, finishes what runs within the deadline, stops the plugins. Ends the process, instead of
    /// returning, when handlers run on that nothing can interrupt, and when the deadline has passed.
    void stop(StopReason reason);
    /// What a successor needs. Between serve() and stop().
    std::vector<HandOver::Socket> sockets() const;
    /// One line about what is served. As sockets().
    std::string summary() const;
    Logger& log() { return _logs.log(); }

private:
    void lastWords(const char* doing);
    void warnOfPassedSocket(const char* setting, const Poco::Net::SocketAddress& configured,
                            const Poco::Net::SocketAddress& actual);
    std::vector<std::filesystem::path> processFiles() const;
    void writeProcessFiles() const;
    void removeProcessFiles() const;
    void stopParts();
    Readiness readiness();
    std::string metricsText();
    std::string load();

    const PassedSockets::Uses _passed;
    ServerLogs _logs;
    std::shared_ptr<prometheus::Registry> _registry;
    ServerMetrics _metrics;
    ServerBasis _basis;
    DatabasePart _database;
    AccountsPart _accounts;
    PluginsPart _plugins;
    FrontPart _front;
    const std::array<ServerPart*, 4> _parts{&_database, &_accounts, &_plugins, &_front};
    std::unique_ptr<AdminListener> _admin;
};

} // namespace supplierd::host
