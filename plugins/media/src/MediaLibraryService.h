#pragma once

#include "LibraryCheck.h"

#include <supplierd/MediaLibrary.h>

#include <chrono>
#include <functional>

namespace supplierd::media {

/// The service MediaLibrary, and what the janitor does of it by itself. Thread: any.
class MediaLibraryService final : public MediaLibrary {
public:
    explicit MediaLibraryService(const LibraryCheck::Parts& parts) : _parts(parts) {}

    MediaReport verify(bool repair, const std::function<bool(const MediaProgress&)>& progress) override;

    /// Removes what nobody can miss: orphans, files that were never finished, images of deleted products. Throws as
    /// verify() does.
    MediaReport tidy(const std::function<bool(const MediaProgress&)>& progress);
    /// Of all servers with this database one may tidy in every `interval`: true for that one. Throws DatabaseError and
    /// ApiError (Unavailable).
    bool takeTurn(std::chrono::milliseconds interval);

private:
    const LibraryCheck::Parts _parts;
};

} // namespace supplierd::media
