#include "PlatformList.h"

#include "ProductJson.h"
#include "ProductTerms.h"
#include "list/ListStatement.h"

#include <algorithm>
#include <limits>

namespace supplierd::catalog {

namespace {

// Up to here a page by number is found from the front in one statement; beyond, the total first says which end is
// nearer.
constexpr std::int64_t SHALLOW = 1'000;

void writeOne(JsonWriter& json, const Rows& row, bool withImages) {
    json.beginObject();
    writeListFields(json, row, withImages);
    json.key("approval").beginObject();
    json.field("status", termAt(APPROVALS, row.integer(column::Approval)));
    json.key("reason");
    if (row.isNull(PlatformListStatement::ApprovalReason))
        json.null();
    else
        json.value(row.text(PlatformListStatement::ApprovalReason));
    json.endObject();
    json.key("supplier").beginObject();
    json.field("id", row.integer(PlatformListStatement::SupplierId));
    json.field("name", row.text(PlatformListStatement::SupplierName));
    json.endObject().endObject();
}

} // namespace

PlatformList::PlatformList(Request& request, bool withImages)
    : _request(request), _withImages(withImages), _query(PlatformListQuery::read(request.query())) {}

Response PlatformList::answer() {
    Response response = _request.reply();
    _request.database().withSnapshot([&](SqlSession& session) {
        response.data.clear();
        JsonWriter json(response.data);
        json.beginObject().key("products").beginArray();
        const Written written = _query.cursor        ? writeWalk(session, json)
                                : offset() > SHALLOW ? writeDeepPage(session, json)
                                                     : writeFirstPages(session, json);
        json.endArray();
        writePagination(json, written);
        json.endObject();
    });
    return response;
}

PlatformList::Written PlatformList::writeRows(SqlSession& session, const PlatformListStatement& statement,
                                              std::int64_t limit, JsonWriter& json) const {
    Written written;
    Rows& rows = session.query(statement.sql(), statement.params());
    while (rows.next()) {
        written.total = rows.integer(PlatformListStatement::Total);
        written.hasMore = written.count == limit;
        if (written.hasMore)
            continue; // to the end of the result, so that the session is free for the next statement
        writeOne(json, rows, _withImages);
        written.lastId = rows.integer(column::Id);
        ++written.count;
    }
    return written;
}

PlatformList::Written PlatformList::writeFirstPages(SqlSession& session, JsonWriter& json) const {
    const PlatformListStatement::Window window{_query.page.perPage, offset()};
    Written written = writeRows(session, PlatformListStatement::page(_query, window), window.limit, json);
    if (written.count == 0)
        written.total = readTotal(session);
    written.hasMore = written.count > 0 && window.offset + written.count < written.total;
    return written;
}

PlatformList::Written PlatformList::writeDeepPage(SqlSession& session, JsonWriter& json) const {
    const std::int64_t total = readTotal(session);
    const std::int64_t rest = total - offset();
    Written written;
    if (rest > 0) {
        PlatformListStatement::Window window{std::min(_query.page.perPage, rest), offset()};
        if (rest < total / 2) {
            window.offset = rest - window.limit;
            window.fromEnd = true;
        }
        written = writeRows(session, PlatformListStatement::page(_query, window), window.limit, json);
        written.hasMore = written.count > 0 && written.count < rest;
    }
    written.total = total;
    return written;
}

PlatformList::Written PlatformList::writeWalk(SqlSession& session, JsonWriter& json) const {
    PlatformListStatement::Window window{_query.page.perPage + 1};
    window.before = _query.cursor->lastId;
    Written written = writeRows(session, PlatformListStatement::page(_query, window), _query.page.perPage, json);
    if (written.count == 0)
        written.total = readTotal(session);
    return written;
}

std::int64_t PlatformList::readTotal(SqlSession& session) const {
    const PlatformListStatement statement = PlatformListStatement::total(_query);
    Rows& rows = session.query(statement.sql(), statement.params());
    std::int64_t total = 0;
    while (rows.next())
        total = rows.integer(0);
    return total;
}

/// Of the page by number; a number that would overflow is past every end.
std::int64_t PlatformList::offset() const {
    constexpr std::int64_t FARTHEST = std::numeric_limits<std::int64_t>::max() / 2;
    return std::min(FARTHEST, _query.page.offset());
}

void PlatformList::writePagination(JsonWriter& json, const Written& written) const {
    const std::int64_t perPage = _query.page.perPage;
    const std::int64_t number = _query.cursor ? _query.cursor->pageNumber(perPage) : _query.page.number;
    json.key("pagination").beginObject();
    json.field("current_page", number);
    json.field("total_pages", (written.total + perPage - 1) / perPage);
    json.field("total_items", written.total);
    json.field("per_page", perPage);
    json.key("next_cursor");
    if (written.hasMore) {
        Cursor next;
        next.fingerprint = _query.fingerprint();
        next.position = (_query.cursor ? _query.cursor->position : offset()) + written.count;
        next.lastId = written.lastId;
        json.value(next.encode());
    } else {
        json.null();
    }
    json.endObject();
}

} // namespace supplierd::catalog
