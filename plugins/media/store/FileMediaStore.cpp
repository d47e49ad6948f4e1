#include "FileMediaStore.h"

#include "MediaKey.h"
#include "MediaStore.h"
#include "shared/OwnedDescriptor.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace supplierd::media {

namespace {

MediaStoreError::Kind kindOf(int error) {
    switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return MediaStoreError::Kind::Full;
    case EROFS:
    case EACCES:
    case EPERM:
        return MediaStoreError::Kind::ReadOnly;
    default:
        return MediaStoreError::Kind::Unreachable;
    }
}

/// Throws the MediaStoreError for errno `error`; `what` says what was tried.
[[noreturn]] void throwStoreError(int error, const std::string& what) {
    throw MediaStoreError(kindOf(error), what + ": " + std::generic_category().message(error));
}

std::chrono::system_clock::time_point modifiedAt(const struct stat& file) {
    return std::chrono::system_clock::from_time_t(file.st_mtim.tv_sec) +
           std::chrono::duration_cast<std::chrono::system_clock::duration>(
               std::chrono::nanoseconds(file.st_mtim.tv_nsec));
}

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

constexpr int FOLDER_FLAGS = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;

/// The plain names in a folder, sorted, without "." and "..". Empty when the folder is not there.
std::vector<std::string> sortedNames(int parent, const char* folder) {
    OwnedDescriptor opened(::openat(parent, folder, FOLDER_FLAGS));
    if (!opened) {
        if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)
            return {};
        throwStoreError(errno, std::string("cannot list ") + folder);
    }
    const std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(opened.get()));
    if (!directory)
        throwStoreError(errno, std::string("cannot list ") + folder);
    opened.release();
    std::vector<std::string> names;
    errno = 0;
    while (const auto* const entry = ::readdir(directory.get())) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..")
            names.emplace_back(name);
        errno = 0;
    }
    if (errno != 0)
        throwStoreError(errno, std::string("cannot list ") + folder);
    std::sort(names.begin(), names.end());
    return names;
}

/// Walks folders in order of their names, which is the order of the keys.
class Listing {
public:
    Listing(int root, std::string_view after, std::size_t limit) : _root(root), _after(after), _limit(limit) {}

    std::vector<MediaEntry> take() {
        for (const auto& first : sortedNames(_root, "."))
            if (first.size() == 2 && first >= _after.substr(0, 2))
                takeFirst(first);
        return std::move(_entries);
    }

private:
    bool isFull() const { return _entries.size() >= _limit; }

    void takeFirst(const std::string& first) {
        if (isFull())
            return;
        for (const auto& second : sortedNames(_root, first.c_str())) {
            const std::string folder = first + "/" + second;
            if (folder.size() == FOLDER_LENGTH && folder >= _after.substr(0, FOLDER_LENGTH))
                takeFolder(folder);
        }
    }

    void takeFolder(const std::string& folder) {
        if (isFull())
            return;
        for (const auto& name : sortedNames(_root, folder.c_str())) {
            const std::string key = folder + "/" + name;
            if (!isFull() && key > _after && isMediaKey(key))
                takeFile(key);
        }
    }

    void takeFile(const std::string& key) {
        struct stat file {};
        if (::fstatat(_root, key.c_str(), &file, AT_SYMLINK_NOFOLLOW) != 0) {
            if (errno == ENOENT)
                return; // removed meanwhile
            throwStoreError(errno, "cannot look at " + key);
        }
        if (S_ISREG(file.st_mode))
            _entries.push_back({key, static_cast<std::uint64_t>(file.st_size), modifiedAt(file)});
    }

    int _root;
    std::string_view _after;
    std::size_t _limit;
    std::vector<MediaEntry> _entries;
};

constexpr std::string_view UNFINISHED = ".unfinished/";
constexpr mode_t FILE_MODE = 0644;
constexpr mode_t FOLDER_MODE = 0755;
/// What is written at once: between two parts a processor that the system does not take from a running call is free for
/// others, and a page of the API does not wait until 5 MiB are copied.
constexpr std::size_t LONGEST_WRITE = std::size_t{128} * 1024;

OwnedDescriptor openFolder(int parent, const std::string& folder) {
    OwnedDescriptor opened(::openat(parent, folder.c_str(), FOLDER_FLAGS));
    if (!opened)
        throwStoreError(errno, "cannot open " + folder);
    return opened;
}

void sync(const OwnedDescriptor& descriptor, const std::string& what) {
    if (::fsync(descriptor.get()) != 0)
        throwStoreError(errno, "cannot sync " + what);
}

void writeAll(const OwnedDescriptor& file, std::string_view bytes, const std::string& name) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(file.get(), bytes.data(), std::min(bytes.size(), LONGEST_WRITE));
        if (put < 0 && errno != EINTR)
            throwStoreError(errno, "cannot write " + name);
        if (put > 0)
            bytes.remove_prefix(static_cast<std::size_t>(put));
    }
}

std::size_t folderNumber(const std::string& folder) {
    return std::stoul(folder.substr(0, 2) + folder.substr(3, 2), nullptr, 16);
}

