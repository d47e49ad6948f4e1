#pragma once

#include "WorkerPool.h"

#include <supplierd/Metrics.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string_view>

namespace supplierd::media {

/// What /metrics tells of this plugin. Thread: any. Lifetime: the host's metrics outlive it.
class MediaMetrics {
public:
    explicit MediaMetrics(Metrics& metrics);

    /// `code` is that of the refusal.
    void refused(std::string_view code);
    /// An image of a product, with the bytes of its files.
    void accepted(std::uint64_t bytes);
    void fetched(std::chrono::duration<double> took) { _fetchSeconds.observe(took.count()); }
    void processed(std::chrono::duration<double> took) { _processingSeconds.observe(took.count()); }
    /// One try of a request to an S3 store.
    void storeAsked(std::string_view operation, std::string_view outcome, std::chrono::duration<double> took);
    void storeFailed() { _storeFailures.add(); }
    void orphanRemoved(std::uint64_t bytes);
    /// What has happened to the workers since the last call.
    void workers(const WorkerPoolCounts& counts);

private:
    Metrics& _metrics;
    Counter& _accepted;
    Counter& _bytesStored;
    Counter& _orphans;
    Counter& _orphanBytes;
    Counter& _storeFailures;
    Counter& _workersLost;
    Counter& _workersRecycled;
    Histogram& _fetchSeconds;
    Histogram& _processingSeconds;
    Histogram& _storeSeconds;
    std::mutex _mutex;
    WorkerPoolCounts _counts;
};

} // namespace supplierd::media
