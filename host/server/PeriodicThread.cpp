#include "host/server/PeriodicThread.h"

#include <utility>

namespace supplierd::host {

PeriodicThread::PeriodicThread(Pause first, std::function<Pause()> work)
    : _work(std::move(work)), _thread([this, first] { run(first); }) {}

PeriodicThread::~PeriodicThread() {
    {
        const std::lock_guard lock(_mutex);
        _stopping = true;
    }
    _wake.notify_all();
    _thread.join();
}

void PeriodicThread::run(Pause pause) {
    std::unique_lock lock(_mutex);
    while (!_wake.wait_for(lock, pause, [this] { return _stopping; })) {
        lock.unlock();
        pause = _work();
        lock.lock();
    }
}

} // namespace supplierd::host
