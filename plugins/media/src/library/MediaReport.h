#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::media {

/// Told of how far a walk is: so many of `total` (0: not known), "files" or "images". What it throws ends the walk.
using WalkProgress = std::function<void(std::string_view what, std::uint64_t done, std::uint64_t total)>;

/// What a StoreConsistencyCheck found, and repaired when asked to.
struct MediaReport {
    std::uint64_t files = 0;
    std::uint64_t images = 0;
    /// Files that no image has, older than the janitor's limit.
    std::uint64_t orphanFiles = 0;
    /// Images of which a file is missing.
    std::uint64_t brokenImages = 0;
    /// Images of products that are deleted.
    std::uint64_t leftImages = 0;
    /// Products whose `primary_image` is not what their images say.
    std::uint64_t wrongPrimaries = 0;
    std::uint64_t unfinishedFiles = 0;
    /// How many of all these were repaired; none without `repair`.
    std::uint64_t repaired = 0;
    std::uint64_t bytesFreed = 0;
    /// The first hundred findings, one sentence each.
    std::vector<std::string> findings;

    std::uint64_t problems() const {
        return orphanFiles + brokenImages + leftImages + wrongPrimaries + unfinishedFiles;
    }
    std::uint64_t left() const { return problems() - (repaired < problems() ? repaired : problems()); }
};

/// What a StoreMove did.
struct MediaMoveReport {
    /// Of the store that is left.
    std::uint64_t files = 0;
    std::uint64_t alreadyThere = 0;
    std::uint64_t copied = 0;
    std::uint64_t copiedBytes = 0;
    /// From the store that is left.
    std::uint64_t removed = 0;
    /// What is to be done next, in a sentence.
    std::string next;
};

} // namespace supplierd::media
