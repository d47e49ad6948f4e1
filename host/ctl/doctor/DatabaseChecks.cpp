#include "host/ctl/doctor/DoctorChecks.h"
#include "host/ctl/setup/AccountSetup.h"
#include "host/db/Connector.h"
#include "host/db/PooledSession.h"
#include "host/db/StatementLimit.h"
#include "host/db/schema/Migrator.h"
#include "host/db/schema/SchemaHistory.h"

#include <supplierd/Database.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {
namespace {

using Level = Finding::Level;

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
constexpr std::string_view SELECT_ROLES = "SELECT 1 FROM information_schema.applicable_roles LIMIT 1";
constexpr std::string_view SELECT_OWN_ACCOUNT = "SELECT CURRENT_USER()";
constexpr std::string_view SELECT_PRESENT_TABLES = R"sql(
SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()
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

void checkSettings(PooledSession& session, int poolSize, Findings& findings) {
    const auto mode = textOf(session, SELECT_SQL_MODE);
    const bool isStrict =
        mode.find("STRICT_TRANS_TABLES") != std::string::npos || mode.find("STRICT_ALL_TABLES") != std::string::npos;
    findings.judge(isStrict, Level::Error, "sql_mode",
                   isStrict ? mode : fmt::format("sessions run with '{}', not strict", mode), "",
                   "something between supplierd and the database changes sql_mode; connect directly");
    if (const auto zone = textOf(session, SELECT_TIME_ZONE); zone != "+00:00")
        findings.fail("time zone", fmt::format("sessions run in '{}'", zone),
                      "something between supplierd and the database changes time_zone; connect directly");
    const auto charset = textOf(session, SELECT_CHARSET);
    const bool isUtf8 = charset == "utf8mb4";
    findings.judge(isUtf8, Level::Warning, "character set",
                   isUtf8 ? charset : fmt::format("the database's default character set is '{}'", charset), "",
                   "ALTER DATABASE … CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci, so that tables of further "
                   "plugins can hold every character");
    const auto connections = integerOf(session, SELECT_MAX_CONNECTIONS);
    findings.judge(connections >= poolSize + SPARE_CONNECTIONS, Level::Warning, "connections",
                   fmt::format("max_connections = {}, this server takes up to {}", connections, poolSize), "",
                   "raise the database's max_connections or lower database.pool_size");
    // Statements that stay prepared, by each session.
    const auto prepared = integerOf(session, SELECT_MAX_PREPARED);
    const auto wanted = std::int64_t{poolSize} * static_cast<std::int64_t>(StatementLimit::MOST);
    findings.judge(prepared >= wanted, Level::Warning, "prepared statements",
                   fmt::format("max_prepared_stmt_count = {}, this server keeps up to {}", prepared, wanted), "",
                   fmt::format("put max_prepared_stmt_count = {} into the database's configuration, more when several "
                               "servers share it, and run SET GLOBAL max_prepared_stmt_count = {}",
                               2 * wanted, 2 * wanted));
    if (const auto packet = integerOf(session, SELECT_MAX_PACKET); packet < MIN_PACKET)
        findings.fail("max_allowed_packet", fmt::format("max_allowed_packet = {}: large requests fail", packet),
                      "put max_allowed_packet = 16M into the database's configuration");
}

bool checkSchema(const Settings& settings, const PluginSet& plugins, Findings& findings) {
    Migrator migrator(settings.database.session, plugins.migrations());
    try {
        const auto status = migrator.check();
        for (const auto& plugin : status.unfit)
            findings.fail(
                "schema", plugin.message,
                plugin.reason == UnfitPlugin::Reason::Behind
                    ? "run `supplierctl migrate`, then `systemctl reload supplierd`; a server that starts leaves it "
                      "out until then"
                    : "install the plugin's package as the message says; a server that starts leaves it out until "
                      "then");
        std::set<std::string> components;
        for (const auto& step : status.waiting)
            components.insert(step.component);
        const bool isCurrent = status.state == SchemaState::Current && !status.isBehind();
        if (isCurrent && !status.waiting.empty())
            findings.warn("schema",
                          fmt::format("up to date; what only the release before uses is still there, and the "
                                      "database keeps it up with every change ({})",
                                      fmt::join(components, ", ")),
                          "when no server of the release before runs any more, run `supplierctl migrate "
                          "--contract`");
        else if (isCurrent)
            findings.good("schema", "up to date");
        else if (status.state != SchemaState::Current)
            findings.fail("schema", status.message,
                          status.state == SchemaState::Behind
                              ? "run `supplierctl migrate`"
                              : "install the release of supplierd that this database was migrated for");
        return isCurrent;
    } catch (const MigrationError& error) {
        findings.fail("schema", error.what(),
                      "install the release whose migrations were applied, or restore the changed file");
        return false;
    }
}

/// Whether the account has the rights that `supplierctl setup` grants.
void checkRights(PooledSession& session, const std::string& database, Findings& findings) {
    if (session.query(SELECT_ROLES).next())
        return; // what a role may is not said here
    const auto account = textOf(session, SELECT_OWN_ACCOUNT);
    const auto at = std::min(account.rfind('@'), account.size());
    const auto grantee = fmt::format("'{}'@'{}'", account.substr(0, at),
                                     at == account.size() ? std::string("%") : account.substr(at + 1));
    const auto missing = AccountSetup::missingRights(session, grantee, database);
    if (missing.empty())
        return findings.good("account", "it has all rights that are needed");
    findings.fail("account", fmt::format("{} lacks rights in '{}': {}", account, database, fmt::join(missing, ", ")),
                  fmt::format("as the database's administrator: GRANT {} ON `{}`.* TO {}", fmt::join(missing, ", "),
                              database, grantee));
}

/// Whether the tables that migrations have made are there.
bool checkTables(PooledSession& session, Findings& findings) {
    std::set<std::string, std::less<>> present;
    auto& rows = session.query(SELECT_PRESENT_TABLES);
    while (rows.next())
        present.emplace(rows.text(0));
    std::string missing;
    for (const auto& [table, component] : SchemaHistory(session).readTables())
        if (!present.contains(table))
            missing += fmt::format("{}'{}' of {}", missing.empty() ? "" : ", ", table, component);
    if (missing.empty())
        return true;
    findings.fail("schema", "tables are missing, which somebody has dropped: " + missing,
                  "stop the servers and restore a backup (operating/backup.md); without one: `supplierctl "
                  "plugin disable ID`, `supplierctl plugin remove --data ID`, and begin again");
    return false;
}

} // namespace

