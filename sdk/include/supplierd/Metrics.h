#pragma once

#include <supplierd/Abi.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

/// Grows only. Thread: any. Lifetime: the host's. Since 1.0.
class SUPPLIERD_API Counter {
public:
    virtual void add(double amount = 1.0) = 0;

protected:
    ~Counter() = default;
};

/// Goes up and down. As Counter.
class SUPPLIERD_API Gauge {
public:
    virtual void set(double value) = 0;
    virtual void add(double amount) = 0;

protected:
    ~Gauge() = default;
};

/// Counts values by size. As Counter.
class SUPPLIERD_API Histogram {
public:
    virtual void observe(double value) = 0;

protected:
    ~Histogram() = default;
};

/// Metrics in /metrics, named `supplierd_<plugin>_<name>`. Ask once, in start(), and keep the reference: asking again
/// with the same labels gives the same metric. Throws std::invalid_argument for a name that Prometheus would refuse.
/// Thread: any. Since 1.0.
class SUPPLIERD_API Metrics {
public:
    virtual Counter& counter(std::string_view name, std::string_view help, const MetricLabels& labels = {}) = 0;
    virtual Gauge& gauge(std::string_view name, std::string_view help, const MetricLabels& labels = {}) = 0;
    /// `buckets`: their upper bounds, ascending.
    virtual Histogram& histogram(std::string_view name, std::string_view help, std::vector<double> buckets,
                                 const MetricLabels& labels = {}) = 0;

protected:
    ~Metrics() = default;
};

} // namespace supplierd
