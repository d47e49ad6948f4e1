#pragma once

#include "host/Version.h"
#include "host/config/Settings.h"
#include "host/ctl/Listing.h"
#include "host/db/PooledDatabase.h"
#include "host/db/SessionPool.h"

#include <supplierd/JsonWriter.h>

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

namespace supplierd::host {

/// What the commands of supplierctl share: the options, the configuration and the database, each opened when first
/// asked for, and how results are printed. Thread: one.
class ControlContext {
public:
    ControlContext(std::ostream& out, std::ostream& hints) : _out(out), _hints(hints) {}

    std::string configFile = DEFAULT_CONFIG_FILE;
    bool json = false;

    /// Throws CommandFailure (NotAllowed) when this user may not read the configuration.
    void requireReadableConfiguration() const;
    /// Throws CommandFailure with every problem of the configuration.
    const Settings& settings();
    /// Connects. Throws DatabaseError with the reason when it cannot.
    Database& database();

    std::ostream& out() { return _out; }
    /// For people only, on standard error, so that standard output stays fit for programs.
    std::ostream& hints() { return _hints; }

    /// Prints `{ … }`; `fields` writes what stands between the braces.
    void printJson(const std::function<void(JsonWriter&)>& fields);
    /// The table, or `{"<name>": [ … ]}`; an empty table says `whenEmpty` instead.
    void printListing(std::string_view name, const Listing& listing, std::string_view whenEmpty);
    /// A sentence, or `{"<name>": { … }}` with the listing's only row.
    void printOne(std::string_view name, const Listing& listing, std::string_view sentence);

private:
    std::ostream& _out;
    std::ostream& _hints;
    std::optional<Settings> _settings;
    std::unique_ptr<SessionPool> _pool;
    std::unique_ptr<PooledDatabase> _database;
};

} // namespace supplierd::host
