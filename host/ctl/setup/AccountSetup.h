#pragma once

#include "host/db/PooledSession.h"
#include "host/db/SessionSettings.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

enum class AccountAuthentication {
    Password,
    UnixSocket ///< the user of the operating system who has the account's name
};

/// A database and an account for the server.
struct AccountPlan {
    std::string database;
    std::string user;
    std::string host; ///< from where, as the database server sees it
    AccountAuthentication authentication = AccountAuthentication::Password;
    std::string password;

    /// "'supplierd'@'localhost'"
    std::string account() const;
};

enum class Login { Works, NoDatabase, Refused };

/// Whether this user can log in so. Throws CommandFailure when no server answers.
Login tryLogin(const SessionSettings& account);
bool isCurrentUser(const std::string& name);
/// Throws CommandFailure that says what to do.
[[noreturn]] void cannotReach(const SessionSettings& session, const DatabaseError& error);

/// What an administrator's session does on the database server for supplierd. All names are checked before they come
/// near SQL, and quoted besides; a password goes to MariaDB as its hash only. Thread: that of the session. Throws
/// DatabaseError.
class AccountSetup {
public:
    /// What the server's account may do in its database, and nothing beyond.
    static const std::vector<std::string>& rights();
    /// Throws CommandFailure (Usage) when a name has other characters than those that need no thought.
    static void checkNames(const AccountPlan& plan);

    /// Opens the session. `administrator.database` is ignored.
    explicit AccountSetup(SessionSettings administrator);

    const std::string& version() const { return _version; }
    /// Else it is MySQL. Of what the server calls its version.
    static bool isMariaDb(std::string_view version) { return version.find("MariaDB") != std::string_view::npos; }
    /// Whether it is MariaDB 10.11 or MySQL 8.0, or what follows them.
    static bool isKnownVersion(const std::string& version);
    /// From where the server sees this machine.
    std::string clientHost();

    /// The default character set, or nothing when there is no such database.
    std::optional<std::string> characterSetOf(const std::string& database);
    /// The plugin that the account logs in with, or nothing when there is no such account.
    std::optional<std::string> authenticationOf(const AccountPlan& plan);
    /// Those of rights() that an account lacks, in the words of its own session or of an administrator's. `grantee`:
    /// "'supplierd'@'localhost'".
    static std::vector<std::string> missingRights(PooledSession& session, const std::string& grantee,
                                                  const std::string& database);
    std::vector<std::string> missingRights(const AccountPlan& plan) {
        return missingRights(_session, "'" + plan.user + "'@'" + plan.host + "'", plan.database);
    }

    void createDatabase(const AccountPlan& plan);
    void createAccount(const AccountPlan& plan);
    /// Whoever used the old password cannot log in any more.
    void resetAuthentication(const AccountPlan& plan);
    void grant(const AccountPlan& plan);

private:
    std::string identification(const AccountPlan& plan) const;
    std::string grantTarget(const std::string& database);
    std::string text(std::string_view sql, SqlParams params = {});

    PooledSession _session;
    std::string _version;
    bool _isMariaDb;
};

} // namespace supplierd::host
