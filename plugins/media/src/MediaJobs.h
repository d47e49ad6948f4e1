#pragma once

#include "library/RemovalHold.h"
#include "library/StoreConsistencyCheck.h"
#include "library/StoreMove.h"

#include <supplierd/Log.h>
#include <supplierd/services/AuditLog.h>
#include <supplierd/services/Jobs.h>

#include <string>
#include <string_view>

namespace supplierd::media {

/// What the plugin does in the background. Each may be stopped anywhere: run again, it does what is left. Thread: any.
class MediaJobs {
public:
    struct Dependencies {
        StoreConsistencyCheck::Dependencies check;
        StoreMove::Dependencies move;
        const RemovalHold& hold;
        AuditLog& audit;
        Logger& log;
    };

    explicit MediaJobs(const Dependencies& dependencies) : _dependencies(dependencies) {}

    /// Removes what nobody can miss: orphans, files that were never finished, images of deleted products. Nothing while
    /// a backup holds removals back.
    void tidy(JobRun& run) const;
    /// Input `{ "repair": true }`: compares the store with the database, both ways, and repairs what is wrong.
    void verify(JobRun& run) const;
    /// Input `{ "to": "s3", "clean": true }`: copies what the other store has and `to` has not, and then empties that.
    void move(JobRun& run) const;

private:
    void record(std::string_view verb, const JobRun& run, std::string after) const;
    void recordRepair(const JobRun& run, const MediaReport& report, std::string_view brokenOff) const;
    void recordMove(const JobRun& run, const std::string& to, const MediaMoveReport& report) const;

    const Dependencies _dependencies;
};

} // namespace supplierd::media
