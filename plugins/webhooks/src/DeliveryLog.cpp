#include "DeliveryLog.h"

#include "DeliveryStore.h"

#include <supplierd/Cursor.h>
#include <supplierd/Errors.h>
#include <supplierd/JsonBody.h>

#include <array>
#include <initializer_list>
#include <limits>
#include <utility>

namespace supplierd::webhooks {

namespace {

constexpr std::array<std::string_view, 3> STATES{"waiting", "delivered", "failed"};

/// What the total of a list is counted to.
constexpr std::int64_t MAX_COUNT = 10'000;
/// Entries of the change log that one request has sent again.
constexpr std::size_t ENTRIES_AT_ONCE = 1'000;
/// Deliveries after which it ends with the change that it is at: others wait for its transaction.
constexpr std::size_t DELIVERIES_AT_ONCE = 10'000;

// The columns of readDelivery(), without bodies that are larger than the first parameter.
constexpr std::string_view SELECT_DELIVERIES = R"sql(
SELECT d.id, d.endpoint_id, d.state, d.event, d.change_seq, d.occurred_at, d.objects, d.message_id,
    IF(LENGTH(d.body) <= ?, d.body, NULL), d.created_at, d.due_at, d.attempts, d.attempted_at,
    TIMESTAMPDIFF(SECOND, '1970-01-01', d.attempted_at), d.took_ms, d.status, d.error, d.answer, d.body IS NOT NULL)sql";

constexpr std::int64_t MAX_BODY_IN_LIST = 16'384;

constexpr std::string_view FROM_LOG = R"sql(
FROM webhooks_deliveries d FORCE INDEX (webhooks_deliveries_endpoint)
WHERE d.endpoint_id = ? AND d.id < ?
ORDER BY d.id DESC LIMIT ? OFFSET ?
)sql";

constexpr std::string_view COUNT_LOG = R"sql(
SELECT COUNT(*) FROM (SELECT 1 FROM webhooks_deliveries WHERE endpoint_id = ? LIMIT ?) counted
)sql";

constexpr std::string_view FROM_LOG_OF_STATE = R"sql(
FROM webhooks_deliveries d FORCE INDEX (webhooks_deliveries_state)
WHERE d.endpoint_id = ? AND d.state = ? AND d.id < ?
ORDER BY d.id DESC LIMIT ? OFFSET ?
)sql";

constexpr std::string_view COUNT_LOG_OF_STATE = R"sql(
SELECT COUNT(*) FROM (SELECT 1 FROM webhooks_deliveries WHERE endpoint_id = ? AND state = ? LIMIT ?) counted
)sql";

constexpr std::string_view FROM_ONE = R"sql(
FROM webhooks_deliveries d WHERE d.id = ? AND d.endpoint_id = ?
)sql";

constexpr std::string_view SELECT_NEWEST_OF_MESSAGE = R"sql(
SELECT MAX(id) FROM webhooks_deliveries WHERE endpoint_id = ? AND state = 0 AND message_id = ?
)sql";

constexpr std::string_view SET_BODY = R"sql(
UPDATE webhooks_deliveries SET body = ? WHERE id = ?
)sql";

constexpr std::string_view SELECT_NOW = "SELECT NOW(6)";

std::vector<std::int64_t> idsOf(std::string_view text) {
    std::vector<std::int64_t> ids;
    const JsonDocument document = parseJson(std::string(text));
    for (const JsonValue& value : document.array())
        ids.push_back(value.integer());
    return ids;
}

Rows& selectDeliveries(SqlSession& session, std::string_view from, std::initializer_list<SqlParam> params) {
    return session.query(std::string(SELECT_DELIVERIES).append(from), params);
}

LoggedDelivery readDelivery(const Rows& row) {
    LoggedDelivery delivery;
    delivery.id = row.integer(0);
    delivery.endpointId = row.integer(1);
    delivery.state = STATES.at(static_cast<std::size_t>(row.integer(2)) % STATES.size());
    delivery.message.event = static_cast<std::size_t>(row.integer(3)) % EVENT_TYPES.size();
    delivery.message.changeSeq = row.integer(4);
    delivery.message.occurredAt = row.time(5);
    delivery.message.areAll = row.isNull(6);
    if (!delivery.message.areAll)
        delivery.message.objects = idsOf(row.text(6));
    delivery.message.id = row.text(7);
    delivery.body = row.maybeText(8);
    delivery.createdAt = row.time(9);
    delivery.dueAt = row.time(10);
    delivery.attempts = row.integer(11);
    delivery.attemptedAt = row.maybeTime(12);
    delivery.attemptedSeconds = row.integer(13);
    delivery.tookMs = row.maybeInteger(14);
    delivery.status = row.maybeInteger(15);
    delivery.error = row.maybeText(16);
    delivery.answer = row.maybeText(17);
    delivery.hasBody = row.boolean(18);
    return delivery;
}

