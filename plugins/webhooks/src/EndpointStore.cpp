#include "EndpointStore.h"

#include "Message.h"

#include <supplierd/Cursor.h>
#include <supplierd/Errors.h>
#include <supplierd/SandboxFilter.h>

#include <array>
#include <initializer_list>
#include <limits>
#include <span>
#include <utility>

namespace supplierd::webhooks {

namespace {

// The columns of readEndpoint(); selectEndpoints() adds a condition.
constexpr std::string_view SELECT_ENDPOINTS = R"sql(
SELECT e.id, e.supplier_id, e.url, e.description, e.events, e.is_full, e.is_enabled, e.disabled_reason, e.disabled_at,
    IF(e.old_secret_until > NOW(6), e.old_secret_until, NULL), e.created_at, e.updated_at, q.backlog, q.failures,
    q.failing_since, q.delivered_at
FROM webhooks_endpoints e JOIN webhooks_queues q ON q.endpoint_id = e.id)sql";

constexpr std::string_view PAGE_OF_SUPPLIER = R"sql(
WHERE e.supplier_id = ? AND e.deleted_at IS NULL AND e.id < ?
ORDER BY e.id DESC LIMIT ? OFFSET ?
)sql";

constexpr std::string_view COUNT_ENDPOINTS = R"sql(
SELECT COUNT(*) FROM webhooks_endpoints WHERE supplier_id = ? AND deleted_at IS NULL
)sql";

// Waits for those who add one at the same time.
constexpr std::string_view LOCK_AND_COUNT = R"sql(
SELECT deleted_at IS NULL FROM webhooks_endpoints WHERE supplier_id = ? FOR UPDATE
)sql";

constexpr std::string_view OF_SUPPLIER = R"sql(
WHERE e.supplier_id = ? AND e.id = ? AND e.deleted_at IS NULL
)sql";

constexpr std::string_view OF_ANY_SUPPLIER = R"sql(
WHERE e.id = ? AND e.deleted_at IS NULL
)sql";

constexpr std::string_view PAGE_OF_ALL = R"sql(
WHERE e.deleted_at IS NULL AND e.id < ? AND (? IS NULL OR e.supplier_id = ?)
    AND (? IS NULL OR ? = IF(e.is_enabled = 0, 'off', IF(q.failing_since IS NULL, 'on', 'failing')))
    AND NOT EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) s WHERE s.id = e.supplier_id)
ORDER BY e.id DESC LIMIT ? OFFSET ?
)sql";

constexpr std::string_view COUNT_OF_ALL = R"sql(
SELECT COUNT(*)
FROM webhooks_endpoints e JOIN webhooks_queues q ON q.endpoint_id = e.id
WHERE e.deleted_at IS NULL AND (? IS NULL OR e.supplier_id = ?)
    AND (? IS NULL OR ? = IF(e.is_enabled = 0, 'off', IF(q.failing_since IS NULL, 'on', 'failing')))
    AND NOT EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) s WHERE s.id = e.supplier_id)
)sql";

constexpr std::string_view LOCK_QUEUE = R"sql(
SELECT endpoint_id FROM webhooks_queues WHERE endpoint_id = ? FOR UPDATE
)sql";

constexpr std::string_view INSERT_ENDPOINT = R"sql(
INSERT INTO webhooks_endpoints (supplier_id, url, description, events, is_full, is_enabled, disabled_reason, disabled_at,
    secret)
VALUES (?, ?, ?, ?, ?, ?, ?, IF(?, NULL, NOW(6)), ?)
)sql";

constexpr std::string_view INSERT_QUEUE = R"sql(
INSERT INTO webhooks_queues (endpoint_id) VALUES (?)
)sql";

constexpr std::string_view UPDATE_ENDPOINT = R"sql(
UPDATE webhooks_endpoints SET url = ?, description = ?, events = ?, is_full = ?, updated_at = NOW(6) WHERE id = ?
)sql";

constexpr std::string_view DISABLE_ENDPOINT = R"sql(
UPDATE webhooks_endpoints SET is_enabled = 0, disabled_reason = ?, disabled_at = NOW(6), updated_at = NOW(6)
WHERE id = ? AND is_enabled = 1
)sql";

