#include "host/ctl/resources/OrderImport.h"

#include "tests/support/Test.h"

#include <supplierd/testing/FakeDatabase.h>

#include <cppunit/TestFixture.h>

#include <map>
#include <string>

namespace supplierd::tests {

using host::ImportOutcome;
using host::OrderImport;

namespace {

/// Takes in any order, once; `failures` says what happens to some instead.
class ScriptedBook final : public OrderBook {
public:
    PlacedOrder place(Transaction&, const JsonObject& order, const Actor& actor) override {
        const auto number = std::string(order.get("order_number").text());
        lastActor = actor.name;
        placed += number;
        if (const auto failure = failures.find(number); failure != failures.end())
            failure->second();
        return {.id = 1, .orderNumber = number, .isNew = ++_times[number] == 1, .groups = {}};
    }
    OrderGroup complete(Transaction&, std::int64_t, const Actor&) override { return {}; }
    Listed<OrderSummary> list(Database&, const QueryParameters&) override { return {}; }
    std::optional<OrderGroup> find(SqlSession&, std::int64_t) override { return {}; }
    OrderGroup move(Transaction&, std::int64_t, std::int64_t, const JsonObject&, const Actor&) override { return {}; }
    std::optional<OrderGroup> findOwn(SqlSession&, std::int64_t, std::int64_t) override { return {}; }

    std::map<std::string, std::function<void()>> failures;
    std::string placed;
    std::string lastActor;

private:
    std::map<std::string, int> _times;
};

} // namespace

/// The order of things of an import, without a database.
class OrderImportTest : public CppUnit::TestFixture {
protected:
    ImportOutcome run(const std::string& text) {
        OrderImport import(_database, _book, {.name = "supplierctl:test", .kind = Actor::Kind::Administrator});
        const auto afterEach = [this](const ImportOutcome& outcome) { _seen += std::to_string(outcome.done()) + " "; };
        const auto stopReason = [this](const ImportOutcome& outcome) -> std::string {
            return outcome.done() == _stopAfter ? "enough" : "";
        };
        return import.run(host::OrderFile(text, "test"), {afterEach, stopReason});
    }

    testing::FakeDatabase _database;
    ScriptedBook _book;
    std::size_t _stopAfter = 1'000;
    std::string _seen;
};

TEST(OrderImportTest, ordersArePlacedInTheirOrderEachInItsTransaction) {
    const auto outcome = run(R"([{"order_number":"A"},{"order_number":"B"},{"order_number":"C"}])");
    CPPUNIT_ASSERT_EQUAL(std::string("ABC"), _book.placed);
    CPPUNIT_ASSERT_EQUAL(std::string("supplierctl:test"), _book.lastActor);
    CPPUNIT_ASSERT_EQUAL(3, _database.commits());
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, outcome.created);
    CPPUNIT_ASSERT(outcome.isComplete());
    CPPUNIT_ASSERT_EQUAL(std::string("1 2 3 "), _seen);
}

TEST(OrderImportTest, orderThatIsThereAlreadyIsCountedSo) {
    const auto outcome = run(R"([{"order_number":"A"},{"order_number":"A"}])");
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, outcome.created);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, outcome.existing);
    CPPUNIT_ASSERT(outcome.isComplete());
}

TEST(OrderImportTest, refusedOrderDoesNotKeepTheOthersOut) {
    _book.failures["B"] = [] {
        throw ApiError::validation({{"items[0].quantity", "out_of_range", "not enough"}, {"items[1]", "x", "gone"}});
    };
    const auto outcome = run(R"([{"order_number":"A"},{"order_number":"B"},{"order_number":"C"}])");
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, outcome.created);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, outcome.failures.size());
    const auto& failure = outcome.failures[0];
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, failure.position);
    CPPUNIT_ASSERT_EQUAL(std::string("B"), failure.orderNumber);
    CPPUNIT_ASSERT_EQUAL(std::string("not enough"), failure.message);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, failure.details.size());
    CPPUNIT_ASSERT_EQUAL(1, _database.rollbacks());
    CPPUNIT_ASSERT(!outcome.isComplete());
}

TEST(OrderImportTest, whatIsNoOrderIsAFailure) {
    const auto outcome = run(R"([5, null, [], {"order_number":"A"}])");
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, outcome.failures.size());
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, outcome.failures[2].position);
    CPPUNIT_ASSERT_EQUAL(std::string(), outcome.failures[0].orderNumber);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, outcome.created);
}

TEST(OrderImportTest, orderThatIsLockedTimeAndAgainIsAFailure) {
    _book.failures["B"] = [] { throw DatabaseError(1213, "Deadlock found"); };
    const auto outcome = run(R"([{"order_number":"A"},{"order_number":"B"},{"order_number":"C"}])");
    CPPUNIT_ASSERT(_book.placed.starts_with("ABB") && _book.placed.ends_with("BC"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, outcome.failures.size());
}

TEST(OrderImportTest, lostDatabaseStopsTheImport) {
    _book.failures["B"] = [] { throw ApiError::unavailable("the database is away"); };
    const auto outcome = run(R"([{"order_number":"A"},{"order_number":"B"},{"order_number":"C"}])");
    CPPUNIT_ASSERT_EQUAL(std::string("the database is away"), outcome.stopReason);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, outcome.notTried());
    CPPUNIT_ASSERT(outcome.failures.empty());
    CPPUNIT_ASSERT(!outcome.isComplete());
}

TEST(OrderImportTest, failureBeforeTheFirstOrderIsThrown) {
    _book.failures["A"] = [] { throw DatabaseError(1146, "no such table"); };
    CPPUNIT_ASSERT_THROW(run(R"([{"order_number":"A"},{"order_number":"B"}])"), DatabaseError);
}

TEST(OrderImportTest, importStopsWhenAskedTo) {
    _stopAfter = 2;
    const auto outcome = run(R"([{"order_number":"A"},{"order_number":"B"},{"order_number":"C"}])");
    CPPUNIT_ASSERT_EQUAL(std::string("AB"), _book.placed);
    CPPUNIT_ASSERT_EQUAL(std::string("enough"), outcome.stopReason);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, outcome.notTried());
}

} // namespace supplierd::tests
