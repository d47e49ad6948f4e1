#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace supplierd::host {

/// SIGTERM and SIGINT end the server, SIGHUP calls `onHangup`. Make one before any thread starts: the signals are
/// blocked in the making thread and in all that it starts, and taken by a thread of their own.
class TerminationSignal {
public:
    TerminationSignal();
    ~TerminationSignal();

    /// `action` runs on the signals' thread and must not throw; once this returns, the previous one does not run any
    /// more.
    void onHangup(std::function<void()> action);
    bool requested() const;
    /// True when termination was requested within the time.
    bool waitFor(std::chrono::milliseconds time) const;
    void wait() const;

private:
    void run();

    std::mutex _actionMutex;
    mutable std::mutex _mutex;
    mutable std::condition_variable _changed;
    std::function<void()> _onHangup;
    bool _requested = false;
    bool _leaving = false;
    std::thread _thread;
};

} // namespace supplierd::host
