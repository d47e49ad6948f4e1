#include "ChangedOrders.h"

#include "OrderList.h"

#include <supplierd/Cursor.h>
#include <supplierd/internal/ChangePlace.h>

#include <algorithm>
#include <charconv>

namespace supplierd::orders {

namespace {

constexpr std::size_t MAX_CURSOR_TEXT = 4'000;

void refuse(QueryReader& reader, std::string_view field, std::string_view with) {
    reader.details().add(std::string(field), "unsupported",
                         std::string(field) + " cannot be used together with " + std::string(with));
}

std::uint64_t fingerprintOf(const ListFilters& filters) {
    ListFingerprint print;
    print.add("changes");
    print.add(std::to_string(filters.rules().fingerprint));
    return print.value();
}

/// The number of the change at which a walk stands; nothing when no page gave that cursor.
std::optional<std::int64_t> seqOf(const ListCursor& cursor) {
    std::int64_t seq = 0;
    const char* const end = cursor.lastKey.data() + cursor.lastKey.size();
    const auto [stop, error] = std::from_chars(cursor.lastKey.data(), end, seq);
    return error == std::errc() && stop == end && seq >= 0 ? std::optional(seq) : std::nullopt;
}

/// What is wrong with a cursor is for the list to say that it may be of.
std::optional<ListCursor> cursorOfChanges(const QueryParameters& query, const ListFilters& filters) {
    Details ignored;
    const auto text = QueryReader(query, ignored).text("cursor", MAX_CURSOR_TEXT);
    auto cursor = text ? ListCursor::decode(*text) : std::nullopt;
    if (cursor && (cursor->fingerprint != fingerprintOf(filters) || !seqOf(*cursor)))
        cursor.reset();
    return cursor;
}

/// Leaves out a change that goes on behind the page, unless it fills all of the page: true then.
bool cutLastChange(std::vector<OrderGroupSummary>& orders) {
    const std::int64_t next = orders.back().changeSeq;
    orders.pop_back();
    const auto first = std::find_if(orders.begin(), orders.end(),
                                    [next](const OrderGroupSummary& order) { return order.changeSeq == next; });
    if (first == orders.begin())
        return true;
    orders.erase(first, orders.end());
    return false;
}

} // namespace

std::optional<ChangedOrders> ChangedOrders::read(const QueryParameters& query, QueryReader& reader,
                                                 const ListFilters& filters) {
    auto cursor = cursorOfChanges(query, filters);
    if (!reader.has("changed_after") && !cursor)
        return std::nullopt;
    const auto after = reader.integer("changed_after", 0);
    ChangedOrders changes(filters, reader.page());
    if (reader.has("changed_after") && reader.has("cursor"))
        refuse(reader, "cursor", "changed_after");
    if (changes._page.number > 1)
        refuse(reader, "page", cursor ? "cursor" : "changed_after");
    changes._after = after.value_or(0);
    changes._cursor = std::move(cursor);
    return changes;
}

Listed<OrderGroupSummary> ChangedOrders::select(Database& database) {
    return database.snapshot([this](SqlSession& session) { return select(session); });
}

Listed<OrderGroupSummary> ChangedOrders::select(SqlSession& session) {
    Listed<OrderGroupSummary> listed;
    Pagination& pagination = listed.pagination;
    pagination.perPage = _page.perPage;
    if (_cursor)
        pagination.currentPage = _cursor->position / _page.perPage + 1;
    {
        const auto statement = ListStatement::changesHead(_filters);
        Rows& head = session.query(statement.sql(), statement.params());
        if (head.next()) {
            _committed = head.integer(0);
            pagination.totalItems = head.integer(1);
        }
    }
    pagination.lastChangeSeq = _committed;
    const ChangePosition after = start(session);
    listed.items = selectPage(session, after);
    std::vector<OrderGroupSummary>& orders = listed.items;
    if (orders.size() <= static_cast<std::size_t>(_page.perPage))
        return listed;
    const bool isCut = cutLastChange(orders);
    const OrderGroupSummary& last = orders.back();
    pagination.nextCursor = cursorBehind(last, isCut, orders.size()).encode();
    pagination.lastChangeSeq = last.changeSeq;
    if (isCut) {
        const auto statement = ListStatement::restOfChange(_filters, {last.changeSeq, last.id});
        Rows& rest = session.query(statement.sql(), statement.params());
        const ChangePlace place{last.changeSeq, rest.next() ? rest.integer(0) : 0};
        // Where no number can say it, what came before the change: then only the cursor leads on.
        pagination.lastChangeSeq = place.encode().value_or(last.changeSeq - 1);
    }
    return listed;
}

ChangePosition ChangedOrders::start(SqlSession& session) const {
    if (_cursor)
        return {seqOf(*_cursor).value_or(0), _cursor->lastId};
    const auto place = ChangePlace::decode(_after);
    if (!place)
        return {_after, ChangePosition::WHOLE};
    const auto statement = ListStatement::lastBeforeRest(_filters, place->seq, place->rest);
    Rows& row = session.query(statement.sql(), statement.params());
    return {place->seq, row.next() ? row.integer(0) : 0};
}

std::vector<OrderGroupSummary> ChangedOrders::selectPage(SqlSession& session, const ChangePosition& after) const {
    std::vector<OrderGroupSummary> orders;
    const auto statement = ListStatement::changes(_filters, after, _page.perPage + 1);
    Rows& rows = session.query(statement.sql(), statement.params());
    while (rows.next()) {
        orders.push_back(summaryOf(rows));
        orders.back().changeSeq = rows.integer(column::ChangeSeq);
    }
    return orders;
}

ListCursor ChangedOrders::cursorBehind(const OrderGroupSummary& order, bool isCut, std::size_t count) const {
    // In whole pages, since a page may end before it is full.
    const std::int64_t rows = (_cursor ? _cursor->position : 0) + static_cast<std::int64_t>(count);
    return {.fingerprint = fingerprintOf(_filters),
            .position = (rows + _page.perPage - 1) / _page.perPage * _page.perPage,
            .lastId = isCut ? order.id : ChangePosition::WHOLE,
            .lastKey = std::to_string(order.changeSeq)};
}

} // namespace supplierd::orders
