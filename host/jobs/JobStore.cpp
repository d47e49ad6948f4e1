#include "host/jobs/JobStore.h"

#include <supplierd/Errors.h>
#include <supplierd/JsonBody.h>

#include <stdexcept>

namespace supplierd::host {

namespace {

constexpr std::string_view ENROLL_SQL = R"sql(
INSERT INTO jobs (plugin, name, every_ms, next_at) VALUES (?, ?, ?, IF(? = 0, NULL, NOW(6)))
ON DUPLICATE KEY UPDATE
    next_at = IF(VALUES(every_ms) = 0, IF(every_ms = 0, next_at, NULL),
                 LEAST(COALESCE(next_at, NOW(6)), NOW(6) + INTERVAL VALUES(every_ms) * 1000 MICROSECOND)),
    every_ms = VALUES(every_ms)
)sql";

constexpr std::string_view DUE_SQL = R"sql(
SELECT plugin, name FROM jobs
WHERE (next_at <= NOW(6) OR next_at > NOW(6) + INTERVAL (IF(every_ms = 0, ?, every_ms) + ?) * 1000 MICROSECOND)
    AND (lease_until IS NULL OR lease_until < NOW(6))
)sql";

// is_requested: 0, nobody asked for a run; 1, one was asked for and waits; 2, it runs, or goes on under its number
// after it was stopped; 3, as 2, and the plugin woke the job as well, so that a run that fails is tried again.
constexpr std::string_view CLAIM_JOB_SQL = R"sql(
UPDATE jobs
SET owner = ?, server = ?, lease_until = NOW(6) + INTERVAL ? SECOND, started_at = NOW(6), runs = runs + (is_requested < 2),
    stopped_by = IF(is_requested < 2, NULL, stopped_by), input = IF(is_requested = 0, NULL, input), requested_by = IF(is_requested = 0, NULL, requested_by), output = NULL,
    progress_done = NULL, progress_total = NULL, progress_what = NULL,
    is_requested = CASE WHEN is_requested = 0 THEN 0 WHEN is_woken AND every_ms = 0 THEN 3
                        ELSE GREATEST(is_requested, 2) END,
    is_woken = 0
WHERE plugin = ? AND name = ?
    AND (next_at <= NOW(6) OR next_at > NOW(6) + INTERVAL (IF(every_ms = 0, ?, every_ms) + ?) * 1000 MICROSECOND)
    AND (lease_until IS NULL OR lease_until < NOW(6))
)sql";

constexpr std::string_view REQUEST_OF_RUN_SQL = R"sql(
SELECT COALESCE(input, '{}'), COALESCE(requested_by, '') FROM jobs WHERE plugin = ? AND name = ?
)sql";

constexpr std::string_view RENEW_JOB_SQL = R"sql(
UPDATE jobs
SET lease_until = NOW(6) + INTERVAL ? SECOND, progress_done = ?, progress_total = ?, progress_what = ?
WHERE plugin = ? AND name = ? AND owner = ? AND lease_until >= NOW(6)
)sql";

constexpr std::string_view STOPPED_BY_SQL = "SELECT COALESCE(stopped_by, '') FROM jobs WHERE plugin = ? AND name = ?";

constexpr std::string_view STOP_JOB_SQL = "UPDATE jobs SET stopped_by = ? WHERE plugin = ? AND name = ?";

// A change of the row, since Galera certifies no lock: of two that write on different nodes one is refused at COMMIT.
constexpr std::string_view FENCE_JOB_SQL = R"sql(
UPDATE jobs SET lease_until = NOW(6) + INTERVAL ? SECOND
WHERE plugin = ? AND name = ? AND owner = ? AND lease_until >= NOW(6)
)sql";

// The columns are set from left to right: next_at has to look at is_woken and is_requested before those are reset.
constexpr std::string_view SUCCEED_SQL = R"sql(
UPDATE jobs
SET next_at = IF(is_woken OR is_requested = 1, NOW(6),
                 IF(every_ms = 0, NULL, NOW(6) + INTERVAL every_ms * 1000 + ? MICROSECOND)),
    is_woken = 0, is_requested = IF(is_requested = 1, 1, 0), result = ?, failures = IF(result = 'done', 0, failures),
    message = ?, output = ?, progress_done = ?, progress_total = ?, progress_what = ?,
    owner = NULL, server = NULL, lease_until = NULL, ended_at = NOW(6)
WHERE plugin = ? AND name = ? AND owner = ?
)sql";

constexpr std::string_view FAIL_SQL = R"sql(
UPDATE jobs
SET next_at = CASE WHEN is_requested = 1 THEN NOW(6)
                   WHEN is_requested = 2 AND every_ms = 0 THEN IF(is_woken, NOW(6), NULL)
                   ELSE NOW(6) + INTERVAL ? * 1000 MICROSECOND END,
    is_woken = (is_requested = 1 AND every_ms = 0), is_requested = IF(is_requested = 1, 1, 0), failures = failures + 1, result = ?,
    message = ?, output = ?, progress_done = ?, progress_total = ?, progress_what = ?,
    owner = NULL, server = NULL, lease_until = NULL, ended_at = NOW(6)
