#include "EndpointCheck.h"

#include "EndpointStore.h"

#include <string>
#include <string_view>

namespace supplierd::webhooks {

namespace {

// Who is off on purpose (by its owner, an operator, or by answering 410) is none of them.
constexpr std::string_view SELECT_STANDING = R"sql(
SELECT
    COALESCE(SUM(e.is_enabled = 0 AND e.disabled_reason IN (?, ?) AND e.disabled_at > NOW(6) - INTERVAL 7 DAY), 0),
    COALESCE(SUM(e.is_enabled = 1 AND q.failing_since < NOW(6) - INTERVAL 1 DAY), 0)
FROM webhooks_endpoints e JOIN webhooks_queues q ON q.endpoint_id = e.id
WHERE e.deleted_at IS NULL
)sql";

// Of endpoints that take what comes and that nothing keeps from being called.
constexpr std::string_view COUNT_LATE = R"sql(
SELECT COUNT(*)
FROM webhooks_endpoints e JOIN webhooks_queues q ON q.endpoint_id = e.id
WHERE e.deleted_at IS NULL AND e.is_enabled = 1 AND q.backlog > 0 AND q.failing_since IS NULL
    AND (q.paused_until IS NULL OR q.paused_until <= NOW(6))
    AND (SELECT d.created_at FROM webhooks_deliveries d FORCE INDEX (webhooks_deliveries_state)
         WHERE d.endpoint_id = e.id AND d.state = 0 ORDER BY d.id LIMIT 1) < NOW(6) - INTERVAL 1 HOUR
)sql";

std::string counted(std::int64_t count) {
    return count == 1 ? "1 webhook " : std::to_string(count) + " webhooks ";
}

CheckResult check(Database& database) {
    return database.snapshot([](SqlSession& session) {
        Rows& standing = session.query(SELECT_STANDING, {DisabledReason::FAILING, DisabledReason::BACKLOG});
        standing.next();
        const std::int64_t off = standing.integer(0);
        const std::int64_t failing = standing.integer(1);
        Rows& late = session.query(COUNT_LATE);
        late.next();
        if (const std::int64_t count = late.integer(0); count > 0)
            return CheckResult{CheckResult::Level::Warning,
                               "deliveries wait for more than an hour for " + counted(count) + "that would take them",
                               "look whether a server runs with the plugin, and raise plugins.webhooks.senders"};
        std::string found;
        if (failing > 0)
            found = counted(failing) + (failing == 1 ? "has" : "have") + " taken nothing for a day";
        if (off > 0)
            found += (found.empty() ? "" : "; ") + counted(off) + (off == 1 ? "was" : "were") +
                     " switched off for it within the last 7 days";
        if (!found.empty())
            return CheckResult{CheckResult::Level::Warning, found,
                               "tell their owners: supplierctl webhooks list --state failing, --state off"};
        return CheckResult{CheckResult::Level::Good, "webhooks take what they are told", ""};
    });
}

} // namespace

void addOperations(Operations& operations, Database& database) {
    operations.addAuditKind("webhook");
    operations.addCheck({"webhooks", [&database] { return check(database); }});
}

} // namespace supplierd::webhooks
