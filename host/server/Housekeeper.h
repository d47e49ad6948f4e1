#pragma once

#include "host/auth/Authenticator.h"
#include "host/auth/KeyUseRecorder.h"
#include "host/auth/RateLimiter.h"
#include "host/db/PooledDatabase.h"
#include "host/http/IdempotencyStore.h"

#include <supplierd/Log.h>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace supplierd::host {

/// The server's small recurring work, on a thread of its own: `last_used_at` of keys, outdated idempotency keys and
/// operation ids, ended rate limit windows. A failure is logged and tried again at the next round.
class Housekeeper {
public:
    struct Parts {
        PooledDatabase& database;
        Authenticator& authenticator;
        RateLimiter& rateLimiter;
        IdempotencyStore& idempotency;
        AuditLog& audit;
        Logger& log;
    };

    explicit Housekeeper(Parts parts);
    /// Writes what is left of `last_used_at`.
    ~Housekeeper();

private:
    void run();
    void purge();

    Parts _parts;
    KeyUseRecorder _keyUse;
    std::mutex _mutex;
    std::condition_variable _wake;
    bool _stopping = false;
    std::thread _thread;
};

} // namespace supplierd::host