WHERE plugin = ? AND name = ? AND owner = ?
)sql";

constexpr std::string_view GIVE_BACK_SQL = R"sql(
UPDATE jobs
SET next_at = NOW(6) + INTERVAL ? * 1000 MICROSECOND, result = ?,
    message = ?, output = ?, progress_done = ?, progress_total = ?, progress_what = ?,
    owner = NULL, server = NULL, lease_until = NULL, ended_at = NOW(6)
WHERE plugin = ? AND name = ? AND owner = ?
)sql";

constexpr std::string_view FAILURES_SQL = "SELECT failures FROM jobs WHERE plugin = ? AND name = ?";

constexpr std::string_view WAKE_SQL = R"sql(
UPDATE jobs SET next_at = LEAST(COALESCE(next_at, NOW(6)), NOW(6)), is_woken = 1 WHERE plugin = ? AND name = ?
)sql";

// What waits already, or is to be tried again, was woken by somebody else.
constexpr std::string_view REQUEST_SQL = R"sql(
UPDATE jobs
SET is_woken = is_woken OR (every_ms = 0 AND next_at IS NOT NULL AND (lease_until IS NULL OR lease_until < NOW(6))),
    next_at = LEAST(COALESCE(next_at, NOW(6)), NOW(6)), is_requested = 1, input = ?, requested_by = ?,
    output = NULL, progress_done = NULL, progress_total = NULL, progress_what = NULL
WHERE plugin = ? AND name = ? AND is_requested = 0
)sql";

// Of all jobs, or of one.
constexpr std::string_view LIST_SQL = R"sql(
SELECT plugin, name, every_ms, next_at, started_at, ended_at, IF(lease_until >= NOW(6), server, ''), runs, failures,
       COALESCE(result, ''), message, COALESCE(requested_by, ''), COALESCE(output, ''),
       progress_done, progress_total, progress_what,
       CASE WHEN lease_until >= NOW(6) THEN 'running' WHEN next_at <= NOW(6) THEN 'waiting' ELSE COALESCE(result, 'idle') END,
       runs + CASE WHEN lease_until >= NOW(6) THEN 0 WHEN next_at <= NOW(6) THEN is_requested < 2 ELSE 0 END
FROM jobs
WHERE ? = '' OR (plugin = ? AND name = ?)
ORDER BY plugin, name
)sql";

/// The longest that a job without an interval waits after a failure, in milliseconds, and what clocks may differ by.
constexpr std::int64_t LONGEST_WAIT = 3'600'000;
constexpr std::int64_t CLOCK_TOLERANCE = 60'000;

/// At most so many bytes, and no half character at the end.
std::string_view shortened(std::string_view text, std::size_t limit) {
    if (text.size() <= limit)
        return text;
    while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0U) == 0x80U)
        --limit;
    return text.substr(0, limit);
}

/// NULL where there is none.
struct ProgressColumns {
    explicit ProgressColumns(const std::optional<JobProgress>& progress) {
        if (!progress)
            return;
        done = progress->done;
        total = progress->total;
        what = shortened(progress->what, JobStore::MAX_WHAT);
    }

    SqlParam done = nullptr;
    SqlParam total = nullptr;
    SqlParam what = nullptr;
};

std::vector<JobState> readJobs(Rows& rows) {
    std::vector<JobState> jobs;
    while (rows.next()) {
        JobState& job = jobs.emplace_back();
        job.key = {std::string(rows.text(0)), std::string(rows.text(1))};
        job.every = std::chrono::milliseconds(rows.integer(2));
        job.nextAt = rows.maybeTime(3);
        job.startedAt = rows.maybeTime(4);
        job.endedAt = rows.maybeTime(5);
        job.runsOn = rows.text(6);
        job.runs = rows.integer(7);
        job.failures = rows.integer(8);
        job.result = rows.text(9);
        job.report.message = rows.text(10);
        job.requestedBy = rows.text(11);
        job.report.output = rows.text(12);
        if (!rows.isNull(13))
            job.report.progress = JobProgress{rows.integer(13), rows.integer(14), std::string(rows.text(15))};
        job.state = rows.text(16);
        job.run = rows.integer(17);
    }
    return jobs;
}

} // namespace

void JobStore::requireJson(std::string_view json, std::size_t limit) {
    if (json.size() > limit)
        throw std::length_error("the JSON of a job has " + std::to_string(json.size()) + " bytes, at most " +
                                std::to_string(limit) + " are kept");
    try {
        if (parseJson(std::string(json)).root().isObject())
            return;
    } catch (const JsonError& problem) {
        throw std::invalid_argument(std::string("the JSON of a job: ") + problem.what());
    }
    throw std::invalid_argument("the JSON of a job is no object");
}

