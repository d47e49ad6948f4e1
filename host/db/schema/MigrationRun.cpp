#include "host/db/schema/MigrationRun.h"

#include "host/db/Connector.h"
#include "host/db/ErrorClass.h"
#include "host/db/schema/MigrationError.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <string_view>
#include <thread>

namespace supplierd::host {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds LOOK_INTERVAL{250};
constexpr std::chrono::seconds NOTICE_INTERVAL{30};
/// For a record that is held by somebody whom this account cannot see: a transaction that is rolled back after its end.
constexpr std::chrono::seconds RECORD_PATIENCE{60};
/// For a table that others are using, and the pause in which they go on.
constexpr std::chrono::seconds TABLE_PATIENCE{120};
constexpr std::chrono::milliseconds TABLE_PAUSE{500};
constexpr unsigned LOCK_WAIT_TIMEOUT = 1205;

/// Stands before every statement, so that one which outlives its process is known by it in the list of processes.
constexpr std::string_view MARK_BEGIN = "/* supplierd migrate: ";
constexpr std::string_view MARK_END = " */ ";

/// Without the PROCESS right they show the connections of one's own account, which is what is asked for. That of
/// MySQL's information_schema cannot read statements with bytes that are no text.
constexpr std::string_view OF_MARIADB = " FROM information_schema.processlist";
constexpr std::string_view OF_MYSQL = " FROM performance_schema.processlist";

std::string selectRunning(PooledSession& session) {
    return std::string("SELECT id, time, LEFT(info, 400)")
        .append(isMariaDb(handleOf(session.poco())) ? OF_MARIADB : OF_MYSQL)
        .append(" WHERE id <> CONNECTION_ID() AND db = DATABASE() AND info LIKE '/* supplierd migrate: %' ORDER BY id");
}

/// What a DDL statement says that was executed before.
bool saysAlreadyDone(const DatabaseError& error) {
    switch (error.code()) {
    case 1050: // table, view or sequence exists
    case 1051: // unknown table, in DROP TABLE
    case 1060: // duplicate column
    case 1061: // duplicate key name
    case 1068: // multiple primary keys
    case 1091: // cannot drop column, key or constraint
    case 1304: // routine exists
    case 1305: // no such routine
    case 1359: // trigger exists
    case 1360: // no such trigger
    case 1826: // duplicate foreign key or check
    case 4091: // unknown sequence
    case 4092: // unknown view
        return true;
    case 1005: // cannot create: of a duplicate foreign key only
        return std::string_view(error.what()).find("errno: 121") != std::string_view::npos;
    default:
        return false;
    }
}

/// From so many rows on, changing a table takes long enough to wonder what goes on.
constexpr std::int64_t MANY_ROWS = 100'000;
constexpr std::string_view ROWS_SQL = R"sql(
SELECT CAST(COALESCE(MAX(TABLE_ROWS), 0) AS SIGNED) FROM information_schema.TABLES
WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?
)sql";

/// The table that an ALTER TABLE or an UPDATE names first; empty for other statements.
std::string changedTable(const std::string& statement) {
    std::istringstream words(statement);
    std::string word;
    words >> word;
    if (word == "ALTER")
        words >> word;
    std::string table;
    if (word == "TABLE" || word == "UPDATE")
        words >> table;
    std::erase(table, '`');
    return table;
}

/// In one line.
std::string textOf(const std::string& statement) {
    std::istringstream words(statement);
    std::string text;
    for (std::string word; words >> word;)
        text += (text.empty() ? "" : " ") + word;
    return text;
}

std::string placeOf(const MigrationStep& step) {
    return fmt::format("{}, statement {} of {}", nameOf(step), step.statementsDone + 1, step.statementsTotal);
}

/// A name from a plugin must not end the comment.
std::string marked(const MigrationStep& step, const std::string& statement) {
    std::string place = placeOf(step);
    std::replace(place.begin(), place.end(), '*', '_');
    return std::string(MARK_BEGIN) + place + std::string(MARK_END) + statement;
}

[[noreturn]] void fail(const MigrationStep& step, const DatabaseError& error) {
    throw MigrationError("migration " + placeOf(step) + " failed: " + error.what() +
                         (leavesOutcomeOpen(error.code()) ? "; run `supplierctl migrate` again to go on" : ""));
}

} // namespace

MigrationRun::MigrationRun(PooledSession& session, SchemaLease& lease, Progress progress, Notice notice)
    : _session(session),
      _lease(lease),
      _history(session, lease.owner()),
      _progress(std::move(progress)),
      _notice(std::move(notice)) {}

void MigrationRun::apply(const MigrationScript& script, MigrationStep step, bool isStarted) {
    _lease.requireHeld();
    if (!isStarted)
        _history.start(script.key, {script.name, script.checksum, 0, 0, script.statements.size(), false},
                       script.tables.created);
    while (step.statementsDone < script.statements.size()) {
        applyPatiently(script, step);
        ++step.statementsDone;
        if (_progress)
            _progress(step);
    }
    _history.finish(script.key, script.tables.dropped);
}

