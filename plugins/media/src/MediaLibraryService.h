#pragma once

#include "StoreConsistencyCheck.h"

#include <supplierd/Log.h>
#include <supplierd/services/Jobs.h>
#include <supplierd/services/MediaLibrary.h>

#include <functional>

namespace supplierd::media {

/// The service MediaLibrary, and what the job `janitor` does of it by itself. Thread: any.
class MediaLibraryService final : public MediaLibrary {
public:
    explicit MediaLibraryService(const StoreConsistencyCheck::Dependencies& dependencies)
        : _dependencies(dependencies) {}

    MediaReport verify(bool repair, const std::function<bool(const MediaProgress&)>& progress) override;

    /// Removes what nobody can miss: orphans, files that were never finished, images of deleted products. Throws as
    /// verify() does, and JobStopped.
    void tidy(JobRun& run, Logger& log);

private:
    const StoreConsistencyCheck::Dependencies _dependencies;
};

} // namespace supplierd::media
