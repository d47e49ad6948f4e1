#include "host/db/changes/ChangeLogStore.h"

#include "host/db/changes/PackedIds.h"

#include <algorithm>

namespace supplierd::host {

namespace {

constexpr std::string_view SELECT_COMMITTED = "SELECT change_seq FROM supplier_state WHERE supplier_id = ?";

// The supplier's number, a row of its own, what the oldest entry follows, another one, and what comes after the number,
// all of one moment. The entries come from the primary key, from where they begin. Joined they were copied into a
// temporary table, on disk since there are BLOBs among them, which took nine times as long.
constexpr std::string_view SELECT_AFTER = R"sql(
SELECT change_seq, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM supplier_state WHERE supplier_id = ?
UNION ALL
(SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, COALESCE(follows, change_seq - 1)
 FROM changes FORCE INDEX (PRIMARY)
 WHERE supplier_id = ? ORDER BY change_seq LIMIT 1)
UNION ALL
(SELECT NULL, change_seq, changed_at, kind, ids, actor, request_id, COALESCE(follows, change_seq - 1)
 FROM changes FORCE INDEX (PRIMARY)
 WHERE supplier_id = ? AND change_seq > ? ORDER BY change_seq LIMIT ?)
)sql";

/// Of SELECT_AFTER: the number before the entry's, the oldest one's too.
constexpr std::size_t FOLLOWS = 7;

constexpr std::int64_t PURGE_BATCH = 1'000;
constexpr std::string_view SELECT_LAST_OUTDATED = R"sql(
SELECT CAST(LEAST(NOW(6) - INTERVAL ? * 1000 MICROSECOND,
                  GREATEST(NOW(6) - INTERVAL 7 DAY,
                           COALESCE((SELECT MIN(caught_up_at) FROM change_readers), NOW(6)))) AS CHAR(26))
)sql";
constexpr std::string_view PURGE = "DELETE FROM changes WHERE changed_at < ? ORDER BY changed_at LIMIT 1000";

/// ChangePlace holds 2^32 numbers: room for four thousand runs of a database.
constexpr std::int64_t SKIPPED = std::int64_t{1} << 20;
constexpr std::string_view SKIP_NUMBERS = "UPDATE supplier_state SET change_seq = change_seq + ?";
constexpr std::string_view LOG_SKIPPED = R"sql(
INSERT INTO changes (supplier_id, change_seq, kind, ids, actor, follows)
SELECT supplier_id, change_seq, '', '', 'supplierd', change_seq - ? FROM supplier_state WHERE supplier_id >= 0
)sql";

// All numbers are raised by as much at a time, so the marketplace's says how often they were.
constexpr std::string_view ADD_SUPPLIER = R"sql(
INSERT INTO supplier_state (supplier_id, change_seq)
SELECT ?, change_seq - change_seq MOD ? FROM supplier_state WHERE supplier_id = 0
)sql";
constexpr std::string_view LOG_ADDED = R"sql(
INSERT INTO changes (supplier_id, change_seq, kind, ids, actor, follows)
SELECT supplier_id, change_seq, '', '', 'supplierd', 0 FROM supplier_state WHERE supplier_id = ? AND change_seq > 0
)sql";

constexpr std::string_view CHANGE_ACCOUNTS =
    "UPDATE supplier_state SET change_seq = change_seq + 1 WHERE supplier_id = ?";

/// What nobody can read may be about anything.
std::vector<ChangedObjects> objectsOf(std::string_view kinds, std::string_view packed) {
    std::vector<ChangedObjects> objects;
    while (!kinds.empty()) {
        const std::size_t end = std::min(kinds.find(' '), kinds.size());
        ChangedObjects changed{std::string(kinds.substr(0, end))};
        kinds.remove_prefix(std::min(end + 1, kinds.size()));
        if (auto ids = unpackIds(packed))
            changed.ids = std::move(*ids);
        else
            changed.areAll = true;
        objects.push_back(std::move(changed));
    }
    return objects;
}

ChangeEntry entryOf(const Rows& row) {
    ChangeEntry entry;
    entry.seq = row.integer(1);
    entry.changedAt = row.time(2);
    entry.objects = objectsOf(row.text(3), row.text(4));
    entry.actor = row.text(5);
    entry.requestId = row.text(6);
    return entry;
}

} // namespace

std::int64_t ChangeLogStore::committed(SqlSession& session, std::int64_t supplierId) {
    Rows& row = session.query(SELECT_COMMITTED, {supplierId});
    return row.next() ? row.integer(0) : 0;
}

ChangePage ChangeLogStore::after(SqlSession& session, std::int64_t supplierId, std::int64_t seq, std::size_t limit) {
    ChangePage page;
    Rows& rows = session.query(SELECT_AFTER, {supplierId, supplierId, supplierId, seq, limit});
    std::int64_t last = seq;
    std::optional<std::int64_t> first;
    bool hasGap = false;
    while (rows.next()) {
        if (!rows.isNull(0)) {
            page.committed = rows.integer(0);
            continue;
        }
        if (rows.isNull(1)) {
            first = rows.integer(FOLLOWS);
            continue;
        }
        hasGap = hasGap || rows.integer(FOLLOWS) != last;
        if (hasGap)
            continue;
        page.entries.push_back(entryOf(rows));
        last = page.entries.back().seq;
    }
    page.removedUpTo = first.value_or(page.committed);
    page.isComplete = page.entries.size() == limit || last >= page.committed;
    return page;
}

void ChangeLogStore::skipNumbers(SqlSession& session, bool isContinued) {
    session.execute(SKIP_NUMBERS, {SKIPPED});
    if (isContinued)
        session.execute(LOG_SKIPPED, {SKIPPED});
}

std::int64_t ChangeLogStore::raises(std::int64_t number) {
    return number / SKIPPED;
}

void ChangeLogStore::addSupplier(SqlSession& session, std::int64_t supplierId) {
    session.execute(ADD_SUPPLIER, {supplierId, SKIPPED});
    session.execute(LOG_ADDED, {supplierId});
}

void ChangeLogStore::changeAccounts(SqlSession& session) {
    if (session.execute(CHANGE_ACCOUNTS, {ACCOUNTS}) == 0)
        throw DatabaseError(0, "the number of accounts has no row in supplier_state");
}

bool ChangeLogStore::purge(Database& database, std::chrono::milliseconds retention) {
    const std::string before = database.read([&](SqlSession& session) {
        Rows& row = session.query(SELECT_LAST_OUTDATED, {retention.count()});
        row.next();
        return std::string(row.text(0));
    });
    return database.execute(PURGE, {before}) == PURGE_BATCH;
}

} // namespace supplierd::host
