#pragma once

#include "FetchPool.h"
#include "ImageFetcher.h"
#include "S3Settings.h"
#include "WorkerPool.h"

#include <supplierd/Config.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace supplierd::media {

/// Where files lie.
enum class StoreKind : std::uint8_t { Folder, S3 };
/// "folder" or "s3"; nothing for another name.
std::optional<StoreKind> storeKindOf(std::string_view name);
std::string_view storeKindName(StoreKind kind);

/// The table `[plugins.media]`, checked. A value type.
struct MediaSettings {
    /// Everything that the table may hold.
    static std::vector<ConfigKey> keys();
    /// Throws ConfigError for what keys() cannot say.
    static MediaSettings read(const Config& config);

    /// The one that new files go to.
    StoreKind store = StoreKind::Folder;
    /// Both are used: files move from one to the other.
    bool isMoving = false;
    std::filesystem::path root;
    /// Nothing without a bucket.
    std::optional<S3Settings> s3;
    /// `/media/` leads to signed URLs of the store, where it has any.
    bool redirects = false;
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
