#pragma once

#include "FileMediaStore.h"
#include "MediaSettings.h"
#include "MovingMediaStore.h"
#include "S3MediaStore.h"

#include <mutex>
#include <optional>

namespace supplierd::media {

/// The stores that the configuration names. Thread: any.
class MediaStores {
public:
    /// Opens what is used, and asks no store for anything. Throws MediaStoreError for a folder that cannot be opened.
    MediaStores(const MediaSettings& settings, S3Client::Observer observer);

    /// The one that the plugin works with.
    MediaStore& current() { return _moving ? static_cast<MediaStore&>(*_moving) : of(_settings.store); }
    /// One of the two, used or not. Throws std::runtime_error when it is not configured, and MediaStoreError.
    MediaStore& of(StoreKind kind);
    /// Null unless pictures lie there, or move there or away.
    const S3MediaStore* s3() const { return _usedS3; }

private:
    const MediaSettings& _settings;
    const S3Client::Observer _observer;
    std::mutex _mutex; ///< of the opening of the following
    std::optional<FileMediaStore> _folder;
    std::optional<S3MediaStore> _s3;
    std::optional<MovingMediaStore> _moving;
    const S3MediaStore* _usedS3 = nullptr;
};

} // namespace supplierd::media
