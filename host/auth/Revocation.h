#pragma once

#include <cstdint>
#include <functional>

namespace supplierd::host {

/// From now on something else holds of a key, or of a supplier and all its keys, than is remembered anywhere.
struct Revocation {
    std::int64_t keyId = 0;      ///< 0: not of one key
    std::int64_t supplierId = 0; ///< 0: not of a supplier
};

/// Told after COMMIT. Throws nothing but std::bad_alloc.
using RevocationListener = std::function<void(const Revocation&)>;

} // namespace supplierd::host
