#include "host/db/CatalogSemaphore.h"

#include <algorithm>
#include <utility>

namespace supplierd::host {

ApiError CatalogSemaphore::tooManyWaiting() {
    return ApiError::unavailable("Too many changes of this supplier's catalog are waiting, please try again")
        .withRetryAfter(1);
}

CatalogSemaphore::Place::Place(Place&& other) noexcept
    : _semaphore(std::exchange(other._semaphore, nullptr)),
      _supplierId(other._supplierId),
      _isCommitting(other._isCommitting) {}

CatalogSemaphore::Place::~Place() {
    if (_semaphore)
        _semaphore->leave(_supplierId, _isCommitting);
}

void CatalogSemaphore::Place::beginCommit() noexcept {
    if (!std::exchange(_isCommitting, true))
        _semaphore->beginCommit(_supplierId);
}

void CatalogSemaphore::Place::resume() noexcept {
    if (std::exchange(_isCommitting, false))
        _semaphore->resume(_supplierId);
}

std::optional<CatalogSemaphore::Place> CatalogSemaphore::tryEnter(std::int64_t supplierId) {
    const std::lock_guard lock(_mutex);
    if (!takeFreePlace(_queues[supplierId]))
        return std::nullopt;
    return Place(*this, supplierId);
}

CatalogSemaphore::Place CatalogSemaphore::enter(std::int64_t supplierId, Clock::time_point deadline) {
    std::unique_lock lock(_mutex);
    // Stays where it is: a queue with somebody in it is never removed, and the map moves no element.
    Queue& queue = _queues[supplierId];
    if (takeFreePlace(queue))
        return {*this, supplierId};
    if (queue.waiting.size() >= MOST_WAITING)
        throw tooManyWaiting();
    Waiter self;
    queue.waiting.push_back(&self);
    if (!self.wake.wait_until(lock, deadline, [&self] { return self.entered; })) {
        queue.waiting.erase(std::find(queue.waiting.begin(), queue.waiting.end(), &self));
        throw tooManyWaiting();
    }
    return {*this, supplierId};
}

bool CatalogSemaphore::takeFreePlace(Queue& queue) const {
    if (!hasFreePlace(queue) || !queue.waiting.empty())
        return false;
    ++queue.inside;
    ++queue.atWork;
    return true;
}

/// A place goes straight to who has waited for longest.
void CatalogSemaphore::admit(Queue& queue) const noexcept {
    while (!queue.waiting.empty() && hasFreePlace(queue)) {
        Waiter& next = *queue.waiting.front();
        queue.waiting.pop_front();
        ++queue.inside;
        ++queue.atWork;
        next.entered = true;
        next.wake.notify_one();
    }
}

void CatalogSemaphore::beginCommit(std::int64_t supplierId) noexcept {
    const std::lock_guard lock(_mutex);
    Queue& queue = _queues.find(supplierId)->second;
    --queue.atWork;
    admit(queue);
}

void CatalogSemaphore::resume(std::int64_t supplierId) noexcept {
    const std::lock_guard lock(_mutex);
    ++_queues.find(supplierId)->second.atWork;
}

void CatalogSemaphore::leave(std::int64_t supplierId, bool isCommitting) noexcept {
    const std::lock_guard lock(_mutex);
    const auto found = _queues.find(supplierId);
    Queue& queue = found->second;
    --queue.inside;
    if (!isCommitting)
        --queue.atWork;
    admit(queue);
    if (queue.inside == 0)
        _queues.erase(found);
}

} // namespace supplierd::host
