#pragma once

#include <supplierd/Database.h>

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

struct JobKey {
    std::string plugin;
    std::string name;

    auto operator<=>(const JobKey&) const = default;
};

/// A run that this server has: its token stands in the job's row.
struct JobClaim {
    JobKey key;
    std::string token;
};

/// What a run was asked to do.
struct JobRequest {
    std::string input; ///< a JSON object
    std::string actor; ///< "": nobody asked for it
};

struct JobProgress {
    std::int64_t done = 0;
    std::int64_t total = 0; ///< 0: not known
    std::string what;       ///< "files"

    bool operator==(const JobProgress&) const = default;
};

/// What a run says of itself while it runs.
struct JobReport {
    std::string message = {};
    std::string output = {}; ///< a JSON object; "": none
    std::optional<JobProgress> progress = {};
};

/// A row of jobs, for display; times are ISO 8601 UTC.
struct JobState {
    JobKey key;
    std::string state; ///< "waiting", "running", as `result`, or "idle"
    std::chrono::milliseconds every{0};
    std::optional<std::string> nextAt;
    std::optional<std::string> startedAt;
    std::optional<std::string> endedAt;
    std::string runsOn; ///< the server, while it runs
    std::int64_t runs = 0;
    std::int64_t run = 0;      ///< the number of the one that `state` is about; 0: there was none
    std::int64_t failures = 0; ///< in a row
    std::string result;        ///< of the last run that ended: "done", "failed", "stopped"; "" when there was none
    std::string requestedBy;   ///< "": nobody
    JobReport report;          ///< of the run that is under way, or was the last one
};

/// The table jobs. All times are on the clock of the database, so that servers need not agree on theirs. Thread: any.
/// Errors: DatabaseError, ApiError (Unavailable).
class JobStore {
public:
    /// A server that is silent for so long has lost its jobs to the others.
    static constexpr std::chrono::seconds LEASE{15};
    static constexpr std::size_t MAX_MESSAGE = 1'000; ///< bytes
    static constexpr std::size_t MAX_WHAT = 64;       ///< of JobProgress::what

    /// Of an input or output. Throws std::invalid_argument for what is no JSON object, std::length_error beyond so many
    /// bytes.
    static void requireJson(std::string_view json, std::size_t limit);

    explicit JobStore(Database& database) : _database(database) {}

    /// Makes its row, or takes over another `every`.
    void enroll(const JobKey& key, std::chrono::milliseconds every);
    /// Those that are due and that nobody runs. What lies further ahead than a job can wait is due, too: the database's
    /// clock was put back.
    std::vector<JobKey> due();
    /// What the run is to do; nothing when another server was faster.
    std::optional<JobRequest> claim(const JobClaim& claim, std::string_view server);
    /// Who wants the run to end, "" for nobody; nothing when the job is another one's by now.
    std::optional<std::string> renew(const JobClaim& claim, const std::optional<JobProgress>& progress);
    /// Locks the row until the end of the transaction, by renewing the lease; false when the job is another one's by
    /// now.
    static bool lockIfHeld(SqlSession& session, const JobClaim& claim);

    void succeed(const JobClaim& claim, const JobReport& report);
    /// The message is the reason. It is tried again after the pause; one that only runs when it is woken, and was
    /// requested, is not.
    void fail(const JobClaim& claim, const JobReport& report, std::chrono::milliseconds pause);
    /// It was stopped: whoever looks next takes it on.
    void giveBack(const JobClaim& claim, const JobReport& report);
    /// It was stopped by somebody who wants it to end: it does not go on.
    void end(const JobClaim& claim, const JobReport& report);
    /// How often it failed in a row.
    std::int64_t failures(const JobKey& key);

    /// False when there is no such job.
    static bool wake(SqlSession& session, const JobKey& key);
    /// The same for a run with an input. Its number, which it keeps when it is stopped and goes on; nothing when there
    /// is no such job. Throws ApiError (Conflict) while a run that was requested has not ended.
    static std::optional<std::int64_t> request(SqlSession& session, const JobKey& key, const JobRequest& request);
    /// Has the run that is under way end, when its server next renews the lease.
    static void stop(SqlSession& session, const JobKey& key, std::string_view actor);
    static std::vector<JobState> list(SqlSession& session);
    static std::optional<JobState> find(SqlSession& session, const JobKey& key);

private:
    void finish(std::string_view statement, std::string_view result, const JobClaim& claim, const JobReport& report,
                std::chrono::milliseconds pause = {});

    Database& _database;
};

} // namespace supplierd::host
