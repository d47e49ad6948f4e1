#include "host/observe/PluginMetrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <algorithm>
#include <stdexcept>

namespace supplierd::host {

namespace {

prometheus::Labels toLabels(const MetricLabels& labels) {
    return {labels.begin(), labels.end()};
}

std::string identity(const std::string& name, const MetricLabels& labels) {
    auto sorted = labels;
    std::sort(sorted.begin(), sorted.end());
    std::string text = name;
    for (const auto& [key, value] : sorted)
        text += '\n' + key + '=' + value;
    return text;
}

} // namespace

class PluginMetrics::CounterOf final : public Counter {
public:
    explicit CounterOf(prometheus::Counter& counter) : _counter(counter) {}
    void add(double amount) override { _counter.Increment(amount); }

private:
    prometheus::Counter& _counter;
};

class PluginMetrics::GaugeOf final : public Gauge {
public:
    explicit GaugeOf(prometheus::Gauge& gauge) : _gauge(gauge) {}
    void set(double value) override { _gauge.Set(value); }
    void add(double amount) override { _gauge.Increment(amount); }

private:
    prometheus::Gauge& _gauge;
};

class PluginMetrics::HistogramOf final : public Histogram {
public:
    explicit HistogramOf(prometheus::Histogram& histogram) : _histogram(histogram) {}
    void observe(double value) override { _histogram.Observe(value); }

private:
    prometheus::Histogram& _histogram;
};

PluginMetrics::PluginMetrics(std::shared_ptr<prometheus::Registry> registry, std::string_view pluginId)
    : _registry(std::move(registry)), _prefix("supplierd_" + std::string(pluginId) + "_") {
    std::replace(_prefix.begin(), _prefix.end(), '-', '_');
}

PluginMetrics::~PluginMetrics() = default;

std::string PluginMetrics::fullName(std::string_view name) const {
    const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    if (name.empty() || !std::all_of(name.begin(), name.end(), allowed))
        throw std::invalid_argument("a metric's name has only a-z, 0-9 and _: '" + std::string(name) + "'");
    return _prefix + std::string(name);
}

Counter& PluginMetrics::counter(std::string_view name, std::string_view help, const MetricLabels& labels) {
    const auto full = fullName(name);
    const std::lock_guard lock(_mutex);
    auto& slot = _counters[identity(full, labels)];
    if (!slot)
        slot = std::make_unique<CounterOf>(
            prometheus::BuildCounter().Name(full).Help(std::string(help)).Register(*_registry).Add(toLabels(labels)));
    return *slot;
}

Gauge& PluginMetrics::gauge(std::string_view name, std::string_view help, const MetricLabels& labels) {
    const auto full = fullName(name);
    const std::lock_guard lock(_mutex);
    auto& slot = _gauges[identity(full, labels)];
    if (!slot)
        slot = std::make_unique<GaugeOf>(
            prometheus::BuildGauge().Name(full).Help(std::string(help)).Register(*_registry).Add(toLabels(labels)));
    return *slot;
}

Histogram& PluginMetrics::histogram(std::string_view name, std::string_view help, std::vector<double> buckets,
                                    const MetricLabels& labels) {
    const auto full = fullName(name);
    const std::lock_guard lock(_mutex);
    auto& slot = _histograms[identity(full, labels)];
    if (!slot)
        slot = std::make_unique<HistogramOf>(prometheus::BuildHistogram()
                                                 .Name(full)
                                                 .Help(std::string(help))
                                                 .Register(*_registry)
                                                 .Add(toLabels(labels), buckets));
    return *slot;
}

} // namespace supplierd::host
