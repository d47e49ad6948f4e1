#include "FileListing.h"

#include "MediaKey.h"
#include "StoreFailure.h"
#include "shared/OwnedDescriptor.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace supplierd::media {
namespace {

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

constexpr int OPEN_FOLDER = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;

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

} // namespace

std::chrono::system_clock::time_point modifiedAt(const struct stat& file) {
    return std::chrono::system_clock::from_time_t(file.st_mtim.tv_sec) +
           std::chrono::duration_cast<std::chrono::system_clock::duration>(
               std::chrono::nanoseconds(file.st_mtim.tv_nsec));
}

std::vector<MediaEntry> listFiles(int root, std::string_view after, std::size_t limit) {
    return Listing(root, after, limit).take();
}

std::vector<std::string> sortedNames(int parent, const char* folder) {
    OwnedDescriptor opened(::openat(parent, folder, OPEN_FOLDER));
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

} // namespace supplierd::media