/// How it is, or was, sent; a full one that has not been is without a body as yet.
void writeRequest(JsonWriter& json, const LoggedDelivery& delivery) {
    json.key("request").beginObject();
    json.field("url", delivery.url.empty() ? std::nullopt : std::optional(delivery.url)).key("headers").beginObject();
    json.field("webhook-id", delivery.message.id);
    if (delivery.attemptedAt)
        json.field("webhook-timestamp", std::to_string(delivery.attemptedSeconds));
    json.endObject().key("body");
    const bool isHidden = !delivery.neededScope.empty();
    if (delivery.body)
        json.raw(*delivery.body);
    else if (!delivery.isFull && !isHidden)
        json.raw(bodyOf(delivery.message));
    else
        json.null();
    if (isHidden)
        json.field("needs_scope", delivery.neededScope);
    json.endObject();
}

void writeResponse(JsonWriter& json, const LoggedDelivery& delivery) {
    json.key("response");
    if (!delivery.attemptedAt) {
        json.null();
        return;
    }
    json.beginObject().field("at", delivery.attemptedAt).field("duration_ms", delivery.tookMs);
    json.field("status", delivery.status).field("error", delivery.error).field("body", delivery.answer).endObject();
}

} // namespace

/// A thin body is not stored: it names what changed, and shows nothing of it.
void hideFrom(const Principal& reader, LoggedDelivery& delivery) {
    const std::string_view scope = scopeOf(EVENT_TYPES.at(delivery.message.event).subject);
    if (!delivery.hasBody || scope.empty() || reader.hasScope(scope))
        return;
    delivery.neededScope = scope;
    delivery.body.reset();
    delivery.answer.reset();
}

void writeJson(JsonWriter& json, const LoggedDelivery& delivery) {
    json.beginObject().field("id", delivery.id).field("webhook_id", delivery.endpointId);
    json.field("message_id", delivery.message.id).field("type", EVENT_TYPES.at(delivery.message.event).name);
    json.field("status", delivery.state).field("change_seq", delivery.message.changeSeq);
    json.field("attempts", delivery.attempts).field("created_at", delivery.createdAt);
    json.field("next_attempt_at", delivery.state == STATES[0] ? std::optional(delivery.dueAt) : std::nullopt);
    writeRequest(json, delivery);
    writeResponse(json, delivery);
    json.endObject();
}

Listed<LoggedDelivery> DeliveryLog::list(Database& database, std::int64_t supplierId, std::int64_t endpointId,
                                         const QueryParameters& query) const {
    Details details;
    QueryReader reader(query, details);
    const auto state = reader.oneOf("status", STATES);
    ListFingerprint print;
    print.add(endpointId);
    print.add(state.value_or(""));
    const ListPage page = ListPage::read(
        reader, {.fingerprint = print.value(), .total = ListTotal::CountedToLimit, .countLimit = MAX_COUNT});
    details.throwIfAny();
    const Endpoint endpoint =
        database.read([&](SqlSession& session) { return _endpoints.require(session, supplierId, endpointId); });
    const std::int64_t place =
        state ? std::distance(STATES.begin(), std::find(STATES.begin(), STATES.end(), *state)) : 0;
    const ListStatements statements{
        .page = [&](SqlSession& session, const ListWindow& window) -> Rows& {
            const auto before = window.after ? window.after->lastId : std::numeric_limits<std::int64_t>::max();
            if (state)
                return selectDeliveries(session, FROM_LOG_OF_STATE,
                                        {MAX_BODY_IN_LIST, endpointId, place, before, window.limit, window.offset});
            return selectDeliveries(session, FROM_LOG,
                                    {MAX_BODY_IN_LIST, endpointId, before, window.limit, window.offset});
        },
        .total =
            [&](SqlSession& session) {
                Rows& row = state ? session.query(COUNT_LOG_OF_STATE, {endpointId, place, MAX_COUNT + 1})
                                  : session.query(COUNT_LOG, {endpointId, MAX_COUNT + 1});
                return row.next() ? row.integer(0) : 0;
            }};
    auto listed = page.select(database, statements, readDelivery);
    for (LoggedDelivery& delivery : listed.items) {
        delivery.url = endpoint.url;
        delivery.isFull = endpoint.isFull;
    }
    return listed;
}

