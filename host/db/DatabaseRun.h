#pragma once

#include "host/db/PooledSession.h"

#include <supplierd/Log.h>

namespace supplierd::host {

/// Notes the run of the database server that this session belongs to, before the session is used. In a run that the
/// database does not know yet, the numbers of all suppliers are raised first, in the transaction that notes it: commits
/// that others have seen may be gone (README.md, "A database that comes back"). One statement when the run is known.
/// Without the tables it does nothing. `log` may be null. Throws DatabaseError.
void noteDatabaseRun(PooledSession& session, Logger* log);

} // namespace supplierd::host
