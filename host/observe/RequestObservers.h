#pragma once

#include <supplierd/Log.h>
#include <supplierd/RequestObserver.h>

#include <prometheus/counter.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// Tells plugins of requests after they were answered, each on a thread of its own. Filled while plugins start; note()
/// is called by any thread afterwards.
class RequestObservers {
public:
    /// `dropped` counts what an observer was too slow for. Both must outlive it.
    RequestObservers(prometheus::Counter& dropped, Logger& log);
    ~RequestObservers();

    /// Throws std::invalid_argument for a header that nobody is told.
    static void requireAllowed(const ObserverOptions& options);

    void add(std::string_view pluginId, RequestObserver& observer, const ObserverOptions& options = {});
    /// Forgets those of the plugin; what they were not told yet is lost.
    void withdraw(std::string_view pluginId);

    bool any() const { return !_observers.empty(); }
    /// All that any of them asks for; headers in lower case.
    const ObserverOptions& wanted() const { return _wanted; }
    /// Asks each whether it wants this one; `make` makes the request when any does. Never waits for an observer. Each
    /// is told no more than it asked for.
    void note(const RequestSummary& facts, const std::function<AnsweredRequest()>& make);
    /// Returns once all have been told of what came before.
    void stop();

private:
    class Queue;

    void findWanted();

    prometheus::Counter& _dropped;
    Logger& _log;
    std::vector<std::unique_ptr<Queue>> _observers;
    ObserverOptions _wanted;
};

} // namespace supplierd::host
