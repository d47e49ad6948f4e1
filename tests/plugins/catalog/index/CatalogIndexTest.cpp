#include "index/CatalogIndex.h"

#include "NaiveCatalog.h"
#include "RandomCatalog.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace supplierd::tests {

using namespace catalog;

class CatalogIndexTest : public CppUnit::TestFixture {
protected:
    static constexpr std::int64_t LAST = std::numeric_limits<std::int64_t>::max();

    void start(unsigned seed) {
        _seed = seed;
        _random = std::make_unique<RandomCatalog>(seed);
        _index = std::make_unique<CatalogIndex>();
        _naive = NaiveCatalog();
    }

    void change(const RandomCatalog::Change& change) {
        _index->apply(change.products, change.removed, change.changeSeq);
        _naive.apply(change.products, change.removed, change.changeSeq);
    }

    /// One query of each kind.
    void ask() {
        const IndexFilter filter = _random->filter();
        const IndexOrder order = _random->order();
        const auto limit = static_cast<std::size_t>(_random->number(1, 30));
        const auto offset = static_cast<std::size_t>(
            _random->number(0, _random->number(0, 4) == 0 ? LAST : static_cast<std::int64_t>(_index->products())));
        const std::string what = "seed " + std::to_string(_seed) + ", change " + std::to_string(_random->changeSeq()) +
                                 ", order " + std::to_string(static_cast<int>(order.by));
        requireSame(what, _naive.page(filter, order, offset, limit), _index->page(filter, order, offset, limit));
        const IndexPosition position = _random->position();
        requireSame(what, _naive.pageAfter(filter, order, position, limit),
                    _index->pageAfter(filter, order, position, limit));
        const std::int64_t since = _random->changeSeq() - _random->number(0, 12);
        const std::int64_t endId = _random->number(0, 3) == 0 ? _random->position().id : _index->greatestId();
        requireSame(what, _naive.changedSince(filter, since, position.id / 2, endId, limit),
                    _index->changedSince(filter, since, position.id / 2, endId, limit));
        const catalog::ChangePosition after{since, position.id / 2};
        const std::int64_t endSeq = since + _random->number(-1, 3);
        CPPUNIT_ASSERT_EQUAL(_naive.countChanges(filter, after, endSeq), _index->countChanges(filter, after, endSeq));
        const std::int64_t rest = _random->number(-1, 30);
        CPPUNIT_ASSERT(_naive.positionBeforeRest(filter, since, endSeq, rest) ==
                       _index->positionBeforeRest(filter, since, endSeq, rest));
        CPPUNIT_ASSERT(_naive.products().empty() || _naive.products().rbegin()->first <= _index->greatestId());
    }

    static IndexedProduct product(std::int64_t id, ProductState state) {
        IndexedProduct product;
        product.id = id;
        product.state = state;
        product.categoryId = 1;
        product.texts.emplace();
        return product;
    }

    static std::string longText(RandomCatalog& random, int length) {
        std::string text;
        for (int i = 0; i < length; ++i)
            text += weightString({0x1200U + static_cast<std::uint32_t>(random.number(0, 60))});
        return text;
    }

    static std::vector<std::int64_t> idsOf(const IndexedPage& page) {
        std::vector<std::int64_t> ids;
        for (const auto& item : page.items)
            ids.push_back(item.id);
        return ids;
    }

    unsigned _seed = 0;
    std::unique_ptr<RandomCatalog> _random;
    std::unique_ptr<CatalogIndex> _index;
    NaiveCatalog _naive;
};

TEST(CatalogIndexTest, anEmptyIndexHasEmptyLists) {
    const CatalogIndex index;
    RandomCatalog random(1);
    for (int i = 0; i < 200; ++i) {
        const IndexFilter filter = random.filter();
        const IndexOrder order = random.order();
        requireSame("empty", {}, index.page(filter, order, static_cast<std::size_t>(i), 20));
        requireSame("empty", {}, index.pageAfter(filter, order, random.position(), 20));
        requireSame("empty", {}, index.changedSince(filter, 0, 0, LAST, 20));
    }
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, index.greatestId());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, index.countChanges({}, {}, 0));
    CPPUNIT_ASSERT(!index.positionBeforeRest({}, 0, 0, 0));
}

TEST(CatalogIndexTest, answersAreThoseOfFilteringAndSortingAnew) {
    for (const unsigned seed : {1U, 2U}) {
        start(seed);
        change(_random->change(400, 0));
        for (int round = 0; round < 100; ++round) {
            change(_random->change(static_cast<std::size_t>(_random->number(0, 4)),
                                   static_cast<std::size_t>(_random->number(0, 40)), round % 10 == 0 ? 3 : 0));
            for (int query = 0; query < 8; ++query)
                ask();
        }
    }
}