// One that is off for another reason is from now on off for this one.
constexpr std::string_view BLOCK_ENDPOINT = R"sql(
UPDATE webhooks_endpoints SET is_enabled = 0, disabled_reason = ?, disabled_at = NOW(6), updated_at = NOW(6)
WHERE id = ? AND (is_enabled = 1 OR disabled_reason <> ?)
)sql";

constexpr std::string_view ENABLE_ENDPOINT = R"sql(
UPDATE webhooks_endpoints SET is_enabled = 1, disabled_reason = NULL, disabled_at = NULL, updated_at = NOW(6)
WHERE id = ? AND is_enabled = 0
)sql";

constexpr std::string_view REST_QUEUE = R"sql(
UPDATE webhooks_queues SET wake_at = NULL WHERE endpoint_id = ?
)sql";

constexpr std::string_view WAKE_QUEUE = R"sql(
UPDATE webhooks_queues SET wake_at = NOW(6), enqueued = enqueued + 1, failures = 0, failing_since = NULL,
    failing_from = NULL, paused_until = NULL
WHERE endpoint_id = ?
)sql";

constexpr std::string_view DELETE_ENDPOINT = R"sql(
UPDATE webhooks_endpoints SET is_enabled = 0, deleted_at = NOW(6) WHERE id = ?
)sql";

constexpr std::string_view ROTATE_SECRET = R"sql(
UPDATE webhooks_endpoints
SET old_secret = secret, old_secret_until = NOW(6) + INTERVAL ? * 1000 MICROSECOND, secret = ?, updated_at = NOW(6)
WHERE id = ?
)sql";

constexpr std::string_view SELECT_SUBSCRIPTIONS = R"sql(
SELECT e.id, e.events, e.is_full, q.backlog
FROM webhooks_endpoints e JOIN webhooks_queues q ON q.endpoint_id = e.id
WHERE e.supplier_id = ? AND e.is_enabled = 1 AND e.deleted_at IS NULL
ORDER BY e.id
)sql";

constexpr std::string_view AUDIT_KIND = "webhook";
/// For each that there may be, so many may be about to be removed.
constexpr std::int64_t DELETED_AT_ONCE = 9;
constexpr std::array<std::string_view, 3> ENDPOINT_STATES{"on", "off", "failing"};

Rows& selectEndpoints(SqlSession& session, std::string_view condition, std::initializer_list<SqlParam> params) {
    return session.query(std::string(SELECT_ENDPOINTS).append(condition), params);
}

Endpoint readEndpoint(const Rows& row) {
    Endpoint endpoint;
    endpoint.id = row.integer(0);
    endpoint.supplierId = row.integer(1);
    endpoint.url = row.text(2);
    endpoint.description = row.maybeText(3);
    endpoint.events = row.integer(4);
    endpoint.isFull = row.boolean(5);
    endpoint.isEnabled = row.boolean(6);
    endpoint.disabledReason = row.maybeText(7);
    endpoint.disabledAt = row.maybeTime(8);
    endpoint.oldSecretUntil = row.maybeTime(9);
    endpoint.createdAt = row.time(10);
    endpoint.updatedAt = row.time(11);
    endpoint.backlog = row.integer(12);
    endpoint.failures = row.integer(13);
    endpoint.failingSince = row.maybeTime(14);
    endpoint.deliveredAt = row.maybeTime(15);
    return endpoint;
}

std::optional<std::string> textOrNull(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

void writeEvents(JsonWriter& json, const Endpoint& endpoint) {
    json.key("events").beginArray();
    for (const std::string_view name : eventNamesOf(endpoint))
        json.value(name);
    json.endArray();
}

/// What of it the audit log has.
std::string auditJson(const Endpoint& endpoint) {
    std::string text;
    JsonWriter json(text);
    json.beginObject().field("url", textOrNull(endpoint.url)).field("description", endpoint.description);
    writeEvents(json, endpoint);
    json.field("body", endpoint.isFull ? "full" : "thin").field("enabled", endpoint.isEnabled);
    json.field("disabled_reason", endpoint.disabledReason).endObject();
    return text;
}

/// Its members that everybody sees.
void writeFields(JsonWriter& json, const Endpoint& endpoint) {
    json.field("url", textOrNull(endpoint.url)).field("description", endpoint.description);
    writeEvents(json, endpoint);
    json.field("body", endpoint.isFull ? "full" : "thin").field("enabled", endpoint.isEnabled);
    json.field("disabled_reason", endpoint.disabledReason).field("disabled_at", endpoint.disabledAt);
    json.field("notice", noticeOf(endpoint)).field("waiting", endpoint.backlog).field("failures", endpoint.failures);
    json.field("failing_since", endpoint.failingSince).field("last_delivered_at", endpoint.deliveredAt);
    json.field("old_secret_until", endpoint.oldSecretUntil);
    json.field("created_at", endpoint.createdAt).field("updated_at", endpoint.updatedAt);
}

} // namespace

