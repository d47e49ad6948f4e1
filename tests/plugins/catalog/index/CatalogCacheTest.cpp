#include "index/CatalogCache.h"

#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"

#include <supplierd/testing/FakeCacheMemory.h>
#include <supplierd/testing/FakeDatabase.h>
#include <supplierd/testing/FakeLogger.h>
#include <supplierd/testing/FakeMetrics.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

using namespace catalog;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t PLENTY = std::size_t{1} << 30;

testing::FakeRow rowOf(std::int64_t id, std::int64_t changeSeq, std::int64_t stock, const std::string& name) {
    return {id, changeSeq, 1, 0, 1, "9.5000", stock, 1'000'000, name, nullptr, nullptr};
}

/// One snapshot at a time, which lasts for a while.
class SlowDatabase final : public Database {
public:
    explicit SlowDatabase(testing::FakeDatabase& database) : _database(database) {}

    int snapshots() const { return _snapshots; }
    void withSnapshot(const std::function<void(SqlSession&)>& work) override {
        ++_snapshots;
        const std::lock_guard lock(_mutex);
        std::this_thread::sleep_for(1ms);
        _database.withSnapshot(work);
    }
    using Database::execute;
    void withSession(const std::function<void(SqlSession&)>&) override { throw std::logic_error("a session"); }
    std::int64_t execute(std::string_view, SqlParams) override { throw std::logic_error("a statement"); }
    void withTransaction(const std::function<void(Transaction&)>&) override { throw std::logic_error("a transaction"); }
    CommittedNumbers committed(std::int64_t) override { throw std::logic_error("a number"); }

private:
    testing::FakeDatabase& _database;
    std::mutex _mutex;
    std::atomic<int> _snapshots{0};
};

/// Each change is of product 1.
class FakeChanges final : public ChangeLog {
public:
    std::atomic<std::int64_t> last{1};
    std::string kind{ChangeKind::STOCK_CHANGED};
    bool isComplete = true;

    std::int64_t committed(SqlSession&, std::int64_t) override { return last; }
    ChangePage after(SqlSession&, std::int64_t, std::int64_t seq, std::size_t) override {
        ChangePage page{.committed = last, .isComplete = isComplete};
        while (seq < last)
            page.entries.push_back({.seq = ++seq, .changedAt = {}, .objects = {{kind, {1}}}, .actor = {}});
        return page;
    }
};

} // namespace

class CatalogCacheTest : public CppUnit::TestFixture {
protected:
    /// Live products from 1 to `count`, of every supplier.
    void fill(std::int64_t count, std::size_t nameLength = 10) {
        std::vector<testing::FakeRow> rows;
        for (std::int64_t id = 1; id <= count; ++id)
            rows.push_back(rowOf(id, 1, 7, std::string(nameLength * 2, '\x12')));
        _database.whenQuery("SELECT COUNT(*) FROM products").thenRows({{count}});
        _database.whenQuery("SELECT product_id, IF(variant_id").thenRows({});
        auto& pieces = _database.whenQuery("p.deleted = ?");
        for (int supplier = 0; supplier < 100; ++supplier)
            pieces.thenRows(rows).thenRows({});
    }

    CatalogCache& cache(std::size_t memory = PLENTY) {
        if (!_cache) {
            _memory.setBound(memory);
            _cache =
                std::make_unique<CatalogCache>(CatalogCache::Dependencies{_slow, _changes, _memory, _log, _metrics});
        }
        return *_cache;
    }
    std::shared_ptr<const CatalogIndex> find(std::int64_t supplierId) {
        return cache().find(supplierId, _changes.last, 1min).index;
    }
    double metric(const std::string& name) const { return _metrics.value(name); }

    testing::FakeDatabase _database;
    SlowDatabase _slow{_database};
    FakeChanges _changes;
    testing::FakeLogger _log;
    testing::FakeMetrics _metrics;
    testing::FakeCacheMemory _memory;
    std::unique_ptr<CatalogCache> _cache; // the first to go
};

