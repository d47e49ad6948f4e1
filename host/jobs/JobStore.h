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

/// A row of jobs, for display; times are ISO 8601 UTC.
struct JobState {
    JobKey key;
    std::chrono::milliseconds every{0};
    std::optional<std::string> nextAt;
    std::optional<std::string> startedAt;
    std::optional<std::string> endedAt;
    std::string runsOn; ///< the server, while it runs
    std::int64_t runs = 0;
    std::int64_t failures = 0; ///< in a row
    std::string result;        ///< of the last run that ended: "done", "failed", "stopped"; "" when there was none
    std::string message;
};

/// The table jobs. All times are on the clock of the database, so that servers need not agree on theirs. Thread: any.
/// Errors: DatabaseError, ApiError (Unavailable).
class JobStore {
public:
    /// A server that is silent for so long has lost its jobs to the others.
    static constexpr std::chrono::seconds LEASE{15};
    static constexpr std::size_t MAX_MESSAGE = 500; ///< bytes

    explicit JobStore(Database& database) : _database(database) {}

    /// Makes its row, or takes over another `every`.
    void enroll(const JobKey& key, std::chrono::milliseconds every);
    /// Those that are due and that nobody runs. What lies further ahead than a job can wait is due, too: the database's
    /// clock was put back.
    std::vector<JobKey> due();
    /// False when another server was faster.
    bool claim(const JobClaim& claim, std::string_view server);
    /// False when the job is another one's by now.
    bool renew(const JobClaim& claim);
    /// Locks the row until the end of the transaction; false when the job is another one's by now.
    static bool lockIfHeld(SqlSession& session, const JobClaim& claim);

    void succeed(const JobClaim& claim, std::string_view message);
    void fail(const JobClaim& claim, std::string_view reason, std::chrono::milliseconds pause);
    /// It was stopped: whoever looks next takes it on.
    void giveBack(const JobClaim& claim, std::string_view message);
    /// How often it failed in a row.
    std::int64_t failures(const JobKey& key);

    /// False when there is no such job.
    static bool wake(SqlSession& session, const JobKey& key);
    static std::vector<JobState> list(SqlSession& session);

private:
    void finish(std::string_view statement, const JobClaim& claim, std::string_view message,
                std::chrono::milliseconds pause);

    Database& _database;
};

} // namespace supplierd::host
