#include "host/observe/ServerMetrics.h"

#include "host/Version.h"

#include <prometheus/text_serializer.h>

#include <algorithm>

namespace supplierd::host {

namespace {

const prometheus::Histogram::BucketBoundaries LATENCY_SECONDS = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                                 0.1,    0.25,  0.5,    1,     2.5,  10};

template <class Builder>
auto& family(const std::shared_ptr<prometheus::Registry>& registry, Builder builder, const char* name,
             const char* help) {
    return builder.Name(name).Help(help).Register(*registry);
}

auto& gauge(const std::shared_ptr<prometheus::Registry>& registry, const char* name, const char* help) {
    return family(registry, prometheus::BuildGauge(), name, help).Add({});
}

auto& counter(const std::shared_ptr<prometheus::Registry>& registry, const char* name, const char* help) {
    return family(registry, prometheus::BuildCounter(), name, help).Add({});
}

} // namespace

void raiseTo(prometheus::Counter& counter, std::uint64_t total) {
    static std::mutex mutex; // of scrapes at the same time
    const std::lock_guard lock(mutex);
    counter.Increment(std::max(static_cast<double>(total) - counter.Value(), 0.0));
}

RouteMetrics::RouteMetrics(prometheus::Family<prometheus::Counter>& requests, prometheus::Histogram& latency,
                           std::string method, std::string route)
    : _requests(requests), _latency(latency), _method(std::move(method)), _route(std::move(route)) {}

void RouteMetrics::count(int status, double seconds) {
    auto& slot = _byStatus.at(static_cast<std::size_t>(status - LOWEST_STATUS));
    auto* statusCounter = slot.load(std::memory_order_acquire);
    if (!statusCounter) {
        // Add() gives the same counter for the same labels, so a race here is harmless.
        statusCounter = &_requests.Add({{"method", _method}, {"route", _route}, {"status", std::to_string(status)}});
        slot.store(statusCounter, std::memory_order_release);
    }
    statusCounter->Increment();
    _latency.Observe(seconds);
}