/// The session waits for a table for a moment only (Migrator::TABLE_WAIT): so often, then.
void MigrationRun::applyPatiently(const MigrationScript& script, const MigrationStep& step) {
    const auto start = Clock::now();
    auto nextNotice = start + NOTICE_INTERVAL; // NOLINT(clang-analyzer-deadcode.DeadStores): read after an exception
    for (;;) {
        try {
            applyNext(script, step);
            return;
        } catch (const DatabaseError& error) {
            if (error.code() != LOCK_WAIT_TIMEOUT || Clock::now() - start >= TABLE_PATIENCE)
                fail(step, error);
        }
        if (Clock::now() >= nextNotice) {
            tell(fmt::format("{} waits for transactions that use its table", placeOf(step)));
            nextNotice = Clock::now() + NOTICE_INTERVAL;
        }
        std::this_thread::sleep_for(TABLE_PAUSE);
    }
}

/// Data changes commit together with their record. DDL commits by itself, and before it begins it commits what says
/// that it has begun.
void MigrationRun::applyNext(const MigrationScript& script, const MigrationStep& step) {
    const bool wasBegun = begin(script, step);
    tellWhenLong(step, script.statements[step.statementsDone]);
    try {
        _session.run(marked(step, script.statements[step.statementsDone]));
    } catch (const DatabaseError& error) {
        if (!wasBegun || !saysAlreadyDone(error)) {
            undo(script, step, wasBegun, error);
            throw;
        }
    }
    _history.recordDone(script.key, step.statementsDone + 1);
    _session.run("COMMIT");
}

/// Opens the transaction of the next statement, in which its record is locked: two processes that both believe that
/// they hold the lease cannot send it together. True when an earlier run has sent it and its end is not known; by then
/// it does not run any more.
bool MigrationRun::begin(const MigrationScript& script, const MigrationStep& step) {
    const auto start = Clock::now();
    auto nextNotice = start;
    for (;;) {
        _lease.requireHeld();
        _session.run("START TRANSACTION");
        const auto record = _history.lock(script.key);
        if (record && record->statementsDone != step.statementsDone)
            throw MigrationError::leaseLost();
        const bool wasBegun = record && record->statementsBegun > step.statementsDone;
        const auto running = record && !wasBegun ? std::nullopt : runningElsewhere();
        if (record && !running) {
            _history.recordBegun(script.key, step.statementsDone + 1);
            return wasBegun;
        }
        _session.run("ROLLBACK");
        if (!running && Clock::now() - start > RECORD_PATIENCE)
            throw MigrationError("migration " + placeOf(step) +
                                 ": its record in schema_migrations is locked by another transaction, perhaps one that "
                                 "was interrupted and is being rolled back; run `supplierctl migrate` again later");
        if (Clock::now() >= nextNotice) {
            tell(running ? fmt::format("waiting for {}, which an earlier run has begun and which the database still "
                                       "executes: connection {}, for {} s now",
                                       running->what, running->connection, running->seconds)
                         : fmt::format("waiting for the record of {}, which another transaction holds", placeOf(step)));
            nextNotice = Clock::now() + NOTICE_INTERVAL;
        }
        std::this_thread::sleep_for(LOOK_INTERVAL);
    }
}

std::optional<MigrationRun::Running> MigrationRun::runningElsewhere() {
    Rows& rows = _session.query(selectRunning(_session));
    if (!rows.next())
        return std::nullopt;
    const std::string info(rows.text(2));
    const std::size_t end = info.find(MARK_END);
    return Running{rows.integer(0), rows.integer(1),
                   info.substr(MARK_BEGIN.size(), end == std::string::npos ? end : end - MARK_BEGIN.size())};
}

/// A statement that the database refused was not executed, and the next run must not take it for done. But what an
/// earlier run has sent stays begun, and so does what may yet have happened.
void MigrationRun::undo(const MigrationScript& script, const MigrationStep& step, bool wasBegun,
                        const DatabaseError& error) {
    if (_session.broken())
        return;
    _session.run("ROLLBACK");
    if (!wasBegun && !leavesOutcomeOpen(error.code()))
        _history.recordNotBegun(script.key, step.statementsDone + 1);
}

void MigrationRun::tellWhenLong(const MigrationStep& step, const std::string& statement) {
    const std::string table = changedTable(statement);
    if (table.empty())
        return;
    Rows& row = _session.query(ROWS_SQL, {table});
    const std::int64_t rows = row.next() ? row.integer(0) : 0;
    if (rows >= MANY_ROWS)
        tell(fmt::format("{}, with about {} rows in {}: {}", placeOf(step), rows, table, textOf(statement)));
}

void MigrationRun::tell(const std::string& line) {
    if (_notice)
        _notice(line);
}

} // namespace supplierd::host
