#include "host/db/schema/SchemaRemoval.h"

#include "host/db/Connector.h"
#include "host/db/schema/MigrationError.h"
#include "host/db/schema/SchemaLease.h"
#include "host/db/schema/TableChanges.h"

#include <fmt/format.h>

#include <chrono>
#include <set>

namespace supplierd::host {

namespace {

/// Dropped one by one, in no order; who else refers to them was looked at before.
constexpr std::string_view SET_UP_SQL = "SET lock_wait_timeout = 60, foreign_key_checks = 0";

constexpr std::string_view TABLES_SQL = R"sql(
SELECT TABLE_NAME, COALESCE(TABLE_ROWS, 0) FROM information_schema.TABLES
WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE'
ORDER BY TABLE_NAME
)sql";

constexpr std::string_view REFERENCES_SQL = R"sql(
SELECT CONSTRAINT_SCHEMA = DATABASE(), TABLE_NAME, CONSTRAINT_NAME, REFERENCED_TABLE_NAME
FROM information_schema.REFERENTIAL_CONSTRAINTS
WHERE UNIQUE_CONSTRAINT_SCHEMA = DATABASE()
ORDER BY TABLE_NAME, CONSTRAINT_NAME
)sql";

} // namespace

std::string describe(const RemovalPlan::Reference& reference) {
    return fmt::format("foreign key {} of {} on {}", reference.constraint, reference.table, reference.target);
}

SchemaRemoval::SchemaRemoval(SessionSettings settings, std::string component)
    : _settings(std::move(settings)), _component(std::move(component)) {
    _settings.statementTimeLimit = _settings.readTimeout = _settings.writeTimeout = std::chrono::milliseconds(0);
}

RemovalPlan SchemaRemoval::plan() {
    PooledSession session(openSession(_settings));
    return plan(session);
}

RemovalPlan SchemaRemoval::plan(PooledSession& session) {
    SchemaHistory history(session);
    RemovalPlan plan;
    for (const auto& [key, entry] : history.read())
        plan.migrations += key.first == _component ? 1 : 0;
    std::set<std::string> own;
    for (const auto& [table, component] : history.readTables())
        if (component == _component)
            own.insert(table);
    plan.isRecorded = plan.migrations > 0 || !own.empty();
    if (own.empty())
        return plan;
    Rows& tables = session.query(TABLES_SQL);
    while (tables.next())
        if (const std::string name(tables.text(0)); own.contains(name))
            plan.tables.push_back({name, tables.integer(1)});
    Rows& references = session.query(REFERENCES_SQL);
    while (references.next()) {
        const bool isHere = references.boolean(0);
        const std::string table(references.text(1));
        const std::string target(references.text(3));
        if (own.contains(target) && !(isHere && own.contains(table)))
            plan.references.push_back({table, std::string(references.text(2)), target});
    }
    return plan;
}

void SchemaRemoval::run(const std::function<void(const std::string&)>& notice) {
    SchemaLease lease(_settings, LEASE_PATIENCE, notice);
    PooledSession session(openSession(_settings));
    const RemovalPlan found = plan(session);
    for (const RemovalPlan::Reference& reference : found.references)
        throw MigrationError("nothing was removed: " + describe(reference) + " needs a table of '" + _component + "'");
    SchemaHistory history(session, lease.owner());
    session.run(SET_UP_SQL);
    // First, so that a removal that is interrupted can be told from tables in use: they have no migrations then.
    if (found.migrations > 0)
        history.forget(_component);
    for (const RemovalPlan::Table& table : found.tables) {
        lease.requireHeld();
        session.run("DROP TABLE IF EXISTS " + quotedTable(table.name));
    }
    if (found.isRecorded)
        history.forgetTables(_component);
}

} // namespace supplierd::host
