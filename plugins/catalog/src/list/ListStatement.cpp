#include "ListStatement.h"

#include "ProductTerms.h"

#include <supplierd/CategoryTree.h>

#include <array>
#include <limits>
#include <string>

namespace supplierd::catalog {

namespace {

constexpr std::int64_t LIVE = 0;
constexpr std::int64_t DELETED = 1;
constexpr auto TOMBSTONE = static_cast<std::int64_t>(ProductState::Deleted);

} // namespace

ListStatement::ListStatement(std::int64_t supplierId, const ListQuery& query)
    : _supplierId(supplierId), _filters(query.filters), _sort(query.sort) {
    _sql.reserve(1'500);
    _params.reserve(24 + 2 * _filters.skuKeys.size());
}

ListStatement ListStatement::page(std::int64_t supplierId, const ListQuery& query, const ListWindow& window,
                                  Totals totals) {
    ListStatement statement(supplierId, query);
    if (statement.isDirect(window)) {
        statement.appendDirect(window);
        return statement;
    }
    statement.add(fragment::COLUMNS);
    statement.appendTotal(totals);
    statement.add(fragment::MORE_COLUMNS);
    statement.add("(");
    statement.appendPageIds(window, totals == Totals::Window);
    statement.appendRowsOfPage();
    statement.add(fragment::orderOfPage(statement._sort));
    return statement;
}

ListStatement ListStatement::changes(std::int64_t supplierId, const ListQuery& query, const ChangeWindow& window,
                                     Totals totals) {
    ListStatement statement(supplierId, query);
    statement.add(fragment::COLUMNS);
    statement.appendTotal(totals);
    statement.add(fragment::MORE_COLUMNS);
    statement.add("(");
    statement.appendChangeIds(window);
    statement.appendRowsOfPage();
    statement.add(" ORDER BY page.k, page.id");
    return statement;
}

ListStatement ListStatement::changesCount(std::int64_t supplierId, const ListQuery& query, const ChangeWindow& window) {
    ListStatement statement(supplierId, query);
    statement.add("SELECT COUNT(*) FROM (");
    statement.appendChangeIds(window);
    statement.add(") page");
    return statement;
}

ListStatement ListStatement::changesBefore(std::int64_t supplierId, const ListQuery& query, const ChangeWindow& window,
                                           std::int64_t rest) {
    ListStatement statement(supplierId, query);
    statement.add("SELECT page.id FROM (");
    statement.appendChangeIds(window);
    statement.add(") page ORDER BY page.id DESC LIMIT 1 OFFSET ?", rest);
    return statement;
}

ListStatement ListStatement::lateChanges(std::int64_t supplierId, const ListQuery& query, const LateWindow& window,
                                         Totals totals) {
    ListStatement statement(supplierId, query);
    statement.add(fragment::COLUMNS);
    statement.appendTotal(totals);
    statement.add(fragment::MORE_COLUMNS);
    statement.add("((");
    statement.appendLateHalf(Half::Live, window);
    if (statement._filters.includeDeleted) {
        statement.add(") UNION ALL (");
        statement.appendLateHalf(Half::Deleted, window);
    }
    statement.add(") ORDER BY k LIMIT ?", window.limit);
    statement.appendRowsOfPage();
    statement.add(" ORDER BY page.k");
    return statement;
}

ListStatement ListStatement::lateChangesEnd(std::int64_t supplierId, const ListQuery& query, std::int64_t startSeq,
                                            std::int64_t countTo) {
    ListStatement statement(supplierId, query);
    statement.add(fragment::LATE_CHANGES_END, supplierId, LIVE, supplierId, DELETED, supplierId, startSeq, countTo);
    return statement;
}

ListStatement ListStatement::head(std::int64_t supplierId, const ListQuery& query, Totals totals) {
    ListStatement statement(supplierId, query);
    statement.add("SELECT s.change_seq, ");
    statement.appendTotal(totals);
    statement.add(" FROM supplier_state s WHERE s.supplier_id = ?", supplierId);
    return statement;
}

/// The page's rows lie next to each other in the order of the index, and a counter knows the total.
bool ListStatement::isDirect(const ListWindow& window) const {
    return _filters.isPlain() && !_filters.includeDeleted && window.offset == 0 && !window.fromEnd &&
           _sort.key == SortKey::Id;
}

void ListStatement::appendDirect(const ListWindow& window) {
    const std::int64_t start = _sort.descending ? std::numeric_limits<std::int64_t>::max() : 0;
    add(fragment::COLUMNS);
    appendCounters();
    add(_filters.state ? fragment::DIRECT_BY_STATE : fragment::DIRECT);
    add(JOIN_CATEGORY);
    if (_filters.state)
        add(fragment::WHERE_STATE, _supplierId, _supplierId, *_filters.state);
    else
        add(fragment::WHERE_LIVE, _supplierId, _supplierId);
    add(_sort.descending ? " AND p.id < ? ORDER BY p.id DESC LIMIT ?" : " AND p.id > ? ORDER BY p.id LIMIT ?",
        window.after != nullptr ? window.after->lastId : start, window.limit);
}

/// To the ids of a page its products, their categories and the supplier's state.
void ListStatement::appendRowsOfPage() {
    add(fragment::JOIN_PAGE, _supplierId);
    add(JOIN_CATEGORY);
    add(fragment::WHERE_SUPPLIER, _supplierId);
}

void ListStatement::appendPageIds(const ListWindow& window, bool countMatches) {
    if (!_filters.includeDeleted) {
        appendHalf(Half::Live, window, countMatches);
        return;
    }
    // Each half in its own index order; together they are merged over at most offset + limit rows of each.
    ListWindow half = window;
    half.limit = window.offset + window.limit;
    half.offset = 0;
    add("(");
    appendHalf(Half::Live, half, false);
    add(") UNION ALL (");
    appendHalf(Half::Deleted, half, false);
    add(")");
    add(fragment::orderOfUnion(_sort, window.fromEnd));
    add(" LIMIT ? OFFSET ?", window.limit, window.offset);
}

void ListStatement::appendHalf(Half half, const ListWindow& window, bool countMatches) {
    _few = window.few;
    _many = window.many;
    add("SELECT x.id, x.deleted, ");
    add(fragment::key(_sort.key));
    add(countMatches ? " AS k, COUNT(*) OVER () AS matches" : " AS k");
    appendSource(half, false);
    appendFilters(half);
    if (window.after != nullptr)
        appendAfter(*window.after);
    add(fragment::orderOfIds(_sort, window.fromEnd));
    add(" LIMIT ? OFFSET ?", window.limit, window.offset);
}

/// FROM and the conditions on the leading columns of the index.
void ListStatement::appendSource(Half half, bool anyOrder) {
    const std::int64_t deleted = half == Half::Live ? LIVE : DELETED;
    if (!_filters.skuKeys.empty()) {
        add(fragment::FROM_SKUS, deleted, _supplierId);
        appendSkuList();
        return;
    }
    add(fragment::from(indexFor(half, anyOrder || _few || _sort.key == SortKey::Id)), _supplierId, deleted);
}

fragment::Index ListStatement::indexFor(Half half, bool byId) const {
    if (_many)
        return _sort.key == SortKey::Id ? fragment::Index::Rows : fragment::indexOf(_sort.key);
    if (!_filters.search.empty())
        return fragment::Index::Name;
    if (_filters.updatedSince)
        return fragment::Index::Updated;
    if (_filters.categoryId && byId)
        return fragment::Index::Category;
    if (_filters.state && byId && half == Half::Live)
        return fragment::Index::State;
    return fragment::indexOf(_sort.key);
}

void ListStatement::appendFilters(Half half) {
    // A status tells live products apart; tombstones are there so that a client can drop what it holds.
    if (_filters.state && half == Half::Live)
        add(" AND x.state = ?", *_filters.state);
    appendFiltersButState();
}

void ListStatement::appendFiltersButState() {
    if (_filters.categoryId)
        add(" AND x.category_id = ?", *_filters.categoryId);
    if (_filters.type)
        add(" AND x.type = ?", *_filters.type);
    if (!_filters.search.empty())
        add(" AND (x.name LIKE ? ESCAPE '|' OR x.sku LIKE ? ESCAPE '|')", _filters.searchPattern,
            _filters.searchPattern);
    if (_filters.updatedSince)
        add(" AND x.updated_at >= ?", *_filters.updatedSince);
}

void ListStatement::appendChangeIds(const ChangeWindow& window) {
    if (_filters.skuKeys.empty()) {
        add(fragment::SELECT_CHANGES);
        add(fragment::FROM_CHANGES, _supplierId);
        add(fragment::WITHIN_CHANGES, window.lastSeq, window.seq, window.seq, window.id);
        add(" AND x.state IN (?, ?, ?, ?)");
        appendStates();
        appendFiltersButState();
        add(" ORDER BY x.change_seq, x.id LIMIT ?", window.limit);
        return;
    }
    // So few that they are found by their SKUs and then put in order.
    add("(");
    appendSkuChanges(Half::Live, window);
    if (_filters.includeDeleted) {
        add(") UNION ALL (");
        appendSkuChanges(Half::Deleted, window);
    }
    add(") ORDER BY k, id LIMIT ?", window.limit);
}

void ListStatement::appendSkuChanges(Half half, const ChangeWindow& window) {
    add(fragment::SELECT_CHANGES);
    appendSource(half, true);
    add(fragment::WITHIN_CHANGES, window.lastSeq, window.seq, window.seq, window.id);
    appendFilters(half);
}

void ListStatement::appendLateHalf(Half half, const LateWindow& window) {
    add(fragment::SELECT_IDS);
    if (!_filters.skuKeys.empty())
        appendSource(half, true);
    else if (window.many)
        add(fragment::from(fragment::Index::Rows), _supplierId, half == Half::Live ? LIVE : DELETED);
    else
        add(fragment::FROM_CHANGES_OF_HALF, _supplierId, half == Half::Live ? LIVE : DELETED);
    add(fragment::CHANGED_SINCE, window.startSeq, window.afterId, window.lastId);
    appendFilters(half);
    add(" ORDER BY x.id LIMIT ?", window.limit);
}

void ListStatement::appendAfter(const Cursor& cursor) {
    add(fragment::after(_sort));
    if (_sort.key == SortKey::StockQty) {
        // As a number: a column of integers beside a text would be compared as doubles.
        const std::int64_t stock = std::stoll(cursor.lastKey);
        _params.emplace_back(stock);
        _params.emplace_back(stock);
    } else if (_sort.key != SortKey::Id) {
        _params.emplace_back(cursor.lastKey);
        _params.emplace_back(cursor.lastKey);
    }
    _params.emplace_back(cursor.lastId);
}

void ListStatement::appendTotal(Totals totals) {
    switch (totals) {
    case Totals::Known:
        return add("0");
    case Totals::Counters:
        return appendCounters();
    case Totals::Window:
        return add("page.matches");
    case Totals::Counted:
        return appendCount();
    }
}

void ListStatement::appendCounters() {
    if (_filters.isPlain()) {
        add(fragment::stateCounters(_filters.state, _filters.includeDeleted));
        return;
    }
    add("(SELECT CAST(COALESCE(SUM(t.products), 0) AS SIGNED) FROM product_totals t WHERE t.supplier_id = ?",
        _supplierId);
    if (_filters.categoryId)
        add(" AND t.category_id = ?", *_filters.categoryId);
    if (_filters.type)
        add(" AND t.type = ?", *_filters.type);
    add(" AND t.state IN (?, ?, ?, ?))");
    appendStates();
}

void ListStatement::appendCount() {
    add("(SELECT COUNT(*)");
    appendSource(Half::Live, true);
    appendFilters(Half::Live);
    add(")");
    if (!_filters.includeDeleted)
        return;
    add(" + (SELECT COUNT(*)");
    appendSource(Half::Deleted, true);
    appendFilters(Half::Deleted);
    add(")");
}

/// Four parameters: the states that the list shows, the last repeated.
void ListStatement::appendStates() {
    std::array<std::int64_t, 4> states{0, 1, 2, 2};
    if (_filters.state)
        states.fill(*_filters.state);
    if (_filters.includeDeleted)
        states.back() = TOMBSTONE;
    for (const std::int64_t state : states)
        _params.emplace_back(state);
}

/// Padded to a power of two with the last SKU, so that few statements serve any number of them.
void ListStatement::appendSkuList() {
    std::size_t slots = 1;
    while (slots < _filters.skuKeys.size())
        slots *= 2;
    add("(?");
    for (std::size_t i = 1; i < slots; ++i)
        add(", ?");
    add(")");
    for (std::size_t i = 0; i < slots; ++i)
        _params.emplace_back(i < _filters.skuKeys.size() ? _filters.skuKeys[i] : _filters.skuKeys.back());
}

} // namespace supplierd::catalog
