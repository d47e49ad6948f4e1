#include "host/db/TransactionRunner.h"

#include "host/db/ErrorClass.h"
#include "host/db/HostTransaction.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace supplierd::host {

namespace {

using std::chrono::milliseconds;

/// How long the outcome of a COMMIT is asked for. The server may be restarting.
constexpr std::chrono::seconds OUTCOME_DEADLINE{15};
constexpr milliseconds OUTCOME_PAUSE{100};

/// How long all waiting for places at catalogs may take.
constexpr std::chrono::seconds PLACE_DEADLINE{10};

constexpr unsigned DEADLOCK = 1213;
constexpr unsigned LOCK_WAIT_TIMEOUT = 1205;

constexpr std::string_view LOCK_CATALOG_SQL = R"sql(
UPDATE supplier_state SET change_seq = LAST_INSERT_ID(change_seq + 1) WHERE supplier_id = ?
)sql";

/// With the lock held.
constexpr std::string_view GIVE_BACK_SQL =
    "UPDATE supplier_state SET change_seq = change_seq - 1 WHERE supplier_id = ?";

/// For the work it is as if the lock had not come in time.
DatabaseError catalogBusy(std::int64_t supplierId) {
    return {LOCK_WAIT_TIMEOUT, "the catalog of supplier " + std::to_string(supplierId) + " has no place free"};
}

} // namespace

/// What the work sees of the session.
class TransactionRunner::Running final : public HostTransaction {
public:
    Running(TransactionRunner& runner, PooledSession& session) : _runner(runner), _session(session) {}

    SqlSession& session() override { return _session; }
    Change& change(std::int64_t supplierId) override {
        NotedChange* const known = _changes.find(supplierId);
        if (known != nullptr && !known->isWithdrawn()) {
            known->share();
            return *known;
        }
        if (!_runner.hasPlace(supplierId))
            _session.abandonTransaction(catalogBusy(supplierId));
        if (_session.execute(LOCK_CATALOG_SQL, {supplierId}) == 0)
            throw DatabaseError(0, "supplier " + std::to_string(supplierId) + " has no row in supplier_state");
        if (known != nullptr) {
            known->renew(_session.lastInsertId());
            return *known;
        }
        return _changes.add(supplierId, _session.lastInsertId(),
                            [this, supplierId] { _session.execute(GIVE_BACK_SQL, {supplierId}); });
    }

    std::uint64_t effects() const override { return _session.effects(); }

    TransactionChanges& changes() { return _changes; }

private:
    TransactionRunner& _runner;
    PooledSession& _session;
    TransactionChanges _changes;
};

TransactionRunner::TransactionRunner(Dependencies dependencies, std::span<const TransactionWork> works,
                                     std::optional<std::int64_t> supplierId)
    : _dependencies(dependencies), _works(works), _wanted(supplierId), _lastPlace(Clock::now() + PLACE_DEADLINE) {}

void TransactionRunner::run() {
    do {
        if (_wanted)
            queueFor(*std::exchange(_wanted, std::nullopt));
    } while (attempt() != Result::Committed);
    _dependencies.commits.committed(_changed);
    for (const auto& action : _onCommit)
        action();
}

/// Takes one without waiting if it can; whoever waits for one must hold neither a session nor locks.
bool TransactionRunner::hasPlace(std::int64_t supplierId) {
    if (_places.contains(supplierId))
        return true;
    if (auto place = _dependencies.semaphore.tryEnter(supplierId)) {
        _places.emplace(supplierId, std::move(*place));
        return true;
    }
    _wanted = supplierId;
    return false;
}

/// In ascending order from the lowest, so that no two wait for each other.
void TransactionRunner::queueFor(std::int64_t supplierId) {
    std::set<std::int64_t> suppliers{supplierId};
    for (const auto& [held, place] : _places)
        suppliers.insert(held);
    _places.clear();
    for (const std::int64_t id : suppliers)
        _places.emplace(id, _dependencies.semaphore.enter(id, _lastPlace));
}

