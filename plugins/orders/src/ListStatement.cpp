#include "ListStatement.h"

#include <supplierd/Cursor.h>
#include <supplierd/internal/LastChange.h>
#include <supplierd/services/ChangeLog.h>

#include <array>
#include <limits>

namespace supplierd::orders {

namespace {

constexpr std::int64_t LAST = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t WHOLE_SECONDS = std::string_view("2026-11-20 14:48:00").size();
// So many that a walk in id order meets a page of them sooner than it sorts them, at a million order groups.
constexpr std::int64_t MANY = 20'000;
constexpr std::size_t MAX_SEARCH = 100;

constexpr std::string_view MATCHING =
    " AND (x.order_number COLLATE utf8mb4_unicode_520_ci LIKE ? ESCAPE '|' OR x.customer_name LIKE ? ESCAPE '|')";

constexpr std::string_view COLUMNS = R"(SELECT g.id, g.order_number, g.status, g.currency, g.subtotal, g.vat_total,
    g.total, g.items_count, g.customer_name, g.created_at, g.updated_at, )";

// `t` is the supplier's totals.
constexpr std::string_view DIRECT = R"(
FROM order_totals t FORCE INDEX (PRIMARY) STRAIGHT_JOIN order_groups g FORCE INDEX (PRIMARY)
WHERE t.supplier_id = ? AND g.supplier_id = ? AND g.id < ?)";

constexpr std::string_view DIRECT_BY_STATUS = R"(
FROM order_totals t FORCE INDEX (PRIMARY) STRAIGHT_JOIN order_groups g FORCE INDEX (order_groups_status)
WHERE t.supplier_id = ? AND g.supplier_id = ? AND g.status = ? AND g.id < ?)";

constexpr std::string_view FROM_PAGE = "\nFROM (";

// The end of an index, wherever that is.
constexpr std::string_view LAST_ORDER_CHANGE = R"(COALESCE((
    SELECT MAX(l.change_seq) FROM order_groups l FORCE INDEX (order_groups_change) WHERE l.supplier_id = ?), 0))";

constexpr std::string_view JOIN_PAGE = R"() page
    STRAIGHT_JOIN order_groups g FORCE INDEX (PRIMARY) ON g.supplier_id = page.supplier_id AND g.id = page.id)";

/// The narrow indexes that ids are sought in; Rows is the table itself in id order, Table in its own.
enum class Index : std::uint8_t { Ids, Status, Created, Updated, Rows, Table };

constexpr std::array<std::string_view, 6> FROM_SUPPLIERS_OWN{
    "\nFROM order_groups x FORCE INDEX (order_groups_ids) WHERE x.supplier_id = ?",
    "\nFROM order_groups x FORCE INDEX (order_groups_status) WHERE x.supplier_id = ?",
    "\nFROM order_groups x FORCE INDEX (order_groups_created) WHERE x.supplier_id = ?",
    "\nFROM order_groups x FORCE INDEX (order_groups_updated) WHERE x.supplier_id = ?",
    "\nFROM order_groups x FORCE INDEX (PRIMARY) WHERE x.supplier_id = ?",
    "\nFROM order_groups x FORCE INDEX (PRIMARY) WHERE x.supplier_id = ?"};

constexpr std::array<std::string_view, 6> FROM_ALL{"\nFROM order_groups x FORCE INDEX (order_groups_id)",
                                                   "\nFROM order_groups x FORCE INDEX (order_groups_all_status)",
                                                   "\nFROM order_groups x FORCE INDEX (order_groups_all_created)",
                                                   "\nFROM order_groups x FORCE INDEX (order_groups_all_updated)",
                                                   "\nFROM order_groups x FORCE INDEX (order_groups_id)",
                                                   "\nFROM order_groups x FORCE INDEX (PRIMARY)"};

constexpr std::string_view FROM_CHANGES =
    "\nFROM order_groups x FORCE INDEX (order_groups_change) WHERE x.supplier_id = ?";

// By status; the last is for all of them.
constexpr std::array<std::string_view, STATUS_NAMES.size() + 1> COUNTERS{
    "t.pending",    "t.confirmed",
    "t.processing", "t.shipped",
    "t.delivered",  "t.completed",
    "t.cancelled",  "t.pending + t.confirmed + t.processing + t.shipped + t.delivered + t.completed + t.cancelled"};

Index indexFor(const ListFilters& filters, std::optional<bool> many) {
    if (filters.updatedSince)
        return many.value_or(false) ? Index::Rows : Index::Updated;
    if (filters.status)
        return Index::Status;
    if (filters.hasCreation())
        return Index::Created;
    if (filters.search)
        return many ? Index::Rows : Index::Table;
    return Index::Ids;
}

