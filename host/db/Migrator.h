#pragma once

#include "host/db/SessionSettings.h"

#include <supplierd/Plugin.h>

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace supplierd::host {

/// The migrations of the core or of one plugin, numbered 1..n.
struct MigrationSet {
    std::string component; ///< "core" or the plugin's id
    std::vector<Migration> migrations;
};

/// One migration that is still to be applied, wholly or from a statement on.
struct MigrationStep {
    std::string component;
    int number = 0;
    std::string name;
    std::size_t statementsDone = 0;
    std::size_t statementsTotal = 0;
};

enum class SchemaState { Current, Behind, Ahead };

struct SchemaStatus {
    SchemaState state = SchemaState::Current;
    /// Behind: what is missing; Ahead: what the database has and this program does not know.
    std::vector<MigrationStep> steps;
    /// For the operator: what was found and which command to run; empty when current.
    std::string message;
};

/// The schema cannot be migrated: a changed file, a failed statement, somebody else migrating. what() is for the
/// operator.
class MigrationError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class PooledSession;
class SchemaHistory;
class SchemaLease;

/// Brings the schema up to date, statement by statement, and records how far it came: interrupted anywhere, it goes on
/// from there. Only one process at a time does so (a lease row). Thread: one at a time.
class Migrator {
public:
    using Progress = std::function<void(const MigrationStep&)>;

    /// `plugins` in dependency order; the core's migrations come before them. Connects to nothing yet. Throws
    /// MigrationError when the migrations of a set are not numbered 1..n or one cannot be split into statements.
    Migrator(SessionSettings settings, std::vector<MigrationSet> plugins);
    ~Migrator();

    /// What apply() would do. Changes nothing. Throws MigrationError when a file was changed since it was applied,
    /// DatabaseError when the database cannot be asked.
    std::vector<MigrationStep> plan();

    /// Whether this program fits the database. Changes nothing. Throws as plan().
    SchemaStatus check();

    /// Applies what plan() says, under the lease. `progress` is called after every statement; what it throws stops the
    /// migration there. Throws MigrationError, DatabaseError. Refuses a schema that is ahead of this program.
    void apply(const Progress& progress = {});

private:
    /// A migration with what follows from its text.
    struct Script;

    std::vector<MigrationStep> missing(PooledSession& session) const;
    std::vector<MigrationStep> unknown(PooledSession& session) const;
    void refuseIfAhead(PooledSession& session) const;
    const Script& script(const MigrationStep& step) const;
    void applyStep(MigrationStep step, PooledSession& session, SchemaLease& lease, const Progress& progress);
    [[noreturn]] static void failed(const MigrationStep& step, const DatabaseError& error);

    SessionSettings _settings;
    std::vector<Script> _scripts; ///< in the order in which they are applied
};

} // namespace supplierd::host
