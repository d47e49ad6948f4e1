#include "tests/support/Test.h"
#include "tests/support/Thrown.h"

#include <supplierd/ListPage.h>
#include <supplierd/testing/FakeDatabase.h>

#include <algorithm>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

/// Rows of (id, total, key), where the key is the id as text.
class NumberRows final : public Rows {
public:
    std::vector<std::int64_t> ids;
    std::int64_t total = 0;

    bool next() override { return ++_at <= ids.size(); }
    bool isNull(std::size_t) const override { return false; }
    std::int64_t integer(std::size_t column) const override { return column == 0 ? ids[_at - 1] : total; }
    std::string_view text(std::size_t) const override { return _text = "key " + std::to_string(ids[_at - 1]); }
    Decimal decimal(std::size_t) const override { return {}; }
    std::string time(std::size_t) const override { return {}; }

private:
    std::size_t _at = 0;
    mutable std::string _text;
};

/// The list of the numbers from `size` down to 1, newest first, and what it was asked for.
class NumberList {
public:
    explicit NumberList(std::int64_t size, const ListRules& rules = {}) : _size(size), _rules(rules) {
        _database.whenQuery("page").thenRows({});
        _database.whenQuery("total").thenRows({});
    }

    ListRules& rules() { return _rules; }
    /// Its rows do not have the total.
    void withoutTotalColumn() { _statements.totalColumn = std::nullopt; }

    Listed<std::int64_t> get(const QueryParameters& query) {
        Details details;
        QueryReader reader(query, details);
        const ListPage page = ListPage::read(reader, _rules);
        details.throwIfAny();
        return page.select(_database, _statements, [](const Rows& row) { return row.integer(0); });
    }

    /// "page", "total", … each with a ' where it ran within a snapshot, since the last call.
    std::string statements() {
        std::string text;
        for (; _seen < _database.statements().size(); ++_seen)
            text += (text.empty() ? "" : " ") + _database.statements()[_seen].sql +
                    (_database.statements()[_seen].inSnapshot ? "'" : "");
        return text;
    }
    const std::vector<ListWindow>& windows() const { return _windows; }

private:
    Rows& page(SqlSession& session, const ListWindow& window) {
        session.query("page");
        _windows.push_back(window);
        _rows = {};
        _rows.total = window.needsTotal ? _size : 0;
        const std::int64_t first = window.after     ? window.after->lastId - 1
                                   : window.fromEnd ? window.offset + window.limit
                                                    : _size - window.offset;
        for (std::int64_t i = first; i > std::max<std::int64_t>(0, first - window.limit); --i)
            _rows.ids.push_back(i);
        return _rows;
    }

    std::int64_t _size;
    ListRules _rules;
    testing::FakeDatabase _database;
    NumberRows _rows;
    std::vector<ListWindow> _windows;
    std::size_t _seen = 0;
    ListStatements _statements{
        .page = [this](SqlSession& session, const ListWindow& window) -> Rows& { return page(session, window); },
        .total =
            [this](SqlSession& session) {
                session.query("total");
                return _rules.countLimit == 0 ? _size : std::min(_size, _rules.countLimit + 1);
            },
        .totalColumn = 1,
        .keyColumn = 2};
};

std::string written(const Pagination& pagination) {
    std::string text;
    JsonWriter json(text);
    pagination.write(json);
    return text;
}

} // namespace

class ListPageTest : public CppUnit::TestFixture {
protected:
    using Ids = std::vector<std::int64_t>;

    static void requireRefused(NumberList& list, const QueryParameters& query, const std::string& field) {
        CPPUNIT_ASSERT_EQUAL(field, thrownBy<ApiError>([&] { list.get(query); }).details().at(0).field);
    }
};

