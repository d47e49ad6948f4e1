#pragma once

#include "MediaStore.h"
#include "RemovalHold.h"
#include "StoreId.h"

#include <supplierd/services/MediaBackup.h>

namespace supplierd::media {

/// The service MediaBackup. Thread: any.
class MediaBackupService final : public MediaBackup {
public:
    MediaBackupService(MediaStore& store, StoreId& storeId, RemovalHold& hold)
        : _store(store), _storeId(storeId), _hold(hold) {}

    bool holdRemovals(std::string_view token, std::chrono::seconds duration) override {
        return _hold.hold(token, duration);
    }
    void endHold(std::string_view token) override { _hold.end(token); }
    void readFiles(const std::function<bool(const MediaFileView&)>& visit) override;
    std::string storeId() override;

private:
    MediaStore& _store;
    StoreId& _storeId;
    RemovalHold& _hold;
};

} // namespace supplierd::media