/// NFS and others have no rename that replaces nothing; there the name alone, of 112 random bits, is new.
bool renameAsNew(int fromFolder, const std::string& from, int toFolder, const std::string& to) {
    return ::renameat2(fromFolder, from.c_str(), toFolder, to.c_str(), RENAME_NOREPLACE) == 0 ||
           ((errno == EINVAL || errno == ENOSYS) && ::renameat(fromFolder, from.c_str(), toFolder, to.c_str()) == 0);
}

/// Names below the root that are to go unless all ends well.
class Undo {
public:
    explicit Undo(int root) : _root(root) {}
    ~Undo() {
        for (const auto& name : _names)
            ::unlinkat(_root, name.c_str(), 0);
    }
    Undo(const Undo&) = delete;
    Undo& operator=(const Undo&) = delete;

    void add(const std::string& name) { _names.push_back(name); }
    void forget() { _names.clear(); }

private:
    int _root;
    std::vector<std::string> _names;
};

class OpenedFile final : public MediaFile {
public:
    OpenedFile(OwnedDescriptor file, MediaEntry entry) : _file(std::move(file)), _entry(std::move(entry)) {}

    const MediaEntry& entry() const override { return _entry; }
    std::optional<int> descriptor() const override { return _file.get(); }

    std::string read(std::uint64_t offset, std::size_t size) const override {
        const std::uint64_t left = offset < _entry.bytes ? _entry.bytes - offset : 0;
        std::string bytes(std::min<std::uint64_t>(size, left), '\0');
        std::size_t done = 0;
        while (done < bytes.size()) {
            const ssize_t got =
                ::pread(_file.get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0)
                throwStoreError(got < 0 ? errno : EIO, "cannot read " + _entry.key);
            done += static_cast<std::size_t>(got);
        }
        return bytes;
    }

private:
    OwnedDescriptor _file;
    MediaEntry _entry;
};

} // namespace

FileMediaStore::FileMediaStore(const std::filesystem::path& root) : _path(root) {
    openRoot();
}

