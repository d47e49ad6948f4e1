#include "GroupMove.h"
#include "OrderIntake.h"
#include "OrderReader.h"
#include "OrdersFixture.h"
#include "ProductOffers.h"
#include "host/auth/AccountStore.h"
#include "host/db/Connector.h"
#include "host/db/PooledSession.h"
#include "host/db/changes/TransactionChanges.h"
#include "stock/StockService.h"
#include "tests/support/Test.h"

#include <supplierd/JsonBody.h>
#include <supplierd/testing/FakeProducts.h>

#include <map>
#include <memory>

namespace supplierd::tests {

namespace {

/// A transaction that counts its statements, and never commits.
class CountingTransaction final : public SqlSession, public Transaction {
public:
    explicit CountingTransaction(host::PooledSession& session) : _session(session) { _session.begin(); }
    ~CountingTransaction() { _session.rollback(); }

    SqlSession& session() override { return *this; }
    Rows& query(std::string_view sql, SqlParams params) override {
        ++_statements;
        return _session.query(sql, params);
    }
    std::int64_t execute(std::string_view sql, SqlParams params) override {
        ++_statements;
        return _session.execute(sql, params);
    }
    std::int64_t lastInsertId() const override { return _session.lastInsertId(); }
    Change& change(std::int64_t supplierId) override {
        return _changes.try_emplace(supplierId, 1'000'000, [] {}).first->second;
    }

    int statements() const { return _statements; }
    int locks() const { return static_cast<int>(_changes.size()); }

private:
    host::PooledSession& _session;
    int _statements = 0;
    std::map<std::int64_t, host::NotedChange> _changes;
};

class OffersOfCatalog final : public testing::FakeProducts {
public:
    std::vector<ProductOffer> offers(SqlSession& session, std::span<const ProductRef> products) override {
        return catalog::readOffers(session, products);
    }
};

class NoAudit final : public AuditLog {
public:
    void record(Transaction&, const AuditEntry&) override {}
    Listed<AuditRecord> list(Database&, const QueryParameters&) override { return {}; }
    std::vector<std::string> kinds(SqlSession&) override { return {}; }
    void recordAll(Transaction&, std::span<const AuditEntry>) override {}
};

} // namespace

/// How many statements an order costs does not depend on how many items it has.
class OrderStatementsTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _session = std::make_unique<host::PooledSession>(host::openSession(fixture().database().sessionSettings()));
    }

protected:
    static json itemsOf(std::vector<OrdersClient>& clients, int count, std::size_t suppliers) {
        json items = json::array();
        for (int i = 0; i < count; ++i) {
            OrdersClient& supplier = clients[static_cast<std::size_t>(i) % suppliers];
            items.push_back({{"product_id", supplier.product(5)}, {"quantity", 1}});
        }
        return items;
    }

    void placeIn(Transaction& transaction, const json& items) {
        const auto body = parseJsonObject(orderBody(items).dump());
        CPPUNIT_ASSERT(orders::OrderIntake(transaction, _services, _operator).place(body.object()).isNew);
    }

    NoAudit _audit;
    host::ApiKeyStore _keys;
    host::AccountStore _accounts{_keys, _audit};
    OffersOfCatalog _products;
    catalog::StockService _stock;
    orders::OrderServices _services{_audit, _accounts, _products, _stock};
    Actor _operator{"ok_test"};
    Actor _supplier{.name = "sk_test", .kind = Actor::Kind::Supplier};
    std::unique_ptr<host::PooledSession> _session;
};

TEST(OrderStatementsTest, placingIsAConstantNumberOfStatementsAndOneLockPerSupplier) {
    std::vector<OrdersClient> clients(3);
    const auto cost = [&](int items, std::size_t suppliers) {
        CountingTransaction transaction(*_session);
        placeIn(transaction, itemsOf(clients, items, suppliers));
        CPPUNIT_ASSERT_EQUAL(static_cast<int>(suppliers), transaction.locks());
        return transaction.statements();
    };
    const int once = cost(1, 1);
    CPPUNIT_ASSERT_EQUAL(once, cost(40, 1));
    CPPUNIT_ASSERT_EQUAL(once, cost(3, 3));
    CPPUNIT_ASSERT_EQUAL(once, cost(40, 3));
}

TEST(OrderStatementsTest, refusalOfManyItemsIsAConstantNumberOfStatements) {
    const auto cost = [&](int items) {
        json wrong = json::array();
        for (int i = 0; i < items; ++i)
            wrong.push_back({{"product_id", 999'999'000 + i}, {"quantity", 1}});
        CountingTransaction transaction(*_session);
        CPPUNIT_ASSERT_THROW(placeIn(transaction, wrong), ApiError);
        return transaction.statements();
    };
    CPPUNIT_ASSERT_EQUAL(cost(1), cost(200));
}

TEST(OrderStatementsTest, cancellationIsAConstantNumberOfStatements) {
    std::vector<OrdersClient> clients(1);
    const auto cost = [&](int items) {
        const json order = place(itemsOf(clients, items, 1));
        CountingTransaction transaction(*_session);
        orders::MoveInput move;
        move.status = orders::OrderStatus::Cancelled;
        orders::GroupMove(transaction, _services, _supplier).make(clients[0].id(), order["groups"][0]["id"], move);
        CPPUNIT_ASSERT_EQUAL(1, transaction.locks());
        return transaction.statements();
    };
    CPPUNIT_ASSERT_EQUAL(cost(1), cost(40));
}

TEST(OrderStatementsTest, detailIsThreeStatements) {
    std::vector<OrdersClient> clients(2);
    const json order = place(itemsOf(clients, 20, 2));
    CountingTransaction transaction(*_session);
    CPPUNIT_ASSERT_EQUAL(std::size_t{10}, orders::readGroup(transaction, clients[0].id(), order["groups"][0]["id"],
                                                            orders::Party::Supplier)
                                              ->items.size());
    CPPUNIT_ASSERT_EQUAL(3, transaction.statements());
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, orders::readGroupsOfOrder(transaction, order["id"]).size());
    CPPUNIT_ASSERT_EQUAL(6, transaction.statements());
}

} // namespace supplierd::tests
