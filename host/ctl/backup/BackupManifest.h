#pragma once

#include "host/ctl/backup/BackupFiles.h"

#include <supplierd/Database.h>
#include <supplierd/JsonWriter.h>

#include <compare>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::host {

// What lies in a backup's folder.
inline constexpr const char* BACKUP_DATABASE = "database"; ///< a data directory of MariaDB, prepared
inline constexpr const char* BACKUP_PICTURES = "media";    ///< the files under their keys, and `.store-id`
inline constexpr const char* BACKUP_MANIFEST = "manifest.json";
inline constexpr const char* BACKUP_UNFINISHED_MANIFEST = "manifest.json.new";
inline constexpr const char* BACKUP_CHECKSUMS = "SHA256SUMS";
inline constexpr const char* BACKUP_STORE_ID = "media/.store-id";

struct AppliedSchema {
    std::string component;
    std::int64_t number = 0;
    std::string name;

    auto operator<=>(const AppliedSchema&) const = default;
};

struct BackedUpPlugin {
    std::string id;
    std::string version;
};

struct BackedUpPictures {
    std::string storeId;
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
};

/// What a backup says of itself; written last, so a folder without it is no whole backup.
struct BackupManifest {
    std::string createdAt; ///< ISO 8601 UTC
    std::string version;   ///< of supplierd
    std::string database;  ///< its name
    std::string serverVersion;
    std::string binlogPosition; ///< with the GTID; empty: without binary log
    std::string wsrepPosition;  ///< "UUID:number"; empty: no Galera
    std::vector<AppliedSchema> schema;
    std::vector<BackedUpPlugin> plugins;
    std::optional<BackedUpPictures> pictures; ///< none: nobody stores any
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
    std::string checksums; ///< that of SHA256SUMS

    void appendJson(JsonWriter& json) const;
    std::string json() const;
    /// Throws CommandFailure: there is none, so no whole backup, or it is damaged.
    static BackupManifest read(const std::filesystem::path& backup);
};

/// What is migrated. Throws DatabaseError.
std::vector<AppliedSchema> appliedSchema(Database& database);

/// The files that the backup has by its manifest, with what their sizes are now; the list itself is compared. Throws
/// CommandFailure when it was changed.
std::vector<BackupFile> listedFiles(const std::filesystem::path& backup, const BackupManifest& manifest);

/// "1.5 GB"
std::string describeBytes(std::uint64_t bytes);

} // namespace supplierd::host
