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
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace supplierd::host {

/// The endless job that hands the change log to one reader. Thread: the run's.
///
/// Most readers want nothing of most suppliers, and a transaction for each commit of theirs cost as much as the commit:
/// so suppliers of whom the reader writes nothing, nor locks, go together, with the first one of whom it does. No lock
/// that its work for one supplier takes is held while it works for another.
class ChangeFollower {
public:
    /// As often as that, the places are compared with what all servers have committed.
    static constexpr std::chrono::milliseconds LOOK_INTERVAL{2'000};
    /// After what commits have woken it for, so that those that follow one another closely are read at once. A commit
    /// that comes alone does not wait.
    static constexpr std::chrono::milliseconds PAUSE{50};
    /// Suppliers of a transaction, and when it takes no further one: its job's row is locked meanwhile.
    static constexpr std::size_t MOST_TOGETHER = 64;
    static constexpr std::chrono::milliseconds LONGEST_TOGETHER{100};
    /// After work that threw "not now".
    static constexpr std::chrono::milliseconds LATER{100};
    /// A page ends where its entries name more objects than that.
    static constexpr std::size_t MOST_OBJECTS = 1'000;

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
    /// What one transaction has worked off.
    struct Turn {
        std::size_t suppliers = 0; ///< that had their turn
        std::size_t entries = 0;
        std::map<std::int64_t, std::int64_t> places; ///< that moved, by supplier
        std::vector<std::int64_t> unfinished;        ///< suppliers of whom there is more
    };

    void enroll(JobRun& run);
    std::set<std::int64_t> behind();
    void readEachInTurn(JobRun& run, std::set<std::int64_t>& suppliers);
    Turn readSome(JobRun& run, std::span<const std::int64_t> suppliers);
    Turn readEachAlone(JobRun& run, std::span<const std::int64_t> suppliers);
    void readTogether(JobRun& run, std::span<const std::int64_t> suppliers, Turn& turn);
    void readPages(Transaction& transaction, std::int64_t supplierId, const std::function<bool()>& goesOn, Turn& turn);
    std::int64_t placeAt(Transaction& transaction, std::int64_t supplierId) const;
    ChangePage pageAfter(Transaction& transaction, std::int64_t supplierId, std::int64_t place);
    bool isPausing(std::int64_t supplierId) const;
    Clock::time_point nextTurn(const std::set<std::int64_t>& suppliers) const;
    void noteFailure(std::int64_t supplierId, const std::string& reason);
    void noteCaughtUp(JobRun& run, Clock::time_point asOf);

    const JobKey _key;
    const ChangeReader _reader;
    const Dependencies _deps;
    ChangeLogStore _changes;
    std::map<std::int64_t, Failure> _failures;         ///< by supplier
    std::map<std::int64_t, Clock::time_point> _putOff; ///< by supplier: its next turn
    Clock::time_point _nextCaughtUp;
    prometheus::Counter& _entries;
    prometheus::Gauge& _failing;
};

} // namespace supplierd::host
