#pragma once

#include "library/MediaReport.h"
#include "library/MediaStores.h"
#include "library/StoreId.h"

#include <supplierd/Database.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace supplierd::media {

/// Copies what one store has and another has not. What is there already, of the same length, was compared when it was
/// copied: so it goes on where it was stopped. The store that it copies to gets the database's id only when it has
/// everything and new files go there: until then no server takes it for the only one. Thread: one, with helpers of its
/// own.
class StoreMove {
public:
    struct Dependencies {
        Database& database;
        MediaStores& stores;
        StoreId& storeId;
        const MediaSettings& settings;
    };

    /// Throws std::runtime_error when there are no two such stores.
    StoreMove(const Dependencies& dependencies, StoreKind to, const WalkProgress& progress);

    /// `clean`: afterwards take from the other store what the one has. Throws std::runtime_error, MediaStoreError,
    /// DatabaseError, and what `progress` does.
    void run(bool clean);

    /// What was done, however it ended.
    const MediaMoveReport& report() const { return _report; }

private:
    void requireOurs() const;
    void copyAll();
    void cleanAll();
    std::map<std::string, std::uint64_t> sizesAtTarget(const std::string& after, const std::string& last) const;
    void copyEach(const std::vector<MediaEntry>& files);
    std::string nextStep(bool clean) const;

    const Dependencies _dependencies;
    const StoreKind _kind;
    MediaStore& _from;
    MediaStore& _to;
    const WalkProgress& _progress;
    MediaMoveReport _report;
};

} // namespace supplierd::media
