#pragma once

#include "host/db/PooledSession.h"

#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace supplierd::host {

/// What `schema_migrations` says of one migration.
struct AppliedMigration {
    std::string name;
    std::string checksum;
    /// Above statementsDone: that statement was sent, and its end is not recorded. Of data statements this is never
    /// seen, since they commit together with their record.
    std::size_t statementsBegun = 0;
    std::size_t statementsDone = 0;
    std::size_t statementsTotal = 0;
    bool finished = false;
};

/// The tables `schema_migrations`, what was applied, and `schema_tables`, which component has made which table. Who
/// writes names the lease that it holds: a write by one whose lease has passed to somebody else changes nothing and
/// throws MigrationError. Otherwise throws DatabaseError. Thread: that of the session.
class SchemaHistory {
public:
    using Key = std::pair<std::string, int>; ///< component and number
    using Entries = std::map<Key, AppliedMigration>;
    using Tables = std::map<std::string, std::string>; ///< the component by the table's name

    explicit SchemaHistory(PooledSession& session, std::string leaseOwner = {})
        : _session(session), _owner(std::move(leaseOwner)) {}

    void createTables();
    /// Empty when the table does not exist.
    Entries read();
    Tables readTables();
    /// Within a transaction: the row, which nobody else can change until it ends; nothing when another transaction
    /// holds it, or it is gone.
    std::optional<AppliedMigration> lock(const Key& key);

    /// Together with the tables that it will make. A transaction of its own.
    void start(const Key& key, const AppliedMigration& migration, const std::set<std::string>& tables);
    /// Tables that have an owner keep it.
    void recordTables(const std::string& component, const std::set<std::string>& tables);
    /// That statement number `statements`, counted from 1, is sent now.
    void recordBegun(const Key& key, std::size_t statements);
    /// Takes that back. Does nothing when it is recorded as done meanwhile, or the lease has passed on.
    void recordNotBegun(const Key& key, std::size_t statements);
    /// That it is done. Only the next one can be.
    void recordDone(const Key& key, std::size_t statements);
    /// Together with the tables that are not there any more. A transaction of its own.
    void finish(const Key& key, const std::set<std::string>& droppedTables);

    /// The component's records go; its tables stay recorded until forgetTables().
    void forget(const std::string& component);
    void forgetTables(const std::string& component);

private:
    void write(std::string_view sql, std::initializer_list<SqlParam> params);

    PooledSession& _session;
    std::string _owner;
};

} // namespace supplierd::host
