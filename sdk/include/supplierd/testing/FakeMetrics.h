#pragma once

#include <supplierd/Metrics.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd::testing {

/// Metrics that a test can read. Thread: one. Since 1.0.
class FakeMetrics final : public Metrics {
public:
    Counter& counter(std::string_view name, std::string_view help, const MetricLabels& labels = {}) override;
    Gauge& gauge(std::string_view name, std::string_view help, const MetricLabels& labels = {}) override;
    Histogram& histogram(std::string_view name, std::string_view help, std::vector<double> buckets,
                         const MetricLabels& labels = {}) override;

    /// Of a counter or gauge; 0 for one that nobody asked for.
    double value(std::string_view name, const MetricLabels& labels = {}) const;
    /// Everything that a histogram observed, in order.
    std::vector<double> observations(std::string_view name, const MetricLabels& labels = {}) const;

private:
    struct FakeCounter final : Counter {
        void add(double amount) override { value += amount; }
        double value = 0;
    };
    struct FakeGauge final : Gauge {
        void set(double to) override { value = to; }
        void add(double amount) override { value += amount; }
        double value = 0;
    };
    struct FakeHistogram final : Histogram {
        void observe(double value) override { values.push_back(value); }
        std::vector<double> values;
    };
    using Key = std::pair<std::string, MetricLabels>;

    static Key key(std::string_view name, const MetricLabels& labels) { return {std::string(name), labels}; }

    std::map<Key, FakeCounter> _counters;
    std::map<Key, FakeGauge> _gauges;
    std::map<Key, FakeHistogram> _histograms;
};

} // namespace supplierd::testing
