#pragma once

#include "host/ctl/client/ServerConnection.h"
#include "host/plugins/PluginSet.h"

#include <supplierd/Database.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace supplierd::host {

class ControlContext;

struct BackupAccess {
    std::filesystem::path defaultsFile; ///< an option file of MariaDB with account and password; empty: the usual ones
    std::string socket;                 ///< empty: that of the configuration, or the usual one
};

/// Makes a backup in a folder that is new or empty; a failure leaves nothing there. Returns its manifest. Throws
/// CommandFailure, DatabaseError, ApiError and std::filesystem::filesystem_error, as the others do.
AnswerJson createBackup(ControlContext& context, const std::filesystem::path& folder, const BackupAccess& access);

struct BackupReport {
    AnswerJson manifest;
    bool picturesCompared = false;
    std::uint64_t tables = 0; ///< that were read
    std::vector<std::string> problems;
};

/// Compares every checksum, then starts MariaDB on a copy of the database, reads every table, and looks whether each
/// image has its files in the backup. `scratch`: where the copy goes, empty: beside the backup.
BackupReport verifyBackup(ControlContext& context, const std::filesystem::path& folder, bool checksumsOnly,
                          const std::filesystem::path& scratch);

/// What is migrated: a list of { component, number, name }. Throws DatabaseError.
AnswerJson appliedSchema(Database& database);

/// What a restore gives anew, so that no number and no id stands for two things: clients, readers of the change log,
/// caches and third parties remember those that were given after the backup was made.
struct FreshNumbers {
    std::int64_t raisedBy = 0; ///< each supplier's change number, and what plugins raise
    std::int64_t rows = 0;     ///< of plugins, that got new numbers
    std::int64_t tables = 0;   ///< whose ids go on higher
};

/// The enabled plugins, none of them started: their descriptions have the statements for giveFreshNumbers(). Throws
/// CommandFailure when one cannot be loaded, or the schema has migrations of one that is not enabled.
PluginSet ownersOfNumbers(ControlContext& context, const AnswerJson& schema);

/// In the database that was restored, before servers serve it; beside them it does no harm. May be repeated, also when
/// it was cut short.
/// - Every supplier's change number, and the marketplace's, is raised: by a hundred for each second since the last
///   entry of the change log, at least by 16 million. The log has a gap then, by which its readers know that they have
///   to read anew (ChangePage::isComplete).
/// - The plugins' own statements do the rest (PluginDescription::renumber). One of a plugin whose migrations are not
///   all applied is left out when it names what is not there yet.
/// - Ids that the database gives go on a million higher.
/// Throws DatabaseError.
FreshNumbers giveFreshNumbers(Database& database, const PluginSet& owners);

struct RestoreTarget {
    std::filesystem::path dataDirectory;
    std::filesystem::path pictures; ///< empty: without them
    /// Change numbers, versions and ids go on as they were: for who applies binary logs to it.
    bool keepsNumbers = false;
};

struct RestoreReport {
    FreshNumbers numbers;          ///< nothing when they were kept
    std::vector<std::string> next; ///< what to do, a line each
};

/// Copies into folders that are new or empty, comparing every checksum on the way, and gives fresh numbers.
RestoreReport restoreBackup(ControlContext& context, const std::filesystem::path& folder, const RestoreTarget& given,
                            bool isAgreed);

} // namespace supplierd::host
