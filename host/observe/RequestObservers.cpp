#include "host/observe/RequestObservers.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace supplierd::host {

class RequestObservers::Queue {
public:
    Queue(std::string_view pluginId, RequestObserver& observer, Logger& log)
        : _pluginId(pluginId), _observer(observer), _log(log), _thread([this] { run(); }) {}
    ~Queue() { stop(); }
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    const std::string& pluginId() const { return _pluginId; }

    bool push(const AnsweredRequest& request) {
        {
            const std::lock_guard lock(_mutex);
            if (_waiting.size() >= RequestObserver::QUEUE || _isEnding)
                return false;
            _waiting.push_back(request);
        }
        _filled.notify_one();
        return true;
    }

    void stop() {
        {
            const std::lock_guard lock(_mutex);
            _isEnding = true;
        }
        _filled.notify_one();
        if (_thread.joinable())
            _thread.join();
    }

private:
    void run() {
        std::vector<AnsweredRequest> taken;
        std::unique_lock lock(_mutex);
        while (true) {
            _filled.wait(lock, [this] { return _isEnding || !_waiting.empty(); });
            if (_waiting.empty())
                return;
            taken.clear();
            taken.swap(_waiting);
            lock.unlock();
            tell(taken);
            lock.lock();
        }
    }

    void tell(const std::vector<AnsweredRequest>& requests) {
        try {
            _observer.answered(requests);
        } catch (const std::exception& failure) {
            report(failure.what());
        } catch (...) { // a plugin may throw anything; this is the edge
            report("an exception that is no std::exception");
        }
    }

    void report(std::string_view reason) {
        _log.error("an observer of requests failed", {{"plugin", _pluginId}, {"reason", std::string(reason)}});
    }

    const std::string _pluginId;
    RequestObserver& _observer;
    Logger& _log;
    std::mutex _mutex;
    std::condition_variable _filled;
    std::vector<AnsweredRequest> _waiting;
    bool _isEnding = false;
    std::thread _thread;
};

RequestObservers::RequestObservers(prometheus::Counter& dropped, Logger& log) : _dropped(dropped), _log(log) {}

RequestObservers::~RequestObservers() = default;

void RequestObservers::add(std::string_view pluginId, RequestObserver& observer) {
    _observers.push_back(std::make_unique<Queue>(pluginId, observer, _log));
}

void RequestObservers::withdraw(std::string_view pluginId) {
    std::erase_if(_observers, [&](const auto& queue) { return queue->pluginId() == pluginId; });
}

void RequestObservers::note(const AnsweredRequest& request) {
    for (const auto& queue : _observers)
        if (!queue->push(request))
            _dropped.Increment();
}

void RequestObservers::stop() {
    for (const auto& queue : _observers)
        queue->stop();
}

} // namespace supplierd::host