ServerMetrics::ServerMetrics(std::shared_ptr<prometheus::Registry> registry)
    : _registry(std::move(registry)),
      _requests(family(_registry, prometheus::BuildCounter(), "supplierd_requests_total",
                       "Requests by method, route and status")),
      _latency(family(_registry, prometheus::BuildHistogram(), "supplierd_request_seconds",
                      "Time from the request head to the last byte of the answer")),
      _authFailures(family(_registry, prometheus::BuildCounter(), "supplierd_auth_failures_total",
                           "Requests refused before routing, by reason")),
      _refused(family(_registry, prometheus::BuildCounter(), "supplierd_gate_refused_total",
                      "Requests answered by the gate before any worker saw them, by reason")),
      _proxyFailures(family(_registry, prometheus::BuildCounter(), "supplierd_proxy_header_failures_total",
                            "Connections of trusted proxies that were closed since they did not begin with a PROXY "
                            "header: missing, broken, cut_off, late")),
      _contentCutOff(family(_registry, prometheus::BuildCounter(), "supplierd_content_cut_off_total",
                            "Answers of content that ended early, by whose fault: client or content")),
      _pluginsLeftOut(family(_registry, prometheus::BuildGauge(), "supplierd_plugin_left_out",
                             "Of each enabled plugin: 1 when this server runs without it; its log says why")),
      _connections(family(_registry, prometheus::BuildGauge(), "supplierd_connections", "Connections by what they do")),
      _held(family(_registry, prometheus::BuildGauge(), "supplierd_held_bytes",
                   "Room that is held for clients: bodies that arrive, responses that wait to be accepted")),
      _heldRefused(counter(_registry, "supplierd_held_refused_total",
                           "Bodies that were refused and responses that were cut off for want of that room")),
      _queued(gauge(_registry, "supplierd_requests_queued", "Requests that wait for their turn")),
      _working(gauge(_registry, "supplierd_requests_working", "Requests that are worked on")),
      _queueSeconds(family(_registry, prometheus::BuildHistogram(), "supplierd_queue_seconds",
                           "Time that requests waited for their turn")
                        .Add({}, LATENCY_SECONDS)),
      _rateLimited(counter(_registry, "supplierd_rate_limited_total",
                           "Requests refused because a key's or an address's limit was reached")),
      _internalErrors(counter(_registry, "supplierd_internal_errors_total", "Requests answered with 500")),
      _contentBytes(counter(_registry, "supplierd_content_bytes_total", "Bytes of content sent, without heads")),
      _observerDropped(counter(_registry, "supplierd_observer_dropped_total",
                               "Answered requests that a plugin's observer was too slow to be told of")),
      _poolInUse(gauge(_registry, "supplierd_pool_in_use", "Database sessions on loan")),
      _poolIdle(gauge(_registry, "supplierd_pool_idle", "Database sessions waiting for work")),
      _poolWaiting(gauge(_registry, "supplierd_pool_waiting", "Requests waiting for a database session")),
      _poolTimeouts(counter(_registry, "supplierd_pool_timeouts_total", "Requests that got no session in time")),
      _databaseNodeUp(family(_registry, prometheus::BuildGauge(), "supplierd_database_node_up",
                             "Of each of database.hosts: 1 when it answers and takes statements")),
      _databaseNodeWritable(family(_registry, prometheus::BuildGauge(), "supplierd_database_node_writable",
                                   "Of each of database.hosts: 1 when it can be written to")),
      _databaseNodeInStep(family(_registry, prometheus::BuildGauge(), "supplierd_database_node_in_step",
                                 "Of each of database.hosts: 1 when it is also in step with its cluster (Synced)")),
      _databaseWriter(family(_registry, prometheus::BuildGauge(), "supplierd_database_writer",
                             "Of each of database.hosts: 1 for the one that this server writes to")),
      _databaseReader(family(_registry, prometheus::BuildGauge(), "supplierd_database_reader",
                             "Of each of database.hosts: 1 for the one that this server's plain reads go to")),
      _databaseReadsInStep(gauge(_registry, "supplierd_database_reads_in_step",
                                 "1 while reads wait for what the database's cluster has committed: others may write "
                                 "elsewhere")),
      _databaseFailovers(counter(_registry, "supplierd_database_failovers_total",
                                 "How often writes went over to another of database.hosts")),
      _databaseAmbiguous(gauge(_registry, "supplierd_database_ambiguous",
                               "1 when several of database.hosts can be written to that do not share their data")),
      _versionQuestions(counter(_registry, "supplierd_version_questions_total",
                                "Questions to the database for suppliers' last changes")),
      _versionRequests(counter(_registry, "supplierd_version_question_requests_total",
                               "Requests that these answered: several share one")),
      _logLinesDropped(counter(_registry, "supplierd_log_lines_dropped_total",
                               "Log lines that a slow, full or closed target did not take")) {
    for (const char* by : {"client", "content"}) // there from the start: what is not there cannot be seen to rise
        _contentCutOff.Add({{"by", by}});
    for (const char* reason : {"missing", "broken", "cut_off", "late"})
        _proxyFailures.Add({{"reason", reason}});
    family(_registry, prometheus::BuildGauge(), "supplierd_build_info", "Always 1; the labels say which build runs")
        .Add({{"version", VERSION}, {"sdk_abi", SDK_ABI_TEXT}})
        .Set(1);
}

RouteMetrics& ServerMetrics::route(std::string_view method, std::string_view pattern) {
    const std::lock_guard lock(_mutex);
    auto& latency = _latency.Add({{"method", std::string(method)}, {"route", std::string(pattern)}}, LATENCY_SECONDS);
    _routes.push_back(std::make_unique<RouteMetrics>(_requests, latency, std::string(method), std::string(pattern)));
    return *_routes.back();
}

prometheus::Counter& ServerMetrics::authFailures(std::string_view reason) {
    return _authFailures.Add({{"reason", std::string(reason)}});
}

prometheus::Counter& ServerMetrics::refused(std::string_view reason) {
    const std::lock_guard lock(_mutex);
    const auto found = _refusedBy.find(reason); // a flood of refusals must cost little
    if (found != _refusedBy.end())
        return *found->second;
    return *_refusedBy.emplace(reason, &_refused.Add({{"reason", std::string(reason)}})).first->second;
}

prometheus::Counter& ServerMetrics::proxyFailures(std::string_view reason) {
    return _proxyFailures.Add({{"reason", std::string(reason)}});
}

prometheus::Gauge& ServerMetrics::held(std::string_view place) {
    return _held.Add({{"place", std::string(place)}});
}

prometheus::Gauge& ServerMetrics::connections(std::string_view state) {
    return _connections.Add({{"state", std::string(state)}});
}

prometheus::Counter& ServerMetrics::contentCutOff(std::string_view by) {
    return _contentCutOff.Add({{"by", std::string(by)}});
}

void ServerMetrics::pluginLeftOut(const std::string& id, bool isLeftOut) {
    _pluginsLeftOut.Add({{"plugin", id}}).Set(isLeftOut ? 1 : 0);
}

std::string ServerMetrics::text() const {
    return prometheus::TextSerializer().Serialize(_registry->Collect());
}

} // namespace supplierd::host
