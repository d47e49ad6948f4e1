#include "MediaBackupService.h"

#include "HeldStore.h"

#include <supplierd/Errors.h>

#include <cstddef>
#include <string>

namespace supplierd::media {

namespace {

constexpr std::size_t LISTED_AT_ONCE = 500;

} // namespace

void MediaBackupService::readFiles(const std::function<bool(const MediaFileView&)>& visit) {
    _storeId.require(_store);
    std::string after;
    for (;;) {
        const auto entries = _store.list(after, LISTED_AT_ONCE);
        if (entries.empty())
            return;
        for (const MediaEntry& entry : entries) {
            const auto file = _store.fetch(entry.key);
            if (!file)
                continue; // removed meanwhile
            MediaFileView view;
            view.key = entry.key;
            view.bytes = file->entry().bytes;
            view.read = [&file](std::uint64_t offset, std::size_t size) { return file->read(offset, size); };
            if (!visit(view))
                return;
        }
        after = entries.back().key;
    }
}

std::string MediaBackupService::storeId() {
    _storeId.require(_store);
    return _store.mark();
}

bool HeldStore::remove(std::string_view key) {
    bool isHeld = false;
    try {
        isHeld = _hold.isInForce();
    } catch (const DatabaseError& error) {
        throw MediaStoreError(MediaStoreError::Kind::Unreachable,
                              std::string("nobody knows whether a backup needs the file: ") + error.what());
    } catch (const ApiError& error) {
        throw MediaStoreError(MediaStoreError::Kind::Unreachable,
                              "nobody knows whether a backup needs the file: " + error.message());
    }
    return !isHeld && _store.remove(key);
}

} // namespace supplierd::media
