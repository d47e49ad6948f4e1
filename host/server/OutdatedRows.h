#pragma once

#include "host/audit/AuditStore.h"
#include "host/db/ChangeLogStore.h"
#include "host/db/PooledDatabase.h"
#include "host/http/IdempotencyStore.h"
#include "host/server/PeriodicThread.h"

#include <supplierd/Log.h>

#include <chrono>

namespace supplierd::host {

/// Deletes outdated operation ids, idempotency keys and entries of the audit log and of the change log, on a thread of
/// its own: once a minute, and then for as long as there are more, a thousand rows at a time with a small pause after
/// each, so that the requests' own writes go first. A failure is logged and tried again a minute later.
class OutdatedRows {
public:
    struct Parts {
        PooledDatabase& database;
        IdempotencyStore& idempotency;
        AuditStore& audit;
        std::chrono::milliseconds auditRetention;  ///< zero: for ever
        std::chrono::milliseconds changeRetention; ///< as that
    };

    OutdatedRows(Parts parts, Logger& log);

    /// Deletes one batch of each. False: nothing more is outdated now.
    static bool deleteSome(const Parts& parts);

private:
    PeriodicThread _thread;
};

} // namespace supplierd::host
