#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <string>

namespace supplierd::host {

/// What started this server and wants to know how it does: systemd with Type=notify, or anything else that sets
/// NOTIFY_SOCKET. Without one every function does nothing. A server that takes over from another one keeps silent until
/// it is told to be the main process. Thread: any.
class Supervisor {
public:
    /// `isSuccessor`: another server is the main process still.
    explicit Supervisor(bool isSuccessor) : _isSilent(isSuccessor) {}

    /// Another server is the main process, and serves.
    bool isSuccessor() const { return _isSilent; }

    /// The other one has told that this process is the main one now, or is about to.
    void becomeMain() { _isSilent = false; }

    /// Not there yet; what takes so long, and for how long it may go on.
    void starting(const std::string& status, std::chrono::milliseconds longest) const;
    void ready(const std::string& status) const;
    /// It may take so long.
    void stopping(std::chrono::milliseconds longest) const;
    /// A hand-over begins, which may take so long; back to ready() when it fails.
    void handingOver(std::chrono::milliseconds longest) const;
    /// From now on that process is the main one, and serves.
    void handedOverTo(pid_t successor) const;

private:
    void send(const std::string& state) const;

    std::atomic<bool> _isSilent;
};

} // namespace supplierd::host
