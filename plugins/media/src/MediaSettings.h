#pragma once

#include "FetchPool.h"
#include "ImageFetcher.h"
#include "WorkerPool.h"

#include <supplierd/Config.h>

#include <chrono>
#include <filesystem>
#include <vector>

namespace supplierd::media {

/// The table `[plugins.media]`, checked. A value type.
struct MediaSettings {
    /// Everything that the table may hold.
    static std::vector<ConfigKey> keys();
    /// Throws ConfigError for what keys() cannot say.
    static MediaSettings read(const Config& config);

    std::filesystem::path root;
    WorkerPoolSettings workers;
    FetchOptions fetch;
    HttpRules rules;
    FetchPoolLimits fetchLimits;
    /// For a request with all its images.
    std::chrono::milliseconds requestDeadline{};
    /// Requests with images at once: in the whole server, and of one supplier.
    unsigned maxRequests = 0;
    unsigned maxRequestsPerSupplier = 0;
    std::chrono::milliseconds janitorInterval{};
    /// At least twice requestDeadline: so old, a file without a row belongs to no request any more.
    std::chrono::milliseconds orphanAge{};
};

} // namespace supplierd::media