TEST(CatalogCacheTest, isLoadedOnceForAllWhoWait) {
    fill(3);
    cache();
    together(4, [&](int) { CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, find(7)->page({}, {}, 0, 20).total); });
    CPPUNIT_ASSERT_EQUAL(1, _slow.snapshots());
    CPPUNIT_ASSERT_EQUAL(1.0, metric("index_loads_total"));
    CPPUNIT_ASSERT_EQUAL(1.0, metric("index_suppliers"));
    CPPUNIT_ASSERT_EQUAL(static_cast<double>(find(7)->bytes()), metric("index_bytes"));
}

TEST(CatalogCacheTest, onlyWhatIsThereIsFoundWithoutWaiting) {
    fill(3);
    CPPUNIT_ASSERT(!cache().findCurrent(7, 1));
    CPPUNIT_ASSERT_EQUAL(0, _slow.snapshots());
    find(7);
    CPPUNIT_ASSERT(cache().findCurrent(7, 1) == find(7));
    CPPUNIT_ASSERT(!cache().findCurrent(8, 1));
    CPPUNIT_ASSERT_EQUAL(1, _slow.snapshots());
}

TEST(CatalogCacheTest, oneThatIsBehindIsNotWaitedForAndCatchesUp) {
    fill(3);
    const auto index = find(7);
    _database.whenQuery("JSON_TABLE").thenRows({rowOf(1, 2, 9, "")});
    _changes.last = 2;
    CPPUNIT_ASSERT(!cache().findCurrent(7, 2));
    waitUntil([&] { return cache().findCurrent(7, 2) == index; });
    CPPUNIT_ASSERT_EQUAL(2, _slow.snapshots());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, index->changeOf(1).value());
}

TEST(CatalogCacheTest, isBroughtUpToDateOnceForAllWhoNeedIt) {
    fill(3);
    auto& changed = _database.whenQuery("JSON_TABLE");
    const auto index = find(7);
    for (std::int64_t seq = 2; seq <= 40; ++seq) {
        changed.thenRows({rowOf(1, seq, seq, "")});
        _changes.last = seq;
        together(4, [&](int) { CPPUNIT_ASSERT(find(7) == index); });
        CPPUNIT_ASSERT_EQUAL(seq, index->changeOf(1).value());
        CPPUNIT_ASSERT_EQUAL(seq, static_cast<std::int64_t>(_slow.snapshots()));
    }
    CPPUNIT_ASSERT_EQUAL(39.0, metric("index_refreshes_total"));
    CPPUNIT_ASSERT_EQUAL(39.0, metric("index_refreshed_products_total"));
    CPPUNIT_ASSERT_EQUAL(1.0, metric("index_loads_total"));
}

TEST(CatalogCacheTest, isLoadedAgainWhenTheLogHasAGap) {
    fill(3);
    const auto before = find(7);
    _changes.last = 5;
    _changes.isComplete = false;
    const auto after = find(7);
    CPPUNIT_ASSERT(after != before);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, after->changeSeq());
    CPPUNIT_ASSERT_EQUAL(2.0, metric("index_loads_total"));
    CPPUNIT_ASSERT_EQUAL(static_cast<double>(after->bytes()), metric("index_bytes"));
}

TEST(CatalogCacheTest, theOneUsedLongestAgoLeavesForOthers) {
    fill(200);
    const std::size_t bytes = find(1)->bytes();
    _cache.reset();
    cache(bytes * 5 / 2);
    for (const std::int64_t supplier : {1, 2, 1, 3})
        CPPUNIT_ASSERT(find(supplier));
    CPPUNIT_ASSERT(cache().findCurrent(1, 1));
    CPPUNIT_ASSERT(!cache().findCurrent(2, 1));
    CPPUNIT_ASSERT(cache().findCurrent(3, 1));
    CPPUNIT_ASSERT_EQUAL(1.0, metric("index_evictions_total"));
    CPPUNIT_ASSERT_EQUAL(2.0, metric("index_suppliers"));
    CPPUNIT_ASSERT_EQUAL(static_cast<double>(2 * bytes), metric("index_bytes"));
    CPPUNIT_ASSERT(find(2));
    CPPUNIT_ASSERT(!cache().findCurrent(1, 1));
}

