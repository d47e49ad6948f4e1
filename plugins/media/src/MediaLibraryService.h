#pragma once

#include "RemovalHold.h"
#include "StoreConsistencyCheck.h"
#include "StoreMove.h"

#include <supplierd/Log.h>
#include <supplierd/services/Jobs.h>
#include <supplierd/services/MediaLibrary.h>

#include <functional>

namespace supplierd::media {

/// The service MediaLibrary, and what the job `janitor` does of it by itself. Thread: any.
class MediaLibraryService final : public MediaLibrary {
public:
    MediaLibraryService(const StoreConsistencyCheck::Dependencies& dependencies, const StoreMove::Dependencies& move,
                        const RemovalHold& hold)
        : _dependencies(dependencies), _move(move), _hold(hold) {}

    MediaReport verify(bool repair, const std::function<bool(const MediaProgress&)>& progress) override;

    MediaMoveReport move(const MediaMove& wish, const std::function<bool(const MediaProgress&)>& progress) override;

    /// Removes what nobody can miss: orphans, files that were never finished, images of deleted products. Nothing while
    /// a backup holds removals back. Throws as verify() does, and JobStopped.
    void tidy(JobRun& run, Logger& log);

private:
    const StoreConsistencyCheck::Dependencies _dependencies;
    const StoreMove::Dependencies _move;
    const RemovalHold& _hold;
};

} // namespace supplierd::media
