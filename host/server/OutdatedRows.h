#pragma once

#include "host/db/PooledDatabase.h"
#include "host/http/IdempotencyStore.h"
#include "host/server/PeriodicThread.h"

#include <supplierd/Log.h>

namespace supplierd::host {

/// Deletes outdated operation ids and idempotency keys, on a thread of its own: once a minute, and then for as long as
/// there are more, a thousand rows at a time with a small pause after each, so that the requests' own writes go first.
/// A failure is logged and tried again a minute later.
class OutdatedRows {
public:
    OutdatedRows(PooledDatabase& database, IdempotencyStore& idempotency, Logger& log);

    /// Deletes one batch of each. False: nothing more is outdated now.
    static bool deleteSome(PooledDatabase& database, IdempotencyStore& idempotency);

private:
    PeriodicThread _thread;
};

} // namespace supplierd::host
