#pragma once

#include "host/Version.h"
#include "host/audit/AuditStore.h"
#include "host/auth/AccountStore.h"
#include "host/config/Settings.h"
#include "host/ctl/terminal/Listing.h"
#include "host/db/PooledDatabase.h"
#include "host/db/SessionPool.h"

#include <supplierd/JsonWriter.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

class PluginOperations;
class PluginServices;

/// What the commands of supplierctl share: the options, the configuration, the database and the services of plugins,
/// each opened when first asked for, and how results are printed. Thread: one.
class ControlContext {
public:
    ControlContext(std::ostream& out, std::ostream& err);
    ~ControlContext();

    std::string configFile = DEFAULT_CONFIG_FILE;
    bool json = false;

    /// Throws CommandFailure (NotAllowed) when this user may not read the configuration.
    void requireReadableConfiguration() const;
    /// Throws CommandFailure with every problem of the configuration.
    const Settings& settings();
    /// From now on a database that hangs costs seconds. Before the first use of the database.
    void limitWaiting();
    /// Connects. Throws DatabaseError with the reason when it cannot.
    Database& database();

    /// A service of a plugin, which is started for it and stopped at the end. Throws CommandFailure when no enabled
    /// plugin offers it, naming the command that mends that.
    template <class Service>
    Service& service() {
        return *static_cast<Service*>(findService(std::string(Service::ID)));
    }

    /// What an enabled plugin brings for operators, "" for all of them; they are started for it. Connects to the
    /// database only when a plugin uses it. Throws CommandFailure, and DatabaseError when a plugin cannot start without
    /// database.
    const PluginOperations& operations(const std::string& pluginId);

    /// From now on accounts() knows the scopes that keys can have, as the enabled plugins declare them; without those
    /// of plugins that cannot be loaded, which err() tells of. Before the first use of the database.
    void loadScopes();

    /// Whether service() would find a plugin for it. Throws CommandFailure with every problem of the plugins.
    bool offersService(std::string_view id);

    /// Who runs this.
    const Actor& actor() const { return _actor; }
    AuditStore& auditLog() { return _audit; }
    AccountStore& accounts() { return _accounts; }
    /// Writes what this user did into the audit log, in the transaction of the change; `entry` without its actor.
    void record(SqlSession& session, AuditEntry entry);

    std::ostream& out() const { return _out; }
    /// For people only, on standard error, so that standard output stays fit for programs.
    std::ostream& err() const { return _err; }
    /// Whether somebody is watching err().
    bool isInteractive() const;

    /// Prints `{ … }`; `fields` writes what stands between the braces.
    void printJson(const std::function<void(JsonWriter&)>& fields);
    /// The table, or `{"<name>": [ … ]}`; an empty table says `whenEmpty` instead.
    void printListing(std::string_view name, const Listing& listing, std::string_view whenEmpty);
    /// A sentence, or `{"<name>": { … }}` with the listing's only row.
    void printOne(std::string_view name, const Listing& listing, std::string_view sentence);

private:
    class LateDatabase;

    void* findService(const std::string& id);
    void tellServers(const Revocation& revocation);

    std::ostream& _out;
    std::ostream& _err;
    Actor _actor;
    AuditStore _audit;
    ApiKeyStore _keys;
    AccountStore _accounts{_keys, _audit};
    std::optional<Settings> _settings;
    std::unique_ptr<SessionPool> _pool;
    std::unique_ptr<PooledDatabase> _database;
    std::unique_ptr<LateDatabase> _lateDatabase;
    std::map<std::string, std::unique_ptr<PluginServices>> _services;
    std::map<std::string, std::unique_ptr<PluginServices>> _operations;
};

} // namespace supplierd::host
