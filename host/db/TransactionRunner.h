#pragma once

#include "host/db/OutcomeRecord.h"
#include "host/db/SessionPool.h"

#include <supplierd/Database.h>
#include <supplierd/Log.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace supplierd::host {

/// Runs one piece of work as one transaction that takes effect exactly once, or not at all:
/// - after a deadlock or lock wait time-out it is repeated, up to MAX_REPEATS times within some
///   seconds, after a random pause;
/// - when the connection was lost before COMMIT was sent, nothing has happened, and it is repeated once on a session
///   that was opened just now;
/// - when the outcome of COMMIT is unknown, the record is asked, and only its absence allows a repeat.
/// Thread: one; lives for one run().
class TransactionRunner {
public:
    static constexpr int MAX_REPEATS = 5;

    TransactionRunner(SessionPool& pool, Logger* log, OutcomeRecord& record,
                      const std::function<void(Transaction&)>& work);

    /// Throws what `work` throws, DatabaseError, or ApiError (Unavailable).
    void run();

private:
    using Clock = std::chrono::steady_clock;
    enum class Result { Committed, Repeat };

    Result attempt();
    void workOn(PooledSession& session);
    Result afterFailure(const DatabaseError& error);
    Result afterLostCommit(const DatabaseError& error);
    bool isCommitted();
    std::optional<bool> askRecord(std::string& reason);
    void pause() const;

    SessionPool& _pool;
    Logger* _log;
    OutcomeRecord& _record;
    const std::function<void(Transaction&)>& _work;
    int _repeats = 0;
    bool _fresh = false;   ///< the next attempt gets a session that was opened just now
    bool _wasLost = false; ///< the one repeat after a lost connection is used up
    Clock::time_point _lastRepeat;
};

} // namespace supplierd::host
