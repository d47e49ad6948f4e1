#pragma once

#include "host/db/PooledSession.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace supplierd::host {

/// What `schema_migrations` says of one migration.
struct AppliedMigration {
    std::string name;
    std::string checksum;
    std::size_t statementsBegun = 0; ///< above statementsDone: a crash came between
    std::size_t statementsDone = 0;
    std::size_t statementsTotal = 0;
    bool finished = false;
};

/// The table of what was applied. Throws DatabaseError. Thread: that of the session.
class SchemaHistory {
public:
    using Key = std::pair<std::string, int>; ///< component and number
    using Entries = std::map<Key, AppliedMigration>;

    explicit SchemaHistory(PooledSession& session) : _session(session) {}

    void createTable();
    /// Empty when the table does not exist.
    Entries read();
    void start(const Key& key, const AppliedMigration& migration);
    void recordBegun(const Key& key, std::size_t statements);
    void recordDone(const Key& key, std::size_t statements);
    void finish(const Key& key);

private:
    PooledSession& _session;
};

} // namespace supplierd::host
