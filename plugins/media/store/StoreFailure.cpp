#include "StoreFailure.h"

#include <cerrno>
#include <system_error>

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

} // namespace

void throwStoreError(int error, const std::string& what) {
    throw MediaStoreError(kindOf(error), what + ": " + std::generic_category().message(error));
}

} // namespace supplierd::media
