#include "host/server/Housekeeper.h"

#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace supplierd::host {

namespace {

using namespace std::chrono_literals;

constexpr std::int64_t BATCH = 1'000;

// An operation id is asked for within seconds after its transaction; an hour is plenty.
constexpr std::string_view PURGE_OPERATIONS = R"sql(
DELETE FROM operations WHERE created_at < NOW(6) - INTERVAL 1 HOUR ORDER BY created_at LIMIT 1000
)sql";

constexpr PeriodicThread::Pause FIRST = 5s;
constexpr PeriodicThread::Pause BETWEEN_ROUNDS = 60s;
constexpr PeriodicThread::Pause BETWEEN_BATCHES = 20ms;

} // namespace

OutdatedRows::OutdatedRows(Dependencies dependencies, Logger& log)
    : _thread(FIRST, [dependencies, &log] {
          try {
              return deleteSome(dependencies) ? BETWEEN_BATCHES : BETWEEN_ROUNDS;
          } catch (const std::exception& failure) {
              log.warning(std::string("outdated rows could not be deleted, next try in a minute: ") + failure.what());
              return BETWEEN_ROUNDS;
          }
      }) {}

bool OutdatedRows::deleteSome(const Dependencies& dependencies) {
    const bool moreKeys = dependencies.idempotency.purge();
    const std::int64_t operations = dependencies.database.execute(PURGE_OPERATIONS);
    bool moreEntries = false;
    if (dependencies.auditRetention > std::chrono::milliseconds::zero())
        dependencies.database.withWritingSession(
            [&](SqlSession& session) { moreEntries = dependencies.audit.purge(session, dependencies.auditRetention); });
    bool morePushes = false;
    if (dependencies.pushRetention > std::chrono::milliseconds::zero())
        dependencies.database.withWritingSession([&](SqlSession& session) {
            morePushes = dependencies.audit.purgePushes(session, dependencies.pushRetention);
        });
    const bool moreChanges = dependencies.changeRetention > std::chrono::milliseconds::zero() &&
                             ChangeLogStore().purge(dependencies.database, dependencies.changeRetention);
    return moreKeys || operations == BATCH || moreEntries || morePushes || moreChanges;
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto ROUND = std::chrono::seconds(5);
constexpr int ROUNDS_PER_SIGHT = 2;

constexpr PeriodicThread::Pause BETWEEN_IDENTIFICATIONS = 5s;
constexpr PeriodicThread::Pause BETWEEN_REFRESHES = 1'500ms;

} // namespace

Housekeeper::Housekeeper(Dependencies dependencies)
    : _deps(dependencies),
      _keyUse(dependencies.database, dependencies.audit),
      _outdated({dependencies.database, dependencies.idempotency, dependencies.audit, dependencies.auditRetention,
                 dependencies.pushRetention, dependencies.changeRetention},
                dependencies.log),
      _life(IdempotencyStore::SIGN_OF_LIFE, [this] { return showLife(); }),
      _databases(BETWEEN_IDENTIFICATIONS, [this] { return identifyDatabases(); }),
      _rateLimits(BETWEEN_REFRESHES, [this] { return refreshRateLimits(); }),
      _thread([this](const std::stop_token& stop) { run(stop); }) {}

bool Housekeeper::yield(std::chrono::milliseconds limit) {
    std::unique_lock lock(_mutex);
    _isAsked = true;
    _isSaved = false;
    _wake.notify_all();
    return _wake.wait_for(lock, limit, [this] { return !_isAsked; }) && _isSaved;
}

void Housekeeper::run(const std::stop_token& stop) {
    std::unique_lock lock(_mutex);
    auto nextRound = Clock::now(); // others see it at once
    for (int round = 0;;) {
        _wake.wait_until(lock, stop, nextRound, [this] { return _isAsked; });
        const bool stopping = stop.stop_requested();
        const bool asked = _isAsked;
        lock.unlock();
        const bool saved = tryTo("saving the rate limits", [this] { _deps.rateLimiter.save(_deps.database); });
        if (stopping)
            tryTo("withdrawing this server's presence", [this] { _deps.presence.withdraw(); });
        else if (asked)
            tryTo("leaving the other servers' sight", [this] { _deps.presence.leave(); });
        if (stopping || Clock::now() >= nextRound) {
            _deps.heap.trim();
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
    if (!stopping && round % ROUNDS_PER_SIGHT == 0)
        _deps.presence.renew();
    _keyUse.record(_deps.authenticator.takeUsedKeys(),
                   stopping ? KeyUseRecorder::Round::Last : KeyUseRecorder::Round::Ordinary);
}

bool Housekeeper::tryTo(const char* what, const std::function<void()>& action) {
    try {
        action();
        return true;
    } catch (const std::exception& failure) {
        _deps.log.warning(std::string(what) + " failed, next try in a few seconds: " + failure.what());
        return false;
    }
}

/// Two a second while the database is away: the log has the first failure.
PeriodicThread::Pause Housekeeper::showLife() {
    bool isShown = true;
    const auto attempt = [&](const std::function<void()>& action) {
        try {
            action();
        } catch (const std::exception& failure) {
            isShown = false;
            if (std::exchange(_wasShown, false))
                _deps.log.warning(std::string("the other servers were not shown that this one lives: ") +
                                  failure.what());
        }
    };
    attempt([this] { _deps.presence.followWriters(); });
    attempt([this] {
        if (_deps.idempotency.needsSignOfLife())
            _deps.presence.show();
        _deps.idempotency.releaseDeferred();
    });
    _wasShown = isShown;
    return IdempotencyStore::SIGN_OF_LIFE;
}

PeriodicThread::Pause Housekeeper::identifyDatabases() {
    tryTo("asking the servers of the database who they are", [this] { _deps.presence.identifyDatabases(); });
    return BETWEEN_IDENTIFICATIONS;
}

PeriodicThread::Pause Housekeeper::refreshRateLimits() {
    const bool isRead = tryTo("reading what other servers have counted for the rate limits",
                              [this] { _deps.rateLimiter.refresh(_deps.database.atWriter()); });
    return isRead ? BETWEEN_REFRESHES : PeriodicThread::Pause(ROUND);
}

} // namespace supplierd::host
