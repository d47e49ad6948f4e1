#include "host/db/schema/SchemaHistory.h"

#include "host/db/schema/MigrationError.h"

#include <string_view>

namespace supplierd::host {

namespace {

constexpr unsigned NO_SUCH_TABLE = 1146;
constexpr unsigned WAITED_TOO_LONG = 1205;
constexpr unsigned LOCK_NOT_AVAILABLE = 3572; // MySQL's for NOWAIT

constexpr std::string_view CREATE_MIGRATIONS_SQL = R"sql(
CREATE TABLE IF NOT EXISTS schema_migrations (
    component        VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    number           INT NOT NULL,
    name             VARCHAR(255) NOT NULL,
    checksum         CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    statements_begun INT NOT NULL DEFAULT 0,
    statements_done  INT NOT NULL DEFAULT 0,
    statements_total INT NOT NULL,
    started_at       DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    applied_at       DATETIME(6) NULL,
    PRIMARY KEY (component, number)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
)sql";

constexpr std::string_view CREATE_TABLES_SQL = R"sql(
CREATE TABLE IF NOT EXISTS schema_tables (
    table_name VARCHAR(64) NOT NULL,
    component  VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    PRIMARY KEY (table_name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
)sql";

constexpr std::string_view READ_SQL = R"sql(
SELECT component, number, name, checksum, statements_begun, statements_done, statements_total,
       applied_at IS NOT NULL
FROM schema_migrations
)sql";

constexpr std::string_view READ_TABLES_SQL = R"sql(
SELECT table_name, component FROM schema_tables
)sql";

constexpr std::string_view LOCK_SQL = R"sql(
SELECT component, number, name, checksum, statements_begun, statements_done, statements_total,
       applied_at IS NOT NULL
FROM schema_migrations WHERE component = ? AND number = ?
FOR UPDATE NOWAIT
)sql";

// At READ COMMITTED the look at the lease takes no lock, so it can be renewed meanwhile.
constexpr std::string_view START_SQL = R"sql(
INSERT INTO schema_migrations (component, number, name, checksum, statements_total)
SELECT ?, ?, ?, ?, ? FROM schema_lease WHERE id = 1 AND owner = ?
)sql";

constexpr std::string_view RECORD_TABLE_SQL = R"sql(
INSERT IGNORE INTO schema_tables (table_name, component) VALUES (?, ?)
)sql";

constexpr std::string_view RECORD_BEGUN_SQL = R"sql(
UPDATE schema_migrations SET statements_begun = ?
WHERE component = ? AND number = ? AND statements_done = ?
  AND EXISTS (SELECT 1 FROM schema_lease WHERE id = 1 AND owner = ?)
)sql";

constexpr std::string_view RECORD_DONE_SQL = R"sql(
UPDATE schema_migrations SET statements_done = ?
WHERE component = ? AND number = ? AND statements_done = ?
  AND EXISTS (SELECT 1 FROM schema_lease WHERE id = 1 AND owner = ?)
)sql";

constexpr std::string_view FINISH_SQL = R"sql(
UPDATE schema_migrations SET applied_at = UTC_TIMESTAMP(6)
WHERE component = ? AND number = ? AND statements_done = statements_total
  AND EXISTS (SELECT 1 FROM schema_lease WHERE id = 1 AND owner = ?)
)sql";

constexpr std::string_view FORGET_TABLE_SQL = R"sql(
DELETE FROM schema_tables WHERE table_name = ? AND component = ?
)sql";

constexpr std::string_view FORGET_SQL = R"sql(
DELETE FROM schema_migrations
WHERE component = ? AND EXISTS (SELECT 1 FROM schema_lease WHERE id = 1 AND owner = ?)
)sql";

constexpr std::string_view FORGET_TABLES_SQL = R"sql(
DELETE FROM schema_tables
WHERE component = ? AND EXISTS (SELECT 1 FROM schema_lease WHERE id = 1 AND owner = ?)
)sql";

