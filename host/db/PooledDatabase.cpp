#include "host/db/PooledDatabase.h"

#include "host/db/ErrorClass.h"
#include "host/db/Retries.h"
#include "host/db/TransactionRunner.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace supplierd::host {

namespace {

/// How often a read is repeated when the database can prepare no more statements.
constexpr int MAX_REFUSALS = 3;
constexpr std::chrono::milliseconds REFUSAL_PAUSE{20};

std::function<void(PooledSession&)> refusingWrites(const std::function<void(SqlSession&)>& work) {
    return [&work](PooledSession& session) {
        session.refuseWrites();
        work(session);
    };
}

/// A single statement that writes is committed at once, and a cluster may refuse it then as it does a COMMIT.
bool isRefusedByCluster(unsigned code) {
    constexpr unsigned DEADLOCK = 1213;
    return code == DEADLOCK || isOpenCommit(code);
}

/// So many changes of one catalog are at work at once, before their COMMIT: one has the lock, one is next to have it.
constexpr std::size_t AT_WORK = 2;

/// A read waits for no row. But one that waits for the cluster (SessionSettings::readsInStep) ends so, too, when its
/// node is cut off meanwhile.
bool isOutOfStep(unsigned code) {
    constexpr unsigned LOCK_WAIT_TIMEOUT = 1205;
    return code == LOCK_WAIT_TIMEOUT;
}

/// The client library's number for it.
constexpr unsigned NO_ANSWER = 2013;

/// How long work that may go together with others waits for its turn.
constexpr std::chrono::seconds GROUP_DEADLINE{10};

} // namespace

PooledDatabase::PooledDatabase(SessionPool& pool, Logger* log, const std::string& actor)
    : _pool(pool),
      _semaphore(std::max<std::size_t>(1, pool.stats().size / 4), AT_WORK),
      _groups([this](auto supplierId, auto works, bool& failedAtWork) { runWorks(works, supplierId, failedAtWork); }),
      _log(log),
      _origin{actor} {}

void PooledDatabase::withSession(const std::function<void(SqlSession&)>& work) {
    readOnSession(reader(), refusingWrites(work));
}

void PooledDatabase::AtWriter::withSession(const std::function<void(SqlSession&)>& work) {
    _database.readOnSession(_database._pool, refusingWrites(work));
}

void PooledDatabase::withWritingSession(const std::function<void(SqlSession&)>& work) {
    readOnSession(_pool, std::ref(work));
}

std::int64_t PooledDatabase::execute(std::string_view sql, SqlParams params) {
    Retries retries;
    bool wasFull = false;
    for (int refusals = 0;;) {
        try {
            const SessionPool::Lease lease = wasFull ? _pool.acquireFresh() : _pool.acquire();
            return (*lease).execute(sql, params);
        } catch (const DatabaseError& error) {
            if (isFileTrouble(error.code()))
                logFileTrouble(error);
            if (isStatementLimit(error.code()) && ++refusals <= MAX_REFUSALS)
                makeRoomForStatements();
            else if (lacksRoom(error.code()) && _pool.hasSeveralNodes() && !wasFull)
                wasFull = true;
            else if (error.isRetryable() && retries.take() && retries.isInTime())
                retries.pause();
            else if ((error.isConnectionLost() && leavesOutcomeOpen(error.code())) || isOpenCommit(error.code()) ||
                     isFileTrouble(error.code()))
                throw outcomeUnknown();
            else
                translate(error);
        }
    }
}

void PooledDatabase::withSnapshot(const std::function<void(SqlSession&)>& work) {
    readSnapshot(reader(), work);
}

void PooledDatabase::AtWriter::withSnapshot(const std::function<void(SqlSession&)>& work) {
    _database.readSnapshot(_database._pool, work);
}

void PooledDatabase::readSnapshot(SessionPool& pool, const std::function<void(SqlSession&)>& work) {
    readOnSession(pool, [&work](PooledSession& session) {
        session.beginSnapshot();
        work(session);
        session.endSnapshot();
    });
}

