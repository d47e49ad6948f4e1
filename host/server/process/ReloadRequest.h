#pragma once

#include "host/base/OwnedDescriptor.h"

#include <sys/types.h>

#include <string>
#include <vector>

namespace supplierd::host {

/// `supplierd --reload=PID`: asks a running server to take its configuration, and waits for what becomes of it. Who
/// asks listens on a Unix socket that is named after his own process; the server answers to the sender of SIGHUP. So
/// the two need no file, and no right but the one to send the signal. Thread: one.
class ReloadRequest {
public:
    /// Sends SIGHUP. Throws std::system_error: there is no such process, or it is not ours.
    explicit ReloadRequest(pid_t server);

    /// Empty once a successor serves with the configuration; else why the server goes on as it was.
    std::string wait() const;

    /// Of the server: how the request of these processes ended. Those that do not listen are not waited for.
    static void answer(const std::vector<pid_t>& askers, const std::string& failure);

private:
    std::string receive() const;

    pid_t _server;
    OwnedDescriptor _process; ///< readable when the server has ended
    OwnedDescriptor _socket;
};

} // namespace supplierd::host