TEST(ListPageTest, aPageIsOneStatement) {
    NumberList list(25);
    CPPUNIT_ASSERT(list.get({{"per_page", "10"}, {"page", "2"}}).items == Ids({15, 14, 13, 12, 11, 10, 9, 8, 7, 6}));
    CPPUNIT_ASSERT_EQUAL(std::string("page"), list.statements());
    const auto last = list.get({{"per_page", "10"}, {"page", "3"}});
    CPPUNIT_ASSERT(last.items == Ids({5, 4, 3, 2, 1}));
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"current_page":3,"total_pages":3,"total_items":25,"per_page":10,)"
                                     R"("next_cursor":null})"),
                         written(last.pagination));
}

TEST(ListPageTest, aPageBehindTheEndStillKnowsTheTotal) {
    NumberList list(25);
    const auto page = list.get({{"page", "3"}});
    CPPUNIT_ASSERT(page.items.empty());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{25}, page.pagination.totalItems);
    CPPUNIT_ASSERT_EQUAL(std::string("page page' total'"), list.statements());
}

TEST(ListPageTest, rowsWithoutTheTotalAreReadInASnapshotWithIt) {
    NumberList list(25);
    list.withoutTotalColumn();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{25}, list.get({}).pagination.totalItems);
    CPPUNIT_ASSERT_EQUAL(std::string("page' total'"), list.statements());
}

TEST(ListPageTest, aDeepPageIsReadFromTheNearerEnd) {
    NumberList list(10'005);
    const auto page = list.get({{"page", "101"}, {"per_page", "100"}});
    CPPUNIT_ASSERT(page.items == Ids({5, 4, 3, 2, 1}));
    CPPUNIT_ASSERT(list.windows().back().fromEnd);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, list.windows().back().offset);
    CPPUNIT_ASSERT(!page.pagination.nextCursor);
    CPPUNIT_ASSERT_EQUAL(std::string("total' page'"), list.statements());
    const auto middle = list.get({{"page", "100"}, {"per_page", "100"}});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{105}, middle.items.front());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{6}, middle.items.back());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, list.windows().back().offset);
    const auto next = list.get({{"per_page", "100"}, {"cursor", *middle.pagination.nextCursor}});
    CPPUNIT_ASSERT(next.items == page.items);
    list.get({{"page", "12"}, {"per_page", "100"}});
    CPPUNIT_ASSERT(!list.windows().back().fromEnd);
    list.statements();
    CPPUNIT_ASSERT(list.get({{"page", "102"}, {"per_page", "100"}}).items.empty());
    CPPUNIT_ASSERT_EQUAL(std::string("total'"), list.statements());
}

TEST(ListPageTest, aListThatIsCountedIsNeverReadFromItsEnd) {
    NumberList list(10'005, {.total = ListTotal::Counted});
    CPPUNIT_ASSERT(list.get({{"page", "101"}, {"per_page", "100"}}).items == Ids({5, 4, 3, 2, 1}));
    CPPUNIT_ASSERT_EQUAL(std::string("page"), list.statements());
}

TEST(ListPageTest, aWalkMeetsEveryRowOnce) {
    NumberList list(45);
    Ids walked;
    QueryParameters query{{"per_page", "7"}};
    for (;;) {
        const auto page = list.get(query);
        walked.insert(walked.end(), page.items.begin(), page.items.end());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{45}, page.pagination.totalItems);
        if (!page.pagination.nextCursor)
            break;
        query = {{"per_page", "7"}, {"cursor", *page.pagination.nextCursor}};
    }
    CPPUNIT_ASSERT_EQUAL(std::size_t{45}, walked.size());
    CPPUNIT_ASSERT(std::is_sorted(walked.rbegin(), walked.rend()));
    CPPUNIT_ASSERT_EQUAL(std::string("page page page page page page page"), list.statements());
}

TEST(ListPageTest, aWalkCarriesATotalThatWasCounted) {
    NumberList list(25, {.total = ListTotal::Counted});
    const auto first = list.get({});
    const auto next = list.get({{"cursor", *first.pagination.nextCursor}});
    CPPUNIT_ASSERT(!list.windows().back().needsTotal);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{25}, next.pagination.totalItems);
    CPPUNIT_ASSERT_EQUAL(std::string("page page"), list.statements());
}