void PooledDatabase::readOnSession(SessionPool& pool, const Reading& reading) {
    bool wasLost = false;
    std::optional<Retries> retries; // its clock is read when it is needed
    for (int refusals = 0;;) {
        try {
            readOnce(pool, wasLost, reading);
            return;
        } catch (const DatabaseError& error) {
            if (isAway(error) && !wasLost)
                wasLost = true;
            else if (isStatementLimit(error.code()) && ++refusals <= MAX_REFUSALS)
                makeRoomForStatements();
            else if ((isRefusedByCluster(error.code()) || isTableChange(error.code())) &&
                     (retries ? *retries : retries.emplace()).take() && retries->isInTime())
                retries->pause();
            else
                translate(error);
        }
    }
}

void PooledDatabase::makeRoomForStatements() {
    _pool.closeIdle();
    reader().closeIdle();
    // The database lets their statements go some moments later.
    std::this_thread::sleep_for(REFUSAL_PAUSE);
}

void PooledDatabase::readOnce(SessionPool& pool, bool fresh, const Reading& reading) {
    const SessionPool::Lease lease = fresh ? pool.acquireFresh() : pool.acquire();
    try {
        reading(*lease);
    } catch (const DatabaseError& error) {
        if (isOutOfStep(error.code()) && pool.hasSeveralNodes()) {
            const DatabaseError away(NO_ANSWER, error.what());
            lease->discard(away);
            throw DatabaseError(away);
        }
        if (endsSession(error.code()) && !lease->broken())
            lease->discard(error); // the reading itself has judged so
        throw;
    }
}

void PooledDatabase::withTransaction(const std::function<void(Transaction&)>& work) {
    OperationRecord record;
    run(record, work);
}

void PooledDatabase::run(CommitRecord& record, const std::function<void(Transaction&)>& work,
                         std::optional<std::int64_t> supplierId) {
    run(record, work, supplierId, _origin);
}

void PooledDatabase::run(CommitRecord& record, const std::function<void(Transaction&)>& work,
                         std::optional<std::int64_t> supplierId, const ChangeOrigin& origin) {
    const TransactionWork one{record, work, origin};
    bool failedAtWork = false;
    runWorks({&one, 1}, supplierId, failedAtWork);
}

void PooledDatabase::runTogether(CommitRecord& record, const std::function<void(Transaction&)>& work,
                                 std::int64_t supplierId, const ChangeOrigin& origin) {
    _groups.run(supplierId, {record, work, origin}, CatalogSemaphore::Clock::now() + GROUP_DEADLINE);
}

void PooledDatabase::runWorks(std::span<const TransactionWork> works, std::optional<std::int64_t> supplierId,
                              bool& failedAtWork) {
    TransactionRunner runner({_pool, _semaphore, _commits, _log}, works, supplierId);
    try {
        runner.run();
    } catch (const DatabaseError& error) {
        failedAtWork = runner.failedAtWork();
        translate(error);
    } catch (...) { // it is only passed on
        failedAtWork = runner.failedAtWork();
        throw;
    }
}

void PooledDatabase::translate(const DatabaseError& error) {
    if (isAway(error)) {
        logAway(error.what());
        throw databaseAway();
    }
    if (isStatementLimit(error.code())) {
        if (_log)
            _log->warning("the database can prepare no more statements: see `supplierctl doctor`",
                          {{"error", error.what()}});
        throw databaseBusy();
    }
    if (isOpenCommit(error.code()))
        throw databaseBusy(); // whoever got here knows by now that nothing was committed, or may do it twice
    if (lacksRoom(error.code())) {
        if (_log)
            _log->error("the disk of the database is full", {{"error", error.what()}});
        throw databaseBusy();
    }
    if (isFileTrouble(error.code())) {
        logFileTrouble(error);
        throw databaseBusy();
    }
    if (isTimeLimit(error.code())) {
        if (_log)
            _log->warning("a statement exceeded its time limit", {{"error", error.what()}});
        throw databaseBusy();
    }
    throw error;
}

void PooledDatabase::logFileTrouble(const DatabaseError& error) {
    if (_log)
        _log->error("the database cannot use one of its files; does another MariaDB use its tmpdir?",
                    {{"error", error.what()}});
}

/// At most one line a second: while the database is away, every request ends here.
void PooledDatabase::logAway(const std::string& reason) {
    if (!_log)
        return;
    const std::int64_t now = std::chrono::steady_clock::now().time_since_epoch() / std::chrono::seconds(1);
    std::int64_t next = _nextLog.load();
    if (now >= next && _nextLog.compare_exchange_strong(next, now + 1))
        _log->warning("the database is away", {{"error", reason}});
}

} // namespace supplierd::host