std::string fixOfDatabaseError(unsigned code) {
    switch (code) {
    case 1045:
    case 1698:
        return "correct database.user or its password in the configuration; `supplierctl setup --reset-password` gives "
               "the account a new one";
    case 1130:
        return "let the account log in from this machine: `supplierctl setup` makes it; or correct database.host";
    case 1044:
        return "the account has no rights in that database: `supplierctl setup` grants them; or correct database.name";
    case 1049:
        return "there is no such database: `supplierctl setup` makes it; or correct database.name";
    case 1142:
    case 1143:
        return "grant the account the right that the message names, in its database";
    case 1146:
        return "the table is not there: see the finding about the schema; `supplierctl migrate` makes what never was";
    case 1040:
    case 1203:
        return "raise max_connections there, or lower database.pool_size";
    case 1129:
        return "the database has blocked this machine after failed connections: mariadb-admin flush-hosts";
    case 2005:
        return "correct the host in [database]: nobody knows that name";
    case 2026:
        return "let the database offer TLS (ssl_cert, ssl_key) with a certificate that database.tls_ca vouches for, or "
               "choose another database.tls";
    case 2002:
    case 2003:
        return "start it (systemctl start mariadb), or correct where it is in [database]: host, port or socket";
    default:
        return "do what the message says; the database's own log may say more";
    }
}

void checkDurability(PooledSession& session, const std::string& subject, Findings& findings) {
    const auto value = integerOf(session, SELECT_FLUSH);
    findings.judge(value == 1, Level::Error, subject, fmt::format("innodb_flush_log_at_trx_commit = {}", value),
                   ": a crash of the machine loses changes that suppliers were told are saved",
                   "put innodb_flush_log_at_trx_commit = 1 into the database's configuration and run "
                   "SET GLOBAL innodb_flush_log_at_trx_commit = 1");
}

void checkClock(PooledSession& session, const std::string& subject, Findings& findings) {
    using namespace std::chrono;
    const auto before = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
    const auto theirs = integerOf(session, SELECT_CLOCK);
    const auto after = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
    const auto difference = theirs < before ? theirs - before : (theirs > after ? theirs - after : 0);
    findings.judge(std::llabs(difference) <= CLOCK_LIMIT_MS, Level::Error, subject,
                   fmt::format("the database's clock differs by {} ms", difference),
                   ", so keys expire and leases end at wrong times",
                   "run a time service (systemd-timesyncd, chrony) on both machines");
}

bool checkDatabase(const Settings& settings, const PluginSet& plugins, Findings& findings) {
    const auto& wanted = settings.database.session;
    const auto target = fmt::format("'{}' at {} as '{}'", wanted.database, wanted.place(), wanted.user);
    try {
        if (wanted.hasSeveralNodes())
            checkNodes(settings.database, findings);
        PooledSession session(openSession(wanted));
        findings.good("database", target + " answers");
        const auto version = textOf(session, SELECT_VERSION);
        findings.judge(AccountSetup::isKnownVersion(version), Level::Error, "database version", version, "",
                       "use MariaDB 10.11 or later, or MySQL 8.0 or later");
        if (!AccountSetup::isMariaDb(version))
            findings.good("MySQL",
                          "supplierctl backup and clusters need MariaDB, and only reads have a time limit: see "
                          "\"MySQL\" in promises.md for what to do instead");
        if (!wanted.hasSeveralNodes()) {
            checkDurability(session, "durability", findings);
            checkTemporaryFolder(session, "temporary files", findings);
            checkClock(session, "clock", findings);
        }
        checkRights(session, wanted.database, findings);
        checkBinaryLog(session, findings);
        checkSettings(session, settings.database.poolSize, findings);
        return checkTables(session, findings) && checkSchema(settings, plugins, findings);
    } catch (const DatabaseError& error) {
        findings.fail("database", fmt::format("{}: {}", target, error.what()), fixOfDatabaseError(error.code()));
        return false;
    }
}

} // namespace supplierd::host
