#pragma once

#include "host/db/CatalogSemaphore.h"
#include "host/db/CommitRecord.h"
#include "host/db/Retries.h"
#include "host/db/SessionPool.h"
#include "host/db/changes/CommitFeed.h"
#include "host/db/changes/TransactionChanges.h"

#include <supplierd/Database.h>
#include <supplierd/Log.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace supplierd::host {

/// A piece of work for a transaction, who acts in it, and what tells that it was committed.
struct TransactionWork {
    CommitRecord& record;
    const std::function<void(Transaction&)>& work;
    const ChangeOrigin& origin;
};

/// Runs pieces of work, nearly always one, as one transaction that takes effect exactly once, or not at all:
/// - after a deadlock or lock wait time-out it is repeated (see Retries), after a random pause;
/// - when the connection was lost before COMMIT was sent, or a node's disk is full, nothing has happened, and it is
///   repeated once on a session that was opened just now;
/// - when the catalog that it asks for has no place free, it gives its session back, waits in that catalog's queue
///   and begins anew with the place;
/// - when the outcome of COMMIT is unknown, the record is asked, and only its absence allows a repeat.
/// Several works run one after the other, each as if the one before were committed, with a change number of its own.
/// What a work changes of suppliers (Transaction::change()) is appended to the change log before COMMIT, each attempt
/// its own, and listeners in this process hear of it afterwards; then those who noted something (Change::note()).
/// Thread: one; lives for one run().
class TransactionRunner {
public:
    struct Dependencies {
        SessionPool& pool;
        CatalogSemaphore& semaphore;
        CommitFeed& commits;
        Logger* log; ///< may be null
    };

    /// `supplierId`: takes a place at this supplier's catalog before the first attempt.
    TransactionRunner(Dependencies dependencies, std::span<const TransactionWork> works,
                      std::optional<std::int64_t> supplierId);

    /// Throws what a work throws, DatabaseError, or ApiError (Unavailable).
    void run();
    /// After run() threw: it was a work or its record that failed, and nothing is committed.
    bool failedAtWork() const { return _isAtWork; }

private:
    using Clock = std::chrono::steady_clock;
    enum class Result { Committed, Repeat };
    class Running;

    Result attempt();
    void workOn(PooledSession& session);
    bool hasPlace(std::int64_t supplierId);
    void queueFor(std::int64_t supplierId);
    Result afterFailure(const DatabaseError& error);
    Result afterLostCommit(const DatabaseError& error);
    bool isCommitted();
    std::optional<bool> askRecord(std::string& reason);

    Dependencies _dependencies;
    const std::span<const TransactionWork> _works;
    std::map<std::int64_t, CatalogSemaphore::Place> _places; ///< by supplier
    std::optional<std::int64_t> _wanted;                     ///< the supplier whose catalog had no place free
    std::vector<std::int64_t> _changed;                      ///< suppliers, by the last attempt
    std::vector<std::function<void()>> _onCommit;            ///< as the last attempt asked for it
    Retries _retries;
    bool _isAtWork = false;
    bool _fresh = false;          ///< the next attempt gets a session that was opened just now
    bool _wasLost = false;        ///< the one repeat after a lost connection is used up
    Clock::time_point _lastPlace; ///< until then a place is waited for
};

} // namespace supplierd::host
