#include "host/server/Housekeeper.h"

#include <chrono>
#include <ctime>

namespace supplierd::host {

namespace {

// An operation id is asked for within seconds after its transaction; an hour is plenty.
constexpr std::string_view PURGE_OPERATIONS = R"sql(
DELETE FROM operations WHERE created_at < NOW(6) - INTERVAL 1 HOUR ORDER BY created_at LIMIT 1000
)sql";

constexpr auto ROUND = std::chrono::seconds(5);
constexpr int ROUNDS_PER_PURGE = 12;
constexpr int MAX_BATCHES = 50;

} // namespace

Housekeeper::Housekeeper(Parts parts)
    : _parts(parts), _keyUse(parts.database, parts.audit), _thread([this] { run(); }) {}

Housekeeper::~Housekeeper() {
    {
        const std::lock_guard lock(_mutex);
        _stopping = true;
    }
    _wake.notify_all();
    _thread.join();
}

void Housekeeper::run() {
    std::unique_lock lock(_mutex);
    for (int round = 0;; ++round) {
        const bool stopping = _wake.wait_for(lock, ROUND, [this] { return _stopping; });
        lock.unlock();
        try {
            _parts.idempotency.releaseLeftOver();
            _keyUse.record(_parts.authenticator.takeUsedKeys(),
                           stopping ? KeyUseRecorder::Round::Last : KeyUseRecorder::Round::Ordinary);
            if (!stopping && round % ROUNDS_PER_PURGE == 0)
                purge();
        } catch (const std::exception& failure) {
            _parts.log.warning(std::string("housekeeping failed, next try in a few seconds: ") + failure.what());
        }
        if (stopping)
            return;
        lock.lock();
    }
}

void Housekeeper::purge() {
    _parts.rateLimiter.forgetEnded(static_cast<std::int64_t>(std::time(nullptr)));
    for (int batch = 0; batch < MAX_BATCHES && _parts.idempotency.purge(); ++batch)
        continue;
    for (int batch = 0; batch < MAX_BATCHES; ++batch)
        if (_parts.database.read([](SqlSession& session) { return session.execute(PURGE_OPERATIONS); }) < 1000)
            break;
}

} // namespace supplierd::host
