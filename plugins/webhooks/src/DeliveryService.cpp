#include "DeliveryService.h"

#include "DeliveryClock.h"

#include <supplierd/Errors.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace supplierd::webhooks {

namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

/// Between two looks while there are endpoints to serve, and while there are none.
constexpr milliseconds BUSY_INTERVAL = 50ms;
constexpr milliseconds QUIET_INTERVAL = 500ms;
/// After somebody said that there may be something new, which is not committed as yet.
constexpr milliseconds EAGER_INTERVAL = 10ms;
constexpr int EAGER_LOOKS = 20;
/// Results are collected for so long, to be written together.
constexpr milliseconds COLLECT_INTERVAL = 50ms;
constexpr milliseconds PAUSE_AFTER_FAILURE = 1s;
/// That requests under way have to end by themselves when the server stops.
constexpr milliseconds LAST_MOMENT = 2s;
/// Endpoints that a server has at once; others may have the rest.
constexpr std::size_t MAX_LEASED = 512;
constexpr std::size_t CLAIMED_AT_ONCE = 32;
/// Of one endpoint. Little, and of few endpoints at a time: requests wait while both processors are busy with it.
constexpr std::size_t LOADED_AT_ONCE = 100;
constexpr std::size_t LOADED_IN_A_LOOK = 300;
/// As long as the servers take to know that a supplier's keys are kept out.
constexpr milliseconds SUPPLIERS_INTERVAL = 2s;
constexpr milliseconds CLOCK_INTERVAL = 5s;

} // namespace

DeliveryService::DeliveryService(const Sender::Dependencies& dependencies, EndpointStore& endpoints,
                                 const Settings& settings)
    : _deps(dependencies),
      _settings(settings),
      _endpoints(endpoints),
      _queue(
          {settings.senders, settings.sendersPerEndpoint, settings.perSecond, settings.timeout, settings.firstPause}),
      _store(_deps.crypto.randomToken(16), settings.lease()),
      _leased(_deps.metrics.gauge("leased_endpoints", "Endpoints whose deliveries this server works off now")) {
    _sender.emplace(_deps, _settings);
}

DeliveryService::~DeliveryService() {
    stop();
}

void DeliveryService::start() {
    _keeper = std::thread([this] { run(); });
    _sending = _settings.senders;
    for (std::size_t i = 0; i < _settings.senders; ++i)
        _senders.emplace_back([this] { send(); });
}

void DeliveryService::send() {
    _sender->run(_queue);
    const std::lock_guard lock(_mutex);
    --_sending;
    _changed.notify_all();
}

void DeliveryService::stop() noexcept {
    _queue.end();
    {
        std::unique_lock lock(_mutex);
        _changed.wait_for(lock, LAST_MOMENT, [this] { return _sending == 0; });
    }
    _sender->stop();
    for (std::thread& thread : std::exchange(_senders, {}))
        thread.join();
    {
        const std::lock_guard lock(_mutex);
        _isStopping = true;
    }
    _changed.notify_all();
    if (_keeper.joinable())
        _keeper.join();
}

void DeliveryService::wake() {
    {
        const std::lock_guard lock(_mutex);
        _isWoken = true;
    }
    _changed.notify_all();
}

void DeliveryService::run() {
    bool isStopping = false;
    while (!isStopping) {
        milliseconds pause = QUIET_INTERVAL;
        try {
            const bool hasMore = work();
            pause = hasMore ? COLLECT_INTERVAL : _queue.count() > 0 ? BUSY_INTERVAL : QUIET_INTERVAL;
        } catch (const std::exception& problem) {
            _deps.log.warning("deliveries of webhooks wait for the database",
                              {{"reason", std::string(problem.what())}});
            pause = PAUSE_AFTER_FAILURE;
        }
        waitFor(pause);
        const std::lock_guard lock(_mutex);
        isStopping = _isStopping;
    }
    try {
        record();
        _store.releaseAll(_deps.database);
    } catch (const std::exception& problem) { // the leases end by themselves
        _deps.log.warning("webhooks were not given back", {{"reason", std::string(problem.what())}});
    }
}

bool DeliveryService::work() {
    lookAtClock();
    bool hasMore = record();
    if (takeLeases()) {
        learnLeases();
        hasMore = load() || hasMore;
        giveBack();
    }
    _queue.wake();
    _leased.set(static_cast<double>(_queue.count()));
    return hasMore;
}

/// What was sent counts as sent once this is committed. A second time it is taken from where it failed before.
bool DeliveryService::record() {
    if (_attempts.empty())
        std::tie(_attempts, _states) = _queue.takeAttempts();
    if (_attempts.empty())
        return false;
    _deps.database.withTransaction([&](Transaction& transaction) {
        const auto failedForLong = DeliveryStore::record(transaction, _attempts, _states, _settings.disableAfter);
        for (const Attempt& attempt : _attempts)
            if (attempt.outcome == Attempt::Outcome::Gone)
                _endpoints.disable(transaction, attempt.endpointId, DisabledReason::GONE);
        for (const std::int64_t endpointId : failedForLong)
            _endpoints.disable(transaction, endpointId, DisabledReason::FAILING);
    });
    _attempts.clear();
    return true;
}

