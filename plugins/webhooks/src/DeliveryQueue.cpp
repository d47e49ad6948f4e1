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
    const auto [place, isNew] = _lanes.try_emplace(target->endpointId);
    Lane& lane = place->second;
    if (isNew) {
        lane.number = ++_lastLane;
        lane.failures = failures;
        lane.share = &_shares[target->supplierId];
        ++lane.share->lanes;
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
            dropped.push_back(extract(lane));
        lane = next;
    }
}

std::size_t DeliveryQueue::count() const {
    const std::lock_guard lock(_mutex);
    return _lanes.size();
}

std::vector<DeliveryQueue::Wanted> DeliveryQueue::wanted() const {
    const std::lock_guard lock(_mutex);
    using Place = std::tuple<bool, std::chrono::nanoseconds, std::size_t>;
    std::vector<std::pair<Place, Wanted>> lanes;
    for (const auto& [id, lane] : _lanes)
        if ((lane.hasMore || lane.loaded != lane.enqueued) && lane.deliveries.size() < REFILL_BELOW)
            lanes.push_back({{!lane.deliveries.empty(), lane.share->turn, lane.deliveries.size()}, {id, lane.lastId}});
    std::ranges::stable_sort(lanes, {}, &std::pair<Place, Wanted>::first);
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
    if (const auto place = _lanes.find(endpointId); place != _lanes.end())
        dropped = extract(place);
}

DeliveryQueue::Lanes::node_type DeliveryQueue::extract(Lanes::iterator place) {
    --place->second.share->lanes;
    dropShare(place->second.target->supplierId);
    return _lanes.extract(place);
}

/// Unless it has something, or has had more than the others.
void DeliveryQueue::dropShare(std::int64_t supplierId) {
    const auto place = _shares.find(supplierId);
    const Share& share = place->second;
    if (share.lanes == 0 && share.underWay == 0 && share.turn <= _turn)
        _shares.erase(place);
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

std::optional<Errand> DeliveryQueue::take(Clock::time_point now) {
    Lane* const lane = nextLane(now);
    if (lane == nullptr)
        return std::nullopt;
    const Delivery* const delivery = lane->deliveries.take(now);
    Share& share = *lane->share;
    _turn = std::max(_turn, share.turn);
    share.turn = _turn + std::chrono::nanoseconds(std::chrono::seconds(1)) / _limits.perSecond;
    ++share.underWay;
    ++_underWay;
    ++lane->underWay;
    lane->lastStart = ++_starts;
    Errand errand{lane->target, *delivery, lane->number, lane->isQuick, {}};
    if (lacksBody(*errand.target, errand.delivery))
        addWithoutBody(errand, *lane, now);
    return errand;
}

void DeliveryQueue::addWithoutBody(Errand& errand, Lane& lane, Clock::time_point now) {
    errand.isQuick = false;
    errand.withoutBody.push_back(errand.delivery);
    while (errand.withoutBody.size() < BODIES_AT_ONCE && lane.deliveries.isReady(now)) {
        const Delivery& other = *lane.deliveries.take(now);
        if (!lacksBody(*lane.target, other))
            return lane.deliveries.putBack(other.id, now);
        errand.withoutBody.push_back(other);
    }
}

void DeliveryQueue::putBack(Errand& errand, std::size_t written) {
    const auto bodies = std::exchange(errand.withoutBody, {});
    const std::lock_guard lock(_mutex);
    const auto place = _lanes.find(errand.target->endpointId);
    if (place == _lanes.end() || place->second.number != errand.lane)
        return;
    const auto due = Clock::now() + (written > 0 ? milliseconds(0) : _limits.firstPause);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        OrderedDeliveries& deliveries = place->second.deliveries;
        deliveries.find(bodies[i].id)->hasStoredBody = i < written;
        if (bodies[i].id != errand.delivery.id)
            deliveries.putBack(bodies[i].id, due);
    }
    _changed.notify_one();
}

/// Of the supplier whose turn it is, the endpoint that was served longest ago. Null: there is nothing to be sent now.
DeliveryQueue::Lane* DeliveryQueue::nextLane(Clock::time_point now) {
    Lane* next = nullptr;
    const auto isBefore = [](const Lane& one, const Lane& other) {
        return std::tie(one.share->turn, one.lastStart) < std::tie(other.share->turn, other.lastStart);
    };
    for (auto& [id, lane] : _lanes)
        if ((next == nullptr || isBefore(lane, *next)) && maySend(lane, now) && lane.deliveries.isReady(now))
            next = &lane;
    return next;
}

/// How many more than now.
std::size_t DeliveryQueue::sendersFor(const Share& share) const {
    const std::size_t free = _limits.senders - std::min(_underWay, _limits.senders);
    const std::size_t kept = FREE_FOR_EACH * share.underWay;
    return free > kept ? (free - kept + FREE_FOR_EACH) / (FREE_FOR_EACH + 1) : 0;
}

/// What a supplier may have is not for one of its endpoints alone either.
bool DeliveryQueue::maySend(const Lane& lane, Clock::time_point now) const {
    const std::size_t limit = std::min(lane.failures == 0 ? _limits.perEndpoint : 1, sendersFor(*lane.share));
    return !lane.isLeaving && lane.underWay < limit && lane.underWay < lane.deliveries.size() &&
           lane.pausedUntil <= now && now + _limits.timeout + LEASE_MARGIN <= lane.leaseEnd;
}

/// What may be sent now is for the one who calls: it looks for the next at once.
void DeliveryQueue::finish(const Errand& errand, Attempt attempt) {
    const std::lock_guard lock(_mutex);
    Share& share = _shares.at(errand.target->supplierId);
    share.turn += attempt.took;
    --share.underWay;
    --_underWay;
    dropShare(errand.target->supplierId);
    const auto place = _lanes.find(attempt.endpointId);
    if (place != _lanes.end() && place->second.number == errand.lane)
        note(place->second, attempt);
    if (attempt.outcome != Attempt::Outcome::Undone)
        _attempts.push_back(std::move(attempt));
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
    lane.isQuick = attempt.took <= QUICK;
    const bool isTaken = attempt.outcome == Attempt::Outcome::Delivered;
    lane.failures = isTaken ? 0 : lane.failures + 1;
    lane.pausedUntil = isTaken ? Clock::time_point() : now + pauseAfter(lane.failures);
    if (attempt.outcome == Attempt::Outcome::Retry) {
        delivery->attempts = attempt.attempts;
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