TransactionRunner::Result TransactionRunner::attempt() {
    _isAtWork = false;
    // The session goes back before anything waits or asks for another one.
    std::optional<SessionPool::Lease> lease;
    try {
        lease.emplace(std::exchange(_fresh, false) ? _dependencies.pool.acquireFresh() : _dependencies.pool.acquire());
    } catch (const DatabaseError& error) {
        if (!_dependencies.pool.hasSeveralNodes())
            throw;
        return afterFailure(error); // another node may take it
    }
    PooledSession& session = **lease;
    try {
        workOn(session);
    } catch (const DatabaseError& error) {
        lease.reset();
        return afterFailure(error);
    }
    for (auto& [supplierId, place] : _places)
        place.beginCommit();
    try {
        session.commit();
        return Result::Committed;
    } catch (const DatabaseError& error) {
        const bool isRolledBack = error.code() == DEADLOCK;
        if (!isRolledBack)
            session.discard(error);
        lease.reset();
        for (auto& [supplierId, place] : _places)
            place.resume();
        return isRolledBack ? afterFailure(error) : afterLostCommit(error);
    }
}

void TransactionRunner::workOn(PooledSession& session) {
    session.begin();
    _isAtWork = true;
    for (const TransactionWork& work : _works)
        work.record.open(session);
    std::vector<ChangeRow> rows;
    for (const TransactionWork& work : _works) {
        Running transaction(*this, session);
        work.work(transaction);
        transaction.changes().addRows(rows, work.origin);
        transaction.changes().takeActions(_onCommit);
    }
    // Throws too when a work swallowed what ended the transaction.
    writeChanges(session, rows);
    _changed.clear();
    for (const ChangeRow& row : rows)
        _changed.push_back(row.supplierId);
    for (const TransactionWork& work : _works)
        work.record.write(session);
    session.prepareCommit();
    _isAtWork = false;
}

TransactionRunner::Result TransactionRunner::afterFailure(const DatabaseError& error) {
    _onCommit.clear(); // nobody waits any more for what this attempt was about to commit
    if (_wanted)
        return Result::Repeat;
    if (isAway(error) || (lacksRoom(error.code()) && _dependencies.pool.hasSeveralNodes())) {
        if (_wasLost)
            throw error;
        _wasLost = _fresh = true;
        return Result::Repeat;
    }
    if (isStatementLimit(error.code()))
        _dependencies.pool.closeIdle();
    else if (!error.isRetryable())
        throw error;
    if (!_retries.take() || !_retries.isInTime())
        throw error;
    _retries.pause();
    return Result::Repeat;
}

TransactionRunner::Result TransactionRunner::afterLostCommit(const DatabaseError& error) {
    _places.clear();
    const bool committed = isCommitted();
    if (_dependencies.log)
        _dependencies.log->warning("the answer to a COMMIT was lost; asked anew whether it took effect",
                                   {{"error", error.what()}, {"committed", committed ? "yes" : "no"}});
    if (committed)
        return Result::Committed;
    _onCommit.clear();
    const bool repeatable = isAway(error) || isOpenCommit(error.code());
    if (!repeatable || !_retries.take())
        throw error;
    return Result::Repeat;
}

bool TransactionRunner::isCommitted() {
    const Clock::time_point deadline = Clock::now() + OUTCOME_DEADLINE;
    std::string reason;
    do {
        if (const std::optional<bool> answer = askRecord(reason))
            return *answer;
        std::this_thread::sleep_for(OUTCOME_PAUSE);
    } while (Clock::now() < deadline);
    if (_dependencies.log)
        _dependencies.log->error("the outcome of a transaction is unknown", {{"error", reason}});
    throw outcomeUnknown();
}

/// Nothing when it cannot be asked now; `reason` says why.
std::optional<bool> TransactionRunner::askRecord(std::string& reason) {
    try {
        const SessionPool::Lease fresh = _dependencies.pool.acquireFresh();
        // Of works that went together either all are committed or none is; each record settles its own.
        const auto committed = std::count_if(_works.begin(), _works.end(), [&fresh](const TransactionWork& work) {
            return work.record.isCommitted(*fresh);
        });
        // What is seen may not be on the disk yet, and is about to be acknowledged: a commit of one's own waits for it.
        if (committed > 0)
            OperationRecord().open(*fresh);
        return committed > 0;
    } catch (const DatabaseError& error) {
        reason = error.what();
    } catch (const ApiError& error) {
        reason = error.what();
    }
    return std::nullopt;
}

} // namespace supplierd::host