TEST(CatalogIndexTest, largeChangesAreAnsweredRightToo) {
    start(77);
    change(_random->change(4'000, 0));
    for (int round = 0; round < 9; ++round) {
        for (int query = 0; query < 12; ++query)
            ask();
        change(_random->change(round % 3 == 0 ? 400 : 1, round % 3 == 1 ? 2'500 : 200));
    }
}

TEST(CatalogIndexTest, manySmallChangesBetweenTwoLists) {
    start(5);
    change(_random->change(900, 0));
    for (int round = 0; round < 6; ++round) {
        for (int query = 0; query < 40; ++query)
            ask();
        for (int i = 0; i < 400; ++i)
            change(_random->change(i % 50 == 0 ? 1 : 0, 3, i % 100 == 0 ? 1 : 0));
    }
}

TEST(CatalogIndexTest, changedNumbersAreAnsweredAsProductsThatWereRead) {
    RandomCatalog random(11);
    CatalogIndex index;
    NaiveCatalog naive;
    const auto loaded = random.change(40, 10);
    index.apply(loaded.products, {}, loaded.changeSeq);
    naive.apply(loaded.products, {}, loaded.changeSeq);
    std::int64_t seq = random.changeSeq();
    for (int round = 0; round < 200; ++round) {
        NumbersChange change{random.number(1, 40), {}};
        std::vector<IndexedProduct> read;
        ++seq;
        for (const auto& [id, product] : naive.products()) {
            if (product.state == ProductState::Deleted || random.number(0, 3) > 0)
                continue;
            IndexedProduct& after = read.emplace_back(product);
            ChangedNumbers& numbers = change.products.emplace_back(ChangedNumbers{id});
            after.texts.reset();
            after.changeSeq = seq;
            after.updatedAt = change.updatedAt;
            if (random.number(0, 2) == 0)
                after.basePrice = numbers.basePrice.emplace(random.number(1, 5));
            if (random.number(0, 1) == 0)
                after.stockQty = numbers.stockQty.emplace(random.number(0, 5));
            else
                after.stockQty += numbers.addedStock = random.number(0, 2);
        }
        CPPUNIT_ASSERT(index.apply(change, seq, false) == CatalogIndex::Applied::Yes);
        naive.apply(read, {}, seq);
        for (int list = 0; list < 5; ++list) {
            const auto filter = random.filter();
            const auto order = random.order();
            requireSame("round " + std::to_string(round), naive.page(filter, order, 0, 20),
                        index.page(filter, order, 0, 20));
        }
    }
}

TEST(CatalogIndexTest, numbersOfAProductThatIsNotLiveChangeNothing) {
    CatalogIndex index;
    IndexedProduct live{.id = 1, .changeSeq = 1, .stockQty = 5};
    live.texts.emplace();
    IndexedProduct deleted = live;
    deleted.id = 2;
    deleted.state = ProductState::Deleted;
    index.apply(std::vector{live, deleted}, {}, 1);
    for (const std::int64_t other : {2, 3}) {
        CPPUNIT_ASSERT(index.apply({9, {{.id = 1, .stockQty = 6}, {.id = other}}}, 2, false) ==
                       CatalogIndex::Applied::Impossible);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, index.changeSeq());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, index.changeOf(1).value());
    }
}

TEST(CatalogIndexTest, walkByPositionsMeetsEveryProductOnce) {
    start(9);
    change(_random->change(700, 0));
    change(_random->change(0, 300));
    for (int by = 0; by < 6; ++by)
        for (const bool descending : {false, true})
            for (const bool includeDeleted : {false, true}) {
                IndexFilter filter;
                filter.includeDeleted = includeDeleted;
                const IndexOrder order{static_cast<OrderBy>(by), descending};
                const IndexedPage all = _index->page(filter, order, 0, 1'000);
                std::vector<IndexedPage::Item> walked;
                IndexedPage page = _index->page(filter, order, 0, 23);
                for (;;) {
                    walked.insert(walked.end(), page.items.begin(), page.items.end());
                    CPPUNIT_ASSERT(walked.size() <= all.items.size());
                    if (!page.hasMore)
                        break;
                    page = _index->pageAfter(filter, order, page.last, 23);
                }
                CPPUNIT_ASSERT(walked == all.items);
                CPPUNIT_ASSERT_EQUAL(all.total, static_cast<std::int64_t>(walked.size()));
            }
}

TEST(CatalogIndexTest, tombstonesComeWhateverTheState) {
    CatalogIndex index;
    index.apply(std::vector<IndexedProduct>{product(1, ProductState::Active), product(2, ProductState::Pending),
                                            product(3, ProductState::Deleted)},
                {}, 7);
    IndexFilter filter;
    filter.state = ProductState::Active;
    CPPUNIT_ASSERT(idsOf(index.page(filter, {}, 0, 20)) == (std::vector<std::int64_t>{1}));
    filter.includeDeleted = true;
    CPPUNIT_ASSERT(idsOf(index.page(filter, {}, 0, 20)) == (std::vector<std::int64_t>{3, 1}));
    filter.type = 1;
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, index.page(filter, {}, 0, 20).total);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, index.greatestId());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, index.changeSeq());
}

