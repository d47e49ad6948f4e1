#include "MediaMetrics.h"

#include <string>

namespace supplierd::media {

namespace {

constexpr const char* IMAGES = "images_total";
constexpr const char* IMAGES_HELP = "Images that suppliers gave, by outcome: accepted, or the code of the refusal";
constexpr const char* RESTARTS = "worker_restarts_total";
constexpr const char* RESTARTS_HELP =
    "Image workers that were replaced: lost (hung, died, answered nonsense), or recycled";

} // namespace

MediaMetrics::MediaMetrics(Metrics& metrics)
    : _metrics(metrics),
      _accepted(metrics.counter(IMAGES, IMAGES_HELP, {{"outcome", "accepted"}})),
      _bytesStored(metrics.counter("stored_bytes_total", "Bytes of the files of accepted images")),
      _orphans(metrics.counter("orphans_removed_total", "Files that no image had and that were removed")),
      _orphanBytes(metrics.counter("orphan_bytes_removed_total", "Bytes of the files that no image had")),
      _storeFailures(metrics.counter("store_failures_total", "Times that the store of files could not be used")),
      _workersLost(metrics.counter(RESTARTS, RESTARTS_HELP, {{"reason", "lost"}})),
      _workersRecycled(metrics.counter(RESTARTS, RESTARTS_HELP, {{"reason", "recycled"}})),
      _fetchSeconds(metrics.histogram("fetch_seconds", "How long fetching one image took, successful or not",
                                      {0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40})),
      _processingSeconds(metrics.histogram("processing_seconds",
                                           "How long one image took to be decoded, waiting for a worker included",
                                           {0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40})),
      _storeSeconds(metrics.histogram("store_request_seconds", "How long one try of a request to the S3 store took",
                                      {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10})) {}

void MediaMetrics::storeAsked(std::string_view operation, std::string_view outcome,
                              std::chrono::duration<double> took) {
    _metrics
        .counter("store_requests_total", "Tries of requests to the S3 store, by what was asked and what came of it",
                 {{"operation", std::string(operation)}, {"outcome", std::string(outcome)}})
        .add();
    _storeSeconds.observe(took.count());
}

void MediaMetrics::refused(std::string_view code) {
    _metrics.counter(IMAGES, IMAGES_HELP, {{"outcome", std::string(code)}}).add();
}

void MediaMetrics::accepted(std::uint64_t bytes) {
    _accepted.add();
    _bytesStored.add(static_cast<double>(bytes));
}

void MediaMetrics::orphanRemoved(std::uint64_t bytes) {
    _orphans.add();
    _orphanBytes.add(static_cast<double>(bytes));
}

void MediaMetrics::workers(const WorkerPoolCounts& counts) {
    const std::lock_guard lock(_mutex);
    // Threads may come in another order than they asked: a count that is behind tells nothing new.
    if (counts.lost > _counts.lost) {
        _workersLost.add(static_cast<double>(counts.lost - _counts.lost));
        _counts.lost = counts.lost;
    }
    if (counts.recycled > _counts.recycled) {
        _workersRecycled.add(static_cast<double>(counts.recycled - _counts.recycled));
        _counts.recycled = counts.recycled;
    }
}

} // namespace supplierd::media
