#include "host/ctl/setup/AccountSetup.h"

#include "host/ctl/terminal/Commands.h"
#include "host/db/Connector.h"
#include "host/db/ErrorClass.h"

#include <Poco/SHA1Engine.h>
#include <Poco/String.h>

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

namespace supplierd::host {
namespace {

constexpr std::string_view SELECT_SERVER_VERSION = "SELECT VERSION()";
constexpr std::string_view SELECT_CLIENT = "SELECT SUBSTRING_INDEX(USER(), '@', -1)";
constexpr std::string_view SELECT_PARTIAL_REVOKES = "SELECT CAST(@@GLOBAL.partial_revokes AS CHAR(8))";
constexpr std::string_view SELECT_CHARACTER_SET = R"sql(
SELECT default_character_set_name FROM information_schema.schemata WHERE schema_name = ?
)sql";
constexpr std::string_view SELECT_ACCOUNT = R"sql(
SELECT plugin FROM mysql.user WHERE user = ? AND host = ?
)sql";
constexpr std::string_view SELECT_RIGHTS = R"sql(
SELECT privilege_type FROM information_schema.schema_privileges WHERE grantee = ? AND ? LIKE table_schema
UNION SELECT privilege_type FROM information_schema.user_privileges WHERE grantee = ?
)sql";

constexpr std::size_t MAX_DATABASE = 64;
constexpr std::size_t MAX_USER = 32;
constexpr std::size_t MAX_HOST = 60;

void checkName(const std::string& what, const std::string& name, std::string_view further, std::size_t longest) {
    const bool isGood = !name.empty() && name.size() <= longest && std::all_of(name.begin(), name.end(), [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               further.find(c) != std::string_view::npos;
    });
    if (!isGood)
        throw CommandFailure(fmt::format("the {} '{}' must be 1 to {} letters, digits or characters of \"{}\"", what,
                                         name, longest, further),
                             ExitCode::Usage);
}

/// A literal for sessions of openSession(), in whose sql_mode a backslash escapes.
std::string literal(std::string_view text) {
    std::string all = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\')
            all += '\\';
        if (c == '\0')
            all += "\\0";
        else
            all += c;
    }
    return all + "'";
}

/// What mysql_native_password keeps of a password: '*' and the SHA-1 of its SHA-1.
std::string nativeHash(const std::string& password) {
    Poco::SHA1Engine engine;
    engine.update(password);
    const auto once = engine.digest();
    engine.update(once.data(), once.size());
    return "*" + Poco::toUpper(Poco::DigestEngine::digestToHex(engine.digest()));
}

/// In GRANT the database's name is a pattern.
std::string withoutWildcards(const std::string& database) {
    std::string all;
    for (const char c : database) {
        if (c == '_' || c == '%')
            all += '\\';
        all += c;
    }
    return all;
}

} // namespace

Login tryLogin(const SessionSettings& account) {
    if (account.password.empty() && !isCurrentUser(account.user))
        return Login::Refused;
    try {
        openSession(account);
        return Login::Works;
    } catch (const DatabaseError& error) {
        if (lacksDatabase(error.code()))
            return Login::NoDatabase;
        if (refusesLogin(error.code()))
            return Login::Refused;
        cannotReach(account, error);
    }
}

bool isCurrentUser(const std::string& name) {
    const passwd* const entry = ::getpwuid(::geteuid());
    return entry && name == entry->pw_name;
}

void cannotReach(const SessionSettings& session, const DatabaseError& error) {
    throw CommandFailure(fmt::format("no database server at {}: {}; start it, or name another one with "
                                     "--database-socket or --database-host",
                                     session.place(), error.what()));
}

std::string AccountPlan::account() const {
    return literal(user) + "@" + literal(host);
}

const std::vector<std::string>& AccountSetup::rights() {
    static const std::vector<std::string> RIGHTS = {"SELECT", "INSERT", "UPDATE", "DELETE",    "CREATE",
                                                    "ALTER",  "DROP",   "INDEX",  "REFERENCES"};
    return RIGHTS;
}

