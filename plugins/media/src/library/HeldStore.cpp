#include "library/HeldStore.h"

#include <supplierd/Database.h>
#include <supplierd/Errors.h>

#include <string>

namespace supplierd::media {

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
