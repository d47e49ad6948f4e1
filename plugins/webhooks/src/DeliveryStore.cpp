#include "DeliveryStore.h"

#include <supplierd/JsonBody.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace supplierd::webhooks {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// Of one statement. The database takes none that is larger than its `max_allowed_packet`, which is 16 MiB as a rule.
constexpr std::size_t ROWS_AT_ONCE = 2'000;
constexpr std::size_t BYTES_AT_ONCE = std::size_t{1} << 20;

constexpr std::string_view ADD_TO_QUEUES = R"sql(
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (endpoint_id BIGINT PATH '$[0]', deliveries BIGINT PATH '$[1]')) t
    STRAIGHT_JOIN webhooks_queues q ON q.endpoint_id = t.endpoint_id
SET q.backlog = q.backlog + t.deliveries, q.enqueued = q.enqueued + 1,
    q.wake_at = LEAST(COALESCE(q.wake_at, '9999-01-01'), GREATEST(NOW(6), COALESCE(q.paused_until, NOW(6))))
)sql";

constexpr std::string_view INSERT_DELIVERIES = R"sql(
INSERT INTO webhooks_deliveries (endpoint_id, event, change_seq, occurred_at, objects, message_id, expires_at)
SELECT t.endpoint_id, t.event, t.change_seq, t.occurred_at, t.objects, t.message_id,
    (SELECT ran_at FROM webhooks_clock WHERE id = 1) + INTERVAL ? SECOND
FROM JSON_TABLE(?, '$[*]' COLUMNS (
    place FOR ORDINALITY,
    endpoint_id BIGINT PATH '$[0]',
    event TINYINT PATH '$[1]',
    change_seq BIGINT PATH '$[2]',
    occurred_at DATETIME(6) PATH '$[3]',
    objects MEDIUMTEXT PATH '$[4]',
    message_id VARCHAR(80) PATH '$[5]')) t
ORDER BY t.place
)sql";

constexpr std::string_view SELECT_CLAIMABLE = R"sql(
SELECT q.endpoint_id
FROM webhooks_queues q JOIN webhooks_endpoints e ON e.id = q.endpoint_id
WHERE q.wake_at <= NOW(6) AND q.lease_until <= NOW(6) AND e.is_enabled = 1 AND e.deleted_at IS NULL
ORDER BY q.wake_at LIMIT ?
)sql";

constexpr std::string_view CLAIM = R"sql(
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (endpoint_id BIGINT PATH '$')) t
    STRAIGHT_JOIN webhooks_queues q ON q.endpoint_id = t.endpoint_id
SET q.lease_owner = ?, q.lease_until = NOW(6) + INTERVAL ? * 1000 MICROSECOND
WHERE q.wake_at <= NOW(6) AND q.lease_until <= NOW(6)
)sql";

constexpr std::string_view RENEW = R"sql(
UPDATE webhooks_queues SET lease_until = NOW(6) + INTERVAL ? * 1000 MICROSECOND
WHERE lease_owner = ? AND lease_until > NOW(6)
)sql";

constexpr std::string_view SELECT_LEASED = R"sql(
SELECT q.endpoint_id, e.supplier_id, e.url, e.is_full, e.secret,
    IF(e.old_secret_until > NOW(6), e.old_secret, NULL), q.failures, q.enqueued,
    TIMESTAMPDIFF(MICROSECOND, NOW(6), q.lease_until)
FROM webhooks_queues q JOIN webhooks_endpoints e ON e.id = q.endpoint_id
WHERE q.lease_owner = ? AND q.lease_until > NOW(6) AND e.is_enabled = 1 AND e.deleted_at IS NULL
)sql";

constexpr std::string_view SELECT_WAITING = R"sql(
SELECT id, event, change_seq, occurred_at, objects, message_id, body IS NOT NULL, attempts,
    TIMESTAMPDIFF(MICROSECOND, NOW(6), due_at),
    TIMESTAMPDIFF(MICROSECOND, (SELECT ran_at FROM webhooks_clock WHERE id = 1), expires_at)
FROM webhooks_deliveries FORCE INDEX (webhooks_deliveries_state)
WHERE endpoint_id = ? AND state = 0 AND id > ? ORDER BY id LIMIT ?
)sql";

constexpr std::string_view UPDATE_QUEUES = R"sql(
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (
        endpoint_id BIGINT PATH '$[0]', done BIGINT PATH '$[1]', failures BIGINT PATH '$[2]',
        pause_ms BIGINT PATH '$[3]', was_taken TINYINT PATH '$[4]')) t
    STRAIGHT_JOIN webhooks_queues q ON q.endpoint_id = t.endpoint_id
