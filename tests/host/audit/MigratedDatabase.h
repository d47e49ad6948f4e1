#pragma once

#include "host/db/PooledDatabase.h"
#include "host/db/schema/Migrator.h"
#include "tests/support/TestDatabase.h"

namespace supplierd::tests {

/// A database with the host's own tables.
struct MigratedDatabase {
    explicit MigratedDatabase(unsigned sessions = 1)
        : pool(server.sessionSettings(), host::PoolSettings{.size = sessions}), database(pool) {
        host::Migrator(server.sessionSettings(), {}).apply();
    }

    TestDatabase server;
    host::SessionPool pool;
    host::PooledDatabase database;
};

} // namespace supplierd::tests
