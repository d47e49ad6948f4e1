#include "host/audit/AuditStore.h"

#include <supplierd/Cursor.h>
#include <supplierd/JsonWriter.h>

#include <algorithm>
#include <array>
#include <limits>

namespace supplierd::host {

namespace {

constexpr std::size_t MAX_OBJECT = 32;
constexpr std::size_t MAX_ACTOR = 64;

constexpr std::string_view INSERT_ENTRY = R"sql(
INSERT INTO audit_log (actor, action, object, object_id, supplier_id, before_json, after_json, request_id, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, NOW(6) - INTERVAL ? MICROSECOND)
)sql";

// One text for any number of entries.
constexpr std::string_view INSERT_ENTRIES = R"sql(
INSERT INTO audit_log (actor, action, object, object_id, supplier_id, before_json, after_json, request_id, created_at)
SELECT t.actor, t.action, t.object, t.object_id, t.supplier_id, t.before_json, t.after_json, t.request_id,
       NOW(6) - INTERVAL t.ago MICROSECOND
FROM JSON_TABLE(?, '$[*]' COLUMNS (
    place FOR ORDINALITY,
    actor VARCHAR(64) CHARACTER SET ascii PATH '$.actor',
    action VARCHAR(64) CHARACTER SET ascii PATH '$.action',
    object VARCHAR(32) CHARACTER SET ascii PATH '$.object',
    object_id BIGINT PATH '$.object_id',
    supplier_id BIGINT PATH '$.supplier_id',
    before_json MEDIUMTEXT CHARACTER SET utf8mb4 PATH '$.before',
    after_json MEDIUMTEXT CHARACTER SET utf8mb4 PATH '$.after',
    request_id VARCHAR(64) CHARACTER SET ascii PATH '$.request_id',
    ago BIGINT PATH '$.ago')) t
ORDER BY t.place
)sql";

// The ids of the page come from an index alone; only the rows of the page itself are read.
constexpr std::string_view SELECT_PAGE = R"sql(
SELECT a.id, a.created_at, a.actor, a.action, a.object, a.object_id, a.supplier_id, a.before_json, a.after_json,
       a.request_id
FROM (SELECT id FROM audit_log )sql";
constexpr std::string_view PAGE_END = R"sql( ORDER BY id DESC LIMIT ? OFFSET ?) page
STRAIGHT_JOIN audit_log a ON a.id = page.id
ORDER BY a.id DESC
)sql";

constexpr std::string_view COUNT_ENTRIES = "SELECT COUNT(*) FROM (SELECT id FROM audit_log ";
constexpr std::string_view COUNT_END = " LIMIT ?) counted";

constexpr std::string_view SELECT_KINDS = R"sql(
SELECT DISTINCT object FROM audit_log FORCE INDEX (audit_log_kind) ORDER BY object
)sql";

/// The product's own; plugins may add theirs.
constexpr std::array<std::string_view, 12> KINDS = {"category",    "database", "job",   "key",     "media", "order",
                                                    "order_group", "plugin",   "price", "product", "stock", "supplier"};

// Entries are only ever appended: the oldest have the lowest ids, and no index on the time is needed. The time of an
// entry may be a little off the order of the ids (AuditEntry::ago), which only delays its end.
constexpr std::int64_t PURGE_BATCH = 1'000;
constexpr std::string_view FIND_OUTDATED = R"sql(
SELECT MAX(id), COUNT(*)
FROM (SELECT id, created_at FROM audit_log FORCE INDEX (PRIMARY) ORDER BY id LIMIT 1000) oldest
WHERE created_at < NOW(6) - INTERVAL ? * 1000 MICROSECOND
)sql";
constexpr std::string_view PURGE = R"sql(
DELETE FROM audit_log WHERE id <= ? AND created_at < NOW(6) - INTERVAL ? * 1000 MICROSECOND ORDER BY id LIMIT 1000
)sql";

// Programs push stocks and prices day and night: of them the log has more than of all else.
struct Push {
    std::string_view object;
    std::string_view action;
};
constexpr std::array<Push, 2> PUSHES{{{"stock", "stock.update"}, {"price", "price.update"}}};

