#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct evp_md_ctx_st;

namespace supplierd::host {

/// Thread: one.
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;

    void update(std::string_view bytes);
    /// In hexadecimal digits. Once.
    std::string digest();

private:
    evp_md_ctx_st* _context;
};

/// A file of a backup.
struct BackupFile {
    std::string path; ///< from the backup's folder on
    std::uint64_t bytes = 0;
    std::string sha256 = {};
};

/// The lines of `sha256sum`, so that a backup can be checked without this program.
std::string checksumLines(const std::vector<BackupFile>& files);
/// Without the sizes. Throws CommandFailure for what are no such lines, or lead out of the backup.
std::vector<BackupFile> parseChecksumLines(const std::string& text);

/// The regular files below `folder`/`part`, by path, without checksums. Throws CommandFailure for a symbolic link.
std::vector<BackupFile> filesBelow(const std::filesystem::path& folder, const std::string& part);

/// Called with the bytes of each piece that was worked on; what it throws ends the work.
using ByteProgress = std::function<void(std::uint64_t)>;

// All of these throw std::filesystem::filesystem_error.

std::string checksumOf(const std::filesystem::path& file, const ByteProgress& progress);
/// To a file that is not there yet, in a folder that is made. The checksum of what was read.
std::string copyFile(const std::filesystem::path& from, const std::filesystem::path& to, const ByteProgress& progress);
std::string readFile(const std::filesystem::path& file);

/// A file that is written in pieces, not there yet; its folder is made.
class BackupOutput {
public:
    explicit BackupOutput(std::filesystem::path path);
    ~BackupOutput();
    BackupOutput(const BackupOutput&) = delete;
    BackupOutput& operator=(const BackupOutput&) = delete;

    void write(std::string_view bytes);
    void close();

private:
    std::filesystem::path _path;
    int _descriptor;
};

void writeFile(const std::filesystem::path& file, std::string_view text);
/// Everything that was written to the file system of `folder` survives a power cut when this returns.
void syncFileSystem(const std::filesystem::path& folder);
/// Whether it is not there, or a folder without anything in it.
bool isVacant(const std::filesystem::path& folder);

} // namespace supplierd::host
