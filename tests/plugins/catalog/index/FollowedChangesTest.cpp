#include "host/db/PooledDatabase.h"
#include "host/db/changes/ChangeLogStore.h"
#include "index/CatalogCache.h"
#include "stock/StockService.h"
#include "tests/plugins/catalog/CatalogFixture.h"
#include "tests/support/Test.h"

#include <supplierd/testing/FakeCacheMemory.h>
#include <supplierd/testing/FakeLogger.h>
#include <supplierd/testing/FakeMetrics.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace supplierd::tests {

using namespace catalog;
using namespace std::chrono_literals;

namespace {

/// A transaction of which this process may not learn, or only later, that it was committed.
class ForgetfulTransaction final : public Transaction {
public:
    using OnCommit = std::function<void(bool)>;
    using Lose = std::function<OnCommit(OnCommit)>;

    ForgetfulTransaction(Transaction& transaction, Lose lose) : _transaction(transaction), _lose(std::move(lose)) {}

    SqlSession& session() override { return _transaction.session(); }
    Change& change(std::int64_t supplierId) override {
        if (!_change)
            _change = std::make_unique<ForgetfulChange>(_transaction.change(supplierId), _lose);
        else
            _transaction.change(supplierId);
        return *_change;
    }

private:
    class ForgetfulChange final : public Change {
    public:
        ForgetfulChange(Change& change, const Lose& lose) : _change(change), _lose(lose) {}

        std::int64_t seq() const override { return _change.seq(); }
        using Change::note;
        void note(std::string_view kind, std::span<const std::int64_t> ids) override { _change.note(kind, ids); }
        void note(std::string_view kind, std::span<const std::int64_t> ids, OnCommit onCommit) override {
            if (auto kept = _lose(std::move(onCommit)))
                _change.note(kind, ids, std::move(kept));
            else
                _change.note(kind, ids);
        }
        std::int64_t withdraw() override { return _change.withdraw(); }

    private:
        Change& _change;
        const Lose& _lose;
    };

    Transaction& _transaction;
    Lose _lose;
    std::unique_ptr<ForgetfulChange> _change;
};

class RolledBack final : public std::runtime_error {
public:
    RolledBack() : std::runtime_error("rolled back") {}
};

} // namespace

/// Indexes that take what their own server commits, and read what another one does, are what one is that was loaded
/// just now.
class FollowedChangesTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        for (int i = 0; i < PRODUCTS; ++i)
            _products.push_back(_supplier.create({{"name", "Rosa"}, {"stock_qty", 50}})["id"]);
    }