SET q.backlog = GREATEST(q.backlog - t.done, 0),
    q.failures = COALESCE(t.failures, q.failures),
    q.failing_since = CASE WHEN t.failures IS NULL THEN q.failing_since WHEN t.failures = 0 THEN NULL
        WHEN t.was_taken THEN NOW(6) ELSE COALESCE(q.failing_since, NOW(6)) END,
    q.failing_from = CASE WHEN t.failures IS NULL THEN q.failing_from WHEN t.failures = 0 THEN NULL
        WHEN t.was_taken THEN (SELECT ran_at FROM webhooks_clock WHERE id = 1)
        ELSE COALESCE(q.failing_from, (SELECT ran_at FROM webhooks_clock WHERE id = 1)) END,
    q.delivered_at = IF(t.was_taken, NOW(6), q.delivered_at),
    q.paused_until = IF(t.pause_ms > 0, NOW(6) + INTERVAL t.pause_ms * 1000 MICROSECOND, NULL)
)sql";

// One that another server has finished meanwhile stays as it is.
constexpr std::string_view UPDATE_DELIVERIES = R"sql(
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (
        id BIGINT PATH '$[0]', state TINYINT PATH '$[1]', attempts INT PATH '$[2]', pause_ms BIGINT PATH '$[3]',
        took_ms INT PATH '$[4]', status SMALLINT PATH '$[5]', error VARCHAR(255) PATH '$[6]',
        answer VARCHAR(1024) PATH '$[7]')) t
    STRAIGHT_JOIN webhooks_deliveries d ON d.id = t.id
SET d.state = t.state, d.attempts = t.attempts, d.due_at = NOW(6) + INTERVAL t.pause_ms * 1000 MICROSECOND,
    d.attempted_at = NOW(6), d.took_ms = t.took_ms, d.status = t.status, d.error = t.error, d.answer = t.answer
WHERE d.state = 0
)sql";

constexpr std::string_view SELECT_FAILED_FOR_LONG = R"sql(
SELECT q.endpoint_id
FROM JSON_TABLE(?, '$[*]' COLUMNS (endpoint_id BIGINT PATH '$')) t
    STRAIGHT_JOIN webhooks_queues q ON q.endpoint_id = t.endpoint_id
WHERE q.failing_from <= (SELECT ran_at FROM webhooks_clock WHERE id = 1) - INTERVAL ? * 1000 MICROSECOND
)sql";

constexpr std::string_view RELEASE = R"sql(
UPDATE webhooks_queues
SET lease_owner = NULL, lease_until = NOW(6), wake_at = NOW(6) + INTERVAL ? * 1000 MICROSECOND
WHERE endpoint_id = ? AND lease_owner = ? AND enqueued = ?
)sql";

constexpr std::string_view RELEASE_EMPTY = R"sql(
UPDATE webhooks_queues SET lease_owner = NULL, lease_until = NOW(6), wake_at = NULL, backlog = 0
WHERE endpoint_id = ? AND lease_owner = ? AND enqueued = ?
)sql";

// What it failed before begins anew when it is called again.
constexpr std::string_view HOLD = R"sql(
UPDATE webhooks_queues
SET lease_owner = NULL, lease_until = NOW(6), failures = 0, failing_since = NULL, failing_from = NULL,
    wake_at = NOW(6) + INTERVAL ? * 1000 MICROSECOND, paused_until = NOW(6) + INTERVAL ? * 1000 MICROSECOND
WHERE endpoint_id = ? AND lease_owner = ?
)sql";

constexpr std::string_view RELEASE_ALL = R"sql(
UPDATE webhooks_queues SET lease_owner = NULL, lease_until = NOW(6) WHERE lease_owner = ?
)sql";

enum WaitingColumn : std::size_t {
    ID,
    EVENT,
    CHANGE_SEQ,
    OCCURRED_AT,
    OBJECTS,
    MESSAGE_ID,
    HAS_BODY,
    ATTEMPTS,
    DUE_IN,
    EXPIRES_IN
};

/// "2026-11-20T14:48:00Z" as the database has it.
std::string databaseTime(std::string time) {
    std::ranges::replace(time, 'T', ' ');
    std::erase(time, 'Z');
    return time;
}

