#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace supplierd::host {

/// SIGTERM and SIGINT end the server, SIGUSR2 hands it over to a successor, SIGHUP does so when the configuration
/// passes, SIGUSR1 has its log files opened anew. Make one before any thread starts: the signals are blocked in the
/// making thread and in all that it starts, and taken by a thread of their own.
class TerminationSignal {
public:
    enum class Request { Terminate, HandOver, Reload };

    TerminationSignal();
    ~TerminationSignal();

    /// Actions run on the signals' thread, must not throw, and must not wait for anything: a request to end comes
    /// through the same thread. Once these return, the previous action does not run any more.
    void onReopenLogs(std::function<void()> action);
    /// Runs at once when termination was requested before.
    void onTermination(std::function<void()> action);
    /// As SIGUSR2 does. Thread: any.
    void requestHandOver();
    bool requested() const;
    /// True when termination was requested within the time.
    bool waitFor(std::chrono::milliseconds time) const;
    /// Blocks. A request to hand over or to reload is told once; one to terminate comes first, and stays.
    Request wait();
    /// Who asked for the reload that wait() has told: their processes, each once.
    std::vector<pid_t> takeAskers();

private:
    void run();

    std::mutex _actionMutex;
    mutable std::mutex _mutex;
    mutable std::condition_variable _changed;
    std::function<void()> _onReopenLogs;
    std::function<void()> _onTermination;
    bool _requested = false;
    bool _handOver = false;
    bool _reload = false;
    std::vector<pid_t> _askers;
    bool _leaving = false;
    std::thread _thread;
};

} // namespace supplierd::host
