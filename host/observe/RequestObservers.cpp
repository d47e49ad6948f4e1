#include "host/observe/RequestObservers.h"

#include "host/observe/CurrentWork.h"

#include <Poco/String.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace supplierd::host {

namespace {

/// So long the first request of many waits for those behind it: waking a thread for each costs more than telling it.
constexpr auto GATHERING = std::chrono::milliseconds(20);
constexpr std::size_t GATHERED = 256;
constexpr std::array<std::string_view, 3> SECRET_HEADERS{"authorization", "proxy-authorization", "cookie"};

std::vector<std::string> lowerCase(std::vector<std::string> names) {
    for (std::string& name : names)
        Poco::toLowerInPlace(name);
    return names;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace

class RequestObservers::Queue {
public:
    Queue(std::string_view pluginId, RequestObserver& observer, const ObserverOptions& options, Logger& log)
        : _pluginId(pluginId),
          _observer(observer),
          _options{options.requestBody, options.errorBody, lowerCase(options.headers)},
          _names(options.headers),
          _log(log),
          _thread([this] { run(); }) {}
    ~Queue() { stop(); }
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    const std::string& pluginId() const { return _pluginId; }
    const ObserverOptions& options() const { return _options; }

    bool wants(const RequestSummary& facts) {
        try {
            return _observer.wants(facts);
        } catch (...) { // a plugin may throw anything; one line for each request would be too many
            return false;
        }
    }

    /// Of a request that another observer is told of, too: bodies that this one did not ask for are not copied.
    AnsweredRequest copyOf(AnsweredRequest& request) const {
        AnsweredRequest copy;
        const auto swapLarge = [&] {
            request.requestBody.swap(copy.requestBody);
            request.errorBody.swap(copy.errorBody);
            request.headers.swap(copy.headers);
        };
        swapLarge();
        AnsweredRequest rest = request;
        swapLarge();
        rest.requestBody = request.requestBody.substr(0, _options.requestBody);
        rest.errorBody = request.errorBody.substr(0, _options.errorBody);
        if (!_options.headers.empty())
            rest.headers = request.headers;
        return rest;
    }

    bool push(AnsweredRequest request) {
        narrow(request);
        const auto bodies = request.requestBody.size() + request.errorBody.size();
        std::size_t waiting = 0;
        {
            const std::lock_guard lock(_mutex);
            if (_waiting.size() >= RequestObserver::QUEUE || _isEnding ||
                (bodies > 0 && _bodies + bodies > RequestObserver::QUEUE_BODIES))
                return false;
            _bodies += bodies;
            _waiting.push_back(std::move(request));
            waiting = _waiting.size();
        }
        if (waiting == 1 || waiting == GATHERED)
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
            _filled.wait_for(lock, GATHERING, [this] { return _isEnding || _waiting.size() >= GATHERED; });
            taken.clear();
            taken.swap(_waiting);
            _bodies = 0;
            lock.unlock();
            tell(taken);
            lock.lock();
        }
    }

    /// To what this observer asked for.
    void narrow(AnsweredRequest& request) const {
        const auto cut = [](std::string& body, std::size_t size) {
            if (body.size() > size)
                body.resize(size);
        };
        cut(request.requestBody, _options.requestBody);
        cut(request.errorBody, _options.errorBody);
        std::erase_if(request.headers,
                      [this](const auto& header) { return !contains(_options.headers, header.first); });
        for (auto& [name, value] : request.headers)
            name = _names[static_cast<std::size_t>(std::find(_options.headers.begin(), _options.headers.end(), name) -
                                                   _options.headers.begin())];
    }

    void tell(const std::vector<AnsweredRequest>& requests) {
        const CurrentWork mark(_pluginId.c_str(), "observing requests");
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
    const ObserverOptions _options;        ///< headers in lower case
    const std::vector<std::string> _names; ///< of these headers, as the observer calls them
    Logger& _log;
    std::mutex _mutex;
    std::condition_variable _filled;
    std::vector<AnsweredRequest> _waiting;
    std::size_t _bodies = 0; ///< bytes of them
    bool _isEnding = false;
    std::thread _thread;
};

RequestObservers::RequestObservers(prometheus::Counter& dropped, Logger& log) : _dropped(dropped), _log(log) {}

RequestObservers::~RequestObservers() = default;

void RequestObservers::requireAllowed(const ObserverOptions& options) {
    for (const std::string& name : lowerCase(options.headers))
        if (std::find(SECRET_HEADERS.begin(), SECRET_HEADERS.end(), name) != SECRET_HEADERS.end())
            throw std::invalid_argument("no observer is told the header '" + name + "'");
}

void RequestObservers::add(std::string_view pluginId, RequestObserver& observer, const ObserverOptions& options) {
    _observers.push_back(std::make_unique<Queue>(pluginId, observer, options, _log));
    findWanted();
}

void RequestObservers::withdraw(std::string_view pluginId) {
    std::erase_if(_observers, [&](const auto& queue) { return queue->pluginId() == pluginId; });
    findWanted();
}

void RequestObservers::findWanted() {
    _wanted = {};
    for (const auto& queue : _observers) {
        const ObserverOptions& options = queue->options();
        _wanted.requestBody = std::max(_wanted.requestBody, options.requestBody);
        _wanted.errorBody = std::max(_wanted.errorBody, options.errorBody);
        for (const std::string& name : options.headers)
            if (!contains(_wanted.headers, name))
                _wanted.headers.push_back(name);
    }
}

void RequestObservers::note(const RequestSummary& facts, const std::function<AnsweredRequest()>& make) {
    std::optional<AnsweredRequest> request;
    Queue* last = nullptr; // which takes what was made, instead of a copy
    const auto tell = [&](Queue& queue, AnsweredRequest told) {
        if (!queue.push(std::move(told)))
            _dropped.Increment();
    };
    for (const auto& queue : _observers) {
        if (!queue->wants(facts))
            continue;
        if (last)
            tell(*last, last->copyOf(*request));
        else
            request = make();
        last = queue.get();
    }
    if (last)
        tell(*last, std::move(*request));
}

void RequestObservers::stop() {
    for (const auto& queue : _observers)
        queue->stop();
}

} // namespace supplierd::host
