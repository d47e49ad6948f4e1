#pragma once

#include "FetchPool.h"
#include "MediaMetrics.h"
#include "MediaSettings.h"
#include "MediaStore.h"
#include "WorkerPool.h"
#include "library/StoreId.h"
#include "library/StoreOutage.h"
#include "library/StoredImages.h"

#include <supplierd/Log.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace supplierd::media {

/// From URLs to stored files: each image is fetched, looked at by a worker and stored as soon as it is there, all in
/// parallel. Thread: any.
class ImageIntake {
public:
    struct Dependencies {
        const MediaSettings& settings;
        MediaStore& store;
        StoreId& storeId;
        StoreOutage& outage;
        ProductImages& products;
        Logger& log;
        const HttpClient& http;
        MediaMetrics& metrics;
    };

    /// Starts the workers. Throws ImageProcessingUnavailable, and std::runtime_error when the trusted certificates
    /// cannot be read.
    explicit ImageIntake(const Dependencies& dependencies);

    /// One image per distinct URL, or why there is none, by the index of its first occurrence. Throws ApiError
    /// (Unavailable) when it is the server's fault: no worker, the store full or away, or it is being stopped.
    std::unique_ptr<StoredImages> take(std::int64_t supplierId, std::span<const std::string> urls);

    /// One image that was not fetched: `name` is what it is called where it is refused. Throws as take().
    std::unique_ptr<StoredImages> takeFile(std::int64_t supplierId, const std::string& name, std::string bytes);

    /// Ends what runs, and what comes. Thread-safe.
    void stop();

private:
    using Deadline = std::chrono::steady_clock::time_point;
    struct Run;

    std::unique_ptr<StoredImages> nothingYet(std::int64_t supplierId) const;
    /// Does `work`, which handles every image of the run. Throws as take().
    void complete(Run& run, const std::function<void()>& work);
    void handle(Run& run, std::size_t index, FetchOutcome outcome);
    void look(Run& run, std::size_t index, std::string bytes);
    ImageResult process(const std::string& bytes, Deadline deadline);
    void refuse(Run& run, std::size_t index, std::string_view code, std::string_view text);

    const Dependencies _dependencies;
    WorkerPool _workers;
    FetchPool _fetches;
};

} // namespace supplierd::media
