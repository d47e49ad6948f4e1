#include "host/db/PooledDatabase.h"

#include "host/db/ErrorClass.h"
#include "host/db/TransactionRunner.h"

#include <chrono>

namespace supplierd::host {

PooledDatabase::PooledDatabase(SessionPool& pool, Logger* log) : _pool(pool), _log(log) {}

void PooledDatabase::withSession(const std::function<void(SqlSession&)>& work) {
    readOnSession(std::ref(work));
}

void PooledDatabase::withSnapshot(const std::function<void(SqlSession&)>& work) {
    readOnSession([&work](PooledSession& session) {
        session.beginSnapshot();
        work(session);
        session.endSnapshot();
    });
}

void PooledDatabase::readOnSession(const Reading& reading) {
    try {
        readOnce(false, reading);
        return;
    } catch (const DatabaseError& error) {
        if (!isAway(error))
            translate(error);
    }
    try {
        readOnce(true, reading);
    } catch (const DatabaseError& error) {
        translate(error);
    }
}

void PooledDatabase::readOnce(bool fresh, const Reading& reading) {
    const SessionPool::Lease lease = fresh ? _pool.acquireFresh() : _pool.acquire();
    reading(*lease);
}

void PooledDatabase::withTransaction(const std::function<void(Transaction&)>& work) {
    OperationRecord record;
    run(record, work);
}

void PooledDatabase::run(OutcomeRecord& record, const std::function<void(Transaction&)>& work) {
    try {
        TransactionRunner(_pool, _log, record, work).run();
    } catch (const DatabaseError& error) {
        translate(error);
    }
}

void PooledDatabase::translate(const DatabaseError& error) {
    if (isAway(error)) {
        logAway(error.what());
        throw databaseAway();
    }
    if (isTimeLimit(error.code())) {
        if (_log)
            _log->warning("a statement exceeded its time limit", {{"error", error.what()}});
        throw databaseBusy();
    }
    throw error;
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
