#include "OperatorCommands.h"

#include <supplierd/Errors.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

constexpr std::int64_t DEFAULT_LIMIT = 100;
constexpr std::int64_t PER_PAGE = 100;

std::string messageOf(const ApiError& error) {
    std::string message;
    for (const Detail& detail : error.details())
        message.append(message.empty() ? "" : "\n").append(detail.message);
    return message.empty() ? error.message() : message;
}

/// What throws ApiError, told as a command's failure.
template <class Work>
auto reported(const Work& work) {
    try {
        return work();
    } catch (const ApiError& error) {
        throw CommandError(messageOf(error), error.kind() == ErrorKind::Validation ? CommandError::Code::Usage
                                                                                   : CommandError::Code::Failed);
    }
}

std::string jsonOf(const std::vector<std::string_view>& names) {
    std::string text;
    JsonWriter json(text);
    json.beginArray();
    for (const std::string_view name : names)
        json.value(name);
    json.endArray();
    return text;
}

std::string joined(const std::vector<std::string_view>& names) {
    std::string text;
    for (const std::string_view name : names)
        text.append(text.empty() ? "" : ", ").append(name);
    return text;
}

std::string stateForPeople(const Endpoint& endpoint) {
    std::string state(stateOf(endpoint));
    return endpoint.disabledReason ? state + " (" + *endpoint.disabledReason + ")" : state;
}

CommandTable tableOf(const std::vector<Endpoint>& endpoints, bool isWhole) {
    using Kind = CommandTable::Kind;
    CommandTable table{.name = "webhooks",
                       .columns = {{"id", "WEBHOOK", Kind::Integer},
                                   {"supplier_id", "SUPPLIER", Kind::Integer},
                                   {"supplier_name", ""},
                                   {"url", "URL"},
                                   {"state", ""},
                                   {"disabled_reason", ""},
                                   {"", "STATE"},
                                   {"waiting", "WAITING", Kind::Integer},
                                   {"failures", "FAILURES", Kind::Integer},
                                   {"failing_since", "FAILING SINCE"},
                                   {"last_delivered_at", "LAST DELIVERY"},
                                   {"events", "", Kind::Json},
                                   {"", isWhole ? "EVENTS" : ""},
                                   {"body", isWhole ? "BODY" : ""},
                                   {"description", isWhole ? "DESCRIPTION" : ""},
                                   {"disabled_at", isWhole ? "DISABLED" : ""},
                                   {"notice", ""},
                                   {"created_at", isWhole ? "CREATED" : ""}},
                       .rows = {},
                       .whenEmpty = "There are no such webhooks."};
    for (const Endpoint& endpoint : endpoints) {
        const auto events = eventNamesOf(endpoint);
        table.rows.push_back({std::to_string(endpoint.id), std::to_string(endpoint.supplierId), endpoint.supplierName,
                              endpoint.url, std::string(stateOf(endpoint)), endpoint.disabledReason,
                              stateForPeople(endpoint), std::to_string(endpoint.backlog),
                              std::to_string(endpoint.failures), endpoint.failingSince, endpoint.deliveredAt,
                              jsonOf(events), joined(events), endpoint.isFull ? "full" : "thin", endpoint.description,
                              endpoint.disabledAt, noticeOf(endpoint), endpoint.createdAt});
    }
    return table;
}

void list(CommandRun& run, Database& database, const EndpointStore& endpoints) {
    const std::int64_t limit = run.integer("--limit").value_or(DEFAULT_LIMIT);
    if (limit < 1)
        throw CommandError("--limit must be 1 or more", CommandError::Code::Usage);
    QueryParameters query{{"per_page", std::to_string(std::min(limit, PER_PAGE))}};
    if (const auto supplier = run.integer("--supplier"))
        query.emplace_back("supplier_id", std::to_string(*supplier));
    if (const auto state = run.text("--state"))
        query.emplace_back("state", *state);
    std::vector<Endpoint> found;
    std::int64_t total = 0;
    for (std::optional<std::string> cursor; static_cast<std::int64_t>(found.size()) < limit;) {
        QueryParameters page = query;
        if (cursor)
            page.emplace_back("cursor", *cursor);
        const auto listed = reported([&] { return endpoints.listAll(database, page); });
        found.insert(found.end(), listed.items.begin(), listed.items.end());
        total = listed.pagination.totalItems;
        cursor = listed.pagination.nextCursor;
        if (!cursor)
            break;
    }
    found.resize(std::min(found.size(), static_cast<std::size_t>(limit)));
    run.print(tableOf(found, false));
    if (total > static_cast<std::int64_t>(found.size()))
        run.hint(std::to_string(found.size()) + " of " + std::to_string(total) + "; --limit shows more");
}

void show(CommandRun& run, Database& database, const EndpointStore& endpoints) {
    const Endpoint endpoint = reported([&] {
        return database.snapshot(
            [&](SqlSession& session) { return endpoints.requireAny(session, run.integer("WEBHOOK").value_or(0)); });
    });
    run.print(tableOf({endpoint}, true));
    if (const auto notice = noticeOf(endpoint))
        run.hint(*notice);
}

void setEnabled(CommandRun& run, Database& database, const EndpointStore& endpoints, bool isEnabled) {
    const std::int64_t id = run.integer("WEBHOOK").value_or(0);
    reported([&] {
        database.withTransaction([&](Transaction& transaction) {
            endpoints.setEnabled(transaction, id, isEnabled, {run.actor(), "", Actor::Kind::Administrator});
        });
        return 0;
    });
    run.print("Webhook " + std::to_string(id) + " is switched " + (isEnabled ? "on" : "off") + ".");
    if (!isEnabled)
        run.hint("Its owner cannot switch it on again; supplierctl webhooks enable " + std::to_string(id) + " does.");
}

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

void addOperations(Operations& operations, Database& database, const EndpointStore& endpoints) {
    using Kind = CommandOption::Kind;
    const std::vector<CommandOption> one{{"WEBHOOK", "Its number", Kind::Integer, true}};
    operations.addAuditKind("webhook");
    operations.addCommand({"list",
                           "List suppliers' webhooks and how they stand",
                           {{"--supplier", "Only those of this supplier", Kind::Integer},
                            {"--state", "Only those that are on, off or failing"},
                            {"--limit", "At most so many (100)", Kind::Integer}},
                           [&](CommandRun& run) { list(run, database, endpoints); }});
    operations.addCommand({"show", "Show a webhook", one, [&](CommandRun& run) { show(run, database, endpoints); }});
    operations.addCommand({"disable", "Switch a webhook off, so that its owner cannot switch it on", one,
                           [&](CommandRun& run) { setEnabled(run, database, endpoints, false); }});
    operations.addCommand({"enable", "Switch a webhook on, whoever switched it off", one,
                           [&](CommandRun& run) { setEnabled(run, database, endpoints, true); }});
    operations.addCheck({"webhooks", [&database] { return check(database); }});
}

} // namespace supplierd::webhooks
