#include "host/server/process/TerminationSignal.h"

#include <pthread.h>

#include <csignal>
#include <utility>

namespace supplierd::host {

namespace {

sigset_t handledSignals() {
    sigset_t set;
    sigemptyset(&set);
    for (int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2})
        sigaddset(&set, signal);
    return set;
}

} // namespace

TerminationSignal::TerminationSignal() {
    const auto set = handledSignals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    _thread = std::thread([this] { run(); });
}

TerminationSignal::~TerminationSignal() {
    {
        const std::lock_guard lock(_mutex);
        _leaving = true;
    }
    pthread_kill(_thread.native_handle(), SIGUSR2);
    _thread.join();
}

void TerminationSignal::run() {
    const auto set = handledSignals();
    for (;;) {
        siginfo_t info{};
        const int signal = sigwaitinfo(&set, &info);
        if (signal < 0)
            continue; // interrupted
        const std::lock_guard actionLock(_actionMutex);
        std::function<void()> action;
        {
            const std::lock_guard lock(_mutex);
            if (_leaving)
                return;
            if (signal == SIGUSR1)
                action = _onReopenLogs;
            else if (signal == SIGHUP) {
                _reload = true;
                _askers.push_back(info.si_pid);
            } else if (signal == SIGUSR2)
                _handOver = true;
            else {
                _requested = true;
                action = _onTermination;
            }
        }
        _changed.notify_all();
        if (action)
            action();
    }
}

void TerminationSignal::onReopenLogs(std::function<void()> action) {
    const std::lock_guard actionLock(_actionMutex); // a running action ends first
    const std::lock_guard lock(_mutex);
    _onReopenLogs = std::move(action);
}

void TerminationSignal::onTermination(std::function<void()> action) {
    const std::lock_guard actionLock(_actionMutex);
    const std::lock_guard lock(_mutex);
    _onTermination = std::move(action);
    if (_requested && _onTermination)
        _onTermination();
}

void TerminationSignal::requestHandOver() {
    {
        const std::lock_guard lock(_mutex);
        _handOver = true;
    }
    _changed.notify_all();
}

bool TerminationSignal::requested() const {
    const std::lock_guard lock(_mutex);
    return _requested;
}

bool TerminationSignal::waitFor(std::chrono::milliseconds time) const {
    std::unique_lock lock(_mutex);
    return _changed.wait_for(lock, time, [this] { return _requested; });
}

TerminationSignal::Request TerminationSignal::wait() {
    std::unique_lock lock(_mutex);
    _changed.wait(lock, [this] { return _requested || _handOver || _reload; });
    if (_requested)
        return Request::Terminate;
    const bool wasHandOver = std::exchange(_handOver, false);
    return !std::exchange(_reload, false) && wasHandOver ? Request::HandOver : Request::Reload;
}

std::vector<pid_t> TerminationSignal::takeAskers() {
    const std::lock_guard lock(_mutex);
    return std::exchange(_askers, {});
}

} // namespace supplierd::host
