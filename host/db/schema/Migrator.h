#pragma once

#include "host/db/SessionSettings.h"
#include "host/db/schema/MigrationError.h"
#include "host/db/schema/MigrationScript.h"

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace supplierd::host {

enum class SchemaState { Current, Behind, Ahead };

/// How far to go. A migration that contracts takes away what the release before uses, so it waits until none of that
/// release's servers runs any more, which the operator has to say. It does not wait where nothing was before it (its
/// component has no tables yet), nor when a migration that does not contract follows it: that is of a later release.
enum class MigrationScope { Expand, Contract };

/// A plugin whose file does not fit what was migrated for it: it has to be left out, and the rest can run.
struct UnfitPlugin {
    enum class Reason { Ahead, Changed, Behind };

    std::string id;
    Reason reason;
    std::string message; ///< for the operator: what was found and what to do
};

struct SchemaStatus {
    /// Of the core, without which nothing can be served. A plugin whose tables are behind is unfit, no more.
    SchemaState state = SchemaState::Current;
    /// Behind: what is missing, of plugins, too; Ahead: what the database has of the core and this program does not
    /// know.
    std::vector<MigrationStep> steps;
    /// For the operator: what was found and which command to run; empty when current.
    std::string message;
    /// What contracts and waits, whether begun or not; it is no part of the state.
    std::vector<MigrationStep> waiting;
    std::vector<UnfitPlugin> unfit;

    /// Whether `supplierctl migrate` would help.
    bool isBehind() const;
};

class PooledSession;

/// Brings the schema up to date, statement by statement, and records how far it came: interrupted anywhere, it goes on
/// from there (host/db/README.md). Only one process at a time does so (a lease row). Thread: one at a time.
class Migrator {
public:
    using Progress = std::function<void(const MigrationStep&)>;
    using Notice = std::function<void(const std::string&)>;

    /// How long a statement waits for a table at a time. Everybody else who wants that table waits behind it, also
    /// those whom it waits for: they may wait for a row that one of the others has.
    static constexpr std::chrono::seconds TABLE_WAIT{1};

    /// `plugins` in dependency order; the core's migrations come before them. Connects to nothing yet. Throws
    /// MigrationError when the migrations of a set are not numbered 1..n or one cannot be split into statements.
    Migrator(SessionSettings settings, std::vector<MigrationSet> plugins, std::chrono::seconds tableWait = TABLE_WAIT);
    ~Migrator();

    /// What apply() would do. Changes nothing. Throws MigrationError when a file of the core was changed since it was
    /// applied, DatabaseError when the database cannot be asked.
    std::vector<MigrationStep> plan(MigrationScope scope = MigrationScope::Expand);

    /// Whether this program fits the database. Changes nothing. Throws as plan().
    SchemaStatus check();
    /// Over that session.
    SchemaStatus check(PooledSession& session) const;

    /// Applies what plan() says, under the lease; nothing of plugins that are unfit. `progress` is called after every
    /// statement; what it throws stops the migration there. `notice` is told what the operator should know: an unfit
    /// plugin, what is waited for, and at the end what was left. Throws MigrationError, DatabaseError. Refuses a core
    /// schema that is ahead of this program.
    void apply(const Progress& progress = {}, const Notice& notice = {}, MigrationScope scope = MigrationScope::Expand);

private:
    /// How the scripts and the records of the database compare.
    struct Comparison {
        std::vector<MigrationStep> missing;
        std::vector<MigrationStep> waiting; ///< as in SchemaStatus
        std::vector<MigrationStep> unknown; ///< of the core
        std::vector<UnfitPlugin> unfit;
    };
    using TablesByComponent = std::map<std::string, std::set<std::string>>;

    Comparison compare(const SchemaHistory::Entries& applied, MigrationScope scope) const;
    void findMissing(const SchemaHistory::Entries& applied, MigrationScope scope, Comparison& found) const;
    bool waits(const MigrationScript& script, const SchemaHistory::Entries& applied) const;
    void compareTexts(const SchemaHistory::Entries& applied, Comparison& found) const;
    void compareNumbers(const SchemaHistory::Entries& applied, Comparison& found) const;
    Comparison compareToApply(SchemaHistory& history, MigrationScope scope) const;
    TablesByComponent unrecordedTables(SchemaHistory& history) const;
    static void refuseHalfRemoved(const std::vector<MigrationStep>& steps, SchemaHistory& history);
    const MigrationScript& script(const MigrationStep& step) const;

    SessionSettings _settings;
    std::chrono::seconds _tableWait;
    std::vector<MigrationScript> _scripts; ///< in the order in which they are applied
};

} // namespace supplierd::host