TEST(CatalogCacheTest, oneThatIsTooLargeIsNotTriedAgain) {
    fill(200);
    cache(1'000);
    for (int i = 0; i < 3; ++i) {
        const auto found = cache().find(7, 1, 1min);
        CPPUNIT_ASSERT(!found.index && found.absence == CatalogCache::Absence::TooLarge);
    }
    CPPUNIT_ASSERT(!cache().findCurrent(7, 1));
    CPPUNIT_ASSERT_EQUAL(1, _slow.snapshots());
    cache().stop(); // the warning comes behind the answer
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _log.lines().size());
    CPPUNIT_ASSERT(_log.contains("more memory than one supplier's may"));
    CPPUNIT_ASSERT_EQUAL(1.0, metric("index_too_large_suppliers"));
    CPPUNIT_ASSERT_EQUAL(0.0, metric("index_bytes"));
    CPPUNIT_ASSERT_EQUAL(0.0, metric("index_loads_total"));
}

TEST(CatalogCacheTest, whatLoadingThrowsComesToWhoWaits) {
    _database.whenQuery("SELECT COUNT(*) FROM products").thenThrows(1'317, "Query execution was interrupted");
    CPPUNIT_ASSERT_THROW(find(7), DatabaseError);
    fill(3);
    CPPUNIT_ASSERT(find(7));
}

TEST(CatalogCacheTest, whoHasNoPatienceIsToldThatItIsLoaded) {
    fill(3);
    const auto found = cache().find(7, 1, 0ms);
    CPPUNIT_ASSERT(!found.index && found.absence == CatalogCache::Absence::Loading);
    CPPUNIT_ASSERT(find(7));
    CPPUNIT_ASSERT_EQUAL(1, _slow.snapshots());
}

TEST(CatalogCacheTest, nothingIsLoadedOnceItEnds) {
    fill(3);
    cache().stop();
    const auto found = cache().find(7, 1, 1min);
    CPPUNIT_ASSERT(!found.index && found.absence == CatalogCache::Absence::Loading);
    CPPUNIT_ASSERT_EQUAL(0, _slow.snapshots());
}

TEST(CatalogCacheTest, pinnedIndexIsThatOfTheSnapshot) {
    fill(3);
    const auto nothing = [](SqlSession&, const CatalogIndex&) { return true; };
    CPPUNIT_ASSERT(!cache().withPinned(7, nothing));
    const auto index = find(7);
    _database.whenQuery("JSON_TABLE").thenRows({rowOf(1, 2, 9, "")});
    _changes.last = 2;
    CPPUNIT_ASSERT(cache().withPinned(7, [&](SqlSession&, const CatalogIndex& pinned) {
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, pinned.changeSeq());
        return true;
    }));
    CPPUNIT_ASSERT(cache().findCurrent(7, 2) == index);
    CPPUNIT_ASSERT(!cache().withPinned(7, [](SqlSession&, const CatalogIndex&) { return false; }));
    CPPUNIT_ASSERT(!cache().findCurrent(7, 2));
}

TEST(CatalogCacheTest, pinnedIndexStaysAsItIsWhileItIsUsed) {
    fill(3);
    find(7);
    _database.whenQuery("JSON_TABLE").thenRows({rowOf(1, 2, 9, "")});
    std::jthread other;
    CPPUNIT_ASSERT(cache().withPinned(7, [&](SqlSession&, const CatalogIndex& pinned) {
        const int before = _slow.snapshots();
        _changes.last = 2;
        other = std::jthread([&] { find(7); });
        std::this_thread::sleep_for(50ms); // it waits for who has pinned the index
        CPPUNIT_ASSERT_EQUAL(before, _slow.snapshots());
        return pinned.changeSeq() == 1;
    }));
    other.join();
    CPPUNIT_ASSERT(cache().findCurrent(7, 2));
}

} // namespace supplierd::tests
