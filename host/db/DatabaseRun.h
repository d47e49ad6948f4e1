#pragma once

#include "host/db/PooledSession.h"

#include <supplierd/Log.h>

#include <cstdint>
#include <mutex>
#include <string>

namespace supplierd::host {

/// The run of the database that this process met last. Thread: any.
struct KnownRun {
    std::mutex mutex = {};
    std::string id = {};
    std::int64_t raises = 0; ///< how often numbers had been raised then
};

/// Notes the run of the database server that this session belongs to, before the session is used. In a run that the
/// database does not know yet, the numbers of all suppliers are raised first, in the transaction that notes it: commits
/// that others have seen may be gone (README.md, "A database that comes back"). They are raised again where they are
/// not above those of the run that was known: its own raise is gone, too. One statement when the run is known. Without
/// the tables it does nothing. `log` may be null. Throws DatabaseError.
void noteDatabaseRun(PooledSession& session, KnownRun& known, Logger* log);

} // namespace supplierd::host
