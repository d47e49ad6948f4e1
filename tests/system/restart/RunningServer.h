#pragma once

#include "tests/support/ServerProcess.h"

#include <sys/types.h>

#include <csignal>

namespace supplierd::tests {

/// The process that serves for a ServerProcess now: that itself, then its successors, which are no children of the test
/// and are ended with this object.
class RunningServer {
public:
    /// Of a server that runs, with an address file.
    explicit RunningServer(ServerProcess& server);
    ~RunningServer();
    RunningServer(const RunningServer&) = delete;
    RunningServer& operator=(const RunningServer&) = delete;

    pid_t pid() const { return _pid; }
    /// SIGUSR2, or SIGHUP; returns when a successor serves and the predecessor has ended.
    void handOver(int signal = SIGUSR2);
    /// The same, when something else made it hand over.
    void awaitSuccessor();
    /// The process that the address file names.
    pid_t named() const;

private:
    ServerProcess& _server;
    pid_t _pid;
};

} // namespace supplierd::tests