// The oldest of a kind, by an index; what the kind has of other actions stays, and has to be stepped over.
constexpr std::string_view FIND_OUTDATED_PUSHES = R"sql(
SELECT id
FROM (SELECT id, created_at FROM audit_log FORCE INDEX (audit_log_kind)
      WHERE object = ? AND action = ? ORDER BY id LIMIT 1000) oldest
WHERE created_at < NOW(6) - INTERVAL ? * 1000 MICROSECOND
)sql";
// By their ids, since what lies between them is kept longer.
constexpr std::string_view PURGE_THESE = R"sql(
DELETE a FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t STRAIGHT_JOIN audit_log a ON a.id = t.id
)sql";

constexpr std::string_view BY_OBJECT = "FORCE INDEX (audit_log_object) WHERE object_id = ?";
constexpr std::string_view BY_ACTOR = "FORCE INDEX (audit_log_actor) WHERE actor = ?";
constexpr std::string_view BY_KIND = "FORCE INDEX (audit_log_kind) WHERE object = ?";
constexpr std::string_view ALL = "FORCE INDEX (audit_log_all) WHERE id > 0";

// By indexes that have the supplier.
constexpr std::string_view OF_LIVE = R"sql( AND (supplier_id IS NULL OR NOT EXISTS (
    SELECT 1 FROM suppliers s WHERE s.id = supplier_id AND s.sandbox_of IS NOT NULL)))sql";

constexpr std::string_view OLDER = " AND id < ?";
constexpr std::string_view NEWER = " AND id > ?";

// The entries are in the order of their times, but for those that were recorded some time after what they tell of
// (AuditEntry::ago). So where to look is found by halving what there is, with more room than those take, and then each
// entry's own time decides.
constexpr std::string_view SELECT_ENDS = "SELECT COALESCE(MIN(id), 1), COALESCE(MAX(id), 0) FROM audit_log";
constexpr std::string_view FIND_LATER = R"sql(
SELECT id, created_at - INTERVAL 15 MINUTE > ? FROM audit_log FORCE INDEX (PRIMARY) WHERE id >= ? ORDER BY id LIMIT 1
)sql";
constexpr std::string_view FIND_NOT_EARLIER = R"sql(
SELECT id, created_at + INTERVAL 15 MINUTE >= ? FROM audit_log FORCE INDEX (PRIMARY) WHERE id >= ? ORDER BY id LIMIT 1
)sql";

constexpr std::size_t WHOLE_SECONDS = std::string_view("2026-11-20 14:48:00").size();