std::string_view counterFor(const ListFilters& filters) {
    return COUNTERS[filters.status ? static_cast<std::size_t>(*filters.status) : STATUS_NAMES.size()];
}

} // namespace

ListFilters ListFilters::read(QueryReader& reader, const std::optional<std::int64_t>& supplierId) {
    ListFilters filters;
    filters.supplierId = supplierId ? supplierId : reader.integer("supplier_id", 1);
    if (const auto status = reader.oneOf("status", STATUS_NAMES))
        filters.status = statusNamed(*status);
    if (!supplierId)
        filters.sandbox = SandboxFilter::read(reader);
    filters.createdFrom = reader.time("created_from");
    filters.createdTo = reader.time("created_to");
    filters.updatedSince = reader.time("updated_since");
    if (const auto search = reader.text("search", MAX_SEARCH))
        filters.search = patternContaining(*search);
    // created_at is printed in whole seconds: what is printed as created_to is in the list.
    if (auto& to = filters.createdTo)
        to = to->substr(0, WHOLE_SECONDS) + ".999999";
    return filters;
}

ListRules ListFilters::rules() const {
    ListFingerprint print;
    print.add(supplierId.value_or(0));
    print.add(status ? static_cast<std::int64_t>(*status) : -1);
    print.add(createdFrom.value_or(""));
    print.add(createdTo.value_or(""));
    print.add(updatedSince.value_or(""));
    print.add(search.value_or(""));
    if (sandbox.isAskedFor())
        print.add("sandbox");
    return {.fingerprint = print.value(),
            .order = isByCreation() ? ListOrder::Time : ListOrder::Id,
            .total = isCounted() ? ListTotal::Counted : ListTotal::Kept};
}

ListStatement ListStatement::page(const ListFilters& filters, const ListWindow& window) {
    ListStatement statement(filters);
    statement.add(COLUMNS);
    if (filters.supplierId && !filters.isCounted() && window.offset == 0 && !window.fromEnd) {
        statement.appendDirect(window);
        return statement;
    }
    if (window.needsTotal)
        statement.appendMatches();
    else
        statement.add("0");
    statement.add(", g.supplier_id");
    statement.appendState();
    statement.add(FROM_PAGE);
    statement.appendIds(window);
    statement.add(JOIN_PAGE);
    statement.add(filters.isByCreation() ? "\nORDER BY g.created_at DESC, g.id DESC" : "\nORDER BY g.id DESC");
    return statement;
}

ListStatement ListStatement::total(const ListFilters& filters) {
    ListStatement statement(filters);
    statement.add("SELECT ");
    statement.appendMatches();
    statement.appendState();
    return statement;
}

ListStatement ListStatement::state(const ListFilters& filters) {
    ListStatement statement(filters);
    statement.add("SELECT 0");
    statement.appendState();
    return statement;
}

ListStatement ListStatement::changesHead(const ListFilters& filters) {
    ListStatement statement(filters);
    statement.add("SELECT COALESCE(");
    statement.add(LAST_CHANGE, filters.supplierId.value());
    statement.add(", 0), ");
    statement.appendMatches();
    return statement;
}

ListStatement ListStatement::changes(const ListFilters& filters, const ChangePosition& after, std::int64_t limit) {
    ListStatement statement(filters);
    statement.add(COLUMNS);
    statement.add("0, g.supplier_id, g.change_seq\nFROM (SELECT x.supplier_id, x.id");
    statement.appendChanges();
    // Each is a range of the index, so that nothing before the place is read.
    if (after.id == ChangePosition::WHOLE)
        statement.add(" AND x.change_seq > ?", after.seq);
    else
        statement.add(" AND (x.change_seq > ? OR (x.change_seq = ? AND x.id > ?))", after.seq, after.seq, after.id);
    statement.add("\nORDER BY x.change_seq, x.id LIMIT ?", limit);
    statement.add(JOIN_PAGE);
    statement.add("\nORDER BY g.change_seq, g.id");
    return statement;
}

ListStatement ListStatement::restOfChange(const ListFilters& filters, const ChangePosition& last) {
    ListStatement statement(filters);
    statement.add("SELECT COUNT(*)");
    statement.appendChanges();
    statement.add(" AND x.change_seq = ? AND x.id > ?", last.seq, last.id);
    return statement;
}

