#pragma once

#include "host/audit/AuditStore.h"
#include "host/auth/Authenticator.h"
#include "host/auth/KeyUseRecorder.h"
#include "host/auth/RateLimiter.h"
#include "host/base/PeriodicThread.h"
#include "host/db/PooledDatabase.h"
#include "host/db/changes/ChangeLogStore.h"
#include "host/http/pipeline/HeapTrimmer.h"
#include "host/http/pipeline/IdempotencyStore.h"
#include "host/server/ServerPresence.h"

#include <supplierd/Log.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace supplierd::host {

/// Deletes outdated operation ids, idempotency keys and entries of the audit log and of the change log, on a thread of
/// its own: once a minute, and then for as long as there are more, a thousand rows at a time with a small pause after
/// each, so that the requests' own writes go first. A failure is logged and tried again a minute later.
class OutdatedRows {
public:
    struct Dependencies {
        PooledDatabase& database;
        IdempotencyStore& idempotency;
        AuditStore& audit;
        std::chrono::milliseconds auditRetention;  ///< zero: for ever
        std::chrono::milliseconds pushRetention;   ///< of bulk requests' entries; zero: as long as others
        std::chrono::milliseconds changeRetention; ///< as the first
    };

    OutdatedRows(Dependencies dependencies, Logger& log);

    /// Deletes one batch of each. False: nothing more is outdated now.
    static bool deleteSome(const Dependencies& dependencies);

private:
    PeriodicThread _thread;
};

/// The server's small recurring work, on threads of its own: `last_used_at` of keys, what was counted for rate limits
/// here and elsewhere, what is outdated, signs of life for running requests, memory that large bodies left, who else is
/// there. A failure is logged and tried again later. At its end it writes what is left of `last_used_at` and of the
/// rate limits.
class Housekeeper {
public:
    struct Dependencies {
        PooledDatabase& database;
        Authenticator& authenticator;
        RateLimiter& rateLimiter;
        IdempotencyStore& idempotency;
        HeapTrimmer& heap;
        AuditStore& audit;
        ServerPresence& presence;
        Logger& log;
        std::chrono::milliseconds auditRetention; ///< these three as OutdatedRows has them
        std::chrono::milliseconds pushRetention;
        std::chrono::milliseconds changeRetention;
    };

    explicit Housekeeper(Dependencies dependencies);

    /// For a successor: has what was counted for rate limits written now, and this server leave the others' sight;
    /// false when the first is not done within the limit, or failed.
    bool yield(std::chrono::milliseconds limit);

private:
    void run(const std::stop_token& stop);
    void work(int round, bool stopping);
    bool tryTo(const char* what, const std::function<void()>& action);
    PeriodicThread::Pause showLife();
    PeriodicThread::Pause identifyDatabases();
    PeriodicThread::Pause refreshRateLimits();

    Dependencies _deps;
    KeyUseRecorder _keyUse;
    OutdatedRows _outdated;
    bool _wasShown = true; ///< of the thread after it
    PeriodicThread _life;
    PeriodicThread _databases;
    PeriodicThread _rateLimits;
    std::mutex _mutex;
    std::condition_variable_any _wake;
    bool _isAsked = false; ///< to yield
    bool _isSaved = false; ///< the rate limits, as asked
    std::jthread _thread;
};

} // namespace supplierd::host