/// Kinds of objects and actors are ASCII; the database would not even compare other text with them.
bool canMatch(const AuditFilter& filter) {
    const auto isAscii = [](const std::optional<std::string>& text) {
        return !text ||
               std::all_of(text->begin(), text->end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    };
    return isAscii(filter.object) && isAscii(filter.actor);
}

/// The index to go by and the conditions, with what stands for their marks.
struct Selection {
    std::string sql;
    std::vector<SqlParam> params;

    explicit Selection(const AuditFilter& filter) {
        if (!canMatch(filter)) {
            sql = "WHERE FALSE";
        } else if (filter.objectId) {
            start(BY_OBJECT, *filter.objectId);
            narrow(" AND object = ?", filter.object);
            narrow(" AND actor = ?", filter.actor);
        } else if (filter.actor) {
            start(BY_ACTOR, *filter.actor);
            narrow(" AND object = ?", filter.object);
        } else if (filter.object) {
            start(BY_KIND, *filter.object);
        } else {
            sql = ALL;
        }
        if (canMatch(filter) && !filter.objectId && !filter.actor && !filter.withSandboxes)
            sql += OF_LIVE;
        sql += OLDER;
        params.emplace_back(filter.before.value_or(std::numeric_limits<std::int64_t>::max()));
        narrow(NEWER, filter.after);
        narrow(" AND created_at >= ?", filter.createdFrom);
        narrow(" AND created_at <= ?", filter.createdTo);
    }

private:
    void start(std::string_view condition, const SqlParam& value) {
        sql = condition;
        params.push_back(value);
    }
    template <class Value>
    void narrow(std::string_view condition, const std::optional<Value>& value) {
        if (!value)
            return;
        sql += condition;
        params.emplace_back(*value);
    }
};

SqlParam textOrNull(const std::string& text) {
    return text.empty() ? SqlParam(nullptr) : SqlParam(text);
}

Rows& select(SqlSession& session, const AuditFilter& filter, std::int64_t limit, std::int64_t offset) {
    Selection selection(filter);
    std::string sql(SELECT_PAGE);
    sql.append(selection.sql).append(PAGE_END);
    selection.params.emplace_back(limit);
    selection.params.emplace_back(offset);
    return session.query(sql, SqlParams(selection.params));
}

AuditRecord readRecord(const Rows& row) {
    AuditRecord record;
    record.id = row.integer(0);
    record.createdAt = row.time(1);
    record.entry.actor = row.text(2);
    record.entry.action = row.text(3);
    record.entry.object = row.text(4);
    record.entry.objectId = row.integer(5);
    record.entry.supplierId = row.maybeInteger(6);
    record.entry.before = row.text(7);
    record.entry.after = row.text(8);
    record.entry.requestId = row.text(9);
    return record;
}

struct Ends {
    std::int64_t first = 1;
    std::int64_t last = 0;
};

Ends endsOf(SqlSession& session) {
    Rows& row = session.query(SELECT_ENDS, {});
    return row.next() ? Ends{row.integer(0), row.integer(1)} : Ends();
}

/// Where `find` begins to say yes of that time; beyond the last entry when it never does.
std::int64_t firstOf(SqlSession& session, const Ends& ends, std::string_view find, const std::string& time) {
    std::int64_t low = ends.first;
    std::int64_t high = ends.last;
    std::int64_t first = high + 1;
    while (low <= high) {
        const std::int64_t middle = low + (high - low) / 2;
        Rows& row = session.query(find, {time, middle});
        if (!row.next() || row.boolean(1)) {
            first = middle;
            high = middle - 1;
        } else {
            low = row.integer(0) + 1;
        }
    }
    return first;
}

} // namespace

void AuditStore::record(Transaction& transaction, const AuditEntry& entry) {
    transaction.execute(INSERT_ENTRY, {entry.actor, entry.action, entry.object, entry.objectId, entry.supplierId,
                                       textOrNull(entry.before), textOrNull(entry.after), textOrNull(entry.requestId),
                                       static_cast<std::int64_t>(entry.ago.count())});
}

void AuditStore::recordAll(Transaction& transaction, std::span<const AuditEntry> entries) {
    if (entries.empty())
        return;
    if (entries.size() == 1)
        return record(transaction, entries.front()); // half the cost of a table of one row
    std::string rows;
    JsonWriter json(rows);
    json.beginArray();
    for (const AuditEntry& entry : entries) {
        json.beginObject().field("actor", entry.actor).field("action", entry.action).field("object", entry.object);
        json.field("object_id", entry.objectId).field("supplier_id", entry.supplierId);
        if (!entry.before.empty())
            json.field("before", entry.before);
        if (!entry.after.empty())
            json.field("after", entry.after);
        if (!entry.requestId.empty())
            json.field("request_id", entry.requestId);
        json.field("ago", static_cast<std::int64_t>(entry.ago.count())).endObject();
    }
    json.endArray();
    transaction.execute(INSERT_ENTRIES, {rows});
}

