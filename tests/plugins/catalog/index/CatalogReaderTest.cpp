#include "index/CatalogReader.h"

#include "NaiveCatalog.h"
#include "tests/support/Test.h"

#include <supplierd/testing/FakeDatabase.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::tests {

using namespace catalog;
using testing::FakeRow;

namespace {

std::string weights(std::string_view text) {
    std::string all;
    for (const char c : text)
        all += weightString({0x1200U + static_cast<unsigned char>(c)});
    return all;
}

/// The log as a test wants it.
struct ScriptedChanges final : ChangeLog {
    ChangePage page;

    std::int64_t committed(SqlSession&, std::int64_t) override { return page.committed; }
    ChangePage after(SqlSession&, std::int64_t, std::int64_t seq, std::size_t limit) override {
        ChangePage wanted = page;
        std::erase_if(wanted.entries, [&](const ChangeEntry& entry) { return entry.seq <= seq; });
        if (wanted.entries.size() > limit)
            wanted.entries.resize(limit);
        return wanted;
    }
    void add(std::string_view kind, std::vector<std::int64_t> ids) {
        page.entries.push_back(
            {.seq = ++page.committed, .changedAt = {}, .objects = {{std::string(kind), std::move(ids)}}, .actor = {}});
    }
};

} // namespace

class CatalogReaderTest : public CppUnit::TestFixture {
public:
    CatalogReaderTest() {
        _changes.page.committed = 5;
        _changes.page.removedUpTo = 2;
    }

protected:
    /// Product `id`; `sku` and its key: what the product has of its own.
    static FakeRow row(std::int64_t id, std::int64_t stock, const char* name, std::optional<std::string> sku = {},
                       std::optional<std::string> key = {}) {
        FakeRow cells{id, 5, 1, 0, 1, "9.5000", stock, 1'000'000, 1, weights(name), nullptr, nullptr};
        if (sku)
            cells[10] = weights(*sku);
        if (key)
            cells[11] = *key;
        return cells;
    }

    std::unique_ptr<CatalogIndex> load(const std::vector<FakeRow>& live, const std::vector<FakeRow>& deleted = {}) {
        _database.whenQuery("SELECT COUNT(*)").thenRows({{live.size() + deleted.size()}});
        _database.whenQuery("SELECT product_id, IF(variant_id").thenRows({{2, nullptr}, {3, "k3"}, {1, "k1"}});
        _database.whenQuery("s.variant_id <> 0").thenRows({{2, "v2", weights("long")}, {99, "v99", weights("lost")}});
        _database.whenQuery("p.deleted = ?").thenRows(live).thenRows(deleted);
        std::unique_ptr<CatalogIndex> index;
        _database.withSnapshot([&](SqlSession& snapshot) {
            index = _reader.load(snapshot, 7, CatalogReader::BYTES_AT_LEAST,
                                 [&](const auto& taken) { return taken.index <= _room; });
        });
        return index;
    }
    std::unique_ptr<CatalogIndex> loadThree() {
        return load({row(1, 4, "rose", "a"), row(2, 5, "tulip"), row(3, 6, "iris", "c")});
    }
    std::optional<std::size_t> refresh(CatalogIndex& index) {
        std::optional<std::size_t> read;
        _database.withSnapshot([&](SqlSession& snapshot) { read = _reader.refresh(snapshot, 7, index); });
        return read;
    }

    static std::vector<std::int64_t> idsOf(const CatalogIndex& index, const IndexFilter& filter) {
        std::vector<std::int64_t> ids;
        for (const auto& item : index.page(filter, {OrderBy::Id, false}, 0, 50).items)
            ids.push_back(item.id);
        return ids;
    }
    static std::vector<std::int64_t> withSku(const CatalogIndex& index, const std::string& key) {
        IndexFilter filter;
        filter.skuHashes = {hashOfSkuKey(key)};
        return idsOf(index, filter);
    }
    static std::vector<std::int64_t> withText(const CatalogIndex& index, const std::string& term) {
        IndexFilter filter;
        filter.searchWeights = {weights(term)};
        return idsOf(index, filter);
    }
    using Ids = std::vector<std::int64_t>;

