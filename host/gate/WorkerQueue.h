#pragma once

#include "host/gate/Connection.h"
#include "host/gate/Semaphore.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <vector>

namespace supplierd::host {

/// Connections whose requests wait for a worker, in the order in which they came, and the workers that wait for them.
/// Short requests run a few at a time: more of them at once would only take the processors from each other. One that
/// takes longer, because it waits for something, makes room for another, up to the number of workers. Thread: any.
class WorkerQueue {
public:
    using Clock = std::chrono::steady_clock;

    struct Limits {
        int workers = 1;
        int shortRunning = 1;
        std::size_t queued = 1;
    };

    /// A thread that works; its own place to wait at.
    struct Worker {
        Semaphore wake;
        Connection* given = nullptr;
        bool isWorking = false;
        bool isLong = false;
        Clock::time_point since;
        Worker* nextWoken = nullptr; ///< while several are
    };

    explicit WorkerQueue(const Limits& limits) : _limits(limits) {}

    /// False when too many wait already.
    bool push(Connection& connection);
    /// A request or a response that has to be gone on with; not limited.
    void pushStarted(Connection& connection);
    /// Those that have waited since before then, to be refused.
    std::vector<Connection*> takeOlderThan(Clock::time_point then);
    /// To be called now and then while something waits: finds requests that take longer.
    void makeRoom(Clock::time_point now);

    std::size_t waiting() const { return _waiting.load(std::memory_order_relaxed); }
    int working() const;

    /// The next request for this worker, which is through with the one before; null when none came within `idle`, and
    /// once the queue is closed.
    Connection* next(Worker& worker, std::chrono::milliseconds idle);
    /// The one that was wanted.
    void add(Worker& worker);
    void remove(Worker& worker);
    /// True when one more worker is wanted; false after `limit`, and once the queue is closed.
    bool waitUntilWorkerIsWanted(std::chrono::milliseconds limit);
    /// What waits stays until takeAll(); nobody works on it any more.
    void close();
    /// Of the gate's thread, once closed: what no worker has begun with, requests and responses.
    std::vector<Connection*> takeAll();
    bool isClosed() const;

private:
    int allowed() const { return std::min(_limits.workers, _limits.shortRunning + _long); }
    void endWork(Worker& worker);
    void beginWork(Worker& worker, Connection& connection);
    Worker* dispatch();
    static void wake(Worker* worker);

    const Limits _limits;
    mutable std::mutex _mutex;
    std::condition_variable _wanting;
    std::deque<Connection*> _queue;
    std::atomic<std::size_t> _waiting{0};
    std::vector<Worker*> _workers;
    std::vector<Worker*> _idle; ///< the last one first, so that the others may go home
    int _wanted = 0;
    int _working = 0;
    int _long = 0;
    bool _isClosed = false;
};

} // namespace supplierd::host