TEST(ListPageTest, totalsAreCountedToALimitOnly) {
    NumberList list(120, {.total = ListTotal::CountedToLimit, .countLimit = 100});
    list.withoutTotalColumn();
    const auto last = list.get({{"page", "5"}});
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"current_page":5,"total_pages":5,"total_items":100,"per_page":20,)"
                                     R"("total_capped":true,"next_cursor":")") +
                             *last.pagination.nextCursor + "\"}",
                         written(last.pagination));
    CPPUNIT_ASSERT(list.get({{"page", "6"}}).items.empty()); // behind those that are counted
    const auto beyond = list.get({{"cursor", *last.pagination.nextCursor}});
    CPPUNIT_ASSERT_EQUAL(std::size_t{20}, beyond.items.size());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, beyond.items.back());
    CPPUNIT_ASSERT(!beyond.pagination.nextCursor);
}

TEST(ListPageTest, thePageNumberOfAWalkFollowsTheSizeOfPages) {
    NumberList list(100);
    const auto second = list.get({{"page", "2"}, {"per_page", "10"}});
    const std::string cursor = *second.pagination.nextCursor;
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, list.get({{"per_page", "10"}, {"cursor", cursor}}).pagination.currentPage);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, list.get({{"per_page", "5"}, {"cursor", cursor}}).pagination.currentPage);
}

TEST(ListPageTest, aListWithoutCursorsHasNone) {
    NumberList list(25, {.hasCursor = false});
    const auto page = list.get({{"cursor", "whatever"}});
    CPPUNIT_ASSERT_EQUAL(std::size_t{20}, page.items.size());
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"current_page":1,"total_pages":2,"total_items":25,"per_page":20})"),
                         written(page.pagination));
}

TEST(ListPageTest, cursorsOfOtherListsAreRefused) {
    NumberList list(25);
    const std::string cursor = *list.get({}).pagination.nextCursor;
    list.get({{"cursor", cursor}});
    requireRefused(list, {{"cursor", cursor}, {"page", "2"}}, "page");
    list.rules().fingerprint = 7;
    requireRefused(list, {{"cursor", cursor}}, "cursor");
}

TEST(ListPageTest, aKeyHasTheFormOfItsOrder) {
    const auto encoded = [](const std::string& key) { return ListCursor{0, 1, 5, key}.encode(); };
    const std::string time = "2026-11-20 14:48:00.123456";
    NumberList byId(25);
    byId.get({{"cursor", encoded("")}});
    requireRefused(byId, {{"cursor", encoded(time)}}, "cursor");
    NumberList byTime(25, {.order = ListOrder::Time});
    byTime.get({{"cursor", encoded(time)}});
    requireRefused(byTime, {{"cursor", encoded("")}}, "cursor");
    requireRefused(byTime, {{"cursor", encoded("2026-11-20 OR 1=1")}}, "cursor");
    NumberList byText(25, {.order = ListOrder::Text});
    const auto next = byText.get({}).pagination.nextCursor;
    CPPUNIT_ASSERT_EQUAL(std::string("key 6"), ListCursor::decode(*next)->lastKey);
}

TEST(ListPageTest, forgedCursorsAreRefused) {
    NumberList list(25);
    const std::string cursor = *list.get({}).pagination.nextCursor;
    for (const std::string& damaged :
         {cursor + "A", cursor.substr(1), std::string("*"), cursor.substr(0, cursor.size() - 1),
          ListCursor{0, 0, 5}.encode(), ListCursor{0, 1, 0}.encode(), ListCursor{0, -1, 5}.encode(),
          ListCursor{0, 1, 5, "", -2}.encode()})
        requireRefused(list, {{"cursor", damaged}}, "cursor");
}

TEST(ListPageTest, pagesBeyondAllNumbersAreEmpty) {
    NumberList list(25);
    const auto page = list.get({{"page", "9223372036854775807"}, {"per_page", "100"}});
    CPPUNIT_ASSERT(page.items.empty());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{25}, page.pagination.totalItems);
}

} // namespace supplierd::tests
