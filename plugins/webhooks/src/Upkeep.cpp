#include "Upkeep.h"

#include <algorithm>
#include <map>
#include <string>

namespace supplierd::webhooks {

namespace {

constexpr std::string_view SELECT_FAILING = R"sql(
SELECT q.endpoint_id FROM webhooks_queues q JOIN webhooks_endpoints e ON e.id = q.endpoint_id
WHERE q.failing_from <= (SELECT ran_at FROM webhooks_clock WHERE id = 1) - INTERVAL ? * 1000 MICROSECOND
    AND e.is_enabled = 1
)sql";

constexpr std::string_view SELECT_EXPIRED = R"sql(
SELECT d.id, d.endpoint_id
FROM webhooks_endpoints e JOIN webhooks_deliveries d FORCE INDEX (webhooks_deliveries_state)
    ON d.endpoint_id = e.id AND d.state = 0
WHERE e.is_enabled = 0 AND d.expires_at <= (SELECT ran_at FROM webhooks_clock WHERE id = 1) LIMIT 1000
)sql";

constexpr std::string_view TAKE_FROM_BACKLOG = R"sql(
UPDATE webhooks_queues SET backlog = GREATEST(backlog - ?, 0) WHERE endpoint_id = ?
)sql";

constexpr std::string_view END_EXPIRED = R"sql(
UPDATE webhooks_deliveries SET state = 2, error = 'the webhook was switched off until it was too late'
WHERE id = ? AND state = 0
)sql";

constexpr std::string_view DELETE_OLD = R"sql(
DELETE FROM webhooks_deliveries WHERE state <> 0 AND created_at < NOW(6) - INTERVAL ? * 1000 MICROSECOND
ORDER BY id LIMIT 1000
)sql";

constexpr std::string_view DELETE_OF_DELETED = R"sql(
DELETE d FROM webhooks_deliveries d JOIN (
    SELECT w.id FROM webhooks_endpoints e JOIN webhooks_deliveries w ON w.endpoint_id = e.id
    WHERE e.deleted_at < NOW(6) - INTERVAL 1 MINUTE LIMIT 1000) old ON old.id = d.id
)sql";

constexpr std::string_view SELECT_DELETED = R"sql(
SELECT e.id FROM webhooks_endpoints e
WHERE e.deleted_at < NOW(6) - INTERVAL 1 MINUTE
    AND NOT EXISTS (SELECT 1 FROM webhooks_deliveries d WHERE d.endpoint_id = e.id) LIMIT 100
)sql";

constexpr std::string_view DELETE_QUEUE = "DELETE FROM webhooks_queues WHERE endpoint_id = ?";
constexpr std::string_view DELETE_DELETED = "DELETE FROM webhooks_endpoints WHERE id = ?";

constexpr std::string_view SUM_BACKLOG = "SELECT COALESCE(SUM(backlog), 0) FROM webhooks_queues";

std::vector<std::int64_t> idsIn(Rows& rows) {
    std::vector<std::int64_t> ids;
    while (rows.next())
        ids.push_back(rows.integer(0));
    return ids;
}

/// Of endpoints that are switched off; those of others are tried once more before they fail.
std::int64_t endExpired(Transaction& transaction) {
    std::vector<std::int64_t> deliveries;
    std::map<std::int64_t, std::int64_t> counts;
    Rows& rows = transaction.query(SELECT_EXPIRED);
    while (rows.next()) {
        deliveries.push_back(rows.integer(0));
        ++counts[rows.integer(1)];
    }
    for (const auto& [endpointId, count] : counts)
        transaction.execute(TAKE_FROM_BACKLOG, {count, endpointId});
    for (const std::int64_t id : deliveries)
        transaction.execute(END_EXPIRED, {id});
    return static_cast<std::int64_t>(deliveries.size());
}

std::int64_t removeDeleted(Transaction& transaction) {
    const auto endpoints = idsIn(transaction.query(SELECT_DELETED));
    for (const std::int64_t id : endpoints) {
        transaction.execute(DELETE_QUEUE, {id});
        transaction.execute(DELETE_DELETED, {id});
    }
    return static_cast<std::int64_t>(endpoints.size());
}

} // namespace

Upkeep::Upkeep(EndpointStore& endpoints, Metrics& metrics, const Settings& settings)
    : _endpoints(endpoints),
      _settings(settings),
      _waiting(metrics.gauge("waiting_deliveries", "Deliveries that wait, of all endpoints, as of the last upkeep")) {}

void Upkeep::run(JobRun& run) {
    disableFailing(run);
    const auto expired = run.inPieces(endExpired);
    const auto old = run.inPieces(
        [&](Transaction& transaction) { return transaction.execute(DELETE_OLD, {_settings.keep.count()}); });
    const auto ofDeleted =
        run.inPieces([](Transaction& transaction) { return transaction.execute(DELETE_OF_DELETED); });
    run.inPieces(removeDeleted);
    measure(run);
    run.report("removed " + std::to_string(old + ofDeleted) + " deliveries, ended " + std::to_string(expired));
}

void Upkeep::disableFailing(JobRun& run) {
    run.withTransaction([&](Transaction& transaction) {
        for (const std::int64_t id : idsIn(transaction.query(SELECT_FAILING, {_settings.disableAfter.count()})))
            _endpoints.disable(transaction, id, DisabledReason::FAILING);
    });
}

void Upkeep::measure(JobRun& run) {
    run.withTransaction([&](Transaction& transaction) {
        Rows& row = transaction.query(SUM_BACKLOG);
        _waiting.set(row.next() ? static_cast<double>(row.integer(0)) : 0);
    });
}

} // namespace supplierd::webhooks
