#pragma once

#include "host/Version.h"
#include "host/audit/AuditStore.h"
#include "host/auth/AccountStore.h"
#include "host/config/Settings.h"
#include "host/ctl/client/ServerConnection.h"
#include "host/db/PooledDatabase.h"
#include "host/db/SessionPool.h"
#include "host/plugins/Finding.h"
#include "host/plugins/PluginSet.h"

#include <memory>
#include <optional>
#include <ostream>
#include <string>

namespace supplierd::host {

/// What the commands of supplierctl share: the options, the configuration, the database and the running server,
/// each opened when first asked for, and how results are printed. Thread: one.
class ControlContext {
public:
    ControlContext(std::ostream& out, std::ostream& err);
    ~ControlContext();

    std::string configFile = DEFAULT_CONFIG_FILE;
    bool json = false;
    ServerOptions server; ///< which one is meant

    /// To the server that is meant; nothing is sent until it is used. Throws CommandFailure when none is named rightly.
    ServerConnection& connection();

    /// Throws CommandFailure (NotAllowed) when this user may not read the configuration.
    void requireReadableConfiguration() const;
    /// Throws CommandFailure with every problem of the configuration.
    const Settings& settings();
    /// Those that are enabled, none of them started. Throws CommandFailure when one cannot be loaded.
    PluginSet loadedPlugins();
    /// From now on a database that hangs costs seconds. Before the first use of the database.
    void limitWaiting();
    /// Connects. Throws DatabaseError with the reason when it cannot.
    Database& database();

    /// Who runs this.
    const Actor& actor() const { return _actor; }
    AccountStore& accounts() { return _accounts; }
    /// Writes what this user did into the audit log, in the transaction of the change; `entry` without its actor.
    void record(Transaction& transaction, AuditEntry entry);

    std::ostream& out() const { return _out; }
    /// For people only, on standard error, so that standard output stays fit for programs.
    std::ostream& err() const { return _err; }
    /// Whether somebody is watching err().
    bool isInteractive() const;

    /// As a row of a command says (host/ctl/client/README.md), or as JSON. False when the row says that not all is
    /// well.
    bool print(const ResponseJson& answer, const ResponseJson& row = ResponseJson::object());
    /// One or two lines each, or the member `findings` of `answer`.
    void printFindings(const Findings& findings, ResponseJson answer);

private:
    std::ostream& _out;
    std::ostream& _err;
    Actor _actor;
    AuditStore _audit;
    ApiKeyStore _keys;
    AccountStore _accounts{_keys, _audit};
    std::optional<Settings> _settings;
    std::unique_ptr<SessionPool> _pool;
    std::unique_ptr<PooledDatabase> _database;
    std::unique_ptr<ServerConnection> _connection;
};

} // namespace supplierd::host
