#pragma once

#include "host/base/Digest.h"
#include "host/ctl/client/ServerConnection.h"
#include "host/ctl/terminal/OpenFile.h"
#include "host/ctl/terminal/Terminal.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct evp_md_ctx_st;

namespace supplierd::host {

class ControlContext;

// What lies in a backup's folder.
inline constexpr const char* BACKUP_DATABASE = "database"; ///< a data directory of MariaDB, prepared
inline constexpr const char* BACKUP_PICTURES = "media";    ///< the files under their keys, and `.store-id`
inline constexpr const char* BACKUP_MANIFEST = "manifest.json";
inline constexpr const char* BACKUP_UNFINISHED_MANIFEST = "manifest.json.new";
inline constexpr const char* BACKUP_CHECKSUMS = "SHA256SUMS";
inline constexpr const char* BACKUP_STORE_ID = "media/.store-id";
inline constexpr int BACKUP_FORMAT = 1;

/// Thread: one.
class Sha256 {
public:
    Sha256();
    void update(std::string_view bytes);
    /// In hexadecimal digits. Once.
    std::string digest();

private:
    std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> _context;
};

/// A file of a backup.
struct BackupFile {
    std::string path; ///< from the backup's folder on
    std::uint64_t bytes = 0;
    std::string sha256 = {};
};

/// Of all of them.
std::uint64_t bytesOf(const std::vector<BackupFile>& files);

/// The regular files below `folder`/`part`, by path, without checksums. Throws CommandFailure for a symbolic link.
std::vector<BackupFile> filesBelow(const std::filesystem::path& folder, const std::string& part);

/// What a backup says of itself (BackupRun::describe()); written last, so a folder without it is no whole backup.
/// Throws CommandFailure: there is none, or it is damaged.
ResponseJson readManifest(const std::filesystem::path& backup);

/// "12 files, 1.5 GB"
std::string describeSize(const ResponseJson& manifest);

/// The lines of `sha256sum`, so that a backup can be checked without this program.
std::string checksumLines(const std::vector<BackupFile>& files);
/// The files that the backup has by its list of checksums, with what their sizes are now. Throws CommandFailure when
/// the list is not what the manifest says, or leads out of the backup.
std::vector<BackupFile> listedFiles(const std::filesystem::path& backup, const ResponseJson& manifest);

/// Lets a long command end between two pieces of work. Thread: one.
class Interruption {
public:
    /// `message`: what the command fails with.
    explicit Interruption(std::string message) : _message(std::move(message)) {}
    /// Throws CommandFailure once somebody wants it to end.
    void check() const;

private:
    const InterruptFlag _flag;
    const std::string _message;
};

/// Called with the bytes of each piece that was worked on; what it throws ends the work.
using ByteProgress = std::function<void(std::uint64_t)>;

/// Shows how far it is, until it is interrupted. Thread: one.
class ByteCount {
public:
    ByteCount(ControlContext& context, const Interruption& interruption, std::uint64_t total, std::string what);
    void operator()(std::uint64_t bytes);

private:
    const Interruption& _interruption;
    ProgressBar _bar;
    std::uint64_t _done = 0;
};

// All of these throw std::filesystem::filesystem_error.

std::string checksumOf(const std::filesystem::path& file, const ByteProgress& progress);
/// To a file that is not there yet, in a folder that is made. The checksum of what was read.
std::string copyFile(const std::filesystem::path& from, const std::filesystem::path& to, const ByteProgress& progress);
void writeFile(const std::filesystem::path& file, std::string_view text);
/// A file that is not there yet; its folder is made.
OpenFile makeFile(const std::filesystem::path& file);
/// Everything that was written to the file system of `folder` survives a power cut when this returns.
void syncFileSystem(const std::filesystem::path& folder);
/// Whether it is not there, or a folder without anything in it.
bool isVacant(const std::filesystem::path& folder);

} // namespace supplierd::host