void FileMediaStore::openRoot() {
    _root = OwnedDescriptor(::open(_path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    struct stat status {};
    if (_root ? ::fstat(_root.get(), &status) != 0 : errno != ENOENT)
        throwStoreError(errno, "cannot open " + _path.string());
    _owner = status.st_uid;
    _group = status.st_gid;
    _durable.reset();
}

void FileMediaStore::makeRoot() {
    std::error_code failure;
    std::filesystem::create_directories(_path, failure);
    if (failure)
        throwStoreError(failure.value(), "cannot make " + _path.string());
    openRoot();
}

/// What root makes, the server has to be able to change.
void FileMediaStore::giveToOwner(const OwnedDescriptor& made, const std::string& name) const {
    if (::geteuid() == 0 && _owner != 0 && ::fchown(made.get(), _owner, _group) != 0)
        throwStoreError(errno, "cannot give " + name + " to the owner of " + _path.string());
}

OwnedDescriptor FileMediaStore::makeFolder(const std::string& folder) const {
    const bool isNew = ::mkdirat(_root.get(), folder.c_str(), FOLDER_MODE) == 0;
    if (!isNew && errno != EEXIST)
        throwStoreError(errno, "cannot make " + folder);
    auto made = openFolder(_root.get(), folder);
    if (isNew)
        giveToOwner(made, folder);
    return made;
}

std::vector<std::string> FileMediaStore::put(std::span<const MediaContent> contents) {
    const auto folderName = randomFolder();
    std::vector<std::string> unfinished;
    std::vector<std::string> keys;
    Undo undo(_root.get());
    for (const auto& content : contents) {
        unfinished.push_back(writeUnfinished(content.bytes));
        undo.add(unfinished.back());
        keys.push_back(randomKey(folderName, content.type));
    }
    const auto folder = durableFolder(folderName);
    for (const auto& key : keys)
        undo.add(key);
    renameInto(folder, unfinished, keys);
    sync(folder, folderName);
    undo.forget();
    return keys;
}

void FileMediaStore::putCopy(std::string_view key, std::string_view bytes) {
    if (!isMediaKey(key))
        throw std::invalid_argument("not a key: " + std::string(key));
    if (!_root)
        throwStoreError(ENOENT, "cannot open " + _path.string());
    const std::string name(key);
    const auto unfinished = writeUnfinished(bytes);
    Undo undo(_root.get());
    undo.add(unfinished);
    const auto folder = durableFolder(name.substr(0, FOLDER_LENGTH));
    if (::renameat(_root.get(), unfinished.c_str(), _root.get(), name.c_str()) != 0)
        throwStoreError(errno, "cannot rename to " + name);
    undo.forget();
    sync(folder, name.substr(0, FOLDER_LENGTH));
    const auto copy = open(key);
    if (!copy || copy->read(0, copy->entry().bytes) != bytes)
        throwStoreError(EIO, "what was written is not what is read of " + name);
}

std::string FileMediaStore::mark() const {
    if (!_root)
        return {};
    const OwnedDescriptor file(::openat(_root.get(), std::string(MARK).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file) {
        if (errno == ENOENT)
            return {};
        throwStoreError(errno, "cannot open " + markPlace());
    }
    std::array<char, 256> text{};
    const ssize_t got = ::read(file.get(), text.data(), text.size());
    if (got < 0)
        throwStoreError(errno, "cannot read " + markPlace());
    const std::string_view line(text.data(), static_cast<std::size_t>(got));
    return std::string(line.substr(0, line.find_first_of("\r\n ")));
}

void FileMediaStore::setMark(std::string_view mark) {
    if (!_root)
        makeRoot();
    const auto unfinished = writeUnfinished(std::string(mark) + '\n');
    Undo undo(_root.get());
    undo.add(unfinished);
    if (::renameat(_root.get(), unfinished.c_str(), _root.get(), std::string(MARK).c_str()) != 0)
        throwStoreError(errno, "cannot write " + markPlace());
    undo.forget();
    sync(_root, _path.string());
}

std::string FileMediaStore::writeUnfinished(std::string_view bytes) const {
    auto name = std::string(UNFINISHED) + randomKey(randomFolder(), ImageType::Jpeg).substr(FOLDER_LENGTH + 1);
    name.erase(name.rfind('.'));
    const auto create = [&] {
        return OwnedDescriptor(
            ::openat(_root.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, FILE_MODE));
    };
    auto file = create();
    if (!file && errno == ENOENT) {
        makeFolder(std::string(UNFINISHED.substr(0, UNFINISHED.size() - 1)));
        file = create();
    }
    if (!file)
        throwStoreError(errno, "cannot create a file below " + _path.string());
    Undo undo(_root.get());
    undo.add(name);
    giveToOwner(file, name);
    writeAll(file, bytes, name);
    sync(file, name);
    if (::close(file.release()) != 0)
        throwStoreError(errno, "cannot write " + name);
    undo.forget();
    return name;
}

/// Makes the folder where it is missing, and its entries durable up to the root.
OwnedDescriptor FileMediaStore::durableFolder(const std::string& folder) {
    const auto first = folder.substr(0, 2);
    const std::size_t number = folderNumber(folder);
    const std::lock_guard lock(_mutex);
    if (_durable.test(number)) {
        OwnedDescriptor known(::openat(_root.get(), folder.c_str(), FOLDER_FLAGS));
        if (known)
            return known;
    }
    const auto parent = makeFolder(first);
    auto made = makeFolder(folder);
    sync(parent, first);
    sync(_root, _path.string());
    _durable.set(number);
    return made;
}

void FileMediaStore::renameInto(const OwnedDescriptor& folder, const std::vector<std::string>& unfinished,
                                const std::vector<std::string>& keys) const {
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto name = keys[i].substr(FOLDER_LENGTH + 1);
        if (!renameAsNew(_root.get(), unfinished[i], folder.get(), name))
            throwStoreError(errno, "cannot rename to " + keys[i]);
    }
}

std::unique_ptr<MediaFile> FileMediaStore::open(std::string_view key) const {
    if (!_root || !isMediaKey(key))
        return nullptr;
    const std::string name(key);
    OwnedDescriptor file(::openat(_root.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file) {
        if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)
            return nullptr;
        throwStoreError(errno, "cannot open " + name);
    }
    struct stat status {};
    if (::fstat(file.get(), &status) != 0)
        throwStoreError(errno, "cannot look at " + name);
    if (!S_ISREG(status.st_mode))
        return nullptr;
    return std::make_unique<OpenedFile>(
        std::move(file), MediaEntry{name, static_cast<std::uint64_t>(status.st_size), modifiedAt(status)});
}

bool FileMediaStore::remove(std::string_view key) {
    if (!_root || !isMediaKey(key))
        return false;
    const std::string name(key);
    if (::unlinkat(_root.get(), name.c_str(), 0) == 0)
        return true;
    if (errno == ENOENT || errno == ENOTDIR)
        return false;
    throwStoreError(errno, "cannot remove " + name);
}

std::vector<MediaEntry> FileMediaStore::list(std::string_view after, std::size_t limit) const {
    return _root ? Listing(_root.get(), after, limit).take() : std::vector<MediaEntry>();
}

std::vector<std::string> FileMediaStore::unfinished(std::chrono::milliseconds olderThan) const {
    const auto newest = std::chrono::system_clock::now() - olderThan;
    std::vector<std::string> names;
    if (!_root)
        return names;
    for (const auto& file : sortedNames(_root.get(), std::string(UNFINISHED).c_str())) {
        auto name = std::string(UNFINISHED) + file;
        struct stat status {};
        if (::fstatat(_root.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && modifiedAt(status) <= newest)
            names.push_back(std::move(name));
    }
    return names;
}

std::size_t FileMediaStore::removeUnfinished(std::chrono::milliseconds olderThan) {
    std::size_t removed = 0;
    for (const auto& name : unfinished(olderThan))
        if (::unlinkat(_root.get(), name.c_str(), 0) == 0)
            ++removed;
    return removed;
}

std::size_t FileMediaStore::countUnfinished(std::chrono::milliseconds olderThan) const {
    return unfinished(olderThan).size();
}

} // namespace supplierd::media
