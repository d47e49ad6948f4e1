#include "host/ctl/setup/Setup.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace supplierd::host {
namespace {

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
        ->check(CLI::IsMember({"password", "unix_socket"}));
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
