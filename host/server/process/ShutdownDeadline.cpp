#include "host/server/process/ShutdownDeadline.h"

#include <unistd.h>

#include <cstdlib>
#include <utility>

namespace supplierd::host {

namespace {

/// For what comes after the requests.
constexpr auto LOG_SPARE = std::chrono::milliseconds(500);

} // namespace

ShutdownDeadline::ShutdownDeadline(TerminationSignal& termination, std::chrono::milliseconds requests)
    : _termination(termination), _requests(requests), _thread([this](const std::stop_token& stop) { run(stop); }) {
    _termination.onTermination([this] { begin(); });
}

ShutdownDeadline::~ShutdownDeadline() {
    _termination.onTermination({});
}

void ShutdownDeadline::begin() {
    {
        const std::lock_guard lock(_mutex);
        if (_begun)
            return;
        _begun = true;
        _begunAt = Clock::now();
    }
    _changed.notify_all();
}

ShutdownDeadline::Clock::time_point ShutdownDeadline::requestsUntil() const {
    const std::lock_guard lock(_mutex);
    return _begunAt + _requests;
}

void ShutdownDeadline::onExpiry(std::function<void(const char* doing)> lastWords) {
    const std::lock_guard lock(_lastWordsMutex);
    _lastWords = std::move(lastWords);
}

void ShutdownDeadline::endNow() {
    const std::lock_guard lock(_lastWordsMutex);
    if (_lastWords)
        _lastWords(_doing);
    ::_exit(EXIT_SUCCESS); // no destructor may run: somebody still works with what they would destroy
}

void ShutdownDeadline::run(const std::stop_token& stop) {
    std::unique_lock lock(_mutex);
    if (_changed.wait(lock, stop, [this] { return _begun; }))
        _changed.wait_until(lock, stop, _begunAt + _requests + LOG_SPARE, [] { return false; });
    if (stop.stop_requested())
        return;
    lock.unlock();
    endNow();
}

} // namespace supplierd::host
