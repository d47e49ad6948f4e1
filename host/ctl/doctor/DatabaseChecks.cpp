#include "host/ctl/doctor/DoctorChecks.h"
#include "host/db/Connector.h"
#include "host/db/PooledSession.h"
#include "host/db/StatementLimit.h"
#include "host/db/nodes/NodeReport.h"
#include "host/db/schema/Migrator.h"
#include "host/server/DatabaseOrder.h"

#include <supplierd/Database.h>

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace supplierd::host {
namespace {

constexpr std::string_view SELECT_VERSION = "SELECT VERSION()";
constexpr std::string_view SELECT_FLUSH = "SELECT @@GLOBAL.innodb_flush_log_at_trx_commit";
constexpr std::string_view SELECT_SQL_MODE = "SELECT CAST(@@SESSION.sql_mode AS CHAR(1000))";
constexpr std::string_view SELECT_TIME_ZONE = "SELECT CAST(@@SESSION.time_zone AS CHAR(64))";
constexpr std::string_view SELECT_MAX_CONNECTIONS = "SELECT @@GLOBAL.max_connections";
constexpr std::string_view SELECT_CLOCK = "SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', NOW(6)) DIV 1000";
constexpr std::string_view SELECT_MAX_PREPARED = "SELECT @@GLOBAL.max_prepared_stmt_count";
constexpr std::string_view SELECT_MAX_PACKET = "SELECT @@GLOBAL.max_allowed_packet";
constexpr std::string_view SELECT_CHARSET = R"sql(
SELECT default_character_set_name FROM information_schema.schemata WHERE schema_name = DATABASE()
)sql";

/// Sessions for supplierctl, backups and a person who looks on.
constexpr std::int64_t SPARE_CONNECTIONS = 5;
/// A body of the default limit with every character escaped, several times over.
constexpr std::int64_t MIN_PACKET = std::int64_t{8} * 1024 * 1024;
constexpr std::int64_t CLOCK_LIMIT_MS = 2'000;

std::string textOf(PooledSession& session, std::string_view sql) {
    auto& rows = session.query(sql);
    return rows.next() ? std::string(rows.text(0)) : std::string();
}

std::int64_t integerOf(PooledSession& session, std::string_view sql) {
    auto& rows = session.query(sql);
    return rows.next() ? rows.integer(0) : 0;
}

/// MariaDB 10.11 or MySQL 8.0, and what follows them.
void checkVersion(PooledSession& session, Findings& findings) {
    const auto version = textOf(session, SELECT_VERSION);
    const bool isMariaDb = version.find("MariaDB") != std::string::npos;
    char* rest = nullptr;
    const auto major = std::strtol(version.c_str(), &rest, 10);
    const auto minor = *rest == '.' ? std::strtol(rest + 1, nullptr, 10) : 0;
    const bool good = isMariaDb ? major > 10 || (major == 10 && minor >= 11) : major >= 8;
    if (good)
        findings.push_back({Finding::Level::Good, "database version", version});
    else
        findings.push_back(
            {Finding::Level::Error, "database version", version, "use MariaDB 10.11 or later, or MySQL 8.0 or later"});
}

void checkDurability(PooledSession& session, Findings& findings, const std::string& subject = "durability") {
    const auto value = integerOf(session, SELECT_FLUSH);
    const auto message = fmt::format("innodb_flush_log_at_trx_commit = {}", value);
    if (value == 1)
        findings.push_back({Finding::Level::Good, subject, message});
    else
        findings.push_back({Finding::Level::Error, subject,
                            message + ": a crash of the machine loses changes that suppliers were told are saved",
                            "put innodb_flush_log_at_trx_commit = 1 into the database's configuration and run "
                            "SET GLOBAL innodb_flush_log_at_trx_commit = 1"});
}

void checkSessionModes(PooledSession& session, Findings& findings) {
    const auto mode = textOf(session, SELECT_SQL_MODE);
    if (mode.find("STRICT_TRANS_TABLES") != std::string::npos || mode.find("STRICT_ALL_TABLES") != std::string::npos)
        findings.push_back({Finding::Level::Good, "sql_mode", mode});
    else
        findings.push_back({Finding::Level::Error, "sql_mode", fmt::format("sessions run with '{}', not strict", mode),
                            "something between supplierd and the database changes sql_mode; connect directly"});
    const auto zone = textOf(session, SELECT_TIME_ZONE);
    if (zone != "+00:00")
        findings.push_back({Finding::Level::Error, "time zone", fmt::format("sessions run in '{}'", zone),
                            "something between supplierd and the database changes time_zone; connect directly"});
}

void checkCharset(PooledSession& session, Findings& findings) {
    const auto charset = textOf(session, SELECT_CHARSET);
    if (charset == "utf8mb4")
        findings.push_back({Finding::Level::Good, "character set", charset});
    else
        findings.push_back({Finding::Level::Warning, "character set",
                            fmt::format("the database's default character set is '{}'", charset),
                            "ALTER DATABASE … CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci, so that tables of "
                            "further plugins can hold every character"});
}

void checkConnections(PooledSession& session, int poolSize, Findings& findings) {
    const auto limit = integerOf(session, SELECT_MAX_CONNECTIONS);
    const auto message = fmt::format("max_connections = {}, this server takes up to {}", limit, poolSize);
    if (limit >= poolSize + SPARE_CONNECTIONS)
        findings.push_back({Finding::Level::Good, "connections", message});
    else
        findings.push_back({Finding::Level::Warning, "connections", message,
                            "raise the database's max_connections or lower database.pool_size"});
}

/// Statements that stay prepared, by each session; and the largest statement that one request makes.
void checkLimits(PooledSession& session, int poolSize, Findings& findings) {
    const auto prepared = integerOf(session, SELECT_MAX_PREPARED);
    const auto wanted = std::int64_t{poolSize} * static_cast<std::int64_t>(StatementLimit::MOST);
    const auto message = fmt::format("max_prepared_stmt_count = {}, this server keeps up to {}", prepared, wanted);
    if (prepared >= wanted)
        findings.push_back({Finding::Level::Good, "prepared statements", message});
    else
        findings.push_back({Finding::Level::Warning, "prepared statements", message,
                            fmt::format("put max_prepared_stmt_count = {} into the database's configuration, more when "
                                        "several servers share it, and run SET GLOBAL max_prepared_stmt_count = {}",
                                        2 * wanted, 2 * wanted)});
    const auto packet = integerOf(session, SELECT_MAX_PACKET);
    if (packet < MIN_PACKET)
        findings.push_back({Finding::Level::Error, "max_allowed_packet",
                            fmt::format("max_allowed_packet = {}: large requests fail", packet),
                            fmt::format("put max_allowed_packet = 16M into the database's configuration")});
}

void checkClock(PooledSession& session, Findings& findings) {
    using namespace std::chrono;
    const auto before = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
    const auto theirs = integerOf(session, SELECT_CLOCK);
    const auto after = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
    const auto difference = theirs < before ? theirs - before : (theirs > after ? theirs - after : 0);
    const auto message = fmt::format("the database's clock differs by {} ms", difference);
    if (std::llabs(difference) <= CLOCK_LIMIT_MS)
        findings.push_back({Finding::Level::Good, "clock", message});
    else
        findings.push_back({Finding::Level::Error, "clock", message + ", so keys expire and leases end at wrong times",
                            "run a time service (systemd-timesyncd, chrony) on both machines"});
}

std::string componentsOf(const std::vector<MigrationStep>& steps) {
    std::set<std::string> components;
    for (const auto& step : steps)
        components.insert(step.component);
    std::string list;
    for (const auto& component : components)
        list += (list.empty() ? "" : ", ") + component;
    return list;
}

bool checkSchema(const Settings& settings, const PluginSet& plugins, Findings& findings) {
    Migrator migrator(settings.database.session, plugins.migrations());
    try {
        const auto status = migrator.check();
        for (const auto& plugin : status.unfit)
            findings.push_back(
                {Finding::Level::Error, "schema", plugin.message,
                 plugin.reason == UnfitPlugin::Reason::Behind
                     ? "run `supplierctl migrate`, then `systemctl reload supplierd`; a server that starts leaves it "
                       "out until then"
                     : "install the plugin's package as the message says; a server that starts leaves it out until "
                       "then"});
        const bool isCurrent = status.state == SchemaState::Current && !status.isBehind();
        if (isCurrent && !status.waiting.empty())
            findings.push_back({Finding::Level::Warning, "schema",
                                fmt::format("up to date; what only the release before uses is still there, and the "
                                            "database keeps it up with every change ({})",
                                            componentsOf(status.waiting)),
                                "when no server of the release before runs any more, run `supplierctl migrate "
                                "--contract`"});
        else if (isCurrent)
            findings.push_back({Finding::Level::Good, "schema", "up to date"});
        else if (status.state != SchemaState::Current)
            findings.push_back({Finding::Level::Error, "schema", status.message,
                                status.state == SchemaState::Behind
                                    ? "run `supplierctl migrate`"
                                    : "install the release of supplierd that this database was migrated for"});
        return isCurrent;
    } catch (const MigrationError& error) {
        findings.push_back({Finding::Level::Error, "schema", error.what(),
                            "install the release whose migrations were applied, or restore the changed file"});
        return false;
    }
}

/// One that is named twice is one that nothing fails over to.
void checkNamedOnce(PooledSession& there, const std::string& name, std::map<std::string, std::string>& names,
                    Findings& findings) {
    const auto [first, isNew] = names.emplace(databaseServer(there), name);
    if (!isNew)
        findings.push_back({Finding::Level::Warning, "database " + name,
                            fmt::format("is the same server as {} ({})", first->second, first->first),
                            "name each server once in database.hosts"});
}

/// What is to be done about a node that cannot be used.
std::string fixOf(const NodeProbe::Answer& answer) {
    if (answer.lacksSessions)
        return "raise max_connections there, or lower database.pool_size";
    constexpr std::string_view NUMBER = "error ";
    const auto place = answer.problem.find(NUMBER);
    const auto code =
        place == std::string::npos ? 0UL : std::strtoul(answer.problem.c_str() + place + NUMBER.size(), nullptr, 10);
    return fixOfDatabaseError(static_cast<unsigned>(code)) + "; the others have to do without it until then";
}

/// Each of several, also those that are not written to now: one day they will be.
void checkNodes(const SessionSettings& session, Findings& findings) {
    std::set<std::string> clusters;
    std::map<std::string, std::string> names;
    std::vector<ReplicatedNode> replicated;
    for (const NodeAddress& node : session.nodes) {
        const auto subject = "database " + node.name();
        const auto answer = NodeProbe(session.at(node)).ask();
        if (!answer.report) {
            findings.push_back({Finding::Level::Error, subject, answer.problem, fixOf(answer)});
            continue;
        }
        const auto [fitness, state] = judge(*answer.report);
        const char* const fix =
            answer.report->isInconsistent()
                ? "make room on its disk, then restart MariaDB there: it takes the data of the others"
                : "see wsrep_local_state_comment, wsrep_cluster_status and read_only there; where too few "
                  "nodes are left to go on: OPERATING.md, \"When too few nodes are left\"";
        if (fitness == NodeFitness::InStep)
            findings.push_back({Finding::Level::Good, subject, state + ", can be written to"});
        else if (answer.report->isReplicating && !answer.report->isReadOnly)
            findings.push_back(
                {Finding::Level::Error, subject, state,
                 "SET GLOBAL read_only = ON there if it is a replica; STOP SLAVE if it is to be the primary"});
        else if (answer.report->isReadOnly && !answer.report->isGalera)
            findings.push_back({Finding::Level::Good, subject, "read-only: a replica"});
        else
            findings.push_back({Finding::Level::Warning, subject,
                                state + (fitness == NodeFitness::Behind ? ": it has some to catch up with"
                                                                        : ": not written to for now"),
                                fix});
        if (fitness != NodeFitness::Unfit)
            clusters.insert(answer.report->cluster.empty() ? node.name() : answer.report->cluster);
        if (!answer.report->isGalera && answer.report->cluster.empty())
            replicated.push_back({node, *answer.report});
        if (answer.report->isReady) {
            PooledSession there(openSession(session.at(node)));
            checkDurability(there, findings, "durability of " + node.name());
            checkNamedOnce(there, node.name(), names, findings);
            checkTemporaryFolder(there, "temporary files of " + node.name(), findings);
        }
    }
    if (clusters.size() > 1)
        findings.push_back(
            {Finding::Level::Error, "database nodes", "several can be written to that do not share their data",
             "set read_only = 1 on all but the one that is right, and name none of them twice in hosts"});
    checkReplication(session, replicated, findings);
}

/// Of replicas nobody knows how old their data is.
void checkReader(const DatabaseSettings& database, Findings& findings) {
    if (!database.readFrom)
        return;
    const NodeAddress& node = database.session.nodes.at(*database.readFrom);
    const auto answer = NodeProbe(database.session.at(node)).ask();
    if (answer.report && !answer.report->isGalera)
        findings.push_back({Finding::Level::Warning, "database.read_from",
                            node.name() + " is no node of a Galera cluster: plain reads go to the writer all the same",
                            "take database.read_from out of the configuration"});
}

std::string describeTarget(const SessionSettings& session) {
    return fmt::format("'{}' at {} as '{}'", session.database, session.place(), session.user);
}

} // namespace

bool checkDatabase(const Settings& settings, const PluginSet& plugins, Findings& findings) {
    const auto target = describeTarget(settings.database.session);
    try {
        if (settings.database.session.hasSeveralNodes()) {
            checkNodes(settings.database.session, findings);
            checkReader(settings.database, findings);
        }
        PooledSession session(openSession(settings.database.session));
        findings.push_back({Finding::Level::Good, "database", target + " answers"});
        checkVersion(session, findings);
        if (!settings.database.session.hasSeveralNodes()) {
            checkDurability(session, findings);
            checkTemporaryFolder(session, "temporary files", findings);
        }
        checkRights(session, settings.database.session.database, findings);
        checkBinaryLog(session, findings);
        checkSessionModes(session, findings);
        checkCharset(session, findings);
        checkConnections(session, settings.database.poolSize, findings);
        checkLimits(session, settings.database.poolSize, findings);
        checkClock(session, findings);
        return checkTables(session, findings) && checkSchema(settings, plugins, findings);
    } catch (const DatabaseError& error) {
        findings.push_back({Finding::Level::Error, "database", fmt::format("{}: {}", target, error.what()),
                            fixOfDatabaseError(error.code())});
        return false;
    }
}

} // namespace supplierd::host
