#pragma once

#include "MediaStore.h"

#include <string>

namespace supplierd::media {

/// Throws the MediaStoreError for errno `error`; `what` says what was tried.
[[noreturn]] void throwStoreError(int error, const std::string& what);

} // namespace supplierd::media
