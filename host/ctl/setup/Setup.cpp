#include "host/auth/ApiKeyStore.h"
#include "host/auth/HostCrypto.h"
#include "host/config/SettingsLoader.h"
#include "host/ctl/setup/AccountSetup.h"
#include "host/ctl/setup/SetupConfiguration.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/Terminal.h"
#include "host/db/Connector.h"
#include "host/db/ErrorClass.h"
#include "host/db/schema/Migrator.h"
#include "host/plugins/PluginInspection.h"

#include <supplierd/JsonBody.h>
#include <supplierd/services/Accounts.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace supplierd::host {

namespace {

/// What `supplierctl setup` was told on its command line; empty: as the configuration says, else asked or decided.
struct SetupOptions {
    std::string databaseHost;
    std::optional<unsigned> databasePort;
    std::string databaseSocket;
    std::string databaseName;
    std::string databaseUser;
    std::string accountHost;
    std::string authentication; ///< "password" or "unix_socket"
    std::string passwordFile;   ///< the account's, when it exists already
    bool resetPassword = false;
    std::string adminUser;
    std::string adminPasswordFile; ///< "-": standard input
    std::string keyName = "first operator key";
    bool newOperatorKey = false;
    bool noOperatorKey = false;
    bool yes = false;
};

/// What became of a step.
constexpr const char* DONE = "done";
constexpr const char* ALREADY = "already";
constexpr const char* SKIPPED = "skipped";

constexpr std::string_view USUAL_SOCKET = "/run/mysqld/mysqld.sock";

std::string readPassword(const std::string& file) {
    std::string password;
    std::ifstream opened;
    if (file != "-")
        opened.open(OpenFile(file, O_RDONLY).path()); // says why it cannot be read
    std::getline(file == "-" ? std::cin : opened, password);
    if (file != "-" && password.ends_with('\r'))
        password.pop_back();
    if (password.empty())
        throw CommandFailure(
            fmt::format("{} holds no password on its first line", file == "-" ? "standard input" : file));
    return password;
}

/// `supplierctl setup`: from a database server and an empty configuration to a server that can start. Cut short
/// anywhere, the next run goes on: the configuration is written before the account that it tells of. Thread: one.
class Setup {
public:
    Setup(ControlContext& context, SetupOptions options)
        : _context(context), _options(std::move(options)), _lock(lockedFolder()), _configuration(context.configFile) {
        if (!_options.yes && !_context.json)
            _terminal.emplace();
    }

    /// Throws CommandFailure, DatabaseError, MigrationError, a file system error.
    void run() {
        chooseServer();
        chooseAccount();
        choosePassword();
        if (const auto login = tryLogin(_account); login == Login::Works) {
            report("database", ALREADY, fmt::format("'{}' at {}", _account.database, _account.place()));
            report("account", ALREADY, fmt::format("'{}' can log in", _account.user));
            writeConfiguration();
        } else {
            openAdministrator();
            makeAccount(login);
        }
        migrate();
        makeOperatorKey();
        finish();
    }

private:
    /// A second setup of the same configuration waits, and finds what the first has made.
    std::unique_ptr<OpenFile> lockedFolder() const {
        const auto folder = std::filesystem::absolute(_context.configFile).parent_path();
        std::filesystem::create_directories(folder);
        auto opened = std::make_unique<OpenFile>(folder, O_RDONLY | O_DIRECTORY);
        if (::flock(opened->descriptor(), LOCK_EX | LOCK_NB) == 0)
            return opened;
        _context.err() << "another `supplierctl setup` works on this configuration; waiting for it\n";
        while (::flock(opened->descriptor(), LOCK_EX) != 0)
            opened->require(errno == EINTR, "waiting for another setup");
        return opened;
    }

    /// Tells people at once. Never a secret.
    void report(std::string_view step, const char* state, const std::string& text) {
        _context.err() << fmt::format("{:<14} {:<8} {}\n", step, state, terminalText(text)) << std::flush;
        _steps.push_back({{"step", step}, {"state", state}, {"text", text}});
    }

    bool asks() const { return _terminal.has_value(); }
    bool isForServerOnly() const {
        return _plan.authentication == AccountAuthentication::UnixSocket && !isCurrentUser(_plan.user);
    }

