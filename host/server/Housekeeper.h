#pragma once

#include "host/audit/AuditStore.h"
#include "host/auth/Authenticator.h"
#include "host/auth/KeyUseRecorder.h"
#include "host/auth/RateLimitStore.h"
#include "host/db/PooledDatabase.h"
#include "host/http/HeapTrimmer.h"
#include "host/http/IdempotencyStore.h"
#include "host/server/OutdatedRows.h"
#include "host/server/PeriodicThread.h"

#include <supplierd/Log.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace supplierd::host {

/// The server's small recurring work, on threads of its own: `last_used_at` of keys, what was counted for rate limits,
/// what is outdated, leases of running requests, memory that large bodies left. A failure is logged and tried again
/// later.
class Housekeeper {
public:
    struct Parts {
        PooledDatabase& database;
        Authenticator& authenticator;
        RateLimiter& rateLimiter;
        IdempotencyStore& idempotency;
        HeapTrimmer& heap;
        AuditStore& audit;
        Logger& log;
        std::chrono::milliseconds lease;           ///< of an idempotency key
        std::chrono::milliseconds auditRetention;  ///< zero: for ever
        std::chrono::milliseconds changeRetention; ///< as that
    };

    explicit Housekeeper(Parts parts);
    /// Writes what is left of `last_used_at` and of the rate limits.
    ~Housekeeper();

    /// Has what was counted for rate limits written now; false when that is not done within the limit, or failed.
    bool saveRateLimits(std::chrono::milliseconds limit);

private:
    void run();
    void work(int round, bool stopping);
    bool tryTo(const char* what, const std::function<void()>& action);
    void purge();
    PeriodicThread::Pause renewLeases();

    Parts _parts;
    KeyUseRecorder _keyUse;
    RateLimitStore _rateLimits;
    OutdatedRows _outdated;
    PeriodicThread _leases;
    std::mutex _mutex;
    std::condition_variable _wake;
    bool _stopping = false;
    bool _isAsked = false; ///< for the rate limits to be saved
    bool _isSaved = false; ///< as asked
    std::thread _thread;
};

} // namespace supplierd::host
