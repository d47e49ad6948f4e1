#include "host/auth/RateLimiter.h"

namespace supplierd::host {

RateLimitState RateLimiter::count(std::int64_t keyId, std::int64_t limit, const SupplierLimit& supplier) {
    if (supplier.limit == 0)
        return ask(keyId, limit, true);
    const auto id = windowOfSupplier(supplier.supplierId);
    if (const auto all = ask(id, supplier.limit, false); !all.allowed)
        return all;
    const auto own = ask(keyId, limit, true);
    if (!own.allowed)
        return own;
    const auto all = ask(id, supplier.limit, true);
    return !all.allowed || all.remaining < own.remaining ? all : own;
}

} // namespace supplierd::host
