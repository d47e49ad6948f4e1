#include "index/DatabaseCatalog.h"

#include <supplierd/JsonWriter.h>

#include <Poco/NumberFormatter.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace supplierd::catalog {

namespace {

constexpr std::string_view COUNT = "SELECT COUNT(*)";

constexpr std::string_view OF_SUPPLIER = R"(
FROM products p FORCE INDEX (PRIMARY)
WHERE p.supplier_id = ?)";
constexpr std::string_view LIVE = " AND p.deleted = 0";
constexpr std::string_view ANY = " AND p.deleted IN (0, 1)";
constexpr std::string_view OF_STATE = " AND p.state = ?";
constexpr std::string_view OF_STATE_OR_DELETED = " AND p.state IN (?, 3)";
constexpr std::string_view OF_APPROVAL = " AND p.approval = ?";
constexpr std::string_view OF_APPROVAL_OR_DELETED = " AND (p.approval = ? OR p.deleted = 1)";
constexpr std::string_view OF_TYPE = " AND p.type = ?";
constexpr std::string_view OF_CATEGORY = " AND p.category_id = ?";
constexpr std::string_view UPDATED_SINCE = " AND p.updated_at >= ?";
constexpr std::string_view WITH_SKU = R"( AND p.id IN (
    SELECT s.product_id
    FROM JSON_TABLE(?, '$[*]' COLUMNS (sku_key VARCHAR(192) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) t
        STRAIGHT_JOIN product_skus s ON s.supplier_id = ? AND s.sku_key = t.sku_key))";
// As the index searches: the term's weights, whole, in those of a text. Texts without its bytes
// anywhere are ruled out first: that takes a sixth of the expression's time.
constexpr std::string_view MATCHING = R"((LOCATE(UNHEX(?), WEIGHT_STRING(p.name))
        AND HEX(WEIGHT_STRING(p.name)) REGEXP ?
    OR LOCATE(UNHEX(?), WEIGHT_STRING(p.sku)) AND HEX(WEIGHT_STRING(p.sku)) REGEXP ?
    OR EXISTS (
        SELECT 1 FROM product_skus v
        WHERE v.product_id = p.id AND v.variant_id <> 0
            AND LOCATE(UNHEX(?), WEIGHT_STRING(v.sku COLLATE utf8mb4_unicode_520_ci))
            AND HEX(WEIGHT_STRING(v.sku COLLATE utf8mb4_unicode_520_ci)) REGEXP ?)))";
// Characters before a match: two weights from FB40 on, or one. None is given up once it is taken, so that no match
// begins within one.
constexpr std::string_view AFTER_CHARACTERS = "^(?>(?:FB[4-9A-F]|F[C-F].).{5}|.{4})*?";

/// By OrderBy: what the list is sorted by, as what a page tells of its last product, and both directions.
struct SqlOrder {
    std::string_view select;
    std::string_view after;
    std::string_view before;
    std::string_view ascending;
    std::string_view descending;
};

// ORDER BY compares a shorter name as if blanks followed it (PAD SPACE), so that it comes behind those that go on with
// what sorts before a blank. Bytes do not: eight blanks behind both decide it for names with less than that in a row.
constexpr std::string_view AFTER_NAME =
    " AND (CONCAT(WEIGHT_STRING(p.name), x'020A020A020A020A020A020A020A020A'), p.id) > "
    "(CONCAT(UNHEX(?), x'020A020A020A020A020A020A020A020A'), ?)";
constexpr std::string_view BEFORE_NAME =
    " AND (CONCAT(WEIGHT_STRING(p.name), x'020A020A020A020A020A020A020A020A'), p.id) < "
    "(CONCAT(UNHEX(?), x'020A020A020A020A020A020A020A020A'), ?)";

