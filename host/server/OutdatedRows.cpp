#include "host/server/OutdatedRows.h"

#include <chrono>
#include <exception>
#include <string>

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

OutdatedRows::OutdatedRows(PooledDatabase& database, IdempotencyStore& idempotency, Logger& log)
    : _thread(FIRST, [&database, &idempotency, &log] {
          try {
              return deleteSome(database, idempotency) ? BETWEEN_BATCHES : BETWEEN_ROUNDS;
          } catch (const std::exception& failure) {
              log.warning(std::string("outdated rows could not be deleted, next try in a minute: ") + failure.what());
              return BETWEEN_ROUNDS;
          }
      }) {}

bool OutdatedRows::deleteSome(PooledDatabase& database, IdempotencyStore& idempotency) {
    const bool moreKeys = idempotency.purge();
    const std::int64_t operations =
        database.read([](SqlSession& session) { return session.execute(PURGE_OPERATIONS); });
    return moreKeys || operations == BATCH;
}

} // namespace supplierd::host
