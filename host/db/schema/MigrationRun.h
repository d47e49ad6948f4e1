#pragma once

#include "host/db/PooledSession.h"
#include "host/db/schema/MigrationScript.h"
#include "host/db/schema/SchemaLease.h"

#include <supplierd/Database.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace supplierd::host {

/// Applies migrations, statement by statement, under a lease that its caller holds. What it leaves behind wherever it
/// is interrupted, and how the next run goes on from there: host/db/README.md. Thread: one. Throws MigrationError.
class MigrationRun {
public:
    /// Called after every statement; what it throws stops the migration there.
    using Progress = std::function<void(const MigrationStep&)>;
    /// What the operator should know meanwhile, such as what is waited for: one line.
    using Notice = std::function<void(const std::string&)>;

    MigrationRun(PooledSession& session, SchemaLease& lease, Progress progress, Notice notice);

    /// `isStarted`: there is a record of it already.
    void apply(const MigrationScript& script, MigrationStep step, bool isStarted);

private:
    /// A statement of a migration that runs on another connection.
    struct Running {
        std::int64_t connection = 0;
        std::int64_t seconds = 0;
        std::string what; ///< "media/0002_store, statement 3 of 7"
    };

    void applyPatiently(const MigrationScript& script, const MigrationStep& step);
    void applyNext(const MigrationScript& script, const MigrationStep& step);
    bool begin(const MigrationScript& script, const MigrationStep& step);
    std::optional<Running> runningElsewhere();
    void undo(const MigrationScript& script, const MigrationStep& step, bool wasBegun, const DatabaseError& error);
    void tellWhenLong(const MigrationStep& step, const std::string& statement);
    void tell(const std::string& line);

    PooledSession& _session;
    SchemaLease& _lease;
    SchemaHistory _history;
    Progress _progress;
    Notice _notice;
};

} // namespace supplierd::host