ListStatement ListStatement::lastBeforeRest(const ListFilters& filters, std::int64_t seq, std::int64_t rest) {
    ListStatement statement(filters);
    statement.add("SELECT x.id");
    statement.appendChanges();
    statement.add(" AND x.change_seq = ?\nORDER BY x.id DESC LIMIT 1 OFFSET ?", seq, rest);
    return statement;
}

void ListStatement::appendDirect(const ListWindow& window) {
    add(window.needsTotal ? counterFor(_filters) : "0");
    add(", g.supplier_id");
    appendState();
    const std::int64_t supplierId = *_filters.supplierId;
    const std::int64_t before = window.after != nullptr ? window.after->lastId : LAST;
    if (_filters.status)
        add(DIRECT_BY_STATUS, supplierId, supplierId, static_cast<std::int64_t>(*_filters.status), before);
    else
        add(DIRECT, supplierId, supplierId, before);
    add(" ORDER BY g.id DESC LIMIT ?", window.limit);
}

void ListStatement::appendIds(const ListWindow& window) {
    add("SELECT x.supplier_id, x.id");
    appendSource(window.after != nullptr && window.after->total.value_or(0) >= MANY);
    if (window.after != nullptr)
        appendAfter(*window.after);
    if (_filters.isByCreation())
        add(window.fromEnd ? "\nORDER BY x.created_at, x.id" : "\nORDER BY x.created_at DESC, x.id DESC");
    else
        add(window.fromEnd ? "\nORDER BY x.id" : "\nORDER BY x.id DESC");
    add(" LIMIT ? OFFSET ?", window.limit, window.offset);
}

/// FROM and WHERE of what matches, answered by one index alone but for Index::Rows.
void ListStatement::appendSource(std::optional<bool> many) {
    const auto index = static_cast<std::size_t>(indexFor(_filters, many));
    if (_filters.supplierId)
        add(FROM_SUPPLIERS_OWN[index], *_filters.supplierId);
    else
        appendSourceOfAll(index);
    appendFilters();
}

void ListStatement::appendSourceOfAll(std::size_t index) {
    add(FROM_ALL[index]);
    if (!_filters.sandbox.isNeeded()) {
        add(" WHERE TRUE");
        return;
    }
    add(JOIN_SANDBOXES, _filters.sandbox.ids());
    add(" ON sandbox.id = x.supplier_id WHERE sandbox.id IS NULL");
}

/// The same of a list of changes, which always goes by the index of changes.
void ListStatement::appendChanges() {
    add(FROM_CHANGES, _filters.supplierId.value());
    appendFilters();
}

void ListStatement::appendFilters() {
    if (_filters.status)
        add(" AND x.status = ?", static_cast<std::int64_t>(*_filters.status));
    if (_filters.updatedSince)
        add(" AND x.updated_at >= ?", *_filters.updatedSince);
    if (_filters.createdFrom)
        add(" AND x.created_at >= ?", *_filters.createdFrom);
    if (_filters.createdTo)
        add(" AND x.created_at <= ?", *_filters.createdTo);
    if (_filters.search)
        add(MATCHING, *_filters.search, *_filters.search);
}

void ListStatement::appendAfter(const ListCursor& cursor) {
    // The first condition is a range of the index, the second leaves out what has the cursor's own time.
    if (_filters.isByCreation())
        add(" AND x.created_at <= ? AND (x.created_at < ? OR x.id < ?)", cursor.lastKey, cursor.lastKey, cursor.lastId);
    else
        add(" AND x.id < ?", cursor.lastId);
}

void ListStatement::appendMatches() {
    if (_filters.isCounted()) {
        add("(SELECT COUNT(*)");
        appendSource(std::nullopt);
        add(")");
        return;
    }
    if (_filters.supplierId) {
        add("COALESCE((SELECT ");
        add(counterFor(_filters));
        add(" FROM order_totals t WHERE t.supplier_id = ?), 0)", *_filters.supplierId);
        return;
    }
    add("(SELECT CAST(COALESCE(SUM(");
    add(counterFor(_filters));
    add("), 0) AS SIGNED) FROM order_totals t");
    if (_filters.sandbox.isNeeded()) {
        add(JOIN_SANDBOXES, _filters.sandbox.ids());
        add(" ON sandbox.id = t.supplier_id WHERE sandbox.id IS NULL");
    }
    add(")");
}

/// Of one supplier's list: of the moment of the statement.
void ListStatement::appendState() {
    if (!_filters.supplierId)
        return;
    add(", COALESCE(");
    add(LAST_CHANGE, *_filters.supplierId);
    add(", 0), ");
    add(LAST_ORDER_CHANGE, *_filters.supplierId);
}

} // namespace supplierd::orders