void JobStore::enroll(const JobKey& key, std::chrono::milliseconds every) {
    _database.withTransaction([&](Transaction& transaction) {
        transaction.execute(ENROLL_SQL, {key.plugin, key.name, every.count(), every.count()});
    });
}

std::vector<JobKey> JobStore::due() {
    return _database.read([](SqlSession& session) {
        std::vector<JobKey> found;
        Rows& rows = session.query(DUE_SQL, {LONGEST_WAIT, CLOCK_TOLERANCE});
        while (rows.next())
            found.push_back({std::string(rows.text(0)), std::string(rows.text(1))});
        return found;
    });
}

std::optional<JobRequest> JobStore::claim(const JobClaim& claim, std::string_view server) {
    std::optional<JobRequest> request;
    _database.withTransaction([&](Transaction& transaction) {
        request.reset();
        if (transaction.execute(CLAIM_JOB_SQL, {claim.token, server, std::int64_t{LEASE.count()}, claim.key.plugin,
                                                claim.key.name, LONGEST_WAIT, CLOCK_TOLERANCE}) != 1)
            return;
        Rows& row = transaction.query(REQUEST_OF_RUN_SQL, {claim.key.plugin, claim.key.name});
        if (row.next())
            request = JobRequest{std::string(row.text(0)), std::string(row.text(1))};
    });
    return request;
}

std::optional<std::string> JobStore::renew(const JobClaim& claim, const std::optional<JobProgress>& progress) {
    const ProgressColumns columns(progress);
    std::optional<std::string> stoppedBy;
    _database.withTransaction([&](Transaction& transaction) {
        stoppedBy.reset();
        if (transaction.execute(RENEW_JOB_SQL, {std::int64_t{LEASE.count()}, columns.done, columns.total, columns.what,
                                                claim.key.plugin, claim.key.name, claim.token}) != 1)
            return;
        Rows& row = transaction.query(STOPPED_BY_SQL, {claim.key.plugin, claim.key.name});
        stoppedBy = row.next() ? std::string(row.text(0)) : std::string();
    });
    return stoppedBy;
}

bool JobStore::lockIfHeld(SqlSession& session, const JobClaim& claim) {
    return session.execute(FENCE_JOB_SQL,
                           {std::int64_t{LEASE.count()}, claim.key.plugin, claim.key.name, claim.token}) == 1;
}

void JobStore::finish(std::string_view statement, std::string_view result, const JobClaim& claim,
                      const JobReport& report, std::chrono::milliseconds pause) {
    const ProgressColumns columns(report.progress);
    const auto output = report.output.empty() ? SqlParam(nullptr) : SqlParam(report.output);
    _database.withTransaction([&](Transaction& transaction) {
        transaction.execute(statement,
                            {pause.count(), result, shortened(report.message, MAX_MESSAGE), output, columns.done,
                             columns.total, columns.what, claim.key.plugin, claim.key.name, claim.token});
    });
}

void JobStore::succeed(const JobClaim& claim, const JobReport& report) {
    finish(SUCCEED_SQL, "done", claim, report);
}

void JobStore::fail(const JobClaim& claim, const JobReport& report, std::chrono::milliseconds pause) {
    finish(FAIL_SQL, "failed", claim, report, pause);
}

void JobStore::giveBack(const JobClaim& claim, const JobReport& report) {
    finish(GIVE_BACK_SQL, "stopped", claim, report);
}

void JobStore::end(const JobClaim& claim, const JobReport& report) {
    finish(SUCCEED_SQL, "stopped", claim, report);
}

std::int64_t JobStore::failures(const JobKey& key) {
    return _database.read([&](SqlSession& session) {
        Rows& rows = session.query(FAILURES_SQL, {key.plugin, key.name});
        return rows.next() ? rows.integer(0) : 0;
    });
}

bool JobStore::wake(SqlSession& session, const JobKey& key) {
    return session.execute(WAKE_SQL, {key.plugin, key.name}) == 1;
}

std::optional<std::int64_t> JobStore::request(SqlSession& session, const JobKey& key, const JobRequest& request) {
    const bool isNew = session.execute(REQUEST_SQL, {request.input, request.actor, key.plugin, key.name}) == 1;
    const auto job = find(session, key);
    if (isNew)
        return job.value().runs + 1;
    if (job)
        throw ApiError::conflict("The job '" + key.name + "' of '" + key.plugin + "' was requested by " +
                                 job->requestedBy + " and has not ended; ask again when it has");
    return std::nullopt;
}

void JobStore::stop(SqlSession& session, const JobKey& key, std::string_view actor) {
    session.execute(STOP_JOB_SQL, {actor, key.plugin, key.name});
}

std::vector<JobState> JobStore::list(SqlSession& session) {
    return readJobs(session.query(LIST_SQL, {"", "", ""}));
}

std::optional<JobState> JobStore::find(SqlSession& session, const JobKey& key) {
    auto found = readJobs(session.query(LIST_SQL, {key.plugin, key.plugin, key.name}));
    return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

} // namespace supplierd::host
