#include "host/db/DatabaseRun.h"

#include "host/db/Connector.h"
#include "host/db/Retries.h"
#include "host/db/changes/ChangeLogStore.h"

#include <mysql/mysql.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace supplierd::host {

namespace {

// What is the same from a start of the server to its end, and never again: when it started, to the second, and what its
// UUIDs end with, which is random. Of Galera also the cluster. Who asks while the second turns may find the next one or
// the one before, so the run is the noted one that started about then.
constexpr std::string_view SELECT_RUN = R"sql(
SELECT CONCAT_WS(' ', r.start, r.rest), r.server, r.cluster <> '',
    (SELECT k.run FROM database_runs k
     WHERE k.run LIKE CONCAT('% ', r.rest) AND ABS(SUBSTRING_INDEX(k.run, ' ', 1) - r.start) <= 2
     LIMIT 1),
    (SELECT change_seq FROM supplier_state WHERE supplier_id = 0)
FROM (SELECT UNIX_TIMESTAMP() - MAX(s.uptime) AS start,
          CONVERT(CONCAT_WS(' ', RIGHT(UUID(), 17), MAX(s.cluster)) USING utf8mb4) COLLATE utf8mb4_bin AS rest,
          CONVERT(CONCAT_WS(' ', @@hostname, @@port, @@datadir) USING utf8mb4) COLLATE utf8mb4_bin AS server,
          COALESCE(MAX(s.cluster), '') AS cluster
      FROM (SELECT IF(variable_name = 'Uptime', CAST(variable_value AS SIGNED), 0) AS uptime,
                IF(variable_name = 'wsrep_cluster_state_uuid', variable_value, '') AS cluster
            )sql";
constexpr std::string_view OF_STATUS = R"sql(
            WHERE variable_name IN ('Uptime', 'wsrep_cluster_state_uuid')) s) r
)sql";
constexpr std::string_view STATUS_OF_MARIADB = "FROM information_schema.global_status";
constexpr std::string_view STATUS_OF_MYSQL = "FROM performance_schema.global_status";

constexpr std::string_view INSERT_RUN = "INSERT IGNORE INTO database_runs (run, server) VALUES (?, ?)";
constexpr std::string_view SELECT_OTHERS = R"sql(
SELECT COUNT(*), COUNT(IF(server = ?, 1, NULL)) FROM database_runs WHERE run <> ?
)sql";
constexpr std::string_view DELETE_OTHERS = "DELETE FROM database_runs WHERE run <> ?";

constexpr std::string_view LOCK_NUMBER = "SELECT change_seq FROM supplier_state WHERE supplier_id = 0 FOR UPDATE";

constexpr unsigned NO_DATABASE = 1046;
constexpr unsigned NO_SUCH_TABLE = 1146;

struct DatabaseRun {
    std::string id;
    std::string server;
    bool isOfCluster = false;
    bool isKnown = true;
    std::int64_t number = 0; ///< the marketplace's last one
};

std::string selectRun(PooledSession& session) {
    return std::string(SELECT_RUN)
        .append(isMariaDb(handleOf(session.poco())) ? STATUS_OF_MARIADB : STATUS_OF_MYSQL)
        .append(OF_STATUS);
}

DatabaseRun readRun(PooledSession& session) {
    try {
        Rows& row = session.query(selectRun(session));
        row.next();
        const auto noted = row.maybeText(3);
        return {noted.value_or(std::string(row.text(0))), std::string(row.text(1)), row.boolean(2), noted.has_value(),
                row.integer(4)};
    } catch (const DatabaseError& error) {
        if (error.code() == NO_SUCH_TABLE || error.code() == NO_DATABASE)
            return {};
        throw;
    }
}

/// Whether numbers were raised. Of all sessions that meet the run at once one does it, and the others wait for that.
bool begin(PooledSession& session, const DatabaseRun& run) {
    session.begin();
    if (session.execute(INSERT_RUN, {run.id, run.server}) == 0) {
        session.rollback();
        return false;
    }
    Rows& row = session.query(SELECT_OTHERS, {run.server, run.id});
    row.next();
    const bool isFirst = row.integer(0) == 0;
    const bool isRestart = run.isOfCluster || row.integer(1) > 0;
    // A server that is left and comes back may have lost something meanwhile, but a member of a cluster gets it again.
    if (!run.isOfCluster)
        session.execute(DELETE_OTHERS, {run.id});
    if (!isFirst)
        ChangeLogStore::skipNumbers(session, isRestart);
    session.prepareCommit();
    session.commit();
    return !isFirst;
}

/// A crash has taken back the raise of the run that this process knew, before it was on the disk, and this one's gave
/// the same numbers, or lower ones when a crash before had done so, too. What others remember of those runs cannot be
/// told from what is there: nobody goes on.
bool raiseAbove(PooledSession& session, std::int64_t raises) {
    session.begin();
    Rows& row = session.query(LOCK_NUMBER);
    const std::int64_t before = row.next() ? ChangeLogStore::raises(row.integer(0)) : 0;
    for (std::int64_t now = before; now <= raises; ++now)
        ChangeLogStore::skipNumbers(session, false);
    session.prepareCommit();
    session.commit();
    return before <= raises;
}

template <class Work>
bool repeatedly(PooledSession& session, const Work& work) {
    for (Retries repeats;;) {
        try {
            return work();
        } catch (const DatabaseError& error) {
            session.rollback();
            if (!error.isRetryable() || !repeats.take() || !repeats.isInTime())
                throw;
            repeats.pause();
        }
    }
}

} // namespace

void noteDatabaseRun(PooledSession& session, KnownRun& known, Logger* log) {
    DatabaseRun run = readRun(session);
    bool isRaised = false;
    if (!run.isKnown) {
        isRaised = repeatedly(session, [&] { return begin(session, run); });
        run = readRun(session);
    }
    if (!run.isOfCluster) {
        const std::lock_guard lock(known.mutex);
        if (run.id != known.id) {
            if (!known.id.empty() && ChangeLogStore::raises(run.number) <= known.raises) {
                isRaised = repeatedly(session, [&] { return raiseAbove(session, known.raises); }) || isRaised;
                run = readRun(session);
            }
            known.id = run.id;
            known.raises = ChangeLogStore::raises(run.number);
        }
    }
    if (isRaised && log)
        log->warning("the database was restarted, or goes on with another server: the change numbers of all suppliers "
                     "were raised, so that what it may have lost is not remembered",
                     {{"run", run.id}});
}

} // namespace supplierd::host
