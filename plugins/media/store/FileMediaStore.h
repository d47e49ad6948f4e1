#pragma once

#include "MediaStore.h"
#include "shared/OwnedDescriptor.h"

#include <sys/types.h>

#include <bitset>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string_view>

namespace supplierd::media {

/// Files below a root folder, which lies on one file system: `3f/a0/3fa0….jpg`, and `.unfinished/` for what is being
/// written. A file is written there, synced, renamed into its folder, and the folder synced. A web server may serve
/// the same root; file modes are 0644 and 0755 less the umask. What root's processes make belongs to the root folder's
/// owner. Since 0.1.
class FileMediaStore final : public MediaStore {
public:
    /// Makes nothing. A root that is not there is an empty store until reopen() finds it or setMark() makes it, which
    /// must not happen while other threads use the store; one that cannot be written may still be read. Throws
    /// MediaStoreError.
    explicit FileMediaStore(const std::filesystem::path& root);

    std::vector<std::string> put(std::span<const MediaContent> contents) override;
    std::unique_ptr<MediaFile> open(std::string_view key) const override;
    void putCopy(std::string_view key, std::string_view bytes) override;
    bool remove(std::string_view key) override;
    std::vector<MediaEntry> list(std::string_view after, std::size_t limit) const override;
    std::size_t removeUnfinished(std::chrono::milliseconds olderThan) override;
    std::size_t countUnfinished(std::chrono::milliseconds olderThan) const override;
    void reopen() override { openRoot(); }
    std::string mark() const override;
    void setMark(std::string_view mark) override;
    std::string markPlace() const override { return (_path / MARK).string(); }

private:
    void openRoot();
    void makeRoot();
    void giveToOwner(const OwnedDescriptor& made, const std::string& name) const;
    OwnedDescriptor makeFolder(const std::string& folder) const;
    std::string writeUnfinished(std::string_view bytes) const;
    std::vector<std::string> unfinished(std::chrono::milliseconds olderThan) const;
    OwnedDescriptor durableFolder(const std::string& folder);
    void renameInto(const OwnedDescriptor& folder, const std::vector<std::string>& unfinished,
                    const std::vector<std::string>& keys) const;

    static constexpr std::string_view MARK = ".store-id";
    static constexpr std::size_t FOLDERS = 65'536;

    const std::filesystem::path _path;
    OwnedDescriptor _root; ///< none while there is no such folder
    uid_t _owner = 0;
    gid_t _group = 0;
    std::mutex _mutex;
    /// Folders whose own entries this process knows to be on disk.
    std::bitset<FOLDERS> _durable;
};

} // namespace supplierd::media
