#include "ConcurrencyLimit.h"

#include <supplierd/Errors.h>

namespace supplierd::media {

namespace {

constexpr int LIMIT_RETRY_SECONDS = 5;

} // namespace

ConcurrencyLimit::Pass::Pass(ConcurrencyLimit& limit, std::int64_t supplierId)
    : _limit(limit), _supplierId(supplierId) {
    const std::lock_guard lock(limit._mutex);
    const auto running = limit._runningOf.find(supplierId);
    const unsigned ofSupplier = running == limit._runningOf.end() ? 0 : running->second;
    if (limit._running >= limit._most || ofSupplier >= limit._mostPerSupplier)
        throw ApiError::unavailable("Too many requests with images are running").withRetryAfter(LIMIT_RETRY_SECONDS);
    ++limit._runningOf[supplierId];
    ++limit._running;
}

ConcurrencyLimit::Pass::~Pass() {
    const std::lock_guard lock(_limit._mutex);
    --_limit._running;
    const auto running = _limit._runningOf.find(_supplierId);
    if (--running->second == 0)
        _limit._runningOf.erase(running);
}

} // namespace supplierd::media
