#include <supplierd/Cursor.h>
#include <supplierd/ListPage.h>

#include <algorithm>
#include <limits>

namespace supplierd {

namespace {

constexpr std::size_t MAX_CURSOR = 4'000;
// Up to here a page by number is found from the front in one statement; beyond, the total first says which end is
// nearer.
constexpr std::int64_t SHALLOW = 1'000;
/// More than any list has or any walk delivers, and so few that a page's rows can be added.
constexpr std::int64_t MAX_ROWS = std::numeric_limits<std::int64_t>::max() / 2;

enum Number : std::size_t { Position, LastId, Total, NUMBERS };

bool hasKeyOf(const ListCursor& cursor, ListOrder order) {
    if (order == ListOrder::Text)
        return true;
    return order == ListOrder::Id ? cursor.lastKey.empty() : hasFormOfDatabaseTime(cursor.lastKey);
}

} // namespace

std::string ListCursor::encode() const {
    CursorParts parts{fingerprint, std::vector<std::int64_t>(NUMBERS), lastKey};
    parts.numbers[Position] = position;
    parts.numbers[LastId] = lastId;
    parts.numbers[Total] = total.value_or(-1);
    return parts.encode();
}

std::optional<ListCursor> ListCursor::decode(std::string_view text) {
    const auto parts = CursorParts::decode(text, NUMBERS);
    if (!parts || parts->numbers[Position] < 1 || parts->numbers[Position] > MAX_ROWS || parts->numbers[LastId] < 1 ||
        parts->numbers[Total] < -1 || parts->numbers[Total] > MAX_ROWS)
        return std::nullopt;
    ListCursor cursor{parts->fingerprint, parts->numbers[Position], parts->numbers[LastId], parts->key};
    if (parts->numbers[Total] >= 0)
        cursor.total = parts->numbers[Total];
    return cursor;
}

void Pagination::write(JsonWriter& json) const {
    json.beginObject();
    json.field("current_page", currentPage).field("total_pages", totalPages());
    json.field("total_items", totalItems).field("per_page", perPage);
    if (isTotalCapped)
        json.field("total_capped", *isTotalCapped);
    if (hasCursor)
        json.field("next_cursor", nextCursor);
    if (lastChangeSeq)
        json.field("last_change_seq", *lastChangeSeq).field("has_more", nextCursor.has_value());
    json.endObject();
}

ListPage ListPage::read(QueryReader& reader, const ListRules& rules) {
    ListPage page;
    page._rules = rules;
    page._page = reader.page();
    const auto text = rules.hasCursor ? reader.text("cursor", MAX_CURSOR) : std::nullopt;
    if (!text)
        return page;
    page._cursor = ListCursor::decode(*text);
    if (!page._cursor || page._cursor->fingerprint != rules.fingerprint || !hasKeyOf(*page._cursor, rules.order))
        reader.details().add("cursor", "not_in_set",
                             "cursor is not one that pagination.next_cursor gave for a list with these filters");
    if (page._page.number > 1)
        reader.details().add("page", "unsupported", "page cannot be used together with cursor");
    return page;
}

/// What was seen of the page's rows.
struct ListPage::Seen {
    std::int64_t count = 0;
    std::int64_t lastId = 0;
    std::string lastKey;
    std::optional<std::int64_t> total;
    /// The list goes on behind them.
    bool hasMore = false;
};

class ListPage::Attempt {
public:
    Attempt(const ListPage& page, const ListStatements& statements, const std::function<void(const Rows&)>& take,
            SqlSession& session)
        : _page(page), _statements(statements), _take(take), _session(session) {}

    /// Nothing when it would need a second statement, and may not have one.
    std::optional<Pagination> run(bool inSnapshot) {
        Seen seen;
        if (_page.isDeep())
            seen = readDeepPage();
        else
            seen = _page._cursor ? readWalk() : readPage();
        // Also of a walk that knows its total, when it comes to nothing: what else a list has to say is with its rows,
        // or else with its total.
        const bool isTold = seen.total && (seen.count > 0 || _page.isDeep());
        if (!isTold && !inSnapshot)
            return std::nullopt;
        const std::int64_t counted = isTold ? 0 : _statements.total(_session);
        const std::int64_t total = seen.total.value_or(counted);
        if (!_page._cursor && !isCapped())
            seen.hasMore = seen.count > 0 && _page.offset() + seen.count < total;
        return pagination(seen, total);
    }

private:
    bool isCapped() const { return _page._rules.total == ListTotal::CountedToLimit; }