LoggedDelivery DeliveryLog::require(SqlSession& session, std::int64_t supplierId, std::int64_t endpointId,
                                    std::int64_t id) const {
    const Endpoint endpoint = _endpoints.require(session, supplierId, endpointId);
    Rows& row = selectDeliveries(session, FROM_ONE, {std::numeric_limits<std::int64_t>::max(), id, endpointId});
    if (!row.next())
        throw ApiError::notFound("Delivery not found");
    LoggedDelivery delivery = readDelivery(row);
    delivery.url = endpoint.url;
    delivery.isFull = endpoint.isFull;
    return delivery;
}

Endpoint DeliveryLog::requireOpen(SqlSession& session, std::int64_t supplierId, std::int64_t endpointId) const {
    Endpoint endpoint = _endpoints.require(session, supplierId, endpointId);
    if (!endpoint.isEnabled)
        throw ApiError::validation({{"", "unsupported", "This webhook is switched off; enable it first"}});
    if (endpoint.backlog >= _settings.maxBacklog)
        throw tooMany("Too many deliveries wait for this webhook");
    return endpoint;
}

/// The row is found by its message: several are inserted with one statement, which tells no id of each.
LoggedDelivery DeliveryLog::add(Transaction& transaction, const Endpoint& endpoint, const Message& message) const {
    const Enqueued one{endpoint.id, {message}};
    enqueue(transaction, {&one, 1}, _settings.retryFor);
    Rows& row = transaction.query(SELECT_NEWEST_OF_MESSAGE, {endpoint.id, message.id});
    const std::int64_t id = row.next() ? row.integer(0) : 0;
    return require(transaction, endpoint.supplierId, endpoint.id, id);
}

LoggedDelivery DeliveryLog::test(Transaction& transaction, std::int64_t supplierId, std::int64_t endpointId) const {
    const Endpoint endpoint = requireOpen(transaction, supplierId, endpointId);
    Message message;
    message.event = TEST_EVENT;
    Rows& now = transaction.query(SELECT_NOW);
    message.occurredAt = now.next() ? now.time(0) : std::string();
    message.id = "evt_test_" + Crypto::hex(_crypto.randomBytes(12));
    return add(transaction, endpoint, message);
}

LoggedDelivery DeliveryLog::redeliver(Transaction& transaction, std::int64_t supplierId, std::int64_t endpointId,
                                      std::int64_t id, const Actor& actor) const {
    const LoggedDelivery before = require(transaction, supplierId, endpointId, id);
    const Endpoint endpoint = requireOpen(transaction, supplierId, endpointId);
    LoggedDelivery again = add(transaction, endpoint, before.message);
    if (before.body) {
        transaction.execute(SET_BODY, {*before.body, again.id});
        again.body = before.body;
        again.hasBody = true;
    }
    AuditEntry entry = auditEntry(actor, "webhook", "redeliver", endpointId, supplierId);
    entry.after = R"({"delivery_id":)" + std::to_string(again.id) + "}";
    _audit.record(transaction, entry);
    return again;
}

Redelivered DeliveryLog::redeliverSince(Transaction& transaction, std::int64_t supplierId, std::int64_t endpointId,
                                        std::int64_t since, const Actor& actor) const {
    const Endpoint endpoint = requireOpen(transaction, supplierId, endpointId);
    const ChangePage page = _changes.after(transaction, supplierId, since, ENTRIES_AT_ONCE);
    Redelivered result;
    result.isComplete = page.isComplete;
    result.lastChangeSeq = page.entries.empty() ? page.committed : since;
    // As much as there is room for, in whole changes: the next request goes on there.
    const auto room = static_cast<std::size_t>(_settings.maxBacklog - endpoint.backlog);
    Enqueued some{endpointId, {}};
    for (const ChangeEntry& entry : page.entries) {
        if (some.messages.size() >= DELIVERIES_AT_ONCE)
            break;
        const auto messages = messagesOf(supplierId, entry, endpoint.events, endpoint.isFull);
        if (some.messages.size() + messages.size() > room) {
            if (&entry == &page.entries.front())
                throw tooMany("Too many deliveries wait for this webhook");
            break;
        }
        some.messages.insert(some.messages.end(), messages.begin(), messages.end());
        result.lastChangeSeq = entry.seq;
    }
    if (!page.isComplete)
        result.lastChangeSeq = page.committed;
    result.queued = some.messages.size();
    result.hasMore = result.lastChangeSeq < page.committed;
    enqueue(transaction, {&some, 1}, _settings.retryFor);
    AuditEntry entry = auditEntry(actor, "webhook", "redeliver", endpointId, supplierId);
    entry.after = R"({"since":)" + std::to_string(since) + R"(,"queued":)" + std::to_string(result.queued) + "}";
    _audit.record(transaction, entry);
    return result;
}

} // namespace supplierd::webhooks
