#include "ProductList.h"

#include "ListStatement.h"

#include <supplierd/ChangePlace.h>

#include <algorithm>
#include <limits>

namespace supplierd::catalog {

namespace {

constexpr std::int64_t LAST = std::numeric_limits<std::int64_t>::max();
// Up to here a page by number is found from the front in one statement; beyond, the total first says which end is
// nearer.
constexpr std::int64_t SHALLOW_OFFSET = 1'000;
// So many matches of a category are sorted in less time than a sort's index takes to meet them.
constexpr std::int64_t FEW = 1'000;
// With so many matches of a search, a page of a walk reads some thousand rows to meet them, at a million products.
constexpr std::int64_t MANY = 20'000;
// With so many products changed during a walk, a page meets its own among all products in less time than it takes to
// look through the changes.
constexpr std::int64_t MANY_CHANGES = 10'000;

void begin(JsonWriter& json) {
    json.buffer().clear();
    json.beginObject().key("products").beginArray();
}

} // namespace

ProductList::ProductList(Request& request, bool withImages)
    : _request(request),
      _supplierId(request.principal().supplierId),
      _withImages(withImages),
      _query(ListQuery::read(request.query(), request.rawQuery(), _supplierId)) {}

Response ProductList::answer() {
    Response response = _request.reply();
    bool complete = false;
    // A page is one statement. Where its rows do not say the total, a second one has to see the same state.
    if (isOneStatement())
        _request.database().withSession([&](SqlSession& session) { complete = writeOne(session, response.data); });
    if (!complete) {
        _inSnapshot = true;
        _request.database().withSnapshot([&](SqlSession& session) { write(session, response.data); });
    }
    return response;
}

bool ProductList::isOneStatement() const {
    if (_query.changedAfter)
        return false;
    if (_query.cursor)
        return _query.cursor->phase == Cursor::Phase::Order;
    return _query.filters.isCounted() || (offset() <= SHALLOW_OFFSET && _query.filters.isPlain());
}

bool ProductList::writeOne(SqlSession& session, std::string& out) {
    return _query.cursor ? writeWalk(session, out) : writePage(session, out);
}

void ProductList::write(SqlSession& session, std::string& out) {
    if (isOneStatement())
        writeOne(session, out);
    else if (_query.changedAfter)
        writeChanges(session, afterNumber(session, *_query.changedAfter), out);
    else if (_query.cursor && _query.cursor->phase == Cursor::Phase::Delta)
        writeChanges(session, {_query.cursor->lastSeq, _query.cursor->lastId}, out);
    else if (_query.cursor)
        writeLateChanges(session, out);
    else
        writeKnownPage(session, out);
}

bool ProductList::writePage(SqlSession& session, std::string& out) {
    const bool counted = _query.filters.isCounted();
    // Both halves of a list with tombstones are cut before they are merged, so their matches are counted apart.
    const Totals totals = !counted                        ? Totals::Counters
                          : _query.filters.includeDeleted ? Totals::Counted
                                                          : Totals::Window;
    const ListWindow window{_query.page.perPage, offset()};
    const ListStatement statement = ListStatement::page(_supplierId, _query, window, totals);
    JsonWriter json(out);
    begin(json);
    ProductRows rows(shape(window.limit));
    rows.write(session.query(statement.sql(), statement.params()), json);

    Tail tail{{rows.stateSeq(), rows.total()}};
    const bool needsHead = rows.count() == 0 && !(totals == Totals::Window && window.offset == 0);
    if (needsHead && !_inSnapshot)
        return false;
    if (needsHead)
        tail.head = readHead(session, true);
    if (rows.count() > 0 && window.offset + rows.count() < tail.head.total)
        tail.next = nextInOrder(rows, tail.head.seq, tail.head.total);
    finish(json, tail);
    return true;
}

void ProductList::writeKnownPage(SqlSession& session, std::string& out) {
    Tail tail{readHead(session, true)};
    JsonWriter json(out);
    begin(json);
    const std::int64_t rest = tail.head.total - offset();
    if (rest > 0) {
        ListWindow window{std::min(_query.page.perPage, rest), offset()};
        window.few = tail.head.total <= FEW;
        if (rest < tail.head.total / 2) {
            window.offset = rest - window.limit;
            window.fromEnd = true;
        }
        const ListStatement statement = ListStatement::page(_supplierId, _query, window, Totals::Counters);
        ProductRows rows(shape(window.limit));
        rows.write(session.query(statement.sql(), statement.params()), json);
        if (rows.count() > 0 && rows.count() < rest)
            tail.next = nextInOrder(rows, tail.head.seq, tail.head.total);
    }
    finish(json, tail);
}

bool ProductList::writeWalk(SqlSession& session, std::string& out) {
    const Cursor& cursor = *_query.cursor;
    ListWindow window{_query.page.perPage + 1};
    window.after = &cursor;
    window.many = cursor.total.value_or(0) >= MANY;
    const Totals totals = cursor.total ? Totals::Known : Totals::Counters;
    const ListStatement statement = ListStatement::page(_supplierId, _query, window, totals);
    JsonWriter json(out);
    begin(json);
    ProductRows rows(shape(_query.page.perPage));
    rows.write(session.query(statement.sql(), statement.params()), json);

    Tail tail{{rows.stateSeq(), rows.total()}};
    const bool needsMore = rows.count() == 0 || (!rows.hasMore() && tail.head.seq > cursor.startSeq);
    if (needsMore && !_inSnapshot)
        return false;
    if (rows.count() == 0)
        tail.head = readHead(session, !cursor.total);
    tail.head.total = cursor.total.value_or(tail.head.total);
    if (rows.hasMore())
        tail.next = nextInOrder(rows, cursor.startSeq, tail.head.total);
    else if (tail.head.seq > cursor.startSeq)
        tail.next = firstOfLateChanges(session, cursor.position + rows.count(), tail.head.total);
    finish(json, tail);
    return true;
}

void ProductList::writeLateChanges(SqlSession& session, std::string& out) {
    const Cursor& cursor = *_query.cursor;
    LateWindow window{_query.page.perPage + 1, cursor.startSeq, cursor.lastId, cursor.endId};
    window.many = cursor.phase == Cursor::Phase::ManyChanges;
    const Totals totals = cursor.total ? Totals::Known : Totals::Counters;
    const ListStatement statement = ListStatement::lateChanges(_supplierId, _query, window, totals);
    JsonWriter json(out);
    begin(json);
    ProductRows rows(shape(_query.page.perPage));
    rows.write(session.query(statement.sql(), statement.params()), json);

    Tail tail{{rows.stateSeq(), rows.total()}};
    if (rows.count() == 0)
        tail.head = readHead(session, !cursor.total);
    tail.head.total = cursor.total.value_or(tail.head.total);
    if (rows.hasMore()) {
        tail.next = cursor;
        tail.next->position += rows.count();
        tail.next->lastId = rows.lastId();
    }
    finish(json, tail);
}

/// What comes after a change, or after a place within one.
ProductList::ChangePosition ProductList::afterNumber(SqlSession& session, std::int64_t number) const {
    const auto place = ChangePlace::decode(number);
    if (!place)
        return {number, LAST};
    const ChangeWindow whole{LAST, place->seq - 1, LAST, place->seq};
    const ListStatement statement = ListStatement::changesBefore(_supplierId, _query, whole, place->rest);
    ChangePosition position{place->seq, 0};
    Rows& rows = session.query(statement.sql(), statement.params());
    while (rows.next())
        position.id = rows.integer(0);
    return position;
}

void ProductList::writeChanges(SqlSession& session, ChangePosition after, std::string& out) {
    Tail tail{readHead(session, true)};
    tail.lastSeq = tail.head.seq;
    JsonWriter json(out);
    begin(json);
    if (tail.head.seq > after.seq || (tail.head.seq == after.seq && after.id != LAST)) {
        const ChangeWindow window{_query.page.perPage + 1, after.seq, after.id, LAST};
        const ListStatement statement = ListStatement::changes(_supplierId, _query, window, Totals::Known);
        ProductRows::Shape inChanges = shape(_query.page.perPage);
        inChanges.inChangeOrder = true;
        inChanges.wholeChanges = true;
        ProductRows rows(inChanges);
        rows.write(session.query(statement.sql(), statement.params()), json);
        if (rows.isCutInChange()) {
            tail.lastSeq = placeWithin(session, rows);
            tail.next = nextInDelta(rows.count(), {rows.lastSeq(), rows.lastId()});
        } else if (rows.hasMore()) {
            tail.lastSeq = rows.lastSeq();
            tail.next = nextInDelta(rows.count(), {rows.lastSeq(), LAST});
        } else if (rows.count() > 0) {
            tail.lastSeq = rows.stateSeq();
        }
    }
    finish(json, tail);
}

/// Where the number of a change is too great for it, what came before that change: then only the cursor leads on.
std::int64_t ProductList::placeWithin(SqlSession& session, const ProductRows& rows) const {
    const std::int64_t seq = rows.lastSeq();
    const ListStatement statement =
        ListStatement::changesCount(_supplierId, _query, ChangeWindow{LAST, seq, rows.lastId(), seq});
    ChangePlace place{seq};
    Rows& count = session.query(statement.sql(), statement.params());
    while (count.next())
        place.rest = count.integer(0);
    return place.encode().value_or(seq - 1);
}

ProductList::Head ProductList::readHead(SqlSession& session, bool withTotal) const {
    const Totals totals = !withTotal ? Totals::Known : _query.filters.isCounted() ? Totals::Counted : Totals::Counters;
    const ListStatement statement = ListStatement::head(_supplierId, _query, totals);
    Rows& rows = session.query(statement.sql(), statement.params());
    Head head;
    while (rows.next())
        head = {rows.integer(0), rows.integer(1)};
    return head;
}

ProductRows::Shape ProductList::shape(std::int64_t limit) const {
    ProductRows::Shape shape;
    shape.limit = limit;
    shape.sort = _query.sort.key;
    shape.deletedAt = _query.filters.includeDeleted;
    shape.withImages = _withImages;
    return shape;
}

/// Of the page by number; a number that would overflow is past every end.
std::int64_t ProductList::offset() const {
    return _query.page.number - 1 > LAST / 2 / _query.page.perPage ? LAST / 2 : _query.page.offset();
}

Cursor ProductList::nextCursor(std::int64_t position) const {
    Cursor next;
    next.sort = _query.sort;
    next.fingerprint = _query.filters.fingerprint(_supplierId, _query.sort);
    next.position = position;
    return next;
}

Cursor ProductList::nextInOrder(const ProductRows& rows, std::int64_t startSeq, std::int64_t total) const {
    Cursor next = nextCursor((_query.cursor ? _query.cursor->position : offset()) + rows.count());
    next.startSeq = startSeq;
    next.lastId = rows.lastId();
    next.lastKey = rows.lastKey();
    if (_query.filters.isCounted())
        next.total = total;
    return next;
}

std::int64_t ProductList::wholePages(std::int64_t position) const {
    const std::int64_t perPage = _query.page.perPage;
    return (position + perPage - 1) / perPage * perPage;
}

Cursor ProductList::firstOfLateChanges(SqlSession& session, std::int64_t position, std::int64_t total) const {
    const std::int64_t startSeq = _query.cursor->startSeq;
    const ListStatement statement = ListStatement::lateChangesEnd(_supplierId, _query, startSeq, MANY_CHANGES);
    Cursor next = nextCursor(wholePages(position));
    Rows& rows = session.query(statement.sql(), statement.params());
    while (rows.next()) {
        next.endId = rows.integer(0);
        next.phase = rows.integer(1) < MANY_CHANGES ? Cursor::Phase::FewChanges : Cursor::Phase::ManyChanges;
    }
    next.startSeq = startSeq;
    if (_query.filters.isCounted())
        next.total = total;
    return next;
}

Cursor ProductList::nextInDelta(std::int64_t count, ChangePosition last) const {
    Cursor next = nextCursor(wholePages((_query.cursor ? _query.cursor->position : 0) + count));
    next.phase = Cursor::Phase::Delta;
    next.lastSeq = last.seq;
    next.lastId = last.id;
    return next;
}

void ProductList::finish(JsonWriter& json, const Tail& tail) const {
    const std::int64_t perPage = _query.page.perPage;
    json.endArray().key("pagination").beginObject();
    json.field("current_page", _query.cursor ? _query.cursor->pageNumber(perPage) : _query.page.number);
    json.field("total_pages", (tail.head.total + perPage - 1) / perPage);
    json.field("total_items", tail.head.total);
    json.field("per_page", perPage);
    json.key("next_cursor");
    if (tail.next)
        json.value(tail.next->encode());
    else
        json.null();
    if (tail.lastSeq)
        json.field("last_change_seq", *tail.lastSeq).field("has_more", tail.next.has_value());
    json.endObject().endObject();
}

} // namespace supplierd::catalog