AppliedMigration migrationOf(const Rows& rows) {
    AppliedMigration migration;
    migration.name = rows.text(2);
    migration.checksum = rows.text(3);
    migration.statementsBegun = static_cast<std::size_t>(rows.integer(4));
    migration.statementsDone = static_cast<std::size_t>(rows.integer(5));
    migration.statementsTotal = static_cast<std::size_t>(rows.integer(6));
    migration.finished = rows.boolean(7);
    return migration;
}

/// What a database says that was never migrated, or never by a release that kept this table, is "nothing".
template <class Work>
void unlessTableIsMissing(Work work) {
    try {
        work();
    } catch (const DatabaseError& error) {
        if (error.code() != NO_SUCH_TABLE)
            throw;
    }
}

} // namespace

void SchemaHistory::createTables() {
    _session.run(CREATE_MIGRATIONS_SQL);
    _session.run(CREATE_TABLES_SQL);
}

SchemaHistory::Entries SchemaHistory::read() {
    Entries entries;
    unlessTableIsMissing([&] {
        Rows& rows = _session.query(READ_SQL);
        while (rows.next())
            entries.emplace(Key{rows.text(0), static_cast<int>(rows.integer(1))}, migrationOf(rows));
    });
    return entries;
}

SchemaHistory::Tables SchemaHistory::readTables() {
    Tables tables;
    unlessTableIsMissing([&] {
        Rows& rows = _session.query(READ_TABLES_SQL);
        while (rows.next())
            tables.emplace(rows.text(0), rows.text(1));
    });
    return tables;
}

std::optional<AppliedMigration> SchemaHistory::lock(const Key& key) {
    try {
        Rows& rows = _session.query(LOCK_SQL, {key.first, key.second});
        if (rows.next())
            return migrationOf(rows);
    } catch (const DatabaseError& error) {
        if (error.code() != WAITED_TOO_LONG && error.code() != LOCK_NOT_AVAILABLE)
            throw;
    }
    return std::nullopt;
}

void SchemaHistory::write(std::string_view sql, std::initializer_list<SqlParam> params) {
    if (_session.execute(sql, params) == 0)
        throw MigrationError::leaseLost();
}

void SchemaHistory::start(const Key& key, const AppliedMigration& migration, const std::set<std::string>& tables) {
    _session.run("START TRANSACTION");
    write(START_SQL, {key.first, key.second, migration.name, migration.checksum, migration.statementsTotal, _owner});
    for (const std::string& table : tables)
        _session.execute(RECORD_TABLE_SQL, {table, key.first});
    _session.run("COMMIT");
}

void SchemaHistory::recordTables(const std::string& component, const std::set<std::string>& tables) {
    for (const std::string& table : tables)
        _session.execute(RECORD_TABLE_SQL, {table, component});
}

void SchemaHistory::recordBegun(const Key& key, std::size_t statements) {
    write(RECORD_BEGUN_SQL, {statements, key.first, key.second, statements - 1, _owner});
}

void SchemaHistory::recordNotBegun(const Key& key, std::size_t statements) {
    _session.execute(RECORD_BEGUN_SQL, {statements - 1, key.first, key.second, statements - 1, _owner});
}

void SchemaHistory::recordDone(const Key& key, std::size_t statements) {
    write(RECORD_DONE_SQL, {statements, key.first, key.second, statements - 1, _owner});
}

void SchemaHistory::finish(const Key& key, const std::set<std::string>& droppedTables) {
    _session.run("START TRANSACTION");
    write(FINISH_SQL, {key.first, key.second, _owner});
    for (const std::string& table : droppedTables)
        _session.execute(FORGET_TABLE_SQL, {table, key.first});
    _session.run("COMMIT");
}

void SchemaHistory::forget(const std::string& component) {
    write(FORGET_SQL, {component, _owner});
}

void SchemaHistory::forgetTables(const std::string& component) {
    write(FORGET_TABLES_SQL, {component, _owner});
}

} // namespace supplierd::host
