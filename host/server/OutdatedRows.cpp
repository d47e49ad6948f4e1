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

OutdatedRows::OutdatedRows(Parts parts, Logger& log)
    : _thread(FIRST, [parts, &log] {
          try {
              return deleteSome(parts) ? BETWEEN_BATCHES : BETWEEN_ROUNDS;
          } catch (const std::exception& failure) {
              log.warning(std::string("outdated rows could not be deleted, next try in a minute: ") + failure.what());
              return BETWEEN_ROUNDS;
          }
      }) {}

bool OutdatedRows::deleteSome(const Parts& parts) {
    const bool moreKeys = parts.idempotency.purge();
    const std::int64_t operations = parts.database.execute(PURGE_OPERATIONS);
    bool moreEntries = false;
    if (parts.auditRetention > parts.auditRetention.zero())
        parts.database.withWritingSession(
            [&](SqlSession& session) { moreEntries = parts.audit.purge(session, parts.auditRetention); });
    const bool moreChanges = parts.changeRetention > parts.changeRetention.zero() &&
                             ChangeLogStore().purge(parts.database, parts.changeRetention);
    return moreKeys || operations == BATCH || moreEntries || moreChanges;
}

} // namespace supplierd::host
