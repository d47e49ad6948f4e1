#include "RequestGate.h"

#include <supplierd/Errors.h>

namespace supplierd::media {

namespace {

constexpr int RETRY_SECONDS = 5;

} // namespace

RequestGate::Pass::Pass(RequestGate& gate, std::int64_t supplierId) : _gate(gate), _supplierId(supplierId) {
    const std::lock_guard lock(gate._mutex);
    const auto running = gate._runningOf.find(supplierId);
    const unsigned ofSupplier = running == gate._runningOf.end() ? 0 : running->second;
    if (gate._running >= gate._most || ofSupplier >= gate._mostPerSupplier)
        throw ApiError::unavailable("Too many requests with images are running").withRetryAfter(RETRY_SECONDS);
    ++gate._runningOf[supplierId];
    ++gate._running;
}

RequestGate::Pass::~Pass() {
    const std::lock_guard lock(_gate._mutex);
    --_gate._running;
    const auto running = _gate._runningOf.find(_supplierId);
    if (--running->second == 0)
        _gate._runningOf.erase(running);
}

} // namespace supplierd::media
