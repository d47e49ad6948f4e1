#include "index/DatabaseCatalog.h"

#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <supplierd/testing/FakeDatabase.h>

#include <functional>
#include <string>
#include <vector>

namespace supplierd::tests {

using namespace catalog;
using testing::FakeRow;

namespace {

struct NineChanges final : ChangeLog {
    std::int64_t committed(SqlSession&, std::int64_t) override { return 9; }
    ChangePage after(SqlSession&, std::int64_t, std::int64_t, std::size_t) override {
        return {.committed = 9, .removedUpTo = 2};
    }
};

} // namespace

/// What is asked of the database for a list that memory cannot answer; that its answers are right is seen by
/// tests/system/catalog.
class DatabaseCatalogTest : public CppUnit::TestFixture {
protected:
    template <class Use>
    auto ask(Use use) {
        return _database.snapshot(
            [&](SqlSession& snapshot) { return use(DatabaseCatalog(snapshot, _changes, 7, _filters)); });
    }
    IndexedPage page(std::size_t offset, std::size_t limit, IndexOrder order = {}) {
        return ask([&](const DatabaseCatalog& catalog) { return catalog.page(_filter, order, offset, limit); });
    }
    /// The parameters of the first statement, as texts.
    std::string parameters() const {
        std::string all;
        for (const auto& parameter : _database.statements().front().parameters)
            all += parameter.text() + " ";
        return all;
    }
    const std::string& sql() const { return _database.statements().front().sql; }
    void answer(const std::vector<FakeRow>& rows, std::int64_t total = 50) {
        _database.whenQuery("SELECT p.").thenRows(rows);
        _database.whenQuery("SELECT COUNT(*)").thenRows({{total}});
        _database.whenQuery("SELECT MAX(").thenRows({{total}});
    }

    testing::FakeDatabase _database;
    NineChanges _changes;
    ListFilters _filters;
    IndexFilter _filter;
};

TEST(DatabaseCatalogTest, oneProductBeyondThePageSaysThatThereAreMore) {
    answer({{4, 8, 70, "a"}, {3, 7, 60, "b"}, {2, 6, 50, "c"}});
    const auto found = page(10, 2, {OrderBy::StockQty, true});
    CPPUNIT_ASSERT(found.hasMore);
    CPPUNIT_ASSERT(found.items == (std::vector<IndexedPage::Item>{{4, 8}, {3, 7}}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, found.last.id);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{60}, found.last.number);
    CPPUNIT_ASSERT_EQUAL(std::string("b"), found.last.nameWeights);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{50}, found.total);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{9}, found.changeSeq);
    CPPUNIT_ASSERT_EQUAL(std::string("7 3 10 "), parameters());
    CPPUNIT_ASSERT(!page(10, 3).hasMore);
}

TEST(DatabaseCatalogTest, positionOfTheOrderOfIdsIsTheIdAlone) {
    answer({{4, 8, 4, ""}});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, page(0, 2, {OrderBy::Id, false}).last.number);
}

TEST(DatabaseCatalogTest, eachFilterHasItsConditionAndItsValue) {
    answer({});
    _filters = {2, "rose", {"k-1"}, 33, 1, "2026-01-01 00:00:00", false};
    _filter.searchWeights = {std::string("\x12\x34", 2), std::string("\x56\x78", 2)};
    page(0, 5);
    const std::string one = "1234 ^(?>(?:FB[4-9A-F]|F[C-F].).{5}|.{4})*?1234 ";
    const std::string two = "5678 ^(?>(?:FB[4-9A-F]|F[C-F].).{5}|.{4})*?5678 ";
    CPPUNIT_ASSERT_EQUAL("7 2 1 33 2026-01-01 00:00:00 [\"k-1\"] 7 " + one + one + one + two + two + two + "6 0 ",
                         parameters());
    for (const char* condition : {"p.deleted = 0", "p.state = ?", " OR (LOCATE(", "s.sku_key = t.sku_key"})
        requireIn(condition, sql());
}

TEST(DatabaseCatalogTest, tombstonesComeWhateverTheirState) {
    answer({});
    _filters.includeDeleted = true;
    _filters.state = 1;
    page(0, 5);
    requireIn("p.deleted IN (0, 1)", sql());
    requireIn("p.state IN (?, 3)", sql());
}

TEST(DatabaseCatalogTest, whatIsRejectedIsToldFromWhatWaits) {
    answer({});
    _filters.approval = 2;
    page(0, 5);
    requireIn("AND p.approval = ?", sql());
    CPPUNIT_ASSERT_EQUAL(std::string("7 2 6 0 "), parameters());
    _database = {};
    answer({});
    _filters.includeDeleted = true;
    page(0, 5);
    requireIn("(p.approval = ? OR p.deleted = 1)", sql());
}

TEST(DatabaseCatalogTest, termWithoutWeightsIsInEveryText) {
    answer({});
    _filter.searchWeights = {"\x12\x34", ""};
    page(0, 5);
    CPPUNIT_ASSERT_EQUAL(std::string("7 6 0 "), parameters());
}

TEST(DatabaseCatalogTest, pageGoesOnBehindAPosition) {
    const auto after = [&](OrderBy by, bool descending) {
        _database = {};
        answer({});
        ask([&](const DatabaseCatalog& catalog) {
            return catalog.pageAfter(_filter, {by, descending}, {60, std::string("\x12\xab", 2), 3}, 5);
        });
        return parameters();
    };
    CPPUNIT_ASSERT_EQUAL(std::string("7 3 6 "), after(OrderBy::Id, true));
    requireIn("p.id < ?", sql());
    CPPUNIT_ASSERT_EQUAL(std::string("7 12AB 3 6 "), after(OrderBy::Name, false));
    requireIn("p.id) > ", sql());
    CPPUNIT_ASSERT_EQUAL(std::string("7 60 3 6 "), after(OrderBy::StockQty, true));
    requireIn("(p.stock_qty, p.id) < (?, ?)", sql());
    requireIn("ORDER BY p.stock_qty DESC, p.id DESC", sql());
}

TEST(DatabaseCatalogTest, changesAreCountedAndFound) {
    answer({{8, 4}}, 12);
    const auto found = ask([&](const DatabaseCatalog& catalog) {
        CPPUNIT_ASSERT_EQUAL(std::int64_t{12}, catalog.countChanges(_filter, {5, 2}, 8));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{12}, catalog.greatestId());
        return catalog.positionBeforeRest(_filter, 5, 8, 6);
    });
    CPPUNIT_ASSERT(found == ChangePosition(8, 4));
    CPPUNIT_ASSERT_EQUAL(std::string("7 5 2 8 "), parameters());
    const auto& last = _database.statements().back();
    CPPUNIT_ASSERT(last.parameters == (FakeRow{7, 5, 8, 6}));
}

TEST(DatabaseCatalogTest, lateChangesComeInTheOrderOfIds) {
    answer({{4, 8, 4, ""}, {5, 8, 5, ""}});
    const auto found = ask([&](const DatabaseCatalog& catalog) { return catalog.changedSince(_filter, 3, 2, 99, 1); });
    CPPUNIT_ASSERT(found.hasMore && found.last.id == 4 && found.items.size() == 1);
    CPPUNIT_ASSERT_EQUAL(std::string("7 3 2 99 2 "), parameters());
}

} // namespace supplierd::tests
