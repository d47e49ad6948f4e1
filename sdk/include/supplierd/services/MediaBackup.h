#pragma once

#include <supplierd/Abi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace supplierd {

/// A stored file, while MediaBackup::readFiles() shows it. Since 1.0.
struct SUPPLIERD_API MediaFileView {
    std::string_view key; ///< the path below the folder of pictures, "3f/a0/3fa0….jpg"
    std::uint64_t bytes = 0;
    /// Up to `size` bytes from `offset`, fewer only at the end. Throws std::runtime_error.
    std::function<std::string(std::uint64_t offset, std::size_t size)> read;
    Reserved reserved = {};
};

/// The files of stored images, for a backup that fits one of the database. Files never change and have random names, so
/// a copy can only lack some. One is there before its image's row is committed, and goes after the commit that removes
/// the row: whoever holds removals back, then takes the database's snapshot, then reads the files, has the file of
/// every row. Offered by the plugin `media`. Thread: any. Since 1.0.
class SUPPLIERD_API MediaBackup {
public:
    static constexpr std::string_view ID = "supplierd.media-backup/1";

    /// From now on no server on this database removes a stored file, for so long; what is left lying the janitor
    /// removes afterwards. Repeated with the same token, of at most 32 letters and digits, it goes on: false when it
    /// had ended in between, so that files may be gone. Throws DatabaseError, ApiError (Unavailable).
    virtual bool holdRemovals(std::string_view token, std::chrono::seconds duration) = 0;
    /// Other tokens still hold. Throws as holdRemovals().
    virtual void endHold(std::string_view token) = 0;
    /// Calls `visit` for each stored file, in the order of their keys, until it returns false. Those that are removed
    /// meanwhile may be left out. Throws std::runtime_error when the store cannot be read, and what `visit` does.
    virtual void readFiles(const std::function<bool(const MediaFileView&)>& visit) = 0;
    /// Which store it is, "" for a new one. A folder that has the files under their keys, and this with a line feed in
    /// `.store-id`, is the same store. Throws std::runtime_error.
    virtual std::string storeId() = 0;

protected:
    ~MediaBackup() = default;
};

} // namespace supplierd