    Seen readPage() {
        if (isCapped() && _page.offset() >= _page._rules.countLimit)
            return {};
        return read({.limit = _page._page.perPage + (isCapped() ? 1 : 0), .offset = _page.offset()});
    }

    Seen readDeepPage() {
        Seen seen;
        const std::int64_t total = _statements.total(_session);
        const std::int64_t rest = total - _page.offset();
        if (rest > 0) {
            ListWindow window{.limit = std::min(_page._page.perPage, rest), .offset = _page.offset()};
            window.needsTotal = false;
            if (rest < total / 2) {
                window.offset = rest - window.limit;
                window.fromEnd = true;
            }
            seen = read(window);
        }
        seen.total = total;
        return seen;
    }

    Seen readWalk() {
        const ListCursor& cursor = *_page._cursor;
        Seen seen = read({.limit = _page._page.perPage + 1, .after = &cursor, .needsTotal = !cursor.total.has_value()});
        if (cursor.total)
            seen.total = cursor.total;
        return seen;
    }

    Seen read(const ListWindow& window) {
        Seen seen;
        Rows& rows = _statements.page(_session, window);
        while (rows.next()) {
            if (seen.count == _page._page.perPage) {
                seen.hasMore = true;
                continue; // to the end of the result, so that the session is free for the next statement
            }
            _take(rows);
            ++seen.count;
            seen.lastId = rows.integer(0);
            if (_page._rules.order != ListOrder::Id)
                seen.lastKey = rows.text(_statements.keyColumn.value());
            if (window.needsTotal && _statements.totalColumn)
                seen.total = rows.integer(*_statements.totalColumn);
        }
        return seen;
    }

    Pagination pagination(const Seen& seen, std::int64_t total) const {
        const ListRules& rules = _page._rules;
        const std::int64_t before = _page._cursor ? _page._cursor->position : _page.offset();
        Pagination pagination;
        pagination.perPage = _page._page.perPage;
        // Of a walk: the page by number on which its next row lies, whatever the size of the pages before.
        pagination.currentPage = _page._cursor ? before / pagination.perPage + 1 : _page._page.number;
        pagination.totalItems = isCapped() ? std::min(total, rules.countLimit) : total;
        pagination.hasCursor = rules.hasCursor;
        if (isCapped())
            pagination.isTotalCapped = total > rules.countLimit;
        if (rules.hasCursor && seen.hasMore) {
            ListCursor next{rules.fingerprint, before + seen.count, seen.lastId, seen.lastKey};
            if (rules.total == ListTotal::Counted)
                next.total = total;
            pagination.nextCursor = next.encode();
        }
        return pagination;
    }

    const ListPage& _page;
    const ListStatements& _statements;
    const std::function<void(const Rows&)>& _take;
    SqlSession& _session;
};

Pagination ListPage::run(Database& database, const ListStatements& statements, const std::function<void()>& begin,
                         const std::function<void(const Rows&)>& take) const {
    std::optional<Pagination> pagination;
    const auto read = [&](bool inSnapshot) {
        return [&, inSnapshot](SqlSession& session) {
            begin();
            pagination = Attempt(*this, statements, take, session).run(inSnapshot);
        };
    };
    const bool isOneStatement = !isDeep() && (statements.totalColumn || (_cursor && _cursor->total));
    if (isOneStatement)
        database.withSession(read(false));
    if (!pagination)
        database.withSnapshot(read(true));
    return *pagination;
}

bool ListPage::isDeep() const {
    return !_cursor && _rules.total == ListTotal::Kept && offset() > SHALLOW;
}

/// Of a page by number; one that would overflow is past every end.
std::int64_t ListPage::offset() const {
    return std::min(MAX_ROWS, _page.offset());
}

} // namespace supplierd
