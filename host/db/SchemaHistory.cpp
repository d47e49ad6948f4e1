#include "host/db/SchemaHistory.h"

#include <string_view>

namespace supplierd::host {

namespace {

constexpr unsigned NO_SUCH_TABLE = 1146;

constexpr std::string_view CREATE_TABLE_SQL = R"sql(
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

constexpr std::string_view READ_SQL = R"sql(
SELECT component, number, name, checksum, statements_begun, statements_done, statements_total,
       applied_at IS NOT NULL
FROM schema_migrations
)sql";

constexpr std::string_view START_SQL = R"sql(
INSERT INTO schema_migrations (component, number, name, checksum, statements_total) VALUES (?, ?, ?, ?, ?)
)sql";

constexpr std::string_view RECORD_BEGUN_SQL = R"sql(
UPDATE schema_migrations SET statements_begun = ? WHERE component = ? AND number = ?
)sql";

constexpr std::string_view RECORD_DONE_SQL = R"sql(
UPDATE schema_migrations SET statements_done = ? WHERE component = ? AND number = ?
)sql";

constexpr std::string_view FINISH_SQL = R"sql(
UPDATE schema_migrations SET applied_at = UTC_TIMESTAMP(6) WHERE component = ? AND number = ?
)sql";

} // namespace

void SchemaHistory::createTable() {
    _session.run(CREATE_TABLE_SQL);
}

SchemaHistory::Entries SchemaHistory::read() {
    Entries entries;
    try {
        Rows& rows = _session.query(READ_SQL);
        while (rows.next()) {
            AppliedMigration migration;
            migration.name = rows.text(2);
            migration.checksum = rows.text(3);
            migration.statementsBegun = static_cast<std::size_t>(rows.integer(4));
            migration.statementsDone = static_cast<std::size_t>(rows.integer(5));
            migration.statementsTotal = static_cast<std::size_t>(rows.integer(6));
            migration.finished = rows.boolean(7);
            entries.emplace(Key{rows.text(0), static_cast<int>(rows.integer(1))}, std::move(migration));
        }
    } catch (const DatabaseError& error) {
        if (error.code() != NO_SUCH_TABLE)
            throw;
    }
    return entries;
}

void SchemaHistory::start(const Key& key, const AppliedMigration& migration) {
    _session.execute(START_SQL, {key.first, key.second, migration.name, migration.checksum, migration.statementsTotal});
}

void SchemaHistory::recordBegun(const Key& key, std::size_t statements) {
    _session.execute(RECORD_BEGUN_SQL, {statements, key.first, key.second});
}

void SchemaHistory::recordDone(const Key& key, std::size_t statements) {
    _session.execute(RECORD_DONE_SQL, {statements, key.first, key.second});
}

void SchemaHistory::finish(const Key& key) {
    _session.execute(FINISH_SQL, {key.first, key.second});
}

} // namespace supplierd::host
