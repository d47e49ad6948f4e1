#pragma once

#include <supplierd/Database.h>
#include <supplierd/Log.h>

namespace supplierd::catalog {

/// Gives the SKUs that wait in skus_without_key their keys: those that an earlier release stored and that SQL could not
/// fold. A SKU that is now the same as another one of its supplier names nothing any more; that is logged with the ids
/// of both products, and the first one keeps it. Several servers may do this at once. Thread: one. Throws
/// DatabaseError, ApiError (Unavailable).
void giveKeysToPendingSkus(Database& database, Logger& log);

} // namespace supplierd::catalog
