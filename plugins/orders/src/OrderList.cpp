#include "OrderList.h"

#include "OrderJson.h"

#include <algorithm>

namespace supplierd::orders {

namespace {

using Matches = ListStatement::Matches;

// Up to here a page by number is found from the front in one statement; beyond, the total first says which end is
// nearer.
constexpr std::int64_t SHALLOW = 1'000;

void begin(JsonWriter& json) {
    json.buffer().clear();
    json.beginObject().key("orders").beginArray();
}

std::optional<std::int64_t> ownSupplier(const Request& request, Mover viewer) {
    if (viewer == Mover::Platform)
        return std::nullopt;
    return request.principal().supplierId;
}

} // namespace

OrderList::OrderList(Request& request, Mover viewer)
    : _request(request),
      _isPlatforms(viewer == Mover::Platform),
      _query(ListQuery::read(request.query(), ownSupplier(request, viewer))) {}

Response OrderList::answer() {
    Response response = _request.reply();
    const bool isDeep = !_query.cursor && _query.offset() > SHALLOW && !_query.filters.isCounted();
    bool complete = false;
    const auto write = [&](SqlSession& session) {
        complete = _query.cursor ? writeWalk(session, response.data)
                   : isDeep      ? writeDeepPage(session, response.data)
                                 : writePage(session, response.data);
    };
    // A page is one statement. Where its rows do not say the total, a second one has to see the same state.
    if (!isDeep)
        _request.database().withSession(write);
    if (!complete) {
        _inSnapshot = true;
        _request.database().withSnapshot(write);
    }
    return response;
}

bool OrderList::writePage(SqlSession& session, std::string& out) const {
    JsonWriter json(out);
    begin(json);
    const ListWindow window{_query.page.perPage, _query.offset()};
    const Written rows = writeRows(session, window, Matches::Told, json);
    if (rows.count == 0 && !_inSnapshot)
        return false;
    const std::int64_t total = rows.count > 0 ? rows.matches : readTotal(session);
    finish(json, rows, total, window.offset + rows.count < total);
    return true;
}

bool OrderList::writeDeepPage(SqlSession& session, std::string& out) const {
    JsonWriter json(out);
    begin(json);
    const std::int64_t total = readTotal(session);
    const std::int64_t rest = total - _query.offset();
    Written rows;
    if (rest > 0) {
        ListWindow window{std::min(_query.page.perPage, rest), _query.offset()};
        if (rest < total / 2) {
            window.offset = rest - window.limit;
            window.fromEnd = true;
        }
        rows = writeRows(session, window, Matches::Known, json);
    }
    finish(json, rows, total, rows.count < rest);
    return true;
}

bool OrderList::writeWalk(SqlSession& session, std::string& out) const {
    JsonWriter json(out);
    begin(json);
    const ListCursor& cursor = *_query.cursor;
    ListWindow window{_query.page.perPage + 1};
    window.after = &cursor;
    const Written rows = writeRows(session, window, cursor.total ? Matches::Known : Matches::Told, json);
    const bool needsTotal = rows.count == 0 && !cursor.total;
    if (needsTotal && !_inSnapshot)
        return false;
    const std::int64_t counted = needsTotal ? readTotal(session) : rows.matches;
    finish(json, rows, cursor.total.value_or(counted), rows.hasMore);
    return true;
}

OrderList::Written OrderList::writeRows(SqlSession& session, const ListWindow& window, Matches matches,
                                        JsonWriter& json) const {
    const ListStatement statement = ListStatement::page(_query, window, matches, _isPlatforms);
    Written written;
    Rows& rows = session.query(statement.sql(), statement.params());
    while (rows.next()) {
        if (written.count == _query.page.perPage) {
            written.hasMore = true;
            continue; // to the end of the result, so that the session is free for the next statement
        }
        writeOne(rows, json);
        ++written.count;
        written.matches = rows.integer(column::Matches);
        written.lastId = rows.integer(column::Id);
        if (_query.filters.isByCreation())
            written.lastCreated = rows.text(column::CreatedAt);
    }
    return written;
}

void OrderList::writeOne(const Rows& row, JsonWriter& json) const {
    json.beginObject();
    json.field("id", row.integer(column::Id)).field("order_number", row.text(column::OrderNumber));
    json.field("status", nameOf(statusNumbered(row.integer(column::Status))));
    json.field("currency", row.text(column::Currency)).field("subtotal", row.decimal(column::Subtotal));
    json.field("vat_total", row.decimal(column::VatTotal)).field("total", row.decimal(column::Total));
    json.field("items_count", row.integer(column::ItemsCount));
    json.field("customer_name", row.text(column::CustomerName));
    json.field("created_at", row.time(column::CreatedAt)).field("updated_at", row.time(column::UpdatedAt));
    if (_isPlatforms)
        writeSupplier(json, row.integer(column::SupplierId), row.text(column::SupplierName));
    json.endObject();
}

std::int64_t OrderList::readTotal(SqlSession& session) const {
    const ListStatement statement = ListStatement::total(_query);
    Rows& rows = session.query(statement.sql(), statement.params());
    std::int64_t total = 0;
    while (rows.next())
        total = rows.integer(0);
    return total;
}

void OrderList::finish(JsonWriter& json, const Written& rows, std::int64_t total, bool next) const {
    const std::int64_t perPage = _query.page.perPage;
    json.endArray().key("pagination").beginObject();
    json.field("current_page", _query.pageNumber()).field("total_pages", (total + perPage - 1) / perPage);
    json.field("total_items", total).field("per_page", perPage).key("next_cursor");
    if (next && rows.count > 0) {
        ListCursor cursor;
        cursor.fingerprint = _query.filters.fingerprint();
        cursor.position = (_query.cursor ? _query.cursor->position : _query.offset()) + rows.count;
        cursor.lastId = rows.lastId;
        cursor.lastCreated = rows.lastCreated;
        if (_query.filters.isCounted())
            cursor.total = total;
        json.value(cursor.encode());
    } else
        json.null();
    json.endObject().endObject();
}

} // namespace supplierd::orders