std::vector<std::string_view> eventNamesOf(const Endpoint& endpoint) {
    std::vector<std::string_view> names;
    for (const std::string_view name : chosenNames())
        if ((endpoint.events & bitOf(*eventOfName(name))) != 0)
            names.push_back(name);
    return names;
}

std::string_view stateOf(const Endpoint& endpoint) {
    if (!endpoint.isEnabled)
        return ENDPOINT_STATES[1];
    return endpoint.failingSince ? ENDPOINT_STATES[2] : ENDPOINT_STATES[0];
}

std::optional<std::string> noticeOf(const Endpoint& endpoint) {
    const std::string reason = endpoint.disabledReason.value_or("");
    if (endpoint.isEnabled)
        return endpoint.failingSince ? std::optional("It has not taken a delivery since " + *endpoint.failingSince)
                                     : std::nullopt;
    if (reason == DisabledReason::GONE)
        return "Switched off: it answered 410 Gone";
    if (reason == DisabledReason::FAILING)
        return "Switched off: it has not taken a delivery since " + endpoint.failingSince.value_or("days");
    if (reason == DisabledReason::BACKLOG)
        return "Switched off: too many deliveries wait for it";
    if (reason == DisabledReason::OPERATOR)
        return "Switched off by the marketplace";
    return std::nullopt;
}

void writeJson(JsonWriter& json, const Endpoint& endpoint, const std::optional<std::string>& secret) {
    json.beginObject().field("id", endpoint.id);
    if (secret)
        json.field("secret", *secret);
    writeFields(json, endpoint);
    json.endObject();
}

void writeOperatorJson(JsonWriter& json, const Endpoint& endpoint) {
    json.beginObject().field("id", endpoint.id).key("supplier").beginObject();
    json.field("id", endpoint.supplierId).field("name", endpoint.supplierName);
    json.endObject().field("state", stateOf(endpoint));
    writeFields(json, endpoint);
    json.endObject();
}

Listed<Endpoint> EndpointStore::list(Database& database, std::int64_t supplierId, const QueryParameters& query) const {
    Details details;
    QueryReader reader(query, details);
    ListFingerprint print;
    print.add(supplierId);
    const ListPage page = ListPage::read(reader, {.fingerprint = print.value(), .total = ListTotal::Counted});
    details.throwIfAny();
    const ListStatements statements{
        .page = [&](SqlSession& session, const ListWindow& window) -> Rows& {
            const auto before = window.after ? window.after->lastId : std::numeric_limits<std::int64_t>::max();
            return selectEndpoints(session, PAGE_OF_SUPPLIER, {supplierId, before, window.limit, window.offset});
        },
        .total =
            [&](SqlSession& session) {
                Rows& row = session.query(COUNT_ENDPOINTS, {supplierId});
                return row.next() ? row.integer(0) : 0;
            }};
    return page.select(database, statements, readEndpoint);
}

std::optional<Endpoint> EndpointStore::find(SqlSession& session, std::int64_t supplierId, std::int64_t id) const {
    Rows& row = selectEndpoints(session, OF_SUPPLIER, {supplierId, id});
    return row.next() ? std::optional(readEndpoint(row)) : std::nullopt;
}

Endpoint EndpointStore::require(SqlSession& session, std::int64_t supplierId, std::int64_t id) const {
    if (auto found = find(session, supplierId, id))
        return *std::move(found);
    throw ApiError::notFound("Webhook not found");
}

Endpoint EndpointStore::lock(Transaction& transaction, std::int64_t supplierId, std::int64_t id) const {
    transaction.query(LOCK_QUEUE, {id}).next();
    return require(transaction, supplierId, id);
}

