#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// The requests of one route: counters by status and a latency histogram, found without a lock. Lifetime: the
/// ServerMetrics'.
class RouteMetrics {
public:
    RouteMetrics(prometheus::Family<prometheus::Counter>& requests, prometheus::Histogram& latency, std::string method,
                 std::string route);
    void count(int status, double seconds);

private:
    static constexpr int LOWEST_STATUS = 100;

    prometheus::Family<prometheus::Counter>& _requests;
    prometheus::Histogram& _latency;
    std::string _method;
    std::string _route;
    std::array<std::atomic<prometheus::Counter*>, 500> _byStatus{};
};

/// For what is counted elsewhere, when it is scraped. Thread: any.
void raiseTo(prometheus::Counter& counter, std::uint64_t total);

/// The host's own metrics. Thread: any.
class ServerMetrics {
public:
    explicit ServerMetrics(std::shared_ptr<prometheus::Registry> registry);

    /// One per route; made at start.
    RouteMetrics& route(std::string_view method, std::string_view pattern);

    prometheus::Counter& rateLimited() { return _rateLimited; }
    prometheus::Counter& authFailures(std::string_view reason);
    /// Requests that the gate answered itself.
    prometheus::Counter& refused(std::string_view reason);
    /// Connections of trusted proxies that were closed for want of a whole PROXY header.
    prometheus::Counter& proxyFailures(std::string_view reason);
    /// `state`: "waiting", "body"…
    prometheus::Gauge& connections(std::string_view state);
    /// Bytes that are held for clients. `place`: "memory" or "files".
    prometheus::Gauge& held(std::string_view place);
    prometheus::Counter& heldRefused() { return _heldRefused; }
    prometheus::Gauge& queued() { return _queued; }
    prometheus::Gauge& working() { return _working; }
    prometheus::Histogram& queueSeconds() { return _queueSeconds; }
    prometheus::Counter& internalErrors() { return _internalErrors; }
    prometheus::Counter& contentBytes() { return _contentBytes; }
    /// `by`: "client" (gone, or too slow) or "content" (it broke).
    prometheus::Counter& contentCutOff(std::string_view by);
    /// Answered requests that an observer was too slow for.
    prometheus::Counter& observerDropped() { return _observerDropped; }
    /// Of every enabled plugin, so that whoever watches sees those that serve too.
    void pluginLeftOut(const std::string& id, bool isLeftOut = true);
    prometheus::Gauge& poolInUse() { return _poolInUse; }
    prometheus::Gauge& poolIdle() { return _poolIdle; }
    prometheus::Gauge& poolWaiting() { return _poolWaiting; }
    prometheus::Counter& poolTimeouts() { return _poolTimeouts; }
    /// Of a database with several nodes, each by its name in the configuration: 1 or 0.
    prometheus::Gauge& databaseNodeUp(const std::string& node) { return _databaseNodeUp.Add({{"node", node}}); }
    prometheus::Gauge& databaseNodeWritable(const std::string& node) {
        return _databaseNodeWritable.Add({{"node", node}});
    }
    prometheus::Gauge& databaseNodeInStep(const std::string& node) { return _databaseNodeInStep.Add({{"node", node}}); }
    prometheus::Gauge& databaseWriter(const std::string& node) { return _databaseWriter.Add({{"node", node}}); }
    prometheus::Gauge& databaseReader(const std::string& node) { return _databaseReader.Add({{"node", node}}); }
    prometheus::Gauge& databaseReadsInStep() { return _databaseReadsInStep; }
    prometheus::Counter& databaseFailovers() { return _databaseFailovers; }
    prometheus::Gauge& databaseAmbiguous() { return _databaseAmbiguous; }
    /// What the database was asked for suppliers' last numbers, and how many requests that answered.
    prometheus::Counter& versionQuestions() { return _versionQuestions; }
    prometheus::Counter& versionRequests() { return _versionRequests; }
    prometheus::Counter& logLinesDropped() { return _logLinesDropped; }

    /// Everything in the registry, in Prometheus' text format.
    std::string text() const;

private:
    std::shared_ptr<prometheus::Registry> _registry;
    prometheus::Family<prometheus::Counter>& _requests;
    prometheus::Family<prometheus::Histogram>& _latency;
    prometheus::Family<prometheus::Counter>& _authFailures;
    prometheus::Family<prometheus::Counter>& _refused;
    prometheus::Family<prometheus::Counter>& _proxyFailures;
    prometheus::Family<prometheus::Counter>& _contentCutOff;
    prometheus::Family<prometheus::Gauge>& _pluginsLeftOut;
    prometheus::Family<prometheus::Gauge>& _connections;
    prometheus::Family<prometheus::Gauge>& _held;
    prometheus::Counter& _heldRefused;
    prometheus::Gauge& _queued;
    prometheus::Gauge& _working;
    prometheus::Histogram& _queueSeconds;
    prometheus::Counter& _rateLimited;
    prometheus::Counter& _internalErrors;
    prometheus::Counter& _contentBytes;
    prometheus::Counter& _observerDropped;
    prometheus::Gauge& _poolInUse;
    prometheus::Gauge& _poolIdle;
    prometheus::Gauge& _poolWaiting;
    prometheus::Counter& _poolTimeouts;
    prometheus::Family<prometheus::Gauge>& _databaseNodeUp;
    prometheus::Family<prometheus::Gauge>& _databaseNodeWritable;
    prometheus::Family<prometheus::Gauge>& _databaseNodeInStep;
    prometheus::Family<prometheus::Gauge>& _databaseWriter;
    prometheus::Family<prometheus::Gauge>& _databaseReader;
    prometheus::Gauge& _databaseReadsInStep;
    prometheus::Counter& _databaseFailovers;
    prometheus::Gauge& _databaseAmbiguous;
    prometheus::Counter& _versionQuestions;
    prometheus::Counter& _versionRequests;
    prometheus::Counter& _logLinesDropped;
    std::mutex _mutex;
    std::map<std::string, prometheus::Counter*, std::less<>> _refusedBy;
    std::vector<std::unique_ptr<RouteMetrics>> _routes;
};

} // namespace supplierd::host
