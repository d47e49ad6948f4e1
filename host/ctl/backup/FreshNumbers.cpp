#include "host/ctl/backup/FreshNumbers.h"

#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/Terminal.h"
#include "host/db/schema/TableChanges.h"
#include "host/server/ServerPresence.h"

#include <Poco/String.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace supplierd::host {

namespace {

constexpr const char* RENUMBER_FOOTER = R"(
For a database that was restored by something else than `supplierctl backup restore`: a dump, a snapshot of a disk. Once, before
the servers are started: it refuses while one runs. It asks before it begins, unless --yes is given. Change numbers, versions and
ids that were given after the dump was made are given again otherwise, and who remembers them misses changes, or takes one thing
for another.

Raises each supplier's change number, and the marketplace's, by a hundred for every second since the last change, at least by 16
million; products, order groups and whatever else carries such a number get new ones in the same order, so that
GET /products?changed_after= gives all of them again; versions are raised by as much, and the ids that come next by a million.
Readers of the change log find a gap, and read anew; webhooks tell their receivers `changes.missed`. Each plugin says which
numbers its tables have, so every plugin with tables has to be enabled (supplierctl plugin list). None is started. It is written
to the audit log.)";

/// ChangePlace holds 2^32 numbers: room for more than two hundred restores.
constexpr std::int64_t LEAST_RAISE = std::int64_t{1} << 24;
constexpr std::int64_t MOST_RAISE = std::int64_t{1} << 30;
/// Of one supplier, day and night: more than that nobody writes for long.
constexpr std::int64_t COMMITS_PER_SECOND = 100;
/// For the rows of a supplier in one table, a hundred to a number.
constexpr std::int64_t ROOM_FOR_ROWS = std::int64_t{1} << 20;
constexpr std::int64_t RAISE_OF_IDS = std::int64_t{1} << 20;

constexpr unsigned NO_SUCH_COLUMN = 1054;
constexpr unsigned NO_SUCH_TABLE = 1146;

constexpr std::string_view SELECT_SCHEMA = R"sql(
SELECT component, number, name FROM schema_migrations WHERE applied_at IS NOT NULL ORDER BY component, number
)sql";

constexpr std::string_view SELECT_AGE = R"sql(
SELECT COALESCE(MAX(TIMESTAMPDIFF(SECOND, changed_at, NOW(6))), 0)
FROM (SELECT changed_at FROM changes ORDER BY changed_at DESC LIMIT 1) newest
)sql";

constexpr std::string_view RAISE_SUPPLIERS = "UPDATE supplier_state SET change_seq = change_seq + ?";

/// Of the time of the backup: they run no more, or say so again within ten seconds.
constexpr std::string_view FORGET_SERVERS = "DELETE FROM servers";

constexpr std::string_view SELECT_NEXT_IDS = R"sql(
SELECT t.table_name, t.auto_increment
FROM information_schema.tables t
    JOIN information_schema.columns c ON c.table_schema = t.table_schema AND c.table_name = t.table_name
WHERE t.table_schema = DATABASE() AND c.data_type = 'bigint' AND c.extra LIKE '%auto_increment%'
)sql";

std::int64_t secondsSinceLastChange(Database& database) {
    return database.read([](SqlSession& session) {
        Rows& row = session.query(SELECT_AGE);
        return row.next() ? row.integer(0) : 0;
    });
}

/// The rows that were changed.
std::int64_t run(Database& database, std::string sql, std::int64_t by, bool isBehind) {
    Poco::replaceInPlace(sql, std::string("{last_changes}"), std::string("supplier_state"));
    const std::vector<SqlParam> params(static_cast<std::size_t>(std::ranges::count(sql, '?')), by);
    try {
        return database.execute(sql, params);
    } catch (const DatabaseError& error) {
        if (!isBehind || (error.code() != NO_SUCH_COLUMN && error.code() != NO_SUCH_TABLE))
            throw;
        return 0;
    }
}

/// These counters are the database's own, the same in every table. Returns how many there are.
std::int64_t raiseIds(Database& database) {
    const auto nextIds = database.read([](SqlSession& session) {
        std::vector<std::pair<std::string, std::int64_t>> found;
        Rows& row = session.query(SELECT_NEXT_IDS);
        while (row.next())
            found.emplace_back(row.text(0), row.integer(1));
        return found;
    });
    for (const auto& [table, next] : nextIds)
        database.execute(fmt::format("ALTER TABLE {} AUTO_INCREMENT = {}", quotedTable(table), next + RAISE_OF_IDS));
    return static_cast<std::int64_t>(nextIds.size());
}

