#include "host/ctl/backup/BackupFiles.h"

#include "host/base/Digest.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"

#include <Poco/DigestEngine.h>

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <system_error>

namespace supplierd::host {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t PIECE_OF_FILE = std::size_t{1024} * 1024;
constexpr std::size_t DIGEST_DIGITS = 64;

std::string readThrough(const fs::path& file, const std::function<void(std::string_view)>& take,
                        const ByteProgress& progress) {
    const OpenFile from(file, O_RDONLY | O_NOFOLLOW);
    ::posix_fadvise(from.descriptor(), 0, 0, POSIX_FADV_SEQUENTIAL);
    Sha256 sum;
    std::string buffer(PIECE_OF_FILE, '\0');
    for (auto piece = from.read(buffer); !piece.empty(); piece = from.read(buffer)) {
        sum.update(piece);
        take(piece);
        if (progress)
            progress(piece.size());
    }
    return sum.digest();
}

/// What a list of checksums names may lie nowhere but in the backup's two folders: elsewhere it would be restored
/// beside the folders that are meant.
bool leadsOut(const std::string& path) {
    const fs::path relative(path);
    const std::string first = relative.empty() ? std::string() : relative.begin()->string();
    return (first != BACKUP_DATABASE && first != BACKUP_PICTURES) ||
           std::any_of(relative.begin(), relative.end(), [](const fs::path& part) { return part == ".."; });
}

std::vector<BackupFile> parseChecksumLines(const std::string& text) {
    std::vector<BackupFile> files;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        BackupFile file{line.size() > DIGEST_DIGITS + 2 ? line.substr(DIGEST_DIGITS + 2) : std::string()};
        file.sha256 = line.substr(0, DIGEST_DIGITS);
        if (leadsOut(file.path) || file.sha256.find_first_not_of("0123456789abcdef") != std::string::npos)
            throw CommandFailure("the list of checksums is damaged");
        files.push_back(std::move(file));
    }
    return files;
}

/// "1.5 GB"
std::string describeBytes(std::uint64_t bytes) {
    constexpr std::array UNITS{"bytes", "KB", "MB", "GB", "TB"};
    auto amount = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (amount >= 1'000 && unit + 1 < UNITS.size()) {
        amount /= 1'000;
        ++unit;
    }
    return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", amount, UNITS.at(unit));
}

} // namespace

Sha256::Sha256() : _context(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    EVP_DigestInit_ex(_context.get(), EVP_sha256(), nullptr);
}

void Sha256::update(std::string_view bytes) {
    EVP_DigestUpdate(_context.get(), bytes.data(), bytes.size());
}

std::string Sha256::digest() {
    std::vector<unsigned char> bytes(DIGEST_DIGITS / 2);
    EVP_DigestFinal_ex(_context.get(), bytes.data(), nullptr);
    return Poco::DigestEngine::digestToHex(bytes);
}

std::uint64_t bytesOf(const std::vector<BackupFile>& files) {
    std::uint64_t total = 0;
    for (const auto& file : files)
        total += file.bytes;
    return total;
}

std::vector<BackupFile> filesBelow(const fs::path& folder, const std::string& part) {
    std::vector<BackupFile> files;
    if (!fs::exists(folder / part))
        return files;
    for (const auto& entry : fs::recursive_directory_iterator(folder / part)) {
        if (entry.is_symlink())
            throw CommandFailure(entry.path().string() + " is a symbolic link, which no backup holds");
        if (entry.is_regular_file())
            files.push_back({entry.path().lexically_relative(folder).string(), entry.file_size()});
    }
    std::ranges::sort(files, {}, &BackupFile::path);
    return files;
}

ResponseJson readManifest(const fs::path& backup) {
    const auto file = backup / BACKUP_MANIFEST;
    if (!fs::exists(file))
        throw CommandFailure(fmt::format("{} is no backup, or one that was not finished: it has no {}", backup.string(),
                                         BACKUP_MANIFEST));
    try {
        auto manifest = ResponseJson::parse(readFile(file));
        if (manifest.at("format").get<int>() != BACKUP_FORMAT)
            throw CommandFailure(fmt::format("{} was made by a later release; use its supplierctl", backup.string()));
        for (const auto* text : {"/created_at", "/database/name", "/database/wsrep_position", "/checksums_sha256"})
            manifest.at(ResponseJson::json_pointer(text)).get_ref<const std::string&>();
        for (const auto* number : {"files", "bytes"})
            manifest.at(number).get<std::uint64_t>();
        for (const auto& migration : manifest.at("schema"))
            migration.at("component").get_ref<const std::string&>();
        manifest.at("pictures");
        return manifest;
    } catch (const ResponseJson::exception& error) {
        throw CommandFailure(fmt::format("{} is damaged: {}", file.string(), error.what()));
    }
}

std::string describeSize(const ResponseJson& manifest) {
    return fmt::format("{} files, {}", manifest.at("files").get<std::uint64_t>(),
                       describeBytes(manifest.at("bytes").get<std::uint64_t>()));
}

std::string checksumLines(const std::vector<BackupFile>& files) {
    std::string text;
    for (const auto& file : files)
        text += file.sha256 + "  " + file.path + "\n";
    return text;
}

std::vector<BackupFile> listedFiles(const fs::path& backup, const ResponseJson& manifest) {
    const auto text = readFile(backup / BACKUP_CHECKSUMS);
    Sha256 sum;
    sum.update(text);
    if (sum.digest() != manifest.at("checksums_sha256").get<std::string>())
        throw CommandFailure(fmt::format("{} is not what the manifest says: the backup is damaged",
                                         (backup / BACKUP_CHECKSUMS).string()));
    auto files = parseChecksumLines(text);
    for (auto& file : files) {
        std::error_code missing;
        const auto size = fs::file_size(backup / file.path, missing);
        file.bytes = missing ? 0 : size;
    }
    return files;
}

void Interruption::check() const {
    if (_flag.isRaised())
        throw CommandFailure(_message);
}

ByteCount::ByteCount(ControlContext& context, const Interruption& interruption, std::uint64_t total, std::string what)
    : _interruption(interruption), _bar(context.err(), context.isInteractive(), total, std::move(what)) {}

void ByteCount::operator()(std::uint64_t bytes) {
    _interruption.check();
    _bar.show(_done += bytes);
}

std::string checksumOf(const fs::path& file, const ByteProgress& progress) {
    return readThrough(
        file, [](std::string_view) {}, progress);
}

std::string copyFile(const fs::path& from, const fs::path& to, const ByteProgress& progress) {
    auto copy = makeFile(to);
    auto sum = readThrough(
        from, [&](std::string_view piece) { copy.write(piece); }, progress);
    copy.close();
    return sum;
}

void writeFile(const fs::path& file, std::string_view text) {
    auto made = makeFile(file);
    made.write(text);
    made.close();
}

OpenFile makeFile(const fs::path& file) {
    fs::create_directories(file.parent_path());
    return {file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644};
}

void syncFileSystem(const fs::path& folder) {
    const OpenFile opened(folder, O_RDONLY | O_DIRECTORY);
    opened.require(::syncfs(opened.descriptor()) == 0, "cannot sync");
}

bool isVacant(const fs::path& folder) {
    return !fs::exists(folder) || (fs::is_directory(folder) && fs::is_empty(folder));
}

} // namespace supplierd::host
