#pragma once

#include "host/ctl/backup/BackupManifest.h"
#include "host/ctl/backup/FreshNumbers.h"

#include <filesystem>
#include <string>
#include <vector>

namespace supplierd::host {

class ControlContext;

struct BackupAccess {
    std::filesystem::path defaultsFile; ///< an option file of MariaDB with account and password; empty: the usual ones
    std::string socket;                 ///< empty: that of the configuration, or the usual one
};

/// Makes a backup in a folder that is new or empty; a failure leaves nothing there. Throws CommandFailure,
/// DatabaseError, ApiError and std::filesystem::filesystem_error, as the others do.
BackupManifest createBackup(ControlContext& context, const std::filesystem::path& folder, const BackupAccess& access);

struct BackupReport {
    BackupManifest manifest;
    bool checksumsOnly = false;
    bool picturesCompared = false;
    std::uint64_t tables = 0; ///< that were read
    std::vector<std::string> problems;
};

/// Compares every checksum, then starts MariaDB on a copy of the database, reads every table, and looks whether each
/// image has its files in the backup. `scratch`: where the copy goes, empty: beside the backup.
BackupReport verifyBackup(ControlContext& context, const std::filesystem::path& folder, bool checksumsOnly,
                          const std::filesystem::path& scratch);

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