protected:
    static constexpr int PRODUCTS = 30;

    struct Indexes {
        explicit Indexes(FollowedChangesTest& test)
            : cache({test._database, test._changes, memory, test._log, metrics}) {}

        testing::FakeMetrics metrics;
        testing::FakeCacheMemory memory;
        CatalogCache cache;
        StockService stock{&cache};
    };

    std::int64_t number(std::int64_t from, std::int64_t to) {
        return std::uniform_int_distribution<std::int64_t>(from, to)(_random);
    }
    std::int64_t someProduct() { return _products[static_cast<std::size_t>(number(0, PRODUCTS - 1))]; }

    void changeSome(Indexes& server, Transaction& transaction) {
        const std::int64_t supplier = _supplier.id();
        const auto kind = number(0, 5);
        if (kind <= 2) {
            std::vector<StockItem> items(static_cast<std::size_t>(number(1, 6)));
            for (StockItem& item : items) {
                item.productId = someProduct();
                item.isAdjustment = kind == 2;
                item.quantity = number(0, 60);
            }
            server.stock.setStocks(transaction, supplier, items);
        } else if (kind == 3) {
            std::vector<PriceItem> items(2);
            for (PriceItem& item : items) {
                item.productId = someProduct();
                item.price = Decimal::fromTenThousandths(number(1, 9) * 10'000);
            }
            server.stock.setPrices(transaction, supplier, items);
        } else if (kind == 4) {
            const std::vector<StockMove> moves{{.supplierId = supplier, .productId = someProduct(), .quantity = 1}};
            server.stock.putBack(transaction, moves);
        } else { // somebody of whom the index does not know
            Change& change = transaction.change(supplier);
            const std::int64_t id = someProduct();
            transaction.execute("UPDATE products SET stock_qty = ?, is_active = ?, change_seq = ?, updated_at = NOW(6) "
                                "WHERE id = ?",
                                {number(0, 60), number(0, 1), change.seq(), id});
            change.note(ChangeKind::PRODUCT_UPDATED, id);
        }
    }

    /// In some transactions several, of which some are rolled back, and of which some are not heard of in time.
    void commitSome(Indexes& server) {
        const bool isRolledBack = number(0, 7) == 0;
        const auto lost = number(0, 9);
        const auto lose = [&](ForgetfulTransaction::OnCommit action) -> ForgetfulTransaction::OnCommit {
            if (lost == 0)
                return nullptr;
            if (lost > 1)
                return action;
            return [this, action = std::move(action)](bool isOnly) {
                _late.emplace_back([action, isOnly] { action(isOnly); });
            };
        };
        try {
            _database.withTransaction([&](Transaction& transaction) {
                ForgetfulTransaction forgetful(transaction, lose);
                for (auto works = number(0, 3) == 0 ? 2 : 1; works > 0; --works)
                    changeSome(server, forgetful);
                if (isRolledBack)
                    throw RolledBack();
            });
        } catch (const RolledBack&) {
            return;
        }
    }

    void hearOfTheLate() {
        for (const auto& action : std::exchange(_late, {}))
            action();
    }

    std::shared_ptr<const CatalogIndex> indexOf(Indexes& server) {
        const auto found = server.cache.find(_supplier.id(), _database.committed(_supplier.id()).supplier, 1min);
        CPPUNIT_ASSERT(found.index);
        return found.index;
    }

    void requireSame(const std::string& what, const CatalogIndex& expected, const CatalogIndex& actual) {
        static constexpr std::array<OrderBy, 5> ORDERS{OrderBy::Id, OrderBy::BasePrice, OrderBy::StockQty,
                                                       OrderBy::UpdatedAt, OrderBy::ChangeSeq};
        CPPUNIT_ASSERT_EQUAL_MESSAGE(what, expected.changeSeq(), actual.changeSeq());
        for (const OrderBy by : ORDERS)
            for (const auto state : {std::optional<ProductState>(), std::optional(ProductState::Pending)}) {
                IndexFilter filter;
                filter.state = state;
                const IndexedPage one = expected.page(filter, {by, false}, 0, PRODUCTS);
                const IndexedPage other = actual.page(filter, {by, false}, 0, PRODUCTS);
                const std::string list = what + ", order " + std::to_string(static_cast<int>(by));
                CPPUNIT_ASSERT_MESSAGE(list, one.items == other.items);
                CPPUNIT_ASSERT_EQUAL_MESSAGE(list, one.last.number, other.last.number);
            }
    }

    SupplierClient _supplier;
    std::vector<std::int64_t> _products;
    std::mt19937_64 _random{17};
    testing::FakeLogger _log;
    host::ChangeLogStore _changes;
    host::SessionPool _pool{fixture().database().sessionSettings(), host::PoolSettings{.size = 4}};
    host::PooledDatabase _database{_pool};
    std::vector<std::function<void()>> _late;
};

TEST(FollowedChangesTest, twoServersWithLostAnswersShowWhatReadingShows) {
    std::array<Indexes, 2> servers{Indexes(*this), Indexes(*this)};
    for (Indexes& server : servers)
        indexOf(server);
    for (int round = 0; round < 400; ++round) {
        Indexes& server = servers[static_cast<std::size_t>(number(0, 4) == 0 ? 1 : 0)];
        commitSome(server);
        if (number(0, 3) == 0)
            hearOfTheLate();
        if (number(0, 2) > 0)
            continue;
        Indexes fresh(*this);
        requireSame("round " + std::to_string(round), *indexOf(fresh), *indexOf(server));
    }
    CPPUNIT_ASSERT(servers[0].metrics.value("index_own_changes_total") > 50);
    CPPUNIT_ASSERT_EQUAL(1.0, servers[0].metrics.value("index_loads_total"));
}

TEST(FollowedChangesTest, whatOneServerAloneSetsIsNeverRead) {
    Indexes server(*this);
    indexOf(server);
    for (int round = 0; round < 20; ++round) {
        const std::vector<StockItem> items{{.productId = _products[0], .quantity = 100 + round},
                                           {.productId = _products[5], .quantity = 200 + round}};
        _database.withTransaction(
            [&](Transaction& transaction) { server.stock.setStocks(transaction, _supplier.id(), items); });
        const auto index = indexOf(server);
        const IndexedPage page = index->page({}, {OrderBy::StockQty, true}, 0, 2);
        CPPUNIT_ASSERT_EQUAL(_products[5], page.items[0].id);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{100 + round}, page.last.number);
    }
    CPPUNIT_ASSERT_EQUAL(0.0, server.metrics.value("index_refreshes_total"));
    CPPUNIT_ASSERT_EQUAL(20.0, server.metrics.value("index_own_changes_total"));
}

} // namespace supplierd::tests
