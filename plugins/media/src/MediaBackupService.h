#pragma once

#include "MediaStore.h"
#include "RemovalHold.h"

#include <supplierd/services/MediaBackup.h>

namespace supplierd::media {

/// The service MediaBackup. Thread: any.
class MediaBackupService final : public MediaBackup {
public:
    MediaBackupService(const MediaStore& store, RemovalHold& hold) : _store(store), _hold(hold) {}

    bool holdRemovals(std::string_view token, std::chrono::seconds duration) override {
        return _hold.hold(token, duration);
    }
    void endHold(std::string_view token) override { _hold.end(token); }
    void readFiles(const std::function<bool(const MediaFileView&)>& visit) override;
    std::string storeId() override { return _store.mark(); }

private:
    const MediaStore& _store;
    RemovalHold& _hold;
};

} // namespace supplierd::media
