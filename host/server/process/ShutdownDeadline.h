#pragma once

#include "host/server/process/TerminationSignal.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace supplierd::host {

/// The one limit of all that happens between the request to end and the end of the process: when it passes, the process
/// ends at once, whatever hangs: a database, a handler, a plugin, a log that nobody reads. Requests may run until
/// requestsUntil(), and what comes after them has half a second more. Thread: any; a thread of its own waits.
class ShutdownDeadline {
public:
    using Clock = std::chrono::steady_clock;

    /// Begins with a request to terminate. `requests`: server.shutdown_deadline.
    ShutdownDeadline(TerminationSignal& termination, std::chrono::milliseconds requests);
    /// The end came in time.
    ~ShutdownDeadline();
    ShutdownDeadline(const ShutdownDeadline&) = delete;
    ShutdownDeadline& operator=(const ShutdownDeadline&) = delete;

    /// The time runs from the first call on.
    void begin();
    /// Once begun.
    Clock::time_point requestsUntil() const;
    /// What is being done now, a literal: the operator is told when it does not end.
    void doing(const char* step) { _doing = step; }

    /// What is still to be done before the process ends at once, given what it was doing; must not wait for anything
    /// that may hang, nor throw. Once this returns, the previous one does not run any more.
    void onExpiry(std::function<void(const char* doing)> lastWords);
    /// Ends the process with exit code 0, as if the time had passed.
    [[noreturn]] void endNow();

private:
    void run(const std::stop_token& stop);

    TerminationSignal& _termination;
    const std::chrono::milliseconds _requests;
    mutable std::mutex _mutex;
    std::condition_variable_any _changed;
    bool _begun = false;
    Clock::time_point _begunAt;
    std::atomic<const char*> _doing{"starting"};
    std::mutex _lastWordsMutex;
    std::function<void(const char*)> _lastWords;
    std::jthread _thread;
};

} // namespace supplierd::host