void AccountSetup::checkNames(const AccountPlan& plan) {
    checkName("database's name", plan.database, "_-", MAX_DATABASE);
    checkName("account's name", plan.user, "_-.", MAX_USER);
    if (!plan.host.empty())
        checkName("account's host", plan.host, "._-:%/", MAX_HOST);
}

AccountSetup::AccountSetup(SessionSettings administrator)
    : _session([&] {
          administrator.database.clear();
          return openSession(administrator);
      }()),
      _version(text(SELECT_SERVER_VERSION)),
      _isMariaDb(isMariaDb(_version)) {}

std::string AccountSetup::text(std::string_view sql, SqlParams params) {
    auto& rows = _session.query(sql, params);
    return rows.next() && !rows.isNull(0) ? std::string(rows.text(0)) : std::string();
}

bool AccountSetup::isKnownVersion(const std::string& version) {
    char* rest = nullptr;
    const auto major = std::strtol(version.c_str(), &rest, 10);
    const auto minor = *rest == '.' ? std::strtol(rest + 1, nullptr, 10) : 0;
    return isMariaDb(version) ? major > 10 || (major == 10 && minor >= 11) : major >= 8;
}

std::string AccountSetup::clientHost() {
    return text(SELECT_CLIENT);
}

std::optional<std::string> AccountSetup::characterSetOf(const std::string& database) {
    auto& rows = _session.query(SELECT_CHARACTER_SET, {database});
    return rows.next() ? std::optional(std::string(rows.text(0))) : std::nullopt;
}

std::optional<std::string> AccountSetup::authenticationOf(const AccountPlan& plan) {
    auto& rows = _session.query(SELECT_ACCOUNT, {plan.user, plan.host});
    return rows.next() ? std::optional(std::string(rows.text(0))) : std::nullopt;
}

std::vector<std::string> AccountSetup::missingRights(PooledSession& session, const std::string& grantee,
                                                     const std::string& database) {
    std::set<std::string> granted;
    auto& rows = session.query(SELECT_RIGHTS, {grantee, database, grantee});
    while (rows.next())
        granted.emplace(rows.text(0));
    auto missing = rights();
    std::erase_if(missing, [&](const std::string& right) { return granted.contains(right); });
    return missing;
}

void AccountSetup::createDatabase(const AccountPlan& plan) {
    _session.run("CREATE DATABASE IF NOT EXISTS `" + plan.database +
                 "` CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci");
}

std::string AccountSetup::identification(const AccountPlan& plan) const {
    if (plan.authentication == AccountAuthentication::UnixSocket)
        return _isMariaDb ? "IDENTIFIED VIA unix_socket" : "IDENTIFIED WITH auth_socket";
    if (_isMariaDb)
        return "IDENTIFIED VIA mysql_native_password USING " + literal(nativeHash(plan.password));
    return "IDENTIFIED BY " + literal(plan.password); // MySQL keeps it out of its logs
}

void AccountSetup::createAccount(const AccountPlan& plan) {
    _session.run("CREATE USER " + plan.account() + " " + identification(plan));
}

void AccountSetup::resetAuthentication(const AccountPlan& plan) {
    _session.run("ALTER USER " + plan.account() + " " + identification(plan));
}

std::string AccountSetup::grantTarget(const std::string& database) {
    // With MySQL's partial_revokes the name is taken as it stands.
    const bool isPattern = _isMariaDb || text(SELECT_PARTIAL_REVOKES) != "1";
    return "`" + (isPattern ? withoutWildcards(database) : database) + "`.*";
}

void AccountSetup::grant(const AccountPlan& plan) {
    _session.run(
        fmt::format("GRANT {} ON {} TO {}", fmt::join(rights(), ", "), grantTarget(plan.database), plan.account()));
}

} // namespace supplierd::host
