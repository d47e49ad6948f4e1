#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace supplierd::host {

/// Runs one piece of work again and again on a thread of its own, until destroyed.
class PeriodicThread {
public:
    using Pause = std::chrono::milliseconds;

    /// The first run comes after `first`, each further one after the pause that `work` returns. What `work` throws ends
    /// the process: it handles its failures itself.
    PeriodicThread(Pause first, std::function<Pause()> work);
    /// Waits for a run that is under way.
    ~PeriodicThread() = default;
    PeriodicThread(const PeriodicThread&) = delete;
    PeriodicThread& operator=(const PeriodicThread&) = delete;

private:
    void run(const std::stop_token& stop, Pause pause);

    std::function<Pause()> _work;
    std::mutex _mutex;
    std::condition_variable_any _wake;
    std::jthread _thread;
};

} // namespace supplierd::host