    void chooseServer() {
        _account = _configuration.present();
        const bool isGiven =
            !_options.databaseSocket.empty() || !_options.databaseHost.empty() || _options.databasePort.has_value();
        if (_configuration.names("hosts")) {
            if (isGiven)
                throw CommandFailure("database.hosts names the database servers already; change it there, or leave "
                                     "the options --database-socket, --database-host and --database-port away",
                                     ExitCode::Usage);
            return;
        }
        if (!_options.databaseSocket.empty()) {
            _account.socket = _options.databaseSocket;
        } else if (!_options.databaseHost.empty() || _options.databasePort) {
            _account.socket.clear();
            if (!_options.databaseHost.empty())
                _account.host = _options.databaseHost;
            _account.port = _options.databasePort.value_or(_account.port);
        } else {
            const bool isNamed = _configuration.names("host") || !_account.socket.empty();
            if (!isNamed && std::filesystem::exists(USUAL_SOCKET))
                _account.socket = USUAL_SOCKET;
            if (asks())
                takePlace(_account,
                          _terminal->ask("The database server (its host, host:port, or the path of its socket)",
                                         _account.place()));
        }
    }

    void chooseAccount() {
        const auto choose = [&](std::string& value, const std::string& option, const std::string& question) {
            if (!option.empty())
                value = option;
            else if (asks())
                value = _terminal->ask(question, value);
        };
        choose(_account.database, _options.databaseName, "The database");
        choose(_account.user, _options.databaseUser, "The server's account in it");
        _plan = {_account.database, _account.user, _options.accountHost, AccountAuthentication::Password, {}};
        if (_options.authentication == "unix_socket") {
            if (_account.socket.empty())
                throw CommandFailure("--database-auth unix_socket needs --database-socket", ExitCode::Usage);
            _plan.authentication = AccountAuthentication::UnixSocket;
        }
        AccountSetup::checkNames(_plan);
    }

    void choosePassword() {
        if (_plan.authentication == AccountAuthentication::UnixSocket) {
            _account.password.clear();
            return;
        }
        if (!_options.passwordFile.empty())
            _account.password = readPassword(_options.passwordFile);
        else if (_account.user != _configuration.present().user)
            _account.password.clear(); // another account's
    }

    void openAdministrator() {
        auto administrator = _account;
        administrator.user = _options.adminUser.empty() ? "root" : _options.adminUser;
        administrator.password.clear();
        if (!_options.adminPasswordFile.empty())
            administrator.password = readPassword(_options.adminPasswordFile);
        if (asks() && _options.adminUser.empty())
            administrator.user = _terminal->ask("The database's administrator", administrator.user);
        for (bool mayAsk = asks() && administrator.password.empty();; mayAsk = false) {
            try {
                _database.emplace(administrator);
                break;
            } catch (const DatabaseError& error) {
                if (!refusesLogin(error.code()))
                    cannotReach(administrator, error);
                if (!mayAsk)
                    throw CommandFailure(
                        fmt::format("the database at {} does not let '{}' in: {}; run this as root on the database's "
                                    "machine, or give --admin-user and --admin-password-file",
                                    administrator.place(), administrator.user, error.what()),
                        ExitCode::NotAllowed);
            }
            administrator.password = _terminal->askSecret(fmt::format("The password of '{}'", administrator.user));
        }
        if (!AccountSetup::isKnownVersion(_database->version()))
            throw CommandFailure("the database server is " + _database->version() +
                                 "; use MariaDB 10.11 or later, or MySQL 8.0 or later");
        _administrator = administrator;
        report("server", ALREADY, fmt::format("{} at {}", _database->version(), administrator.place()));
    }

    void makeAccount(Login login) {
        if (_plan.host.empty())
            _plan.host = _database->clientHost();
        AccountSetup::checkNames(_plan);
        const auto characterSet = _database->characterSetOf(_plan.database);
        const auto authentication = _database->authenticationOf(_plan);
        const bool resets = loginHasToBeReset(authentication, login);
        if (_plan.authentication == AccountAuthentication::Password && _account.password.empty())
            _account.password = HostCrypto().randomToken(24); // nothing in it has to be quoted
        _plan.password = _account.password;
        confirm(characterSet.has_value(), authentication.has_value(), resets);
        writeConfiguration(); // before the account: cut short, the next run makes it with this password
        if (!characterSet)
            _database->createDatabase(_plan);
        report("database", characterSet ? ALREADY : DONE,
               "'" + _plan.database + (characterSet ? "'" : "' was created"));
        createAccount(authentication.has_value(), resets);
        verifyLogin();
    }

