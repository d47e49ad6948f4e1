#include "host/ctl/backup/BackupFiles.h"

#include "host/ctl/backup/BackupManifest.h"
#include "host/ctl/terminal/CommandFailure.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <sstream>
#include <system_error>

namespace supplierd::host {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t PIECE_OF_FILE = std::size_t{1024} * 1024;
constexpr std::size_t DIGEST_DIGITS = 64;

[[noreturn]] void throwFileError(const char* what, const fs::path& file) {
    throw fs::filesystem_error(what, file, std::error_code(errno, std::generic_category()));
}

class OpenFile {
public:
    explicit OpenFile(const fs::path& path) : _descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) {
        if (_descriptor < 0)
            throwFileError("cannot open", path);
        ::posix_fadvise(_descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
    ~OpenFile() { ::close(_descriptor); }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    std::string_view read(std::string& buffer, const fs::path& path) const {
        buffer.resize(PIECE_OF_FILE);
        for (;;) {
            const ssize_t got = ::read(_descriptor, buffer.data(), buffer.size());
            if (got >= 0)
                return {buffer.data(), static_cast<std::size_t>(got)};
            if (errno != EINTR)
                throwFileError("cannot read", path);
        }
    }

private:
    int _descriptor;
};

std::string readThrough(const fs::path& file, const std::function<void(std::string_view)>& take,
                        const ByteProgress& progress) {
    const OpenFile from(file);
    Sha256 sum;
    std::string buffer;
    for (;;) {
        const auto piece = from.read(buffer, file);
        if (piece.empty())
            return sum.digest();
        sum.update(piece);
        take(piece);
        if (progress)
            progress(piece.size());
    }
}

/// What a list of checksums names may lie nowhere but in the backup's two folders: elsewhere it would be restored
/// beside the folders that are meant.
bool leadsOut(const std::string& path) {
    const fs::path relative(path);
    const std::string first = relative.empty() ? std::string() : relative.begin()->string();
    return (first != BACKUP_DATABASE && first != BACKUP_PICTURES) ||
           std::any_of(relative.begin(), relative.end(), [](const fs::path& part) { return part == ".."; });
}

} // namespace

Sha256::Sha256() : _context(EVP_MD_CTX_new()) {
    EVP_DigestInit_ex(_context, EVP_sha256(), nullptr);
}

Sha256::~Sha256() {
    EVP_MD_CTX_free(_context);
}

void Sha256::update(std::string_view bytes) {
    EVP_DigestUpdate(_context, bytes.data(), bytes.size());
}

std::string Sha256::digest() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned size = 0;
    EVP_DigestFinal_ex(_context, bytes.data(), &size);
    std::string digits;
    for (unsigned i = 0; i < size; ++i)
        digits += fmt::format("{:02x}", bytes.at(i));
    return digits;
}

std::string checksumLines(const std::vector<BackupFile>& files) {
    std::string text;
    for (const auto& file : files)
        text += file.sha256 + "  " + file.path + "\n";
    return text;
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
    std::sort(files.begin(), files.end(), [](const auto& one, const auto& other) { return one.path < other.path; });
    return files;
}

std::string checksumOf(const fs::path& file, const ByteProgress& progress) {
    return readThrough(
        file, [](std::string_view) {}, progress);
}

std::string copyFile(const fs::path& from, const fs::path& to, const ByteProgress& progress) {
    BackupOutput copy(to);
    auto sum = readThrough(
        from, [&](std::string_view piece) { copy.write(piece); }, progress);
    copy.close();
    return sum;
}

std::string readFile(const fs::path& file) {
    std::string text;
    readThrough(file, [&](std::string_view piece) { text += piece; }, {});
    return text;
}

BackupOutput::BackupOutput(fs::path path) : _path(std::move(path)) {
    fs::create_directories(_path.parent_path());
    _descriptor = ::open(_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (_descriptor < 0)
        throwFileError("cannot make", _path);
}

BackupOutput::~BackupOutput() {
    if (_descriptor >= 0)
        ::close(_descriptor);
}

void BackupOutput::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(_descriptor, bytes.data(), bytes.size());
        if (put < 0 && errno != EINTR)
            throwFileError("cannot write", _path);
        if (put > 0)
            bytes.remove_prefix(static_cast<std::size_t>(put));
    }
}

void BackupOutput::close() {
    if (::close(std::exchange(_descriptor, -1)) != 0)
        throwFileError("cannot write", _path);
}

void writeFile(const fs::path& file, std::string_view text) {
    BackupOutput made(file);
    made.write(text);
    made.close();
}

void syncFileSystem(const fs::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        throwFileError("cannot open", folder);
    const bool done = ::syncfs(descriptor) == 0;
    const int failure = errno;
    ::close(descriptor);
    errno = failure;
    if (!done)
        throwFileError("cannot sync", folder);
}

bool isVacant(const fs::path& folder) {
    return !fs::exists(folder) || (fs::is_directory(folder) && fs::is_empty(folder));
}

} // namespace supplierd::host
