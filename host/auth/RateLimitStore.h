#pragma once

#include "host/auth/RateLimiter.h"

#include <supplierd/Database.h>

namespace supplierd::host {

/// Adds what a limiter has counted to the database's windows, in one statement. Thread: one. Both must outlive it.
class RateLimitStore {
public:
    RateLimitStore(Database& database, RateLimiter& limiter) : _database(database), _limiter(limiter) {}

    /// What fails is tried again with the next call. Throws DatabaseError, ApiError.
    void save();

private:
    Database& _database;
    RateLimiter& _limiter;
};

} // namespace supplierd::host
