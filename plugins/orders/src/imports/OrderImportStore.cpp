#include "imports/OrderImportStore.h"

#include <limits>

namespace supplierd::orders {

namespace {

constexpr std::string_view INSERT_IMPORT =
    "INSERT INTO order_imports (stops_on_error, actor, actor_kind, request_id) VALUES (?, ?, ?, ?)";

constexpr std::string_view INSERT_ORDERS = R"(
INSERT INTO order_import_rows (import_id, position, body)
SELECT ?, ? + t.place - 1, t.body
FROM JSON_TABLE(?, '$[*]' COLUMNS (
    place FOR ORDINALITY, body MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) t)";
constexpr std::string_view TOUCH = "UPDATE order_imports SET touched_at = NOW(6) WHERE id = ?";

constexpr std::string_view RECEIVE =
    "UPDATE order_imports SET state = 1, total = ?, touched_at = NOW(6) WHERE id = ? AND state = 0";

constexpr std::string_view COLUMNS = R"(
SELECT id, state, stops_on_error, total, created, existing, failed, problem, actor, actor_kind, request_id, created_at,
    started_at, finished_at
FROM order_imports )";

constexpr std::string_view COUNT = "SELECT COUNT(*) FROM order_imports WHERE state > 0";

constexpr std::string_view SELECT_FAILURES = R"(
SELECT problem FROM order_import_rows FORCE INDEX (order_import_rows_outcome)
WHERE import_id = ? AND outcome = ? ORDER BY position LIMIT ?)";

constexpr std::string_view SELECT_UNFINISHED = R"(
SELECT id FROM order_imports FORCE INDEX (order_imports_state) WHERE state IN (1, 2) ORDER BY id LIMIT 1000)";

constexpr std::string_view SELECT_ORDER = "SELECT body FROM order_import_rows WHERE import_id = ? AND position = ?";

constexpr std::string_view SET_OUTCOME =
    "UPDATE order_import_rows SET outcome = ?, problem = ? WHERE import_id = ? AND position = ?";
constexpr std::string_view ADVANCE = R"(
UPDATE order_imports SET state = 2, started_at = COALESCE(started_at, NOW(6)), touched_at = NOW(6),
    created = created + ?, existing = existing + ?, failed = failed + ?
WHERE id = ?)";

constexpr std::string_view END = R"(
UPDATE order_imports SET state = ?, problem = ?, finished_at = NOW(6), touched_at = NOW(6)
WHERE id = ? AND state IN (1, 2))";

constexpr std::string_view SELECT_OLD = R"(
SELECT id FROM order_imports
WHERE (state >= 3 AND finished_at < NOW(6) - INTERVAL ? DAY) OR (state = 0 AND touched_at < NOW(6) - INTERVAL 1 HOUR)
ORDER BY id LIMIT 1 FOR UPDATE)";
constexpr std::string_view REMOVE_ORDERS = "DELETE FROM order_import_rows WHERE import_id = ? LIMIT 1000";
constexpr std::string_view REMOVE_IMPORT = "DELETE FROM order_imports WHERE id = ?";

OrderImport importOf(const Rows& row) {
    std::size_t column = 0;
    OrderImport import;
    import.id = row.integer(column++);
    import.state = static_cast<ImportState>(row.integer(column++));
    import.stopsOnError = row.boolean(column++);
    import.total = row.integer(column++);
    import.created = row.integer(column++);
    import.existing = row.integer(column++);
    import.failed = row.integer(column++);
    import.problem = row.maybeText(column++);
    import.actor.name = row.text(column++);
    import.actor.kind = static_cast<Actor::Kind>(row.integer(column++));
    import.actor.requestId = row.text(column++);
    import.createdAt = row.time(column++);
    import.startedAt = row.maybeTime(column++);
    import.finishedAt = row.maybeTime(column);
    return import;
}

std::optional<std::int64_t> firstOf(Rows& rows) {
    return rows.next() ? std::optional(rows.integer(0)) : std::nullopt;
}

} // namespace

void writeJson(JsonWriter& json, const OrderImport& import, std::string_view failures) {
    json.beginObject();
    json.field("id", import.id).field("state", IMPORT_STATES.at(static_cast<std::size_t>(import.state)));
    json.field("stop_on_error", import.stopsOnError).field("total", import.total).field("done", import.done());
    json.field("created", import.created).field("existing", import.existing).field("failed", import.failed);
    json.field("not_tried", import.total - import.done()).field("problem", import.problem);
    json.field("requested_by", import.actor.name).field("created_at", import.createdAt);
    json.field("started_at", import.startedAt).field("finished_at", import.finishedAt);
    if (!failures.empty())
        json.key("failures").raw(failures);
    json.endObject();
}

