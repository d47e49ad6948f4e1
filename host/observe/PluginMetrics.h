#pragma once

#include <supplierd/Metrics.h>

#include <prometheus/registry.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace supplierd::host {

/// A plugin's metrics, in the server's registry under `supplierd_<plugin>_<name>`. Thread: any.
class PluginMetrics final : public Metrics {
public:
    PluginMetrics(std::shared_ptr<prometheus::Registry> registry, std::string_view pluginId);
    ~PluginMetrics();

    Counter& counter(std::string_view name, std::string_view help, const MetricLabels& labels) override;
    Gauge& gauge(std::string_view name, std::string_view help, const MetricLabels& labels) override;
    Histogram& histogram(std::string_view name, std::string_view help, std::vector<double> buckets,
                         const MetricLabels& labels) override;

private:
    class CounterOf;
    class GaugeOf;
    class HistogramOf;

    std::string fullName(std::string_view name) const;

    std::shared_ptr<prometheus::Registry> _registry;
    std::string _prefix;
    std::mutex _mutex;
    std::map<std::string, std::unique_ptr<CounterOf>> _counters;
    std::map<std::string, std::unique_ptr<GaugeOf>> _gauges;
    std::map<std::string, std::unique_ptr<HistogramOf>> _histograms;
};

} // namespace supplierd::host