    testing::FakeDatabase _database;
    ScriptedChanges _changes;
    CatalogReader _reader{_changes};
    std::size_t _room = 1'000'000;
};

TEST(CatalogReaderTest, whatIsLoadedIsFoundByItsTextsAndSkus) {
    const auto index = loadThree();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, index->changeSeq());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, index->logBegin());
    CPPUNIT_ASSERT(idsOf(*index, {}) == (Ids{1, 2, 3}));
    CPPUNIT_ASSERT(withSku(*index, "k1") == Ids{1} && withSku(*index, "k3") == Ids{3});
    CPPUNIT_ASSERT(withSku(*index, "v2") == Ids{2} && withSku(*index, "v99").empty());
    CPPUNIT_ASSERT(withText(*index, "ro") == Ids{1} && withText(*index, "c") == Ids{3});
    CPPUNIT_ASSERT(withText(*index, "long") == Ids{2} && withText(*index, "lost").empty());
    const auto first = index->page({}, {OrderBy::StockQty, false}, 0, 1);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{4}, first.last.number);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{95'000}, index->page({}, {OrderBy::BasePrice, false}, 0, 1).last.number);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1'000'000}, index->page({}, {OrderBy::UpdatedAt, false}, 0, 1).last.number);
}

TEST(CatalogReaderTest, tombstonesAreLoadedAmongTheOthers) {
    auto deleted = row(2, 0, "gone");
    deleted[2] = static_cast<int>(ProductState::Deleted);
    const auto index = load({row(1, 4, "rose"), row(3, 6, "iris")}, {deleted});
    CPPUNIT_ASSERT(idsOf(*index, {}) == (Ids{1, 3}));
    IndexFilter all;
    all.includeDeleted = true;
    CPPUNIT_ASSERT(idsOf(*index, all) == (Ids{1, 2, 3}));
}

TEST(CatalogReaderTest, rejectedProductsAreToldFromThoseThatWait) {
    auto waits = row(1, 4, "rose");
    auto rejected = row(2, 4, "iris");
    waits[2] = rejected[2] = static_cast<int>(ProductState::Pending);
    waits[8] = static_cast<int>(Approval::Pending);
    rejected[8] = static_cast<int>(Approval::Rejected);
    const auto index = load({waits, rejected, row(3, 4, "aster")});
    IndexFilter filter;
    filter.state = ProductState::Pending;
    CPPUNIT_ASSERT(idsOf(*index, filter) == (Ids{1, 2}));
    filter.state.reset();
    for (const auto& [approval, id] :
         {std::pair(Approval::Pending, 1), std::pair(Approval::Rejected, 2), std::pair(Approval::Approved, 3)}) {
        filter.approval = approval;
        CPPUNIT_ASSERT(idsOf(*index, filter) == Ids{id});
    }
}

TEST(CatalogReaderTest, nothingIsLoadedWithoutRoomForIt) {
    _room = 3 * CatalogReader::BYTES_AT_LEAST - 1;
    CPPUNIT_ASSERT(!loadThree());
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _database.statements().size());
    _room = 3 * CatalogReader::BYTES_AT_LEAST; // and not for the rest
    CPPUNIT_ASSERT(!loadThree());
}

TEST(CatalogReaderTest, changedNumbersLeaveTheTextsAsTheyAre) {
    const auto index = loadThree();
    for (const auto kind : {ChangeKind::STOCK_CHANGED, ChangeKind::PRICE_CHANGED, ChangeKind::IMAGES_CHANGED}) {
        _changes.add(kind, {1});
        _database.whenQuery("JSON_TABLE").thenRows({row(1, _changes.page.committed, "")});
        CPPUNIT_ASSERT(refresh(*index) == std::size_t{1});
        CPPUNIT_ASSERT_EQUAL(_changes.page.committed, index->changeSeq());
        CPPUNIT_ASSERT(withText(*index, "rose") == Ids{1} && withSku(*index, "k1") == Ids{1});
        CPPUNIT_ASSERT_EQUAL(_changes.page.committed, index->page({}, {OrderBy::StockQty, true}, 0, 1).last.number);
    }
}