void writeRow(JsonWriter& json, std::int64_t endpointId, const Message& message) {
    json.beginArray().value(endpointId).value(message.event).value(message.changeSeq);
    json.value(databaseTime(message.occurredAt));
    if (message.areAll)
        json.null();
    else
        json.value(jsonArray(message.objects));
    json.value(message.id).endArray();
}

std::vector<std::int64_t> objectsOf(std::string_view text) {
    std::vector<std::int64_t> objects;
    const JsonDocument document = parseJson(std::string(text));
    for (const JsonValue& value : document.array())
        objects.push_back(value.integer());
    return objects;
}

Delivery deliveryOf(const Rows& row, Clock::time_point now) {
    Delivery delivery;
    delivery.id = row.integer(ID);
    delivery.message.event = static_cast<std::size_t>(row.integer(EVENT)) % EVENT_TYPES.size();
    delivery.message.changeSeq = row.integer(CHANGE_SEQ);
    delivery.message.occurredAt = row.time(OCCURRED_AT);
    delivery.message.areAll = row.isNull(OBJECTS);
    if (!delivery.message.areAll)
        delivery.message.objects = objectsOf(row.text(OBJECTS));
    delivery.message.id = row.text(MESSAGE_ID);
    delivery.hasStoredBody = row.boolean(HAS_BODY);
    delivery.attempts = row.integer(ATTEMPTS);
    delivery.due = now + microseconds(row.integer(DUE_IN));
    delivery.expires = now + microseconds(row.integer(EXPIRES_IN));
    return delivery;
}

int stateAfter(Attempt::Outcome outcome) {
    switch (outcome) {
    case Attempt::Outcome::Delivered:
        return 1;
    case Attempt::Outcome::Failed:
    case Attempt::Outcome::Gone:
        return 2;
    case Attempt::Outcome::Retry:
    case Attempt::Outcome::Undone:
        break;
    }
    return 0;
}

/// Of several at one delivery the last: a statement changes a row once, whichever it finds first.
std::vector<Attempt> lastOfEach(std::span<const Attempt> attempts) {
    std::vector<Attempt> last;
    std::map<std::int64_t, std::size_t> places;
    for (const Attempt& attempt : attempts) {
        const auto [place, isNew] = places.try_emplace(attempt.deliveryId, last.size());
        if (isNew)
            last.push_back(attempt);
        else
            last[place->second] = attempt;
    }
    return last;
}

void writeRow(JsonWriter& json, const Attempt& attempt) {
    json.beginArray().value(attempt.deliveryId).value(stateAfter(attempt.outcome)).value(attempt.attempts);
    json.value(attempt.pause.count()).value(attempt.took.count()).value(attempt.status);
    json.value(attempt.error.empty() ? std::nullopt : std::optional(attempt.error));
    json.value(attempt.answer.empty() ? std::nullopt : std::optional(attempt.answer)).endArray();
}

/// The rows of a statement as JSON: of several statements where they are many.
class RowPieces {
public:
    explicit RowPieces(std::function<void(const std::string&)> execute) : _execute(std::move(execute)) {}

    template <class... Row>
    void add(const Row&... row) {
        if (!_json)
            _json.emplace(_rows).beginArray();
        writeRow(*_json, row...);
        if (++_count == ROWS_AT_ONCE || _rows.size() >= BYTES_AT_ONCE)
            execute();
    }
    /// What is left.
    void execute() {
        if (!_json)
            return;
        _json->endArray();
        _execute(_rows);
        _json.reset();
        _rows.clear();
        _count = 0;
    }

private:
    const std::function<void(const std::string&)> _execute;
    std::string _rows;
    std::optional<JsonWriter> _json;
    std::size_t _count = 0;
};

} // namespace

void enqueue(Transaction& transaction, std::span<const Enqueued> enqueued, milliseconds retryFor) {
    std::map<std::int64_t, std::size_t> counts;
    for (const Enqueued& some : enqueued)
        if (!some.messages.empty())
            counts[some.endpointId] += some.messages.size();
    if (counts.empty())
        return;
    std::string queues;
    JsonWriter json(queues);
    json.beginArray();
    for (const auto& [endpointId, count] : counts)
        json.beginArray().value(endpointId).value(count).endArray();
    json.endArray();
    transaction.execute(ADD_TO_QUEUES, {queues});

    const std::int64_t seconds = std::chrono::ceil<std::chrono::seconds>(retryFor).count();
    RowPieces rows([&](const std::string& piece) { transaction.execute(INSERT_DELIVERIES, {seconds, piece}); });
    for (const Enqueued& some : enqueued)
        for (const Message& message : some.messages)
            rows.add(some.endpointId, message);
    rows.execute();
}

