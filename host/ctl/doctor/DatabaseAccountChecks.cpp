#include "host/ctl/doctor/DoctorChecks.h"
#include "host/ctl/setup/AccountSetup.h"
#include "host/db/ErrorClass.h"
#include "host/db/PooledSession.h"
#include "host/db/schema/SchemaHistory.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {
namespace {

constexpr std::string_view SHOW_OWN_GRANTS = "SHOW GRANTS";
constexpr std::string_view SELECT_OWN_ACCOUNT = "SELECT CURRENT_USER()";
constexpr std::string_view SELECT_PRESENT_TABLES = R"sql(
SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()
)sql";

/// A database as GRANT names it, in which '%' and '_' stand for others, and a backslash takes that away.
bool matches(std::string_view pattern, std::string_view name) {
    if (pattern.empty())
        return name.empty();
    if (pattern.front() == '%')
        return matches(pattern.substr(1), name) || (!name.empty() && matches(pattern, name.substr(1)));
    if (name.empty())
        return false;
    const bool isEscaped = pattern.front() == '\\' && pattern.size() > 1;
    const auto rest = pattern.substr(isEscaped ? 2 : 1);
    const bool isAny = !isEscaped && pattern.front() == '_';
    return (isAny || pattern[isEscaped ? 1 : 0] == name.front()) && matches(rest, name.substr(1));
}

/// A line of SHOW GRANTS: "GRANT SELECT, INSERT ON `db`.* TO `user`@`host`".
struct Grant {
    std::string rights; ///< between commas, each with one before and one behind
    std::string database;
    bool isOfRole = false;

    static Grant parse(std::string_view line) {
        constexpr std::string_view BEGIN = "GRANT ";
        const auto on = line.find(" ON ");
        const auto to = line.find(" TO ", on == std::string_view::npos ? 0 : on);
        if (!line.starts_with(BEGIN) || on == std::string_view::npos || to == std::string_view::npos)
            return {{}, {}, true};
        Grant grant;
        for (const char c : line.substr(BEGIN.size(), on - BEGIN.size()))
            if (c != ' ' || !grant.rights.ends_with(','))
                grant.rights += c;
        grant.rights = "," + grant.rights + ",";
        auto target = line.substr(on + 4, to - on - 4);
        if (!target.ends_with(".*"))
            return grant; // of one table
        target.remove_suffix(2);
        if (target == "*")
            grant.database = "%";
        else if (target.size() > 2)
            grant.database = target.substr(1, target.size() - 2);
        return grant;
    }

    bool has(const std::string& right) const {
        return rights.find("," + right + ",") != std::string::npos ||
               rights.find(",ALL PRIVILEGES,") != std::string::npos;
    }
};

std::string textOfFirst(PooledSession& session, std::string_view sql) {
    auto& rows = session.query(sql);
    return rows.next() ? std::string(rows.text(0)) : std::string();
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

void checkRights(PooledSession& session, const std::string& database, Findings& findings) {
    std::vector<Grant> grants;
    auto& rows = session.query(SHOW_OWN_GRANTS);
    while (rows.next())
        grants.push_back(Grant::parse(rows.text(0)));
    if (std::any_of(grants.begin(), grants.end(), [](const Grant& grant) { return grant.isOfRole; }))
        return; // what a role may is not said here
    std::vector<std::string> missing;
    for (const auto& right : AccountSetup::rights())
        if (std::none_of(grants.begin(), grants.end(),
                         [&](const Grant& grant) { return matches(grant.database, database) && grant.has(right); }))
            missing.push_back(right);
    if (missing.empty())
        return findings.push_back({Finding::Level::Good, "account", "it has all rights that are needed"});
    const auto account = textOfFirst(session, SELECT_OWN_ACCOUNT);
    const auto at = account.rfind('@');
    findings.push_back({Finding::Level::Error, "account",
                        fmt::format("{} lacks rights in '{}': {}", account, database, fmt::join(missing, ", ")),
                        fmt::format("as the database's administrator: GRANT {} ON `{}`.* TO '{}'@'{}'",
                                    fmt::join(missing, ", "), database, account.substr(0, at),
                                    at == std::string::npos ? std::string("%") : account.substr(at + 1))});
}

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
    findings.push_back({Finding::Level::Error, "schema", "tables are missing, which somebody has dropped: " + missing,
                        "stop the servers and restore a backup (OPERATING.md, \"Backup\"); without one: `supplierctl "
                        "plugin disable ID`, `supplierctl plugin remove --data ID`, and begin again"});
    return false;
}

} // namespace supplierd::host
