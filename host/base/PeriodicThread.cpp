#include "host/base/PeriodicThread.h"

#include <utility>

namespace supplierd::host {

PeriodicThread::PeriodicThread(Pause first, std::function<Pause()> work)
    : _work(std::move(work)), _thread([this, first](const std::stop_token& stop) { run(stop, first); }) {}

void PeriodicThread::run(const std::stop_token& stop, Pause pause) {
    std::unique_lock lock(_mutex);
    while (!_wake.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); })) {
        lock.unlock();
        pause = _work();
        lock.lock();
    }
}

} // namespace supplierd::host