constexpr std::array<SqlOrder, 6> ORDERS{
    {{"SELECT p.id, p.change_seq, p.id, ''", " AND p.id > ?", " AND p.id < ?", " ORDER BY p.id", " ORDER BY p.id DESC"},
     {"SELECT p.id, p.change_seq, 0, WEIGHT_STRING(p.name)", AFTER_NAME, BEFORE_NAME, " ORDER BY p.name, p.id",
      " ORDER BY p.name DESC, p.id DESC"},
     {"SELECT p.id, p.change_seq, CAST(p.base_price * 10000 AS SIGNED), ''",
      " AND (CAST(p.base_price * 10000 AS SIGNED), p.id) > (?, ?)",
      " AND (CAST(p.base_price * 10000 AS SIGNED), p.id) < (?, ?)", " ORDER BY p.base_price, p.id",
      " ORDER BY p.base_price DESC, p.id DESC"},
     {"SELECT p.id, p.change_seq, p.stock_qty, ''", " AND (p.stock_qty, p.id) > (?, ?)",
      " AND (p.stock_qty, p.id) < (?, ?)", " ORDER BY p.stock_qty, p.id", " ORDER BY p.stock_qty DESC, p.id DESC"},
     {"SELECT p.id, p.change_seq, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', p.updated_at), ''",
      " AND (TIMESTAMPDIFF(MICROSECOND, '1970-01-01', p.updated_at), p.id) > (?, ?)",
      " AND (TIMESTAMPDIFF(MICROSECOND, '1970-01-01', p.updated_at), p.id) < (?, ?)", " ORDER BY p.updated_at, p.id",
      " ORDER BY p.updated_at DESC, p.id DESC"},
     {"SELECT p.id, p.change_seq, p.change_seq, ''", " AND (p.change_seq, p.id) > (?, ?)",
      " AND (p.change_seq, p.id) < (?, ?)", " ORDER BY p.change_seq, p.id", " ORDER BY p.change_seq DESC, p.id DESC"}}};

const SqlOrder& sqlOf(OrderBy by) {
    return ORDERS.at(static_cast<std::size_t>(by));
}

bool isEmpty(const std::string& text) {
    return text.empty();
}

std::string hexOf(std::string_view bytes) {
    std::string hex;
    for (const char byte : bytes)
        Poco::NumberFormatter::appendHex(hex, static_cast<unsigned char>(byte), 2);
    return hex;
}

} // namespace

DatabaseCatalog::DatabaseCatalog(SqlSession& snapshot, ChangeLog& changes, std::int64_t supplierId,
                                 const ListFilters& filters)
    : _snapshot(snapshot),
      _supplierId(supplierId),
      _filters(filters),
      _skuKeys(jsonArray(filters.skuKeys)),
      _changes(changes.after(snapshot, supplierId, std::numeric_limits<std::int64_t>::max(), 1)) {}

DatabaseCatalog::Statement DatabaseCatalog::select(std::string_view columns, const IndexFilter& filter) const {
    Statement statement;
    statement.add(columns).add(OF_SUPPLIER, _supplierId).add(_filters.includeDeleted ? ANY : LIVE);
    if (_filters.state)
        statement.add(_filters.includeDeleted ? OF_STATE_OR_DELETED : OF_STATE, *_filters.state);
    if (_filters.approval)
        statement.add(_filters.includeDeleted ? OF_APPROVAL_OR_DELETED : OF_APPROVAL, *_filters.approval);
    if (_filters.type)
        statement.add(OF_TYPE, *_filters.type);
    if (_filters.categoryId)
        statement.add(OF_CATEGORY, *_filters.categoryId);
    if (_filters.updatedSince)
        statement.add(UPDATED_SINCE, *_filters.updatedSince);
    if (!_filters.skuKeys.empty())
        statement.add(WITH_SKU, _skuKeys, _supplierId);
    addSearch(statement, filter.searchWeights);
    return statement;
}

/// Every text has a term without weights.
void DatabaseCatalog::addSearch(Statement& statement, const std::vector<std::string>& weights) {
    if (weights.empty() || std::any_of(weights.begin(), weights.end(), isEmpty))
        return;
    std::string_view before = " AND (";
    for (const std::string& one : weights) {
        const std::string& hex = statement.texts.emplace_back(hexOf(one));
        const std::string& pattern = statement.texts.emplace_back(std::string(AFTER_CHARACTERS).append(hex));
        statement.add(before).add(MATCHING, hex, pattern, hex, pattern, hex, pattern);
        before = " OR ";
    }
    statement.add(")");
}