/// A running server remembers numbers, and gives ids and numbers while these are raised.
void requireNoServer(ControlContext& context) {
    const auto servers = context.database().read([](SqlSession& session) { return ServerPresence::list(session); });
    std::vector<std::string> names;
    for (const auto& server : servers)
        names.push_back(server.name);
    if (!names.empty())
        throw CommandFailure(fmt::format("the server {} runs on this database; nothing was changed. Stop it first, on "
                                         "its machine: systemctl stop supplierd (one that was killed is forgotten "
                                         "after half a minute)",
                                         fmt::join(names, ", the server ")));
}

void confirmRenumber(ControlContext& context) {
    if (context.json)
        throw CommandFailure("nothing was changed: with --json there is no question, so give --yes too",
                             ExitCode::Usage);
    const auto& database = context.settings().database.session.database;
    if (!Terminal().confirm("All change numbers, versions and next ids of the database '" + database +
                                "' will be raised for good, and all clients read everything again. Raise them?",
                            false))
        throw CommandFailure("nothing was changed");
}

void renumber(ControlContext& context, bool isAgreed) {
    auto& database = context.database();
    const auto owners = ownersOfNumbers(context, appliedSchema(database));
    requireNoServer(context);
    if (!isAgreed)
        confirmRenumber(context);
    const auto fresh = giveFreshNumbers(database, owners);
    const ResponseJson done = {
        {"change_numbers_raised_by", fresh.raisedBy}, {"rows", fresh.rows}, {"tables", fresh.tables}};
    database.withTransaction([&](Transaction& transaction) {
        context.record(transaction, {.action = "database.renumber", .object = "database", .after = done.dump()});
    });
    context.print(done, {{"done", "change numbers raised by {change_numbers_raised_by}; {rows} rows stamped anew; the "
                                  "ids of {tables} tables go on higher"}});
}

} // namespace

ResponseJson appliedSchema(Database& database) {
    return database.read([](SqlSession& session) {
        auto schema = ResponseJson::array();
        auto& rows = session.query(SELECT_SCHEMA);
        while (rows.next())
            schema.push_back({{"component", rows.text(0)}, {"number", rows.integer(1)}, {"name", rows.text(2)}});
        return schema;
    });
}

PluginSet ownersOfNumbers(ControlContext& context, const ResponseJson& schema) {
    PluginSet plugins = context.loadedPlugins();
    std::set<std::string> missing;
    for (const auto& applied : schema)
        if (const auto component = applied.value("component", ""); component != "core" && !plugins.find(component))
            missing.insert(component);
    if (!missing.empty())
        throw CommandFailure(
            fmt::format("the database has tables of {}, which only that plugin can give fresh numbers, "
                        "and it is not enabled here; nothing was changed. Run: supplierctl plugin "
                        "enable {}",
                        fmt::join(missing, ", "), fmt::join(missing, " ")));
    return plugins;
}

FreshNumbers giveFreshNumbers(Database& database, const PluginSet& owners) {
    const auto schema = appliedSchema(database);
    const auto isBehind = [&](const LoadedPlugin& plugin) {
        const auto applied = std::count_if(schema.begin(), schema.end(),
                                           [&](const ResponseJson& one) { return one.at("component") == plugin.id(); });
        return static_cast<std::size_t>(applied) < plugin.description.migrations.size();
    };
    FreshNumbers fresh;
    fresh.raisedBy =
        ROOM_FOR_ROWS + std::clamp(secondsSinceLastChange(database) * COMMITS_PER_SECOND, LEAST_RAISE, MOST_RAISE);
    run(database, std::string(FORGET_SERVERS), 0, true);
    // First, so that no row has a greater number than its supplier, also for those who look meanwhile.
    database.execute(RAISE_SUPPLIERS, {fresh.raisedBy});
    for (const auto& plugin : owners.plugins())
        for (const auto& statement : plugin.description.renumber)
            fresh.rows += run(database, statement, fresh.raisedBy, isBehind(plugin));
    fresh.tables = raiseIds(database);
    return fresh;
}

void addBackupCommands(CLI::App& program, ControlContext& context) {
    auto* backup = program.add_subcommand(
        "backup", "Database and pictures as they were at one time: create, verify, restore, renumber");
    backup->require_subcommand(1);
    addBackupCreateCommand(*backup, context);
    addBackupVerifyCommand(*backup, context);
    addBackupRestoreCommand(*backup, context);
    auto* command = backup->add_subcommand("renumber", "Give fresh numbers to a database that was restored otherwise");
    command->footer(RENUMBER_FOOTER);
    const auto isAgreed = std::make_shared<bool>(false);
    command->add_flag("-y,--yes", *isAgreed, "Ask nothing");
    command->callback([&context, isAgreed] { renumber(context, *isAgreed); });
}

} // namespace supplierd::host