std::size_t DeliveryStore::claim(Database& database, std::size_t limit) const {
    const auto endpoints = database.read([&](SqlSession& session) {
        std::vector<std::int64_t> found;
        Rows& rows = session.query(SELECT_CLAIMABLE, {limit});
        while (rows.next())
            found.push_back(rows.integer(0));
        return found;
    });
    if (endpoints.empty())
        return 0;
    return static_cast<std::size_t>(database.execute(CLAIM, {jsonArray(endpoints), _owner, _lease.count()}));
}

void DeliveryStore::renew(Database& database) const {
    database.execute(RENEW, {_lease.count(), _owner});
}

std::vector<Leased> DeliveryStore::leased(SqlSession& session) const {
    const auto now = Clock::now();
    std::vector<Leased> all;
    Rows& rows = session.query(SELECT_LEASED, {_owner});
    while (rows.next()) {
        Leased& leased = all.emplace_back();
        leased.target.endpointId = rows.integer(0);
        leased.target.supplierId = rows.integer(1);
        leased.target.url = rows.text(2);
        leased.target.isFull = rows.boolean(3);
        leased.target.keys.push_back(keyOf(rows.text(4)));
        if (!rows.isNull(5))
            leased.target.keys.push_back(keyOf(rows.text(5)));
        leased.failures = rows.integer(6);
        leased.enqueued = rows.integer(7);
        // No further than it can be: the database's clock may have been put back.
        leased.leaseEnd = now + std::min<microseconds>(microseconds(rows.integer(8)), _lease);
    }
    return all;
}

std::vector<Delivery> DeliveryStore::load(SqlSession& session, std::int64_t endpointId, std::int64_t after,
                                          std::size_t limit) {
    const auto now = Clock::now();
    std::vector<Delivery> deliveries;
    Rows& rows = session.query(SELECT_WAITING, {endpointId, after, limit});
    while (rows.next())
        deliveries.push_back(deliveryOf(rows, now));
    return deliveries;
}

std::vector<std::int64_t> DeliveryStore::record(Transaction& transaction, std::span<const Attempt> attempts,
                                                std::span<const EndpointState> states, milliseconds disableAfter) {
    struct Sum {
        std::int64_t done = 0;
        bool wasTaken = false;
    };
    std::map<std::int64_t, Sum> sums;
    for (const Attempt& attempt : attempts) {
        Sum& sum = sums[attempt.endpointId];
        sum.done += stateAfter(attempt.outcome) == 0 ? 0 : 1;
        sum.wasTaken = sum.wasTaken || attempt.outcome == Attempt::Outcome::Delivered;
    }
    std::vector<std::int64_t> failing;
    std::string rows;
    JsonWriter json(rows);
    json.beginArray();
    for (const EndpointState& state : states) {
        const Sum& sum = sums[state.endpointId];
        json.beginArray().value(state.endpointId).value(sum.done).value(state.failures);
        json.value(state.pause.count()).value(sum.wasTaken ? 1 : 0).endArray();
        if (state.failures.value_or(0) > 0)
            failing.push_back(state.endpointId);
    }
    json.endArray();
    transaction.execute(UPDATE_QUEUES, {rows});
    RowPieces deliveries([&](const std::string& piece) { transaction.execute(UPDATE_DELIVERIES, {piece}); });
    for (const Attempt& attempt : lastOfEach(attempts))
        deliveries.add(attempt);
    deliveries.execute();

    std::vector<std::int64_t> failedForLong;
    if (!failing.empty()) {
        Rows& found = transaction.query(SELECT_FAILED_FOR_LONG, {jsonArray(failing), disableAfter.count()});
        while (found.next())
            failedForLong.push_back(found.integer(0));
    }
    return failedForLong;
}

bool DeliveryStore::release(Database& database, const DeliveryQueue::Idle& idle) const {
    if (!idle.wake)
        return database.execute(RELEASE_EMPTY, {idle.endpointId, _owner, idle.enqueued}) == 1;
    return database.execute(RELEASE, {idle.wake->count(), idle.endpointId, _owner, idle.enqueued}) == 1;
}

void DeliveryStore::hold(Database& database, std::int64_t endpointId, milliseconds pause) const {
    database.execute(HOLD, {pause.count(), pause.count(), endpointId, _owner});
}

void DeliveryStore::releaseAll(Database& database) const {
    database.execute(RELEASE_ALL, {_owner});
}

} // namespace supplierd::webhooks
