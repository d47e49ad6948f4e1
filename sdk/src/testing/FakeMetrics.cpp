#include <supplierd/testing/FakeMetrics.h>

namespace supplierd::testing {

Counter& FakeMetrics::counter(std::string_view name, std::string_view, const MetricLabels& labels) {
    return _counters[key(name, labels)];
}

Gauge& FakeMetrics::gauge(std::string_view name, std::string_view, const MetricLabels& labels) {
    return _gauges[key(name, labels)];
}

Histogram& FakeMetrics::histogram(std::string_view name, std::string_view, std::vector<double>,
                                  const MetricLabels& labels) {
    return _histograms[key(name, labels)];
}

double FakeMetrics::value(std::string_view name, const MetricLabels& labels) const {
    const auto counter = _counters.find(key(name, labels));
    if (counter != _counters.end())
        return counter->second.value;
    const auto gauge = _gauges.find(key(name, labels));
    return gauge == _gauges.end() ? 0.0 : gauge->second.value;
}

std::vector<double> FakeMetrics::observations(std::string_view name, const MetricLabels& labels) const {
    const auto histogram = _histograms.find(key(name, labels));
    return histogram == _histograms.end() ? std::vector<double>() : histogram->second.values;
}

} // namespace supplierd::testing