    bool loginHasToBeReset(const std::optional<std::string>& authentication, Login login) const {
        if (!authentication || login == Login::NoDatabase)
            return false;
        const bool isBySocket = *authentication == "unix_socket" || *authentication == "auth_socket";
        if (_plan.authentication == AccountAuthentication::UnixSocket && isBySocket)
            return false;
        if (_options.resetPassword || asks()) // confirm() tells what it means
            return true;
        throw CommandFailure(
            fmt::format("the account {} exists, and cannot log in with what is known here; give its "
                        "password with --account-password-file, or a new one with --reset-password (other "
                        "servers that use it then need the new one too), or choose another --database-user",
                        _plan.account()));
    }

    void confirm(bool hasDatabase, bool hasAccount, bool resets) {
        const auto changes = _configuration.changesFor(_account);
        if (!asks())
            return;
        auto& out = _context.err();
        out << fmt::format("\nOn {}, as '{}':\n", _administrator->place(), _administrator->user);
        if (!hasDatabase)
            out << fmt::format("  create the database '{}'\n", _plan.database);
        if (!hasAccount)
            out << fmt::format("  create the account {}, with rights in this database only\n", _plan.account());
        if (resets)
            out << fmt::format("  give the account {} a new password: other servers that use it need the new one too\n",
                               _plan.account());
        out << "  bring the schema up to date\n";
        if (!changes.empty())
            out << "Written:\n";
        for (const auto& change : changes)
            out << "  " << change << "\n";
        if (!_terminal->confirm("\nDo this?", true))
            throw CommandFailure("nothing was changed");
    }

    void writeConfiguration() {
        const auto changes = _configuration.changesFor(_account);
        _configuration.write(_account);
        for (const auto& change : changes)
            report("configuration", DONE, change);
        if (changes.empty())
            report("configuration", ALREADY, "as it is in " + _configuration.places());
    }

    void createAccount(bool hasAccount, bool resets) {
        if (!hasAccount)
            _database->createAccount(_plan);
        else if (resets)
            _database->resetAuthentication(_plan);
        const auto what = !hasAccount ? "was created" : resets ? "has a new password" : "is there";
        report("account", !hasAccount || resets ? DONE : ALREADY, fmt::format("{} {}", _plan.account(), what));
        const auto missing = _database->missingRights(_plan);
        if (!missing.empty())
            _database->grant(_plan);
        report("rights", missing.empty() ? ALREADY : DONE,
               fmt::format("{} on '{}'", fmt::join(AccountSetup::rights(), ", "), _plan.database));
    }

    void verifyLogin() const {
        if (isForServerOnly())
            return;
        try {
            openSession(_account);
        } catch (const DatabaseError& error) {
            throw CommandFailure(
                fmt::format("the account {} was made, but cannot log in: {}; does another account of that "
                            "name, or one without a name, stand before it? See SELECT user, host FROM "
                            "mysql.user",
                            _plan.account(), error.what()));
        }
    }

    /// For schema and key: the account's, or the administrator's where only the server itself can use the account.
    SessionSettings workingSession() const {
        if (!isForServerOnly() || !_administrator)
            return _account;
        auto session = *_administrator;
        session.database = _plan.database;
        return session;
    }

    void migrate() {
        Diagnostics problems;
        const auto settings = loadSettings(_configuration.file(), problems);
        const auto plugins = loadPlugins(settings, problems);
        if (problems.hasErrors())
            throw CommandFailure(problems.toString());
        Migrator migrator(workingSession(), plugins.migrations());
        std::size_t applied = 0;
        migrator.apply(
            [&](const MigrationStep& step) { applied += step.statementsDone == step.statementsTotal ? 1 : 0; },
            [&](const std::string& notice) { _context.err() << notice << std::endl; });
        report("schema", applied > 0 ? DONE : ALREADY,
               applied > 0 ? fmt::format("{} migrations were applied", applied) : "up to date");
        if (plugins.plugins().empty())
            report("plugins", SKIPPED,
                   "none is enabled; see `supplierctl plugin list` and `supplierctl plugin enable`, then run "
                   "`supplierctl migrate`");
    }

    void makeOperatorKey() {
        if (_options.noOperatorKey) {
            report("operator key", SKIPPED, "as asked");
            return;
        }
        PoolSettings one;
        one.size = 1;
        SessionPool pool(workingSession(), one);
        PooledDatabase database(pool);
        const ApiKeyStore store;
        std::string existing;
        database.withTransaction([&](Transaction& transaction) {
            existing.clear();
            constexpr std::int64_t ALL = 10'000;
            auto& rows = store.select(transaction, 0, {.limit = ALL});
            while (existing.empty() && rows.next())
                if (const auto row = ApiKeyStore::rowOf(rows); !row.key.revokedAt)
                    existing = row.key.prefix;
            if (!existing.empty() && !_options.newOperatorKey)
                return;
            const JsonDocument wanted = parseJsonObject(ResponseJson{{"name", _options.keyName}}.dump());
            _key = _context.accounts().issueKey(transaction, 0, wanted.object(), _context.actor());
        });
        if (_key)
            report("operator key", DONE, _key->prefix + "…, shown only now");
        else
            report("operator key", ALREADY, existing + "…; --new-operator-key makes another one");
    }