NewEndpoint EndpointStore::create(Transaction& transaction, std::int64_t supplierId, const EndpointChange& wanted,
                                  const Actor& actor) const {
    std::string secret = newSecret(_crypto);
    const bool isEnabled = wanted.isEnabled.value_or(true);
    transaction.execute(INSERT_ENDPOINT,
                        {supplierId, wanted.url.value(), wanted.description.value_or(std::nullopt),
                         wanted.events.value(), wanted.isFull.value_or(false), isEnabled,
                         isEnabled ? std::nullopt : std::optional(DisabledReason::OWNER), isEnabled, secret});
    const std::int64_t id = transaction.lastInsertId();
    transaction.execute(INSERT_QUEUE, {id});
    requireRoom(transaction, supplierId);
    const Endpoint endpoint = require(transaction, supplierId, id);
    record(transaction, actor, "create", endpoint, "", auditJson(endpoint));
    return {endpoint, std::move(secret)};
}

ApiError tooMany(std::string message) {
    return ApiError::validation({{"", "too_many", std::move(message)}});
}

/// Deleted ones count too, while their deliveries are not removed yet: else each would be room for a backlog more.
void EndpointStore::requireRoom(Transaction& transaction, std::int64_t supplierId) const {
    std::int64_t present = 0;
    std::int64_t deleted = 0;
    Rows& rows = transaction.query(LOCK_AND_COUNT, {supplierId});
    while (rows.next())
        ++(rows.boolean(0) ? present : deleted);
    if (present > _settings.maxEndpoints)
        throw tooMany("There may be " + std::to_string(_settings.maxEndpoints) + " webhooks; delete one first");
    if (deleted > DELETED_AT_ONCE * _settings.maxEndpoints)
        throw tooMany("Too many webhooks were deleted just now; try again in some minutes");
}

Endpoint EndpointStore::change(Transaction& transaction, std::int64_t supplierId, std::int64_t id,
                               const EndpointChange& wanted, const Actor& actor) const {
    const Endpoint before = lock(transaction, supplierId, id);
    if (wanted.isEnabled == true && before.disabledReason == DisabledReason::OPERATOR)
        throw ApiError::validation(
            {{"enabled", "unsupported", "The marketplace has switched this webhook off; ask it"}});
    transaction.execute(UPDATE_ENDPOINT,
                        {wanted.url.value_or(before.url), wanted.description.value_or(before.description),
                         wanted.events.value_or(before.events), wanted.isFull.value_or(before.isFull), id});
    if (wanted.isEnabled == true && transaction.execute(ENABLE_ENDPOINT, {id}) == 1)
        transaction.execute(WAKE_QUEUE, {id});
    if (wanted.isEnabled == false && transaction.execute(DISABLE_ENDPOINT, {DisabledReason::OWNER, id}) == 1)
        transaction.execute(REST_QUEUE, {id});
    Endpoint after = require(transaction, supplierId, id);
    const std::string was = auditJson(before);
    const std::string is = auditJson(after);
    if (was != is)
        record(transaction, actor, "update", after, was, is);
    return after;
}

void EndpointStore::remove(Transaction& transaction, std::int64_t supplierId, std::int64_t id,
                           const Actor& actor) const {
    const Endpoint endpoint = lock(transaction, supplierId, id);
    transaction.execute(DELETE_ENDPOINT, {id});
    transaction.execute(REST_QUEUE, {id});
    record(transaction, actor, "delete", endpoint, auditJson(endpoint), "");
}

NewEndpoint EndpointStore::rotateSecret(Transaction& transaction, std::int64_t supplierId, std::int64_t id,
                                        const Actor& actor) const {
    lock(transaction, supplierId, id);
    std::string secret = newSecret(_crypto);
    transaction.execute(ROTATE_SECRET, {_settings.secretOverlap.count(), secret, id});
    const Endpoint endpoint = require(transaction, supplierId, id);
    record(transaction, actor, "rotate", endpoint, "", "");
    return {endpoint, std::move(secret)};
}

