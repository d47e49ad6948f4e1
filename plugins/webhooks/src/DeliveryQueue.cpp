#include "DeliveryQueue.h"

#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <utility>

namespace supplierd::webhooks {

namespace {

using std::chrono::milliseconds;

/// An endpoint that took so long is slow until it answers faster: all of those together have half of the senders.
constexpr milliseconds SLOW{2'000};
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
/// Bytes of bodies that are not written down yet: until they are, nothing further is sent.
constexpr std::size_t MOST_UNWRITTEN = std::size_t{8} << 20;
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
    const auto [place, isNew] = _lanes.try_emplace(target->endpointId);
    Lane& lane = place->second;
    if (isNew) {
        lane.number = ++_lastLane;
        lane.failures = failures;
    }
    lane.target = std::move(target);
    lane.leaseEnd = leaseEnd;
    lane.enqueued = enqueued;
}

void DeliveryQueue::keepOnly(const std::vector<std::int64_t>& endpoints) {
    const std::set<std::int64_t> kept(endpoints.begin(), endpoints.end());
    std::vector<Lanes::node_type> dropped; // what is much takes its time to be freed, and nobody shall wait for that
    const std::lock_guard lock(_mutex);
    for (auto lane = _lanes.begin(); lane != _lanes.end();) {
        const auto next = std::next(lane);
        if (!kept.contains(lane->first))
            dropped.push_back(_lanes.extract(lane));
        lane = next;
    }
}

std::size_t DeliveryQueue::count() const {
    const std::lock_guard lock(_mutex);
    return _lanes.size();
}

std::vector<DeliveryQueue::Wanted> DeliveryQueue::wanted() const {
    const std::lock_guard lock(_mutex);
    std::vector<std::pair<std::size_t, Wanted>> lanes;
    for (const auto& [id, lane] : _lanes)
        if ((lane.hasMore || lane.loaded != lane.enqueued) && lane.deliveries.size() < REFILL_BELOW)
            lanes.push_back({lane.deliveries.size(), {id, lane.lastId}});
    std::ranges::stable_sort(lanes, {}, &std::pair<std::size_t, Wanted>::first);
    std::vector<Wanted> wanted;
    for (const auto& lane : lanes)
        wanted.push_back(lane.second);
    return wanted;
}

void DeliveryQueue::add(std::int64_t endpointId, std::vector<Delivery> deliveries, bool isAll) {
    const auto now = Clock::now();
    {
        const std::lock_guard lock(_mutex);
        const auto place = _lanes.find(endpointId);
        if (place == _lanes.end())
            return;
        place->second.hasMore = !isAll;
        place->second.loaded = place->second.enqueued;
    }
    for (Delivery& delivery : deliveries) {
        if (delivery.due > now + longestPauseAfter(_limits.firstPause, delivery.attempts))
            delivery.due = now;
        const std::lock_guard lock(_mutex); // for each: senders go on between those that are about many objects
        Lane& lane = _lanes.at(endpointId); // only this thread drops it
        lane.lastId = delivery.id;
        lane.deliveries.add(std::move(delivery));
    }
    _changed.notify_one();
}

std::pair<std::vector<Attempt>, std::vector<Standing>> DeliveryQueue::takeAttempts() {
    const std::lock_guard lock(_mutex);
    std::vector<Attempt> attempts;
    attempts.swap(_attempts);
    _unwrittenBytes = 0;
    std::set<std::int64_t> endpoints;
    for (const Attempt& attempt : attempts)
        endpoints.insert(attempt.endpointId);
    std::vector<Standing> standings;
    const auto now = Clock::now();
    for (const std::int64_t id : endpoints) {
        Standing& standing = standings.emplace_back();
        standing.endpointId = id;
        if (const auto place = _lanes.find(id); place != _lanes.end()) {
            Lane& lane = place->second;
            lane.unwritten = 0;
            standing.failures = lane.failures;
            standing.pause = std::max(std::chrono::ceil<milliseconds>(lane.pausedUntil - now), milliseconds(0));
        }
    }
    return {std::move(attempts), std::move(standings)};
}

void DeliveryQueue::forgetBodies(const std::vector<Attempt>& attempts) {
    const std::lock_guard lock(_mutex);
    for (const Attempt& attempt : attempts) {
        const auto place = attempt.body ? _lanes.find(attempt.endpointId) : _lanes.end();
        if (place == _lanes.end())
            continue;
        if (Delivery* const delivery = place->second.deliveries.find(attempt.deliveryId)) {
            delivery->body.reset();
            delivery->hasStoredBody = true;
        }
    }
}

std::vector<DeliveryQueue::Idle> DeliveryQueue::idle() {
    const std::lock_guard lock(_mutex);
    std::vector<Idle> idle;
    const auto now = Clock::now();
    for (auto& [id, lane] : _lanes) {
        if (lane.underWay > 0 || lane.unwritten > 0)
            continue;
        if (lane.deliveries.empty()) {
            lane.isLeaving = !lane.hasMore && lane.loaded == lane.enqueued;
            if (lane.isLeaving)
                idle.push_back({id, lane.enqueued, std::nullopt});
            continue;
        }
        const auto next = std::max(lane.deliveries.earliestDue(), lane.pausedUntil);
        const bool seesAll = !lane.hasMore || lane.deliveries.size() >= REFILL_BELOW || lane.pausedUntil > now;
        lane.isLeaving = seesAll && next > now + IDLE_LIMIT;
        if (lane.isLeaving)
            idle.push_back({id, lane.enqueued, std::chrono::ceil<milliseconds>(next - now)});
    }
    return idle;
}

void DeliveryQueue::drop(std::int64_t endpointId) {
    Lanes::node_type dropped; // as in keepOnly()
    const std::lock_guard lock(_mutex);
    dropped = _lanes.extract(endpointId);
}

void DeliveryQueue::stay(std::int64_t endpointId) {
    const std::lock_guard lock(_mutex);
    if (const auto place = _lanes.find(endpointId); place != _lanes.end())
        place->second.isLeaving = false;
}

void DeliveryQueue::wake() {
    _changed.notify_one();
}

std::optional<Errand> DeliveryQueue::next() {
    std::unique_lock lock(_mutex);
    for (;;) {
        if (_isEnded)
            return std::nullopt;
        const auto now = Clock::now();
        if (now < _nextStart) {
            waitForStart(lock);
            continue;
        }
        if (auto errand = take(now)) {
            keepPace(now);
            if (!errand->isQuick || (!_isStartAwaited && !_isStoodBy)) // there may be one for somebody else, too
                _changed.notify_one();
            return errand;
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

/// From the endpoint behind the one that was served last, so that all have their turn.
std::optional<Errand> DeliveryQueue::take(Clock::time_point now) {
    if (_unwrittenBytes > MOST_UNWRITTEN)
        return std::nullopt;
    auto place = _lanes.upper_bound(_lastServed);
    for (std::size_t i = 0; i < _lanes.size(); ++i, ++place) {
        if (place == _lanes.end())
            place = _lanes.begin();
        Lane& lane = place->second;
        if (!maySend(lane, now))
            continue;
        const Delivery* const delivery = lane.deliveries.take(now);
        if (delivery == nullptr)
            continue;
        ++lane.underWay;
        _slowUnderWay += lane.isSlow ? 1 : 0;
        _lastServed = place->first;
        return Errand{lane.target, *delivery, lane.number, lane.isSlow, lane.isQuick};
    }
    return std::nullopt;
}

bool DeliveryQueue::maySend(const Lane& lane, Clock::time_point now) const {
    const std::size_t limit = lane.failures == 0 && !lane.isSlow ? _limits.perEndpoint : 1;
    return !lane.isLeaving && lane.underWay < limit && lane.underWay < lane.deliveries.size() &&
           lane.pausedUntil <= now && now + _limits.timeout + LEASE_MARGIN <= lane.leaseEnd &&
           (!lane.isSlow || _slowUnderWay < _limits.senders / 2);
}

/// What may be sent now is for the one who calls: it looks for the next at once.
void DeliveryQueue::finish(const Errand& errand, Attempt attempt) {
    const std::lock_guard lock(_mutex);
    _slowUnderWay -= errand.isSlow ? 1 : 0;
    const auto place = _lanes.find(attempt.endpointId);
    if (place != _lanes.end() && place->second.number == errand.lane)
        note(place->second, attempt);
    if (attempt.outcome != Attempt::Outcome::Undone) {
        _unwrittenBytes += attempt.body ? attempt.body->size() : 0;
        _attempts.push_back(std::move(attempt));
    }
}

void DeliveryQueue::note(Lane& lane, const Attempt& attempt) {
    Delivery* const delivery = lane.deliveries.find(attempt.deliveryId);
    if (delivery == nullptr)
        return;
    --lane.underWay;
    const auto now = Clock::now();
    if (attempt.outcome == Attempt::Outcome::Undone)
        return lane.deliveries.putBack(delivery->id, now + _limits.firstPause);
    ++lane.unwritten;
    lane.isSlow = attempt.took > SLOW;
    lane.isQuick = attempt.took <= QUICK;
    const bool isTaken = attempt.outcome == Attempt::Outcome::Delivered;
    lane.failures = isTaken ? 0 : lane.failures + 1;
    lane.pausedUntil = isTaken ? Clock::time_point() : now + pauseAfter(lane.failures);
    if (attempt.outcome == Attempt::Outcome::Retry) {
        delivery->attempts = attempt.attempts;
        if (attempt.body)
            delivery->body = attempt.body;
        lane.deliveries.putBack(delivery->id, now + attempt.pause);
    } else {
        lane.deliveries.remove(delivery->id);
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