TEST(CatalogIndexTest, categoriesAndCharactersThatComeLaterAreFound) {
    CatalogIndex index;
    index.apply(std::vector<IndexedProduct>{product(1, ProductState::Active)}, {}, 1);
    IndexFilter byCategory;
    byCategory.categoryId = 99;
    IndexFilter byTerm;
    byTerm.searchWeights = {weightString({0x1999})};
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, index.page(byCategory, {}, 0, 20).total);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, index.page(byTerm, {}, 0, 20).total);
    IndexedProduct second = product(2, ProductState::Active);
    second.categoryId = 99;
    second.texts->nameWeights = weightString({0x1200, 0x1999});
    index.apply(std::vector<IndexedProduct>{second}, {}, 2);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, index.page(byCategory, {}, 0, 20).total);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, index.page(byTerm, {}, 0, 20).total);
}

TEST(CatalogIndexTest, shorterNameComesFirstWhereNoneHasABlank) {
    std::vector<IndexedProduct> products{product(1, ProductState::Active), product(2, ProductState::Active)};
    products[0].texts->nameWeights = weightString({0x1200, 0x1200});
    products[1].texts->nameWeights = weightString({0x1200});
    CatalogIndex index;
    index.apply(products, {}, 1);
    CPPUNIT_ASSERT((std::vector<std::int64_t>{2, 1}) == idsOf(index.page({}, {OrderBy::Name, false}, 0, 20)));
}

TEST(CatalogIndexTest, numbersBeyond32BitsAreKept) {
    CatalogIndex index;
    std::vector<IndexedProduct> products;
    for (std::int64_t i = 1; i <= 40; ++i) {
        IndexedProduct one = product(i * 1'000'000'000'000, ProductState::Active);
        one.stockQty = i < 20 ? i : LAST - i;
        one.basePrice = i % 2 == 0 ? i : 999'999'999'999 - i;
        one.changeSeq = i == 40 ? std::int64_t{1} << 40 : i;
        products.push_back(one);
        index.apply(std::vector<IndexedProduct>{one}, {}, one.changeSeq);
    }
    const auto page = index.page({}, {OrderBy::StockQty, true}, 0, 1);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{20} * 1'000'000'000'000, page.items.front().id);
    CPPUNIT_ASSERT_EQUAL(LAST - 20, page.last.number);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{999'999'999'998}, index.page({}, {OrderBy::BasePrice, true}, 0, 1).last.number);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1} << 40, index.page({}, {OrderBy::ChangeSeq, true}, 0, 1).last.number);
}

TEST(CatalogIndexTest, whatCannotBeKeptIsRefused) {
    CatalogIndex index;
    IndexedProduct one = product(1, ProductState::Active);
    one.texts.reset();
    CPPUNIT_ASSERT_THROW(index.apply(std::vector<IndexedProduct>{one}, {}, 1), std::invalid_argument);
    CatalogIndex second;
    const std::vector<IndexedProduct> twice{product(2, ProductState::Active), product(2, ProductState::Active)};
    CPPUNIT_ASSERT_THROW(second.apply(twice, {}, 1), std::invalid_argument);
    CatalogIndex third;
    IndexedProduct strange = product(3, ProductState::Active);
    strange.type = 16;
    CPPUNIT_ASSERT_THROW(third.apply(std::vector<IndexedProduct>{strange}, {}, 1), std::length_error);
}

TEST(CatalogIndexTest, filtersDoNotGatherInMemory) {
    start(4);
    change(_random->change(5'000, 0));
    for (int by = 0; by < 6; ++by)
        _index->page({}, {static_cast<OrderBy>(by), true}, 0, 20);
    const std::size_t before = _index->bytes();
    std::size_t greatest = 0;
    for (int i = 0; i < 3'000; ++i) {
        IndexFilter filter;
        filter.updatedSince = i % 900;
        filter.includeDeleted = i % 2 == 0;
        _index->page(filter, {static_cast<OrderBy>(i % 6), true}, 0, 20);
        greatest = std::max(greatest, _index->bytes());
    }
    // 64 KB of rows for catalogs that are as small as this, and 32 small descriptions.
    CPPUNIT_ASSERT(greatest > before && greatest < before + 100'000);
}

TEST(CatalogIndexTest, aProductTakesFewBytes) {
    CatalogIndex index;
    std::vector<IndexedProduct> products;
    RandomCatalog random(1);
    constexpr std::int64_t COUNT = 100'000;
    for (std::int64_t id = 1; id <= COUNT; ++id) {
        IndexedProduct one = product(id, static_cast<ProductState>(random.number(0, 2)));
        one.texts = {longText(random, 36), {{longText(random, 10), static_cast<std::uint64_t>(id)}}};
        products.push_back(one);
    }
    for (std::size_t first = 0; first < products.size(); first += 5'000)
        index.apply(std::span(products).subspan(first, 5'000), {}, 1);
    for (int by = 0; by < 6; ++by)
        index.page({}, {static_cast<OrderBy>(by), true}, 0, 20);
    constexpr std::size_t SIGNATURE_BYTES = 32; // what makes searches fast
    CPPUNIT_ASSERT(index.bytes() / COUNT <= 120 + SIGNATURE_BYTES);
}

} // namespace supplierd::tests
