#include "host/server/Housekeeper.h"

#include <chrono>

namespace supplierd::host {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto ROUND = std::chrono::seconds(5);
constexpr int ROUNDS_PER_PURGE = 12;

/// Leases are looked at this often within one.
constexpr int LOOKS_PER_LEASE = 6;

} // namespace

Housekeeper::Housekeeper(Parts parts)
    : _parts(parts),
      _keyUse(parts.database, parts.audit),
      _rateLimits(parts.database, parts.rateLimiter),
      _outdated({parts.database, parts.idempotency, parts.audit, parts.auditRetention, parts.changeRetention},
                parts.log),
      _leases(parts.lease / LOOKS_PER_LEASE, [this] { return renewLeases(); }),
      _thread([this] { run(); }) {}

Housekeeper::~Housekeeper() {
    {
        const std::lock_guard lock(_mutex);
        _stopping = true;
    }
    _wake.notify_all();
    _thread.join();
}

bool Housekeeper::saveRateLimits(std::chrono::milliseconds limit) {
    std::unique_lock lock(_mutex);
    _isAsked = true;
    _isSaved = false;
    _wake.notify_all();
    return _wake.wait_for(lock, limit, [this] { return !_isAsked; }) && _isSaved;
}

void Housekeeper::run() {
    std::unique_lock lock(_mutex);
    auto nextRound = Clock::now() + ROUND;
    for (int round = 0;;) {
        _wake.wait_until(lock, nextRound, [this] { return _stopping || _isAsked; });
        const bool stopping = _stopping;
        const bool asked = _isAsked;
        lock.unlock();
        const bool saved = tryTo("saving the rate limits", [this] { _rateLimits.save(); });
        if (stopping || Clock::now() >= nextRound) {
            _parts.heap.trim();
            tryTo("housekeeping", [&] { work(round++, stopping); });
            nextRound = Clock::now() + ROUND;
        }
        if (stopping)
            return;
        lock.lock();
        if (asked) {
            _isAsked = false;
            _isSaved = saved;
            _wake.notify_all();
        }
    }
}

void Housekeeper::work(int round, bool stopping) {
    _parts.idempotency.releaseLeftOver();
    _keyUse.record(_parts.authenticator.takeUsedKeys(),
                   stopping ? KeyUseRecorder::Round::Last : KeyUseRecorder::Round::Ordinary);
    if (!stopping && round % ROUNDS_PER_PURGE == 0)
        purge();
}

bool Housekeeper::tryTo(const char* what, const std::function<void()>& action) {
    try {
        action();
        return true;
    } catch (const std::exception& failure) {
        _parts.log.warning(std::string(what) + " failed, next try in a few seconds: " + failure.what());
        return false;
    }
}

void Housekeeper::purge() {
    _parts.rateLimiter.forgetEnded();
}

PeriodicThread::Pause Housekeeper::renewLeases() {
    try {
        _parts.idempotency.renewLeases();
    } catch (const std::exception& failure) {
        _parts.log.warning(std::string("leases of running requests were not renewed: ") + failure.what());
    }
    return _parts.lease / LOOKS_PER_LEASE;
}

} // namespace supplierd::host
