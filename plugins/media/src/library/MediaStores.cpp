#include "library/MediaStores.h"

#include <stdexcept>
#include <utility>

namespace supplierd::media {

MediaStores::MediaStores(const MediaSettings& settings, S3Client::Observer observer)
    : _settings(settings), _observer(std::move(observer)) {
    of(_settings.store);
    if (_settings.isMoving)
        _moving.emplace(of(_settings.store), of(_settings.store == StoreKind::S3 ? StoreKind::Folder : StoreKind::S3));
    _usedS3 = _s3 ? &*_s3 : nullptr;
}

MediaStore& MediaStores::of(StoreKind kind) {
    const std::lock_guard lock(_mutex);
    if (kind == StoreKind::Folder)
        return _folder ? *_folder : _folder.emplace(_settings.root);
    if (!_settings.s3)
        throw std::runtime_error("there is no S3 store: plugins.media.s3.bucket is not given");
    return _s3 ? *_s3 : _s3.emplace(*_settings.s3, _observer);
}

} // namespace supplierd::media