std::vector<Subscription> EndpointStore::subscriptions(SqlSession& session, std::int64_t supplierId) const {
    std::vector<Subscription> all;
    Rows& rows = session.query(SELECT_SUBSCRIPTIONS, {supplierId});
    while (rows.next())
        all.push_back({rows.integer(0), rows.integer(1), rows.boolean(2), rows.integer(3)});
    return all;
}

void EndpointStore::disable(Transaction& transaction, std::int64_t id, std::string_view reason) const {
    transaction.query(LOCK_QUEUE, {id}).next();
    if (transaction.execute(DISABLE_ENDPOINT, {reason, id}) == 0)
        return;
    transaction.execute(REST_QUEUE, {id});
    Rows& row = selectEndpoints(transaction, OF_ANY_SUPPLIER, {id});
    if (!row.next())
        return;
    const Endpoint after = readEndpoint(row);
    Endpoint before = after;
    before.isEnabled = true;
    before.disabledReason.reset();
    record(transaction, {"supplierd", "", Actor::Kind::Server}, "disable", after, auditJson(before), auditJson(after));
}

Listed<Endpoint> EndpointStore::listAll(Database& database, const QueryParameters& query) const {
    Details details;
    QueryReader reader(query, details);
    const auto supplier = reader.integer("supplier_id", 1);
    const auto state = reader.oneOf("state", ENDPOINT_STATES);
    auto sandboxes = SandboxFilter::read(reader);
    ListFingerprint print;
    print.add(supplier.value_or(0));
    print.add(state.value_or(""));
    print.add(sandboxes.isAskedFor() ? 1 : 0);
    const ListPage page = ListPage::read(reader, {.fingerprint = print.value(), .total = ListTotal::Counted});
    details.throwIfAny();
    if (!supplier)
        sandboxes.load(database, _accounts);
    const ListStatements statements{
        .page = [&](SqlSession& session, const ListWindow& window) -> Rows& {
            const auto before = window.after ? window.after->lastId : std::numeric_limits<std::int64_t>::max();
            return selectEndpoints(
                session, PAGE_OF_ALL,
                {before, supplier, supplier, state, state, sandboxes.ids(), window.limit, window.offset});
        },
        .total =
            [&](SqlSession& session) {
                Rows& row = session.query(COUNT_OF_ALL, {supplier, supplier, state, state, sandboxes.ids()});
                return row.next() ? row.integer(0) : 0;
            }};
    Listed<Endpoint> listed = page.select(database, statements, readEndpoint);
    database.withSession([&](SqlSession& session) { nameSuppliers(session, _accounts, std::span(listed.items)); });
    return listed;
}

Endpoint EndpointStore::requireAny(SqlSession& session, std::int64_t id) const {
    Rows& row = selectEndpoints(session, OF_ANY_SUPPLIER, {id});
    if (!row.next())
        throw ApiError::notFound("Webhook not found");
    Endpoint endpoint = readEndpoint(row);
    nameSuppliers(session, _accounts, std::span(&endpoint, 1));
    return endpoint;
}

Endpoint EndpointStore::setEnabled(Transaction& transaction, std::int64_t id, bool isEnabled,
                                   const Actor& actor) const {
    transaction.query(LOCK_QUEUE, {id}).next();
    const Endpoint before = requireAny(transaction, id);
    if (isEnabled && transaction.execute(ENABLE_ENDPOINT, {id}) == 1)
        transaction.execute(WAKE_QUEUE, {id});
    if (!isEnabled &&
        transaction.execute(BLOCK_ENDPOINT, {DisabledReason::OPERATOR, id, DisabledReason::OPERATOR}) == 1)
        transaction.execute(REST_QUEUE, {id});
    Endpoint after = requireAny(transaction, id);
    const std::string was = auditJson(before);
    const std::string is = auditJson(after);
    if (was != is)
        record(transaction, actor, isEnabled ? "enable" : "disable", after, was, is);
    return after;
}

void EndpointStore::record(Transaction& transaction, const Actor& actor, std::string_view verb,
                           const Endpoint& endpoint, const std::string& before, const std::string& after) const {
    AuditEntry entry = auditEntry(actor, AUDIT_KIND, verb, endpoint.id, endpoint.supplierId);
    entry.before = before;
    entry.after = after;
    _audit.record(transaction, entry);
}

} // namespace supplierd::webhooks
