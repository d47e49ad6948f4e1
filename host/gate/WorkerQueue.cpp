#include "host/gate/WorkerQueue.h"

#include <algorithm>
#include <utility>

namespace supplierd::host {

namespace {

/// A request that has run for so long waits for something else than a processor.
constexpr auto SHORT = std::chrono::milliseconds(5);

} // namespace

bool WorkerQueue::push(Connection& connection) {
    std::unique_lock lock(_mutex);
    const auto startable = static_cast<std::size_t>(std::max(0, allowed() - _working));
    if (_isClosed || _queue.size() >= _limits.queued + startable)
        return false;
    _queue.push_back(&connection);
    auto* const woken = dispatch();
    lock.unlock();
    wake(woken);
    return true;
}

void WorkerQueue::pushStarted(Connection& connection) {
    std::unique_lock lock(_mutex);
    _queue.push_back(&connection);
    auto* const woken = dispatch();
    lock.unlock();
    wake(woken);
}

/// Under the lock. Gives idle workers their work, which are to be woken without it; when there is none, one more is
/// asked for.
WorkerQueue::Worker* WorkerQueue::dispatch() {
    Worker* woken = nullptr;
    while (!_queue.empty() && _working < allowed() && !_idle.empty()) {
        Worker& worker = *_idle.back();
        _idle.pop_back();
        beginWork(worker, *_queue.front());
        _queue.pop_front();
        worker.nextWoken = std::exchange(woken, &worker);
    }
    _waiting.store(_queue.size(), std::memory_order_relaxed);
    const auto needed = std::min<int>(allowed() - _working, static_cast<int>(_queue.size()));
    if (needed > _wanted && static_cast<int>(_workers.size()) + _wanted < _limits.workers) {
        ++_wanted;
        _wanting.notify_one();
    }
    return woken;
}

void WorkerQueue::wake(Worker* worker) {
    while (worker) {
        auto* const next = std::exchange(worker->nextWoken, nullptr);
        worker->wake.release();
        worker = next;
    }
}

void WorkerQueue::beginWork(Worker& worker, Connection& connection) {
    worker.given = &connection;
    worker.isWorking = true;
    worker.isLong = false;
    worker.since = Clock::now();
    ++_working;
}

void WorkerQueue::endWork(Worker& worker) {
    if (!worker.isWorking)
        return;
    worker.isWorking = false;
    --_working;
    if (worker.isLong)
        --_long;
    worker.isLong = false;
}

std::vector<Connection*> WorkerQueue::takeOlderThan(Clock::time_point then) {
    const std::lock_guard lock(_mutex);
    std::vector<Connection*> taken;
    for (auto at = _queue.begin(); at != _queue.end();) {
        const bool isRequest = (*at)->phase == Connection::Phase::Answering;
        if (isRequest && (*at)->queuedAt >= then)
            break; // the others came later
        if (isRequest)
            taken.push_back(*at);
        at = isRequest ? _queue.erase(at) : at + 1;
    }
    _waiting.store(_queue.size(), std::memory_order_relaxed);
    return taken;
}

void WorkerQueue::makeRoom(Clock::time_point now) {
    std::unique_lock lock(_mutex);
    for (auto* worker : _workers)
        if (worker->isWorking && !worker->isLong && now - worker->since >= SHORT) {
            worker->isLong = true;
            ++_long;
        }
    auto* const woken = dispatch();
    lock.unlock();
    wake(woken);
}

int WorkerQueue::working() const {
    const std::lock_guard lock(_mutex);
    return _working;
}

Connection* WorkerQueue::next(Worker& worker, std::chrono::milliseconds idle) {
    std::unique_lock lock(_mutex);
    endWork(worker);
    worker.given = nullptr;
    if (_isClosed)
        return nullptr;
    if (!_queue.empty() && _working < allowed()) {
        beginWork(worker, *_queue.front());
        _queue.pop_front();
        _waiting.store(_queue.size(), std::memory_order_relaxed);
        return worker.given;
    }
    _idle.push_back(&worker);
    lock.unlock();
    if (worker.wake.acquireWithin(idle))
        return worker.given;
    lock.lock();
    if (std::erase(_idle, &worker) == 0) { // it was given something this moment
        lock.unlock();
        worker.wake.acquire();
    }
    return worker.given;
}

void WorkerQueue::add(Worker& worker) {
    const std::lock_guard lock(_mutex);
    _workers.push_back(&worker);
    --_wanted;
}

void WorkerQueue::remove(Worker& worker) {
    std::unique_lock lock(_mutex);
    endWork(worker);
    std::erase(_workers, &worker);
    auto* const woken = dispatch();
    lock.unlock();
    wake(woken);
}

bool WorkerQueue::waitUntilWorkerIsWanted(std::chrono::milliseconds limit) {
    std::unique_lock lock(_mutex);
    _wanting.wait_for(lock, limit, [this] { return _wanted > 0 || _isClosed; });
    return _wanted > 0 && !_isClosed;
}

void WorkerQueue::close() {
    const std::lock_guard lock(_mutex);
    _isClosed = true;
    _wanting.notify_all();
    for (auto* worker : std::exchange(_idle, {}))
        worker->wake.release();
}

std::vector<Connection*> WorkerQueue::takeAll() {
    const std::lock_guard lock(_mutex);
    const std::vector<Connection*> taken(_queue.begin(), _queue.end());
    _queue.clear();
    _waiting.store(0, std::memory_order_relaxed);
    return taken;
}

bool WorkerQueue::isClosed() const {
    const std::lock_guard lock(_mutex);
    return _isClosed;
}

} // namespace supplierd::host