IndexedPage DatabaseCatalog::page(const IndexFilter& filter, IndexOrder order, std::size_t offset,
                                  std::size_t limit) const {
    const SqlOrder& sql = sqlOf(order.by);
    Statement statement = select(sql.select, filter);
    statement.add(order.descending ? sql.descending : sql.ascending).add(" LIMIT ? OFFSET ?", limit + 1, offset);
    return read(statement, filter, order.by, limit);
}

IndexedPage DatabaseCatalog::pageAfter(const IndexFilter& filter, IndexOrder order, const IndexPosition& position,
                                       std::size_t limit) const {
    const SqlOrder& sql = sqlOf(order.by);
    Statement statement = select(sql.select, filter);
    const std::string_view beyond = order.descending ? sql.before : sql.after;
    std::string weights;
    if (order.by == OrderBy::Name) {
        weights = hexOf(position.nameWeights);
        statement.add(beyond, weights, position.id);
    } else if (order.by == OrderBy::Id) {
        statement.add(beyond, position.id);
    } else {
        statement.add(beyond, position.number, position.id);
    }
    statement.add(order.descending ? sql.descending : sql.ascending).add(" LIMIT ?", limit + 1);
    return read(statement, filter, order.by, limit);
}

IndexedPage DatabaseCatalog::changedSince(const IndexFilter& filter, std::int64_t changeSeq, std::int64_t afterId,
                                          std::int64_t endId, std::size_t limit) const {
    Statement statement = select(sqlOf(OrderBy::Id).select, filter);
    statement.add(" AND p.change_seq > ? AND p.id > ? AND p.id <= ?", changeSeq, afterId, endId);
    statement.add(" ORDER BY p.id LIMIT ?", limit + 1);
    return read(statement, filter, OrderBy::Id, limit);
}

std::int64_t DatabaseCatalog::countChanges(const IndexFilter& filter, ChangePosition after, std::int64_t endSeq) const {
    Statement statement = select(COUNT, filter);
    statement.add(sqlOf(OrderBy::ChangeSeq).after, after.seq, after.id);
    return readNumber(statement.add(" AND p.change_seq <= ?", endSeq));
}

std::optional<ChangePosition> DatabaseCatalog::positionBeforeRest(const IndexFilter& filter, std::int64_t firstSeq,
                                                                  std::int64_t endSeq, std::int64_t rest) const {
    Statement statement = select("SELECT p.change_seq, p.id", filter);
    statement.add(" AND p.change_seq BETWEEN ? AND ?", firstSeq, endSeq);
    statement.add(" ORDER BY p.change_seq DESC, p.id DESC LIMIT 1 OFFSET ?", rest);
    Rows& row = _snapshot.query(statement.sql, statement.params);
    return row.next() ? std::optional(ChangePosition{row.integer(0), row.integer(1)}) : std::nullopt;
}

std::int64_t DatabaseCatalog::greatestId() const {
    Statement statement;
    statement.add("SELECT MAX(p.id)").add(OF_SUPPLIER, _supplierId).add(ANY);
    return readNumber(statement);
}

IndexedPage DatabaseCatalog::read(const Statement& statement, const IndexFilter& filter, OrderBy by,
                                  std::size_t limit) const {
    IndexedPage page;
    page.changeSeq = changeSeq();
    Rows& rows = _snapshot.query(statement.sql, statement.params);
    while (rows.next()) {
        if (page.items.size() == limit) {
            page.hasMore = true;
            continue; // to the end of the result, so that the session is free for the next statement
        }
        page.items.push_back({rows.integer(0), rows.integer(1)});
        page.last.id = rows.integer(0);
        page.last.number = by == OrderBy::Id ? 0 : rows.integer(2);
        page.last.nameWeights = rows.text(3);
    }
    page.total = readNumber(select(COUNT, filter));
    return page;
}

std::int64_t DatabaseCatalog::readNumber(const Statement& statement) const {
    Rows& row = _snapshot.query(statement.sql, statement.params);
    return row.next() ? row.integer(0) : 0;
}

} // namespace supplierd::catalog
