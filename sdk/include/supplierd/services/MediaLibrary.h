#pragma once

#include <supplierd/Abi.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

/// How far MediaLibrary::verify() or move() is. Since 1.0.
struct SUPPLIERD_API MediaProgress {
    std::string_view phase; ///< what is counted: "files", "images"
    std::uint64_t done = 0;
    std::uint64_t total = 0; ///< 0: not known
    Reserved reserved = {};
};

/// What MediaLibrary::verify() found, and mended when asked to. Since 1.0.
struct SUPPLIERD_API MediaReport {
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
    /// How many of all these were mended; none without `repair`.
    std::uint64_t repaired = 0;
    std::uint64_t bytesFreed = 0;
    /// The first hundred findings, one sentence each.
    std::vector<std::string> findings;
    Reserved reserved = {};

    std::uint64_t problems() const {
        return orphanFiles + brokenImages + leftImages + wrongPrimaries + unfinishedFiles;
    }
    bool isClean() const { return problems() == 0; }
};

/// What MediaLibrary::move() is to do. Since 1.0.
struct SUPPLIERD_API MediaMove {
    std::string to; ///< "s3" or "folder"
    /// Afterwards take from the other store what `to` has.
    bool clean = false;
    Reserved reserved = {};
};

/// What MediaLibrary::move() did. Since 1.0.
struct SUPPLIERD_API MediaMoveReport {
    /// Of the store that is left.
    std::uint64_t files = 0;
    std::uint64_t alreadyThere = 0;
    std::uint64_t copied = 0;
    std::uint64_t copiedBytes = 0;
    /// From the store that is left, for MediaMove::clean.
    std::uint64_t removed = 0;
    /// Everything was looked at, and `to` has it.
    bool isComplete = false;
    /// What is to be done next, in a sentence.
    std::string next;
    Reserved reserved = {};
};

/// The stored images as a whole, for operators. Offered by the plugin `media`. Thread: any. Since 1.0.
class SUPPLIERD_API MediaLibrary {
public:
    static constexpr std::string_view ID = "supplierd.media-library/1";

    /// Compares the store with the database, both ways, in pieces, while the server runs. `progress` returns false to
    /// stop early. With `repair`, orphans are removed and images without a file leave their product. Throws
    /// DatabaseError, ApiError (Unavailable) and std::runtime_error when the store cannot be read.
    virtual MediaReport verify(bool repair, const std::function<bool(const MediaProgress&)>& progress) = 0;

    /// Copies what the other store has and `to` has not, while the server runs; each copy is compared. Stopped by
    /// `progress` or broken off, it goes on where it was when it is called again. Throws as verify() does, and
    /// std::runtime_error for stores that are not configured or not this database's.
    virtual MediaMoveReport move(const MediaMove& wish, const std::function<bool(const MediaProgress&)>& progress) = 0;

protected:
    ~MediaLibrary() = default;
};

} // namespace supplierd