std::int64_t OrderImportStore::begin(bool stopsOnError, const Actor& actor) {
    std::int64_t id = 0;
    _database.withTransaction([&](Transaction& transaction) {
        transaction.execute(INSERT_IMPORT, {stopsOnError, actor.name, static_cast<int>(actor.kind), actor.requestId});
        id = transaction.lastInsertId();
    });
    return id;
}

void OrderImportStore::addOrders(std::int64_t id, std::int64_t position, const std::vector<std::string>& orders) {
    const std::string texts = jsonArray(orders);
    _database.withTransaction([&](Transaction& transaction) {
        transaction.execute(INSERT_ORDERS, {id, position, texts});
        transaction.execute(TOUCH, {id});
    });
}

void OrderImportStore::receive(SqlSession& session, std::int64_t id, std::int64_t total) {
    session.execute(RECEIVE, {total, id});
}

std::optional<OrderImport> OrderImportStore::find(SqlSession& session, std::int64_t id) {
    static const std::string SQL = std::string(COLUMNS).append("WHERE id = ? AND state > 0");
    Rows& rows = session.query(SQL, {id});
    return rows.next() ? std::optional(importOf(rows)) : std::nullopt;
}

Listed<OrderImport> OrderImportStore::list(const QueryParameters& query) {
    static const std::string SQL =
        std::string(COLUMNS).append("WHERE state > 0 AND id < ? ORDER BY id DESC LIMIT ? OFFSET ?");
    constexpr std::int64_t LAST = std::numeric_limits<std::int64_t>::max();
    Details details;
    QueryReader reader(query, details);
    const ListPage page = ListPage::read(reader, {.total = ListTotal::Counted});
    details.throwIfAny();
    const ListStatements statements{
        .page = [&](SqlSession& session, const ListWindow& window) -> Rows& {
            return session.query(SQL, {window.after ? window.after->lastId : LAST, window.limit, window.offset});
        },
        .total = [](SqlSession& session) { return firstOf(session.query(COUNT, {})).value_or(0); }};
    return page.select(_database, statements, importOf);
}

std::string OrderImportStore::failures(SqlSession& session, std::int64_t id) {
    std::string text;
    JsonWriter json(text);
    json.beginArray();
    Rows& rows = session.query(SELECT_FAILURES, {id, static_cast<int>(ImportOutcome::Failed), SHOWN_FAILURES});
    while (rows.next())
        json.raw(rows.text(0));
    json.endArray();
    return text;
}

std::vector<std::int64_t> OrderImportStore::unfinished() {
    return _database.read([](SqlSession& session) {
        std::vector<std::int64_t> ids;
        Rows& rows = session.query(SELECT_UNFINISHED, {});
        while (rows.next())
            ids.push_back(rows.integer(0));
        return ids;
    });
}

std::optional<OrderImport> OrderImportStore::lock(SqlSession& session, std::int64_t id) {
    static const std::string SQL = std::string(COLUMNS).append("WHERE id = ? AND state IN (1, 2) FOR UPDATE");
    Rows& rows = session.query(SQL, {id});
    return rows.next() ? std::optional(importOf(rows)) : std::nullopt;
}

std::string OrderImportStore::order(SqlSession& session, std::int64_t id, std::int64_t position) {
    Rows& rows = session.query(SELECT_ORDER, {id, position});
    return rows.next() ? std::string(rows.text(0)) : std::string();
}

void OrderImportStore::advance(SqlSession& session, std::int64_t id, std::int64_t position, ImportOutcome outcome,
                               const std::optional<std::string>& problem) {
    session.execute(SET_OUTCOME, {static_cast<int>(outcome), problem, id, position});
    session.execute(ADVANCE, {outcome == ImportOutcome::Created, outcome == ImportOutcome::Existing,
                              outcome == ImportOutcome::Failed, id});
}

bool OrderImportStore::end(SqlSession& session, std::int64_t id, ImportState state,
                           const std::optional<std::string>& problem) {
    return session.execute(END, {static_cast<int>(state), problem, id}) > 0;
}

std::int64_t OrderImportStore::removeOld(SqlSession& session, std::int64_t days) {
    const auto id = firstOf(session.query(SELECT_OLD, {days}));
    if (!id)
        return 0;
    const std::int64_t removed = session.execute(REMOVE_ORDERS, {*id});
    return removed > 0 ? removed : session.execute(REMOVE_IMPORT, {*id});
}

} // namespace supplierd::orders