Listed<AuditRecord> AuditStore::list(Database& database, const QueryParameters& query) {
    Details details;
    QueryReader reader(query, details);
    AuditFilter filter;
    filter.object = reader.text("object", MAX_OBJECT);
    filter.objectId = reader.integer("id", 1);
    filter.actor = reader.text("actor", MAX_ACTOR);
    filter.before = reader.integer("before", 1);
    filter.withSandboxes = reader.boolean("sandbox").value_or(false);
    filter.createdFrom = reader.time("created_from");
    if (const auto to = reader.time("created_to")) // with its whole second, as times are printed
        filter.createdTo = to->substr(0, WHOLE_SECONDS) + ".999999";
    ListFingerprint print;
    print.add(filter.object.value_or(""));
    print.add(filter.objectId.value_or(0));
    print.add(filter.actor.value_or(""));
    print.add(filter.before.value_or(0));
    if (filter.withSandboxes)
        print.add("sandbox");
    if (filter.createdFrom || filter.createdTo)
        print.add(filter.createdFrom.value_or("") + '/' + filter.createdTo.value_or(""));
    const ListPage page = ListPage::read(
        reader, {.fingerprint = print.value(), .total = ListTotal::CountedToLimit, .countLimit = MAX_COUNT});
    details.throwIfAny();
    if (filter.createdFrom || filter.createdTo)
        database.withSnapshot([&](SqlSession& session) {
            const Ends ends = endsOf(session);
            if (filter.createdFrom)
                filter.after = firstOf(session, ends, FIND_NOT_EARLIER, *filter.createdFrom) - 1;
            if (filter.createdTo)
                filter.before = std::min(filter.before.value_or(std::numeric_limits<std::int64_t>::max()),
                                         firstOf(session, ends, FIND_LATER, *filter.createdTo));
        });
    const ListStatements statements{.page = [&](SqlSession& session, const ListWindow& window) -> Rows& {
                                        AuditFilter rest = filter;
                                        if (window.after)
                                            rest.before = window.after->lastId;
                                        return select(session, rest, window.limit, window.offset);
                                    },
                                    .total = [&](SqlSession& session) { return count(session, filter); }};
    return page.select(database, statements, readRecord);
}

std::vector<AuditRecord> AuditStore::find(SqlSession& session, const AuditFilter& filter, std::int64_t limit,
                                          std::int64_t offset) {
    Rows& rows = select(session, filter, limit, offset);
    std::vector<AuditRecord> records;
    while (rows.next())
        records.push_back(readRecord(rows));
    return records;
}

std::int64_t AuditStore::count(SqlSession& session, const AuditFilter& filter) {
    Selection selection(filter);
    std::string sql(COUNT_ENTRIES);
    sql.append(selection.sql).append(COUNT_END);
    selection.params.emplace_back(MAX_COUNT + 1);
    auto& rows = session.query(sql, SqlParams(selection.params));
    return rows.next() ? rows.integer(0) : 0;
}

bool AuditStore::purge(SqlSession& session, std::chrono::milliseconds retention) {
    std::int64_t last = 0;
    std::int64_t outdated = 0;
    {
        auto& rows = session.query(FIND_OUTDATED, {retention.count()});
        if (!rows.next() || rows.integer(1) == 0)
            return false;
        last = rows.integer(0);
        outdated = rows.integer(1);
    }
    session.execute(PURGE, {last, retention.count()});
    return outdated == PURGE_BATCH;
}

bool AuditStore::purgePushes(SqlSession& session, std::chrono::milliseconds retention) {
    bool isMore = false;
    std::vector<std::int64_t> ids;
    for (const auto& [object, action] : PUSHES) {
        auto& rows = session.query(FIND_OUTDATED_PUSHES, {object, action, retention.count()});
        while (rows.next())
            ids.push_back(rows.integer(0));
        isMore = isMore || static_cast<std::int64_t>(ids.size()) == PURGE_BATCH;
        if (!ids.empty())
            session.execute(PURGE_THESE, {jsonArray(ids)});
        ids.clear();
    }
    return isMore;
}

std::vector<std::string> AuditStore::kinds(SqlSession& session) {
    std::set<std::string> kinds(KINDS.begin(), KINDS.end());
    auto& rows = session.query(SELECT_KINDS);
    while (rows.next())
        kinds.emplace(rows.text(0));
    if (_announced)
        kinds.merge(_announced());
    return {kinds.begin(), kinds.end()};
}

} // namespace supplierd::host
