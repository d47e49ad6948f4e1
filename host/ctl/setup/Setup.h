#pragma once

#include "host/ctl/setup/AccountSetup.h"
#include "host/ctl/setup/SetupConfiguration.h"
#include "host/ctl/setup/SetupFiles.h"
#include "host/ctl/setup/SetupOptions.h"
#include "host/ctl/setup/SetupReport.h"
#include "host/ctl/terminal/Terminal.h"

#include <supplierd/Accounts.h>

#include <optional>
#include <string>

namespace supplierd::host {

class ControlContext;

/// `supplierctl setup`: from a database server and an empty configuration to a server that can start. Cut short
/// anywhere, the next run goes on: the configuration is written before the account that it tells of. Thread: one.
class Setup {
public:
    Setup(ControlContext& context, SetupOptions options);

    /// Throws CommandFailure, DatabaseError, MigrationError, a file system error.
    void run();

private:
    enum class Login { Works, NoDatabase, Refused };

    bool asks() const;
    void chooseServer();
    void chooseAccount();
    void choosePassword();
    Login tryLogin() const;
    void openAdministrator();
    void makeAccount(Login login);
    bool loginHasToBeReset(const std::optional<std::string>& authentication, Login login) const;
    void confirm(bool hasDatabase, bool hasAccount, bool resets);
    void writeConfiguration();
    void createDatabase(bool hasDatabase);
    void createAccount(bool hasAccount, bool resets);
    void verifyLogin() const;
    /// For schema and key: the account's, or the administrator's where only the server itself can use the account.
    SessionSettings workingSession() const;
    void migrate();
    void makeOperatorKey();
    void finish();

    ControlContext& _context;
    SetupOptions _options;
    SetupLock _lock;
    SetupReport _report;
    std::optional<Terminal> _terminal;
    SetupConfiguration _configuration;
    SessionSettings _account; ///< what the server is to log in with
    AccountPlan _plan;
    std::optional<SessionSettings> _administrator;
    std::optional<AccountSetup> _database;
    std::optional<IssuedApiKey> _key;
    std::string _keyName;
};

} // namespace supplierd::host