/// Often enough for what goes by it.
void DeliveryService::lookAtClock() {
    const auto now = Clock::now();
    if (now < _nextClockLook)
        return;
    milliseconds back{0};
    _deps.database.withTransaction(
        [&](Transaction& transaction) { back = DeliveryClock::look(transaction, _settings.lease()); });
    _nextClockLook = now + std::min({CLOCK_INTERVAL, _settings.retryFor / 4, _settings.disableAfter / 4});
    if (back > 0ms)
        _deps.log.warning("the database's clock was put back; deliveries go on",
                          {{"by_ms", std::int64_t{back.count()}}});
}

/// Whether there are any.
bool DeliveryService::takeLeases() {
    const auto now = Clock::now();
    if (now >= _nextRenewal && _queue.count() > 0) {
        _store.renew(_deps.database);
        _nextRenewal = now + _settings.lease() / 6;
    }
    const std::size_t count = _queue.count();
    std::size_t claimed = 0;
    if (now >= _nextClaim && count < MAX_LEASED) {
        claimed = _store.claim(_deps.database, std::min(CLAIMED_AT_ONCE, MAX_LEASED - count));
        _nextClaim = claimed == CLAIMED_AT_ONCE || count == 0 ? now : now + BUSY_INTERVAL;
        if (claimed > 0 && count == 0)
            _nextRenewal = now + _settings.lease() / 6;
    }
    return count + claimed > 0;
}

void DeliveryService::learnLeases() {
    const auto all = _deps.database.read([&](SqlSession& session) { return _store.leased(session); });
    learnSuppliers(all);
    std::vector<std::int64_t> endpoints;
    std::vector<std::int64_t> held;
    for (const Leased& leased : all) {
        if (!_isVerified[leased.target.supplierId]) {
            held.push_back(leased.target.endpointId);
            continue;
        }
        endpoints.push_back(leased.target.endpointId);
        _queue.own(std::make_shared<const Target>(leased.target), leased.failures, leased.enqueued, leased.leaseEnd);
    }
    _queue.keepOnly(endpoints);
    for (const std::int64_t endpointId : held)
        _store.hold(_deps.database, endpointId, _settings.lease());
}

/// Who may not ask is not told either: what changes waits until the supplier is verified again.
void DeliveryService::learnSuppliers(const std::vector<Leased>& leased) {
    const auto now = Clock::now();
    if (now >= _suppliersUntil)
        _isVerified.clear();
    std::vector<std::int64_t> unknown;
    for (const Leased& one : leased)
        if (!_isVerified.contains(one.target.supplierId))
            unknown.push_back(one.target.supplierId);
    if (unknown.empty())
        return;
    const auto found = _deps.database.read(
        [&](SqlSession& session) { return _deps.objects.accounts->findSuppliers(session, unknown); });
    if (_isVerified.empty())
        _suppliersUntil = now + SUPPLIERS_INTERVAL;
    for (const Supplier& supplier : found)
        _isVerified[supplier.id] = supplier.status == "verified";
}

/// Some of what is wanted, twice as much as can be sent until the next look.
bool DeliveryService::load() {
    const auto wanted = _queue.wanted();
    if (wanted.empty())
        return false;
    const auto sent = static_cast<std::size_t>(_settings.perSecond) * COLLECT_INTERVAL / 1s;
    const std::size_t enough = std::max(LOADED_IN_A_LOOK, 2 * sent);
    std::vector<std::pair<std::int64_t, std::vector<Delivery>>> loaded;
    _deps.database.withSession([&](SqlSession& session) {
        loaded.clear();
        std::size_t count = 0;
        for (auto next = wanted.begin(); next != wanted.end() && count < enough; ++next) {
            auto deliveries = DeliveryStore::load(session, next->endpointId, next->after, LOADED_AT_ONCE);
            count += deliveries.size();
            loaded.emplace_back(next->endpointId, std::move(deliveries));
        }
    });
    bool hasMore = loaded.size() < wanted.size();
    for (auto& [endpointId, deliveries] : loaded) {
        const bool isAll = deliveries.size() < LOADED_AT_ONCE;
        hasMore = hasMore || !deliveries.empty();
        _queue.add(endpointId, std::move(deliveries), isAll);
    }
    return hasMore;
}

void DeliveryService::giveBack() {
    for (const auto& idle : _queue.idle())
        if (_store.release(_deps.database, idle))
            _queue.drop(idle.endpointId);
        else
            _queue.stay(idle.endpointId);
}

void DeliveryService::waitFor(milliseconds pause) {
    std::unique_lock lock(_mutex);
    if (_eagerLooks > 0 && --_eagerLooks > 0)
        pause = std::min(pause, EAGER_INTERVAL);
    _changed.wait_for(lock, pause, [this] { return _isWoken || _isStopping; });
    if (std::exchange(_isWoken, false))
        _eagerLooks = EAGER_LOOKS;
}

} // namespace supplierd::webhooks
