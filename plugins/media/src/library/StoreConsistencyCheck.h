#pragma once

#include "MediaMetrics.h"
#include "MediaStore.h"
#include "WorkerPool.h"
#include "library/MediaReport.h"

#include <supplierd/Database.h>
#include <supplierd/internal/ProductImages.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace supplierd::media {

/// One walk over the store and the database, in pieces, while the server runs. What it finds is in the report; with
/// `repair` it is mended at once, each product in a transaction of its own under its catalog's lock. Throws
/// DatabaseError, ApiError (Unavailable), MediaStoreError and what `progress` does. Thread: one.
class StoreConsistencyCheck {
public:
    struct Dependencies {
        Database& database;
        MediaStore& store;
        ProductImages& products;
        MediaMetrics& metrics;
        std::chrono::milliseconds orphanAge;
        /// For thumbnails that are made anew.
        WorkerPoolSettings workers;
    };

    StoreConsistencyCheck(const Dependencies& dependencies, bool repair, const WalkProgress& progress)
        : _dependencies(dependencies), _repair(repair), _progress(progress) {}

    /// Throws std::runtime_error when the store is empty and the database is not: most likely it is not mounted.
    void requireStore() const;
    /// Files that are not finished, and files that no image has, when they are old enough.
    void checkFiles();
    /// Images without a file; `onlyLeft`: only images of deleted products are looked for, and no file is opened.
    void checkImages(bool onlyLeft);
    /// Whether the catalog names the primary images.
    void checkProducts();

    const MediaReport& report() const { return _report; }

private:
    struct Row;
    struct Owner {
        std::int64_t supplierId;
        std::int64_t productId;
        auto operator<=>(const Owner&) const = default;
    };

    void addFinding(std::string text);
    std::set<std::string> knownKeys(const std::string& after, const std::string& last) const;
    void removeOrphan(const MediaEntry& file);
    bool isWhole(const std::string& key, std::uint64_t bytes) const;
    enum class Loss : std::uint8_t { None, File, Thumbnail };
    Loss lossOf(const Row& row) const;
    /// From the image's file, which stays as it is. False when that cannot be decoded, or nobody can now.
    bool remakeThumbnail(const Row& row);
    bool isStillThere(std::int64_t imageId) const;
    /// `problems`: how many were found with them.
    void mend(const std::set<Owner>& owners, std::size_t problems);
    std::vector<std::string> mendProduct(Transaction& transaction, const Owner& owner) const;

    const Dependencies _dependencies;
    const bool _repair;
    const WalkProgress& _progress;
    MediaReport _report;
    std::optional<WorkerPool> _workers; ///< started for the first thumbnail
};

} // namespace supplierd::media
