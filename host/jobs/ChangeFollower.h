#pragma once

#include "host/db/changes/ChangeLogStore.h"
#include "host/db/changes/CommitFeed.h"
#include "host/jobs/JobStore.h"

#include <supplierd/Log.h>
#include <supplierd/services/ChangeReaders.h>
#include <supplierd/services/Jobs.h>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace supplierd::host {

/// The endless job that hands the change log to one reader. Thread: the run's.
class ChangeFollower {
public:
    /// As often as that, the places are compared with what all servers have committed.
    static constexpr std::chrono::milliseconds LOOK_INTERVAL{2'000};

    struct Dependencies {
        Database& database;
        CommitFeed& commits;
        Logger& log;
        prometheus::Registry& metrics;
    };

    ChangeFollower(const std::string& plugin, ChangeReader reader, const Dependencies& dependencies);

    /// The job for the scheduler; what the dependencies name must outlive it. Throws std::logic_error for a reader
    /// without work, or that reads nothing at once.
    static Job job(const std::string& plugin, ChangeReader reader, const Dependencies& dependencies);

    /// Until it is stopped. Throws JobStopped, DatabaseError, ApiError (Unavailable).
    void run(JobRun& run);

private:
    using Clock = std::chrono::steady_clock;
    struct Failure {
        std::int64_t inARow = 0;
        Clock::time_point nextTry;
    };

    void enroll(JobRun& run);
    std::set<std::int64_t> behind();
    void read(JobRun& run, std::set<std::int64_t> suppliers);
    bool readSome(JobRun& run, std::int64_t supplierId);
    bool readPage(JobRun& run, std::int64_t supplierId);
    bool isPausing(std::int64_t supplierId) const;
    void noteFailure(std::int64_t supplierId, const std::string& reason);
    void noteCaughtUp(JobRun& run, Clock::time_point asOf);

    const JobKey _key;
    const ChangeReader _reader;
    const Dependencies _deps;
    ChangeLogStore _changes;
    std::map<std::int64_t, Failure> _failures; ///< by supplier
    Clock::time_point _nextCaughtUp;
    prometheus::Counter& _entries;
    prometheus::Gauge& _failing;
};

} // namespace supplierd::host
