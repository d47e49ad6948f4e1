#include "host/jobs/JobStore.h"

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

constexpr std::string_view CLAIM_JOB_SQL = R"sql(
UPDATE jobs
SET owner = ?, server = ?, lease_until = NOW(6) + INTERVAL ? SECOND, started_at = NOW(6), is_woken = 0, runs = runs + 1
WHERE plugin = ? AND name = ?
    AND (next_at <= NOW(6) OR next_at > NOW(6) + INTERVAL (IF(every_ms = 0, ?, every_ms) + ?) * 1000 MICROSECOND)
    AND (lease_until IS NULL OR lease_until < NOW(6))
)sql";

constexpr std::string_view RENEW_JOB_SQL = R"sql(
UPDATE jobs SET lease_until = NOW(6) + INTERVAL ? SECOND
WHERE plugin = ? AND name = ? AND owner = ? AND lease_until >= NOW(6)
)sql";

constexpr std::string_view LOCK_JOB_SQL = R"sql(
SELECT 1 FROM jobs WHERE plugin = ? AND name = ? AND owner = ? AND lease_until >= NOW(6) FOR UPDATE
)sql";

// The columns are set from left to right: next_at has to look at is_woken before that is reset.
constexpr std::string_view SUCCEED_SQL = R"sql(
UPDATE jobs
SET next_at = IF(is_woken, NOW(6), IF(every_ms = 0, NULL, NOW(6) + INTERVAL every_ms * 1000 + ? MICROSECOND)),
    is_woken = 0, failures = 0, result = 'done', message = ?,
    owner = NULL, server = NULL, lease_until = NULL, ended_at = NOW(6)
WHERE plugin = ? AND name = ? AND owner = ?
)sql";

constexpr std::string_view FAIL_SQL = R"sql(
UPDATE jobs
SET next_at = NOW(6) + INTERVAL ? * 1000 MICROSECOND, is_woken = 0, failures = failures + 1, result = 'failed',
    message = ?, owner = NULL, server = NULL, lease_until = NULL, ended_at = NOW(6)
WHERE plugin = ? AND name = ? AND owner = ?
)sql";

constexpr std::string_view GIVE_BACK_SQL = R"sql(
UPDATE jobs
SET next_at = NOW(6) + INTERVAL ? * 1000 MICROSECOND, is_woken = 0, result = 'stopped',
    message = ?, owner = NULL, server = NULL, lease_until = NULL, ended_at = NOW(6)
WHERE plugin = ? AND name = ? AND owner = ?
)sql";

constexpr std::string_view FAILURES_SQL = "SELECT failures FROM jobs WHERE plugin = ? AND name = ?";

constexpr std::string_view WAKE_SQL = R"sql(
UPDATE jobs SET next_at = LEAST(COALESCE(next_at, NOW(6)), NOW(6)), is_woken = 1 WHERE plugin = ? AND name = ?
)sql";

constexpr std::string_view LIST_SQL = R"sql(
SELECT plugin, name, every_ms, next_at, started_at, ended_at, IF(lease_until >= NOW(6), server, ''), runs, failures,
       COALESCE(result, ''), message
FROM jobs ORDER BY plugin, name
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

} // namespace

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

bool JobStore::claim(const JobClaim& claim, std::string_view server) {
    bool isClaimed = false;
    _database.withTransaction([&](Transaction& transaction) {
        isClaimed =
            transaction.execute(CLAIM_JOB_SQL, {claim.token, server, std::int64_t{LEASE.count()}, claim.key.plugin,
                                                claim.key.name, LONGEST_WAIT, CLOCK_TOLERANCE}) == 1;
    });
    return isClaimed;
}

bool JobStore::renew(const JobClaim& claim) {
    bool isHeld = false;
    _database.withTransaction([&](Transaction& transaction) {
        isHeld = transaction.execute(RENEW_JOB_SQL,
                                     {std::int64_t{LEASE.count()}, claim.key.plugin, claim.key.name, claim.token}) == 1;
    });
    return isHeld;
}

bool JobStore::lockIfHeld(SqlSession& session, const JobClaim& claim) {
    return session.query(LOCK_JOB_SQL, {claim.key.plugin, claim.key.name, claim.token}).next();
}

void JobStore::finish(std::string_view statement, const JobClaim& claim, std::string_view message,
                      std::chrono::milliseconds pause) {
    _database.withTransaction([&](Transaction& transaction) {
        transaction.execute(
            statement, {pause.count(), shortened(message, MAX_MESSAGE), claim.key.plugin, claim.key.name, claim.token});
    });
}

void JobStore::succeed(const JobClaim& claim, std::string_view message) {
    finish(SUCCEED_SQL, claim, message, {});
}

void JobStore::fail(const JobClaim& claim, std::string_view reason, std::chrono::milliseconds pause) {
    finish(FAIL_SQL, claim, reason, pause);
}

void JobStore::giveBack(const JobClaim& claim, std::string_view message) {
    finish(GIVE_BACK_SQL, claim, message, {});
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

std::vector<JobState> JobStore::list(SqlSession& session) {
    std::vector<JobState> jobs;
    Rows& rows = session.query(LIST_SQL);
    while (rows.next())
        jobs.push_back({{std::string(rows.text(0)), std::string(rows.text(1))},
                        std::chrono::milliseconds(rows.integer(2)),
                        rows.maybeTime(3),
                        rows.maybeTime(4),
                        rows.maybeTime(5),
                        std::string(rows.text(6)),
                        rows.integer(7),
                        rows.integer(8),
                        std::string(rows.text(9)),
                        std::string(rows.text(10))});
    return jobs;
}

} // namespace supplierd::host