TEST(CatalogReaderTest, changedProductsAreReadWhole) {
    const auto index = loadThree();
    _changes.add(ChangeKind::PRODUCT_UPDATED, {1, 2});
    _changes.add(ChangeKind::STOCK_CHANGED, {1});
    _changes.add("order_group.created", {77});
    _changes.add(ChangeKind::PRODUCT_CREATED, {4});
    _database.whenQuery("FROM JSON_TABLE").thenRows({row(1, 4, "aster", "a2", "k9"), row(4, 1, "new", "d")});
    _database.whenQuery("s.variant_id <> 0").thenRows({{1, "v1", weights("short")}});
    CPPUNIT_ASSERT(refresh(*index) == std::size_t{2});
    CPPUNIT_ASSERT(idsOf(*index, {}) == (Ids{1, 3, 4})); // the second has gone meanwhile
    CPPUNIT_ASSERT(withText(*index, "rose").empty() && withText(*index, "aster") == Ids{1});
    CPPUNIT_ASSERT(withSku(*index, "k1").empty() && withSku(*index, "k9") == Ids{1} && withSku(*index, "v1") == Ids{1});
    CPPUNIT_ASSERT(withText(*index, "d") == Ids{4} && withSku(*index, "d").empty());
}

TEST(CatalogReaderTest, removedProductsAreForgotten) {
    std::vector<FakeRow> rows;
    for (std::int64_t id = 1; id <= 16; ++id)
        rows.push_back(row(id, 1, "rose"));
    const auto index = load(rows);
    _changes.add(ChangeKind::PRODUCT_UPDATED, {3});
    _changes.add(ChangeKind::STOCK_CHANGED, {3});
    _changes.add(ChangeKind::PRODUCT_REMOVED, {3, 5});
    CPPUNIT_ASSERT(refresh(*index) == std::size_t{0});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{14}, index->page({}, {}, 0, 1).total);
    CPPUNIT_ASSERT(!index->changeOf(3) && !index->changeOf(5) && index->changeOf(4));
    _changes.add(ChangeKind::PRODUCT_REMOVED, {6}); // more than an eighth
    CPPUNIT_ASSERT(!refresh(*index));
}

TEST(CatalogReaderTest, aLogThatDoesNotTellHasItLoadedAgain) {
    const auto index = loadThree();
    _changes.page.isComplete = false;
    CPPUNIT_ASSERT(!refresh(*index));
    _changes.page.isComplete = true;
    _changes.add(ChangeKind::PRODUCT_UPDATED, {});
    _changes.page.entries.back().objects.front().areAll = true;
    CPPUNIT_ASSERT(!refresh(*index));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, index->changeSeq());
}

TEST(CatalogReaderTest, soMuchThatLoadingIsLessWorkIsLoaded) {
    const auto index = loadThree();
    std::vector<std::int64_t> many(5'001);
    for (std::size_t i = 0; i < many.size(); ++i)
        many[i] = static_cast<std::int64_t>(i + 1);
    _changes.add(ChangeKind::STOCK_CHANGED, many);
    CPPUNIT_ASSERT(!refresh(*index));
    _changes.page.entries.back().objects.front().ids.pop_back();
    _database.whenQuery("JSON_TABLE").thenRows({row(1, 9, "")});
    CPPUNIT_ASSERT(refresh(*index) == std::size_t{1});
}

TEST(CatalogReaderTest, aLongLogIsReadInPieces) {
    const auto index = loadThree();
    for (int i = 0; i < 1'200; ++i)
        _changes.add(ChangeKind::STOCK_CHANGED, {1 + i % 3});
    _database.whenQuery("JSON_TABLE").thenRows({row(1, 7, ""), row(2, 8, ""), row(3, 9, "")});
    CPPUNIT_ASSERT(refresh(*index) == std::size_t{3});
    CPPUNIT_ASSERT_EQUAL(_changes.page.committed, index->changeSeq());
    CPPUNIT_ASSERT_EQUAL(std::string("[1,2,3]"), _database.statement("JSON_TABLE").parameters.front().text());
    for (int i = 0; i < 20'001; ++i)
        _changes.add(ChangeKind::STOCK_CHANGED, {1});
    CPPUNIT_ASSERT(!refresh(*index));
}

} // namespace supplierd::tests