    void finish() {
        if (_context.json) {
            ResponseJson answer = {{"config", _context.configFile}, {"steps", _steps}, {"operator_key", nullptr}};
            if (_key)
                answer["operator_key"] = {
                    {"id", _key->id}, {"prefix", _key->prefix}, {"name", _options.keyName}, {"secret", _key->secret}};
            _context.print(answer);
            return;
        }
        if (_key)
            _context.out() << _key->secret << std::endl;
        _context.err() << "\nThe server can be started: systemctl enable --now supplierd, or supplierd in the "
                          "foreground. supplierctl doctor looks at everything once more.\n";
    }

    ControlContext& _context;
    SetupOptions _options;
    std::unique_ptr<OpenFile> _lock;
    ResponseJson _steps = ResponseJson::array();
    std::optional<Terminal> _terminal;
    SetupConfiguration _configuration;
    SessionSettings _account; ///< what the server is to log in with
    AccountPlan _plan;
    std::optional<SessionSettings> _administrator;
    std::optional<AccountSetup> _database;
    std::optional<IssuedApiKey> _key;
};

constexpr const char* SETUP_FOOTER = R"(
Makes the database, the server's account (with a random password and no more rights than it needs), the schema and the
first operator key, and writes the table [database] into conf.d/10-setup.toml beside the configuration file. It may be
run again: what is there already is left as it is and said so. Without --yes (or --json) it asks at the terminal for
what no option says.

The administrator of the database is only needed for what is missing. On a Unix socket MariaDB lets root in without a
password; elsewhere the password is asked for, or read from --admin-password-file. No password is ever an argument.

Examples:
  supplierctl setup                                    asks, with good defaults
  supplierctl setup --yes                              the MariaDB of this machine
  supplierctl setup --database-host db.example --admin-user admin --admin-password-file /root/db-password --yes
  supplierctl setup --database-host db.example --account-password-file /root/supplierd-password --yes
                                                       a further server on a database that is set up already)";

void addDatabaseOptions(CLI::App& setup, SetupOptions& options) {
    auto* host = setup.add_option("--database-host", options.databaseHost, "Host name or address of the database");
    setup.add_option("--database-port", options.databasePort, "Its port")->check(CLI::Range(1, 65'535));
    setup.add_option("--database-socket", options.databaseSocket, "Its Unix socket, instead of a host")->excludes(host);
    setup.add_option("--database-name", options.databaseName, "The database to make");
    setup.add_option("--database-user", options.databaseUser, "The server's account to make");
    setup.add_option("--account-host", options.accountHost,
                     "From where the account may log in; default: from this machine, as the database sees it");
    setup
        .add_option("--database-auth", options.authentication,
                    "How the account logs in: password (default), or unix_socket, as the user of that name")
        ->check(CLI::IsMember({"password", "unix_socket"}).description(""))
        ->type_name("password|unix_socket");
    setup.add_option("--account-password-file", options.passwordFile,
                     "The account's password, when the account exists already");
    setup.add_flag("--reset-password", options.resetPassword,
                   "Give an account whose password is not known here a new one");
    setup.add_option("--admin-user", options.adminUser, "The database's administrator (default: root)");
    setup.add_option("--admin-password-file", options.adminPasswordFile,
                     "The administrator's password; - reads it from standard input");
}

} // namespace

void addSetupCommand(CLI::App& program, ControlContext& context) {
    auto* setup = program.add_subcommand("setup", "Make database, account, schema and the first operator key");
    setup->footer(SETUP_FOOTER);
    auto options = std::make_shared<SetupOptions>();
    addDatabaseOptions(*setup, *options);
    setup->add_option("--operator-key-name", options->keyName, "What the operator key is called");
    auto* fresh =
        setup->add_flag("--new-operator-key", options->newOperatorKey, "Make an operator key although there is one");
    setup->add_flag("--no-operator-key", options->noOperatorKey, "Make none")->excludes(fresh);
    setup->add_flag("-y,--yes", options->yes, "Ask nothing");
    setup->callback([&context, options] { Setup(context, *options).run(); });
}

} // namespace supplierd::host
