#include "DeliveryQueue.h"

#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <tuple>
#include <utility>

namespace supplierd::webhooks {

namespace {

using std::chrono::milliseconds;

/// For each sender that a supplier has, so many are free. So one that is alone has a quarter of all, each of several
/// has less, and there is one for the next that comes, up to about as many suppliers as senders.
constexpr std::size_t FREE_FOR_EACH = 3;
/// After such an answer the same sender is expected for the next delivery.
constexpr milliseconds QUICK{2};
/// When it is not back by then, another one takes its place.
constexpr milliseconds STANDBY{5};
/// So many failures in a row, and the endpoint as a whole is left alone for a while.
constexpr std::int64_t FAILURES_BEFORE_PAUSE = 3;
constexpr milliseconds LONGEST_ENDPOINT_PAUSE = std::chrono::minutes(15);
/// Fewer than that in memory, and more are read.
constexpr std::size_t REFILL_BELOW = 100;
/// An endpoint that has nothing to do for longer than this is given back.
constexpr milliseconds IDLE_LIMIT{1'000};
/// So much of the pace may be made up for at once.
constexpr milliseconds CATCH_UP = STANDBY;
/// Bodies that are written down together, before the first of them is sent.
constexpr std::size_t BODIES_AT_ONCE = 16;
/// What is left of the lease when a request begins, beside its own time.
constexpr milliseconds LEASE_MARGIN{500};

milliseconds meanPause(milliseconds first, std::int64_t attempts, milliseconds longest) {
    milliseconds pause = std::min(first, longest);
    for (std::int64_t i = 1; i < attempts && pause < longest; ++i)
        pause = std::min(pause * 4, longest);
    return pause;
}

/// That can follow so many attempts.
milliseconds longestPauseAfter(milliseconds first, std::int64_t attempts) {
    return attempts == 0 ? milliseconds(0) : meanPause(first, attempts, LONGEST_PAUSE) * 5 / 4;
}

/// What was sent thin before stays so.
bool lacksBody(const Target& target, const Delivery& delivery) {
    return target.isFull && !delivery.hasStoredBody && delivery.attempts == 0;
}

} // namespace

milliseconds growingPause(milliseconds first, std::int64_t attempts, milliseconds longest) {
    const milliseconds pause = meanPause(first, attempts, longest);
    thread_local std::minstd_rand random{std::random_device{}()};
    const auto quarter = pause.count() / 4;
    return pause + milliseconds(std::uniform_int_distribution<milliseconds::rep>(-quarter, quarter)(random));
}

void DeliveryQueue::own(std::shared_ptr<const Target> target, std::int64_t failures, std::int64_t enqueued,
                        Clock::time_point leaseEnd) {
    const std::lock_guard lock(_mutex);
    const auto [place, isNew] = _queues.try_emplace(target->endpointId);
    EndpointQueue& queue = place->second;
    if (isNew) {
        queue.number = ++_lastQueue;
        queue.failures = failures;
        queue.share = &_shares[target->supplierId];
        ++queue.share->queues;
    }
    queue.target = std::move(target);
    queue.leaseEnd = leaseEnd;
    queue.enqueued = enqueued;
}

void DeliveryQueue::keepOnly(const std::vector<std::int64_t>& endpoints) {
    const std::set<std::int64_t> kept(endpoints.begin(), endpoints.end());
    std::vector<EndpointQueues::node_type>
        dropped; // what is much takes its time to be freed, and nobody shall wait for that
    const std::lock_guard lock(_mutex);
    for (auto queue = _queues.begin(); queue != _queues.end();) {
        const auto next = std::next(queue);
        if (!kept.contains(queue->first))
            dropped.push_back(extract(queue));
        queue = next;
    }
}

std::size_t DeliveryQueue::count() const {
    const std::lock_guard lock(_mutex);
    return _queues.size();
}

std::vector<DeliveryQueue::Wanted> DeliveryQueue::wanted() const {
    const std::lock_guard lock(_mutex);
    using Place = std::tuple<bool, std::chrono::nanoseconds, std::size_t>;
    std::vector<std::pair<Place, Wanted>> queues;
    for (const auto& [id, queue] : _queues)
        if ((queue.hasMore || queue.loaded != queue.enqueued) && queue.deliveries.size() < REFILL_BELOW)
            queues.push_back(
                {{!queue.deliveries.empty(), queue.share->turn, queue.deliveries.size()}, {id, queue.lastId}});
    std::ranges::stable_sort(queues, {}, &std::pair<Place, Wanted>::first);
    std::vector<Wanted> wanted;
    for (const auto& queue : queues)
        wanted.push_back(queue.second);
    return wanted;
}

void DeliveryQueue::add(std::int64_t endpointId, std::vector<Delivery> deliveries, bool isAll) {
    const auto now = Clock::now();
    {
        const std::lock_guard lock(_mutex);
        const auto place = _queues.find(endpointId);
        if (place == _queues.end())
            return;
        place->second.hasMore = !isAll;
        place->second.loaded = place->second.enqueued;
    }
    for (Delivery& delivery : deliveries) {
        if (delivery.due > now + longestPauseAfter(_limits.firstPause, delivery.attempts))
            delivery.due = now;
        const std::lock_guard lock(_mutex); // for each: senders go on between those that are about many objects
        EndpointQueue& queue = _queues.at(endpointId); // only this thread drops it
        queue.lastId = delivery.id;
        queue.deliveries.add(std::move(delivery));
    }
    _changed.notify_one();
}

std::pair<std::vector<Attempt>, std::vector<EndpointState>> DeliveryQueue::takeAttempts() {
    const std::lock_guard lock(_mutex);
    std::vector<Attempt> attempts;
    attempts.swap(_attempts);
    std::set<std::int64_t> endpoints;
    for (const Attempt& attempt : attempts)
        endpoints.insert(attempt.endpointId);
    std::vector<EndpointState> states;
    const auto now = Clock::now();
    for (const std::int64_t id : endpoints) {
        EndpointState& state = states.emplace_back();
        state.endpointId = id;
        if (const auto place = _queues.find(id); place != _queues.end()) {
            EndpointQueue& queue = place->second;
            queue.unwritten = 0;
            state.failures = queue.failures;
            state.pause = std::max(std::chrono::ceil<milliseconds>(queue.pausedUntil - now), milliseconds(0));
        }
    }
    return {std::move(attempts), std::move(states)};
}

std::vector<DeliveryQueue::Idle> DeliveryQueue::idle() {
    const std::lock_guard lock(_mutex);
    std::vector<Idle> idle;
    const auto now = Clock::now();
    for (auto& [id, queue] : _queues) {
        if (queue.underWay > 0 || queue.unwritten > 0)
            continue;
        if (queue.deliveries.empty()) {
            queue.isLeaving = !queue.hasMore && queue.loaded == queue.enqueued;
            if (queue.isLeaving)
                idle.push_back({id, queue.enqueued, std::nullopt});
            continue;
        }
        const auto next = std::max(queue.deliveries.earliestDue(), queue.pausedUntil);
        const bool seesAll = !queue.hasMore || queue.deliveries.size() >= REFILL_BELOW || queue.pausedUntil > now;
        queue.isLeaving = seesAll && next > now + IDLE_LIMIT;
        if (queue.isLeaving)
            idle.push_back({id, queue.enqueued, std::chrono::ceil<milliseconds>(next - now)});
    }
    return idle;
}

void DeliveryQueue::drop(std::int64_t endpointId) {
    EndpointQueues::node_type dropped; // as in keepOnly()
    const std::lock_guard lock(_mutex);
    if (const auto place = _queues.find(endpointId); place != _queues.end())
        dropped = extract(place);
}

DeliveryQueue::EndpointQueues::node_type DeliveryQueue::extract(EndpointQueues::iterator place) {
    --place->second.share->queues;
    dropShare(place->second.target->supplierId);
    return _queues.extract(place);
}

/// Unless it has something, or has had more than the others.
void DeliveryQueue::dropShare(std::int64_t supplierId) {
    const auto place = _shares.find(supplierId);
    const Share& share = place->second;
    if (share.queues == 0 && share.underWay == 0 && share.turn <= _turn)
        _shares.erase(place);
}

void DeliveryQueue::stay(std::int64_t endpointId) {
    const std::lock_guard lock(_mutex);
    if (const auto place = _queues.find(endpointId); place != _queues.end())
        place->second.isLeaving = false;
}

void DeliveryQueue::wake() {
    _changed.notify_one();
}

std::optional<WorkItem> DeliveryQueue::next() {
    std::unique_lock lock(_mutex);
    for (;;) {
        if (_isEnded)
            return std::nullopt;
        const auto now = Clock::now();
        if (now < _nextStart) {
            waitForStart(lock);
            continue;
        }
        if (auto item = take(now)) {
            keepPace(now);
            if (!item->isQuick || (!_isStartAwaited && !_isStoodBy)) // there may be one for somebody else, too
                _changed.notify_one();
            return item;
        }
        _changed.wait(lock);
    }
}

/// One sender waits for the moment, and another one a little longer, for the case that nobody comes back in time. The
/// others wait to be told: as long as endpoints answer quickly, one or two threads do all the work, and each change of
/// thread costs as much as the rest of a delivery.
void DeliveryQueue::waitForStart(std::unique_lock<std::mutex>& lock) {
    bool& role = _isStartAwaited ? _isStoodBy : _isStartAwaited;
    if (role) {
        _changed.wait(lock);
        return;
    }
    const auto until = &role == &_isStoodBy ? _nextStart + STANDBY : _nextStart;
    role = true;
    _changed.wait_until(lock, until);
    role = false;
}

/// What was late catches up, but not more than a moment.
void DeliveryQueue::keepPace(Clock::time_point now) {
    _nextStart =
        std::max(_nextStart, now - CATCH_UP) + std::chrono::nanoseconds(std::chrono::seconds(1)) / _limits.perSecond;
}

std::optional<WorkItem> DeliveryQueue::take(Clock::time_point now) {
    EndpointQueue* const queue = nextQueue(now);
    if (queue == nullptr)
        return std::nullopt;
    const Delivery* const delivery = queue->deliveries.take(now);
    Share& share = *queue->share;
    _turn = std::max(_turn, share.turn);
    share.turn = _turn + std::chrono::nanoseconds(std::chrono::seconds(1)) / _limits.perSecond;
    ++share.underWay;
    ++_underWay;
    ++queue->underWay;
    queue->lastStart = ++_starts;
    WorkItem item{queue->target, *delivery, queue->number, queue->isQuick, {}};
    if (lacksBody(*item.target, item.delivery))
        addWithoutBody(item, *queue, now);
    return item;
}

void DeliveryQueue::addWithoutBody(WorkItem& item, EndpointQueue& queue, Clock::time_point now) {
    item.isQuick = false;
    item.withoutBody.push_back(item.delivery);
    while (item.withoutBody.size() < BODIES_AT_ONCE && queue.deliveries.isReady(now)) {
        const Delivery& other = *queue.deliveries.take(now);
        if (!lacksBody(*queue.target, other))
            return queue.deliveries.putBack(other.id, now);
        item.withoutBody.push_back(other);
    }
}

void DeliveryQueue::putBack(WorkItem& item, std::size_t written) {
    const auto bodies = std::exchange(item.withoutBody, {});
    const std::lock_guard lock(_mutex);
    const auto place = _queues.find(item.target->endpointId);
    if (place == _queues.end() || place->second.number != item.queue)
        return;
    const auto due = Clock::now() + (written > 0 ? milliseconds(0) : _limits.firstPause);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        OrderedDeliveries& deliveries = place->second.deliveries;
        deliveries.find(bodies[i].id)->hasStoredBody = i < written;
        if (bodies[i].id != item.delivery.id)
            deliveries.putBack(bodies[i].id, due);
    }
    _changed.notify_one();
}

/// Of the supplier whose turn it is, the endpoint that was served longest ago. Null: there is nothing to be sent now.
DeliveryQueue::EndpointQueue* DeliveryQueue::nextQueue(Clock::time_point now) {
    EndpointQueue* next = nullptr;
    const auto isBefore = [](const EndpointQueue& one, const EndpointQueue& other) {
        return std::tie(one.share->turn, one.lastStart) < std::tie(other.share->turn, other.lastStart);
    };
    for (auto& [id, queue] : _queues)
        if ((next == nullptr || isBefore(queue, *next)) && maySend(queue, now) && queue.deliveries.isReady(now))
            next = &queue;
    return next;
}

/// How many more than now.
std::size_t DeliveryQueue::sendersFor(const Share& share) const {
    const std::size_t free = _limits.senders - std::min(_underWay, _limits.senders);
    const std::size_t kept = FREE_FOR_EACH * share.underWay;
    return free > kept ? (free - kept + FREE_FOR_EACH) / (FREE_FOR_EACH + 1) : 0;
}

/// What a supplier may have is not for one of its endpoints alone either.
bool DeliveryQueue::maySend(const EndpointQueue& queue, Clock::time_point now) const {
    const std::size_t limit = std::min(queue.failures == 0 ? _limits.perEndpoint : 1, sendersFor(*queue.share));
    return !queue.isLeaving && queue.underWay < limit && queue.underWay < queue.deliveries.size() &&
           queue.pausedUntil <= now && now + _limits.timeout + LEASE_MARGIN <= queue.leaseEnd;
}

/// What may be sent now is for the one who calls: it looks for the next at once.
void DeliveryQueue::finish(const WorkItem& item, Attempt attempt) {
    const std::lock_guard lock(_mutex);
    Share& share = _shares.at(item.target->supplierId);
    share.turn += attempt.took;
    --share.underWay;
    --_underWay;
    dropShare(item.target->supplierId);
    const auto place = _queues.find(attempt.endpointId);
    if (place != _queues.end() && place->second.number == item.queue)
        note(place->second, attempt);
    if (attempt.outcome != Attempt::Outcome::Undone)
        _attempts.push_back(std::move(attempt));
}

void DeliveryQueue::note(EndpointQueue& queue, const Attempt& attempt) {
    Delivery* const delivery = queue.deliveries.find(attempt.deliveryId);
    if (delivery == nullptr)
        return;
    --queue.underWay;
    const auto now = Clock::now();
    if (attempt.outcome == Attempt::Outcome::Undone)
        return queue.deliveries.putBack(delivery->id, now + _limits.firstPause);
    ++queue.unwritten;
    queue.isQuick = attempt.took <= QUICK;
    const bool isTaken = attempt.outcome == Attempt::Outcome::Delivered;
    queue.failures = isTaken ? 0 : queue.failures + 1;
    queue.pausedUntil = isTaken ? Clock::time_point() : now + pauseAfter(queue.failures);
    if (attempt.outcome == Attempt::Outcome::Retry) {
        delivery->attempts = attempt.attempts;
        queue.deliveries.putBack(delivery->id, now + attempt.pause);
    } else {
        queue.deliveries.remove(delivery->id);
    }
}

milliseconds DeliveryQueue::pauseAfter(std::int64_t failures) const {
    return failures < FAILURES_BEFORE_PAUSE
               ? milliseconds(0)
               : growingPause(_limits.firstPause, failures - FAILURES_BEFORE_PAUSE + 1, LONGEST_ENDPOINT_PAUSE);
}

void DeliveryQueue::end() {
    {
        const std::lock_guard lock(_mutex);
        _isEnded = true;
    }
    _changed.notify_all();
}

} // namespace supplierd::webhooks
