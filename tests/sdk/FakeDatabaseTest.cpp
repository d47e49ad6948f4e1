#include "tests/support/Test.h"
#include "tests/support/Thrown.h"

#include <supplierd/testing/FakeDatabase.h>

#include <stdexcept>

namespace supplierd::tests {

using testing::FakeDatabase;
using testing::FakeRow;

class FakeDatabaseTest : public CppUnit::TestFixture {
protected:
    FakeDatabase database;

    std::int64_t deleteNotes() {
        std::int64_t affected = 0;
        database.withTransaction([&](Transaction& tx) { affected = tx.execute("DELETE FROM notes"); });
        return affected;
    }
};

TEST(FakeDatabaseTest, scriptedRowsAreReadByType) {
    database.whenQuery("FROM notes")
        .thenRows({{1, "Rose", nullptr, true, "0.0850", "2026-11-20 14:48:00.123456"},
                   {2, "", "x", false, *Decimal::parse("12"), nullptr}});
    database.withSession([](SqlSession& session) {
        Rows& rows = session.query("SELECT * FROM notes");
        CPPUNIT_ASSERT(rows.next());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, rows.integer(0));
        CPPUNIT_ASSERT(rows.text(1) == "Rose");
        CPPUNIT_ASSERT(rows.isNull(2) && rows.text(2).empty() && !rows.maybeText(2) && rows.integer(2) == 0);
        CPPUNIT_ASSERT(rows.boolean(3));
        CPPUNIT_ASSERT_EQUAL(std::string("0.085"), rows.decimal(4).toString());
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-20T14:48:00Z"), rows.time(5));
        CPPUNIT_ASSERT(rows.next());
        CPPUNIT_ASSERT(!rows.isNull(1) && rows.maybeText(2) == "x" && !rows.boolean(3));
        CPPUNIT_ASSERT(rows.maybeDecimal(4) == Decimal::fromInteger(12));
        CPPUNIT_ASSERT(!rows.next());
    });
}

TEST(FakeDatabaseTest, statementsAreKeptWithTheirParameters) {
    database.whenQuery("SELECT 1").thenRows({});
    database.whenExecute("INSERT").thenAffects(1, 42);
    database.withSession([](SqlSession& session) { session.query("SELECT 1"); });
    database.withTransaction([](Transaction& tx) {
        const std::string text = "x";
        tx.execute("INSERT INTO t VALUES (?)",
                   {5, text, nullptr, true, *Decimal::parse("0.29"), std::optional<std::int64_t>()});
        CPPUNIT_ASSERT_EQUAL(std::int64_t{42}, tx.lastInsertId());
    });
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, database.statements().size());
    CPPUNIT_ASSERT(!database.statement("SELECT").inTransaction);
    CPPUNIT_ASSERT(database.statement("INSERT").inTransaction);
    CPPUNIT_ASSERT((FakeRow{5, "x", nullptr, 1, "0.29", nullptr}) == database.statement("INSERT").parameters);
    CPPUNIT_ASSERT_THROW(database.statement("DELETE"), std::logic_error);
}

TEST(FakeDatabaseTest, answersComeInOrderAndTheLastIsRepeated) {
    database.whenExecute("DELETE").thenAffects(3).thenAffects(1);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, deleteNotes());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, deleteNotes());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, deleteNotes());
}

TEST(FakeDatabaseTest, laterScriptWins) {
    database.whenExecute("DELETE").thenAffects(3);
    database.whenExecute("FROM notes").thenAffects(7);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, deleteNotes());
}

TEST(FakeDatabaseTest, unscriptedStatementIsALogicError) {
    database.whenQuery("DELETE").thenRows({}); // of the other kind
    CPPUNIT_ASSERT_THROW(deleteNotes(), std::logic_error);
    database.whenExecute("DELETE"); // no answer
    CPPUNIT_ASSERT_THROW(deleteNotes(), std::logic_error);
    CPPUNIT_ASSERT_EQUAL(2, database.rollbacks());
    CPPUNIT_ASSERT_EQUAL(0, database.commits());
}

TEST(FakeDatabaseTest, transactionsAreCounted) {
    database.withTransaction([](Transaction&) {});
    CPPUNIT_ASSERT_THROW(database.withTransaction([](Transaction&) { throw std::runtime_error("no"); }),
                         std::runtime_error);
    CPPUNIT_ASSERT_EQUAL(1, database.commits());
    CPPUNIT_ASSERT_EQUAL(1, database.rollbacks());
}

TEST(FakeDatabaseTest, deadlockIsRepeatedUpToFiveTimes) {
    database.whenExecute("DELETE").thenThrows(1213, "Deadlock found").thenThrows(1205, "Lock wait").thenAffects(2);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, deleteNotes());
    CPPUNIT_ASSERT_EQUAL(2, database.rollbacks());
    database.whenExecute("DELETE").thenThrows(1213, "Deadlock found");
    CPPUNIT_ASSERT_THROW(deleteNotes(), DatabaseError);
    CPPUNIT_ASSERT_EQUAL(2 + 5, database.rollbacks());
    CPPUNIT_ASSERT_EQUAL(1, database.commits());
}

TEST(FakeDatabaseTest, otherErrorsAreNotRepeated) {
    database.whenExecute("DELETE").thenThrows(1451, "a foreign key constraint fails").thenAffects(1);
    CPPUNIT_ASSERT(thrownBy<DatabaseError>([&] { deleteNotes(); }).isForeignKey());
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, database.statements().size());
}

TEST(FakeDatabaseTest, readIsRepeatedOnceAfterALostConnection) {
    database.whenQuery("SELECT").thenThrows(2013, "Lost connection").thenRows({{5}});
    const std::int64_t read = database.read([](SqlSession& session) {
        Rows& rows = session.query("SELECT 5");
        rows.next();
        return rows.integer(0);
    });
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, read);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, database.statements().size());
}

TEST(FakeDatabaseTest, snapshotReadsAndRefusesToWrite) {
    database.whenQuery("SELECT").thenThrows(2013, "Lost connection").thenRows({{5}});
    database.whenExecute("DELETE").thenAffects(1);
    const std::int64_t read = database.snapshot([](SqlSession& session) {
        Rows& rows = session.query("SELECT 5");
        rows.next();
        return rows.integer(0);
    });
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, read);
    CPPUNIT_ASSERT(database.statement("SELECT").inSnapshot && !database.statement("SELECT").inTransaction);
    CPPUNIT_ASSERT_THROW(database.withSnapshot([](SqlSession& session) { session.execute("DELETE"); }), DatabaseError);
    CPPUNIT_ASSERT_THROW(database.statement("DELETE"), std::logic_error);
}

TEST(FakeDatabaseTest, readingSessionRefusesToWrite) {
    database.whenExecute("DELETE").thenAffects(1);
    CPPUNIT_ASSERT_THROW(database.withSession([](SqlSession& session) { session.execute("DELETE"); }),
                         std::logic_error);
    CPPUNIT_ASSERT(database.statements().empty());
}

TEST(FakeDatabaseTest, oneStatementIsRepeatedOnDeadlock) {
    database.whenExecute("DELETE FROM notes").thenThrows(1213, "Deadlock found").thenAffects(3);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, database.execute("DELETE FROM notes WHERE id < ?", {7}));
    CPPUNIT_ASSERT(!database.statement("DELETE").inTransaction);
    CPPUNIT_ASSERT_EQUAL(0, database.commits());
}

TEST(FakeDatabaseTest, rowsThatAnotherStatementSupersededThrow) {
    database.whenQuery("SELECT").thenRows({{1}, {2}});
    database.withSession([](SqlSession& session) {
        Rows& outer = session.query("SELECT a");
        CPPUNIT_ASSERT(outer.next());
        CPPUNIT_ASSERT(session.query("SELECT a").next());
        CPPUNIT_ASSERT_THROW(outer.next(), std::logic_error);
    });
}

TEST(FakeDatabaseTest, changesAreCountedAndKeptOfWhatCommits) {
    database.withTransaction([](Transaction& tx) { CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, tx.change(7).seq()); });
    CPPUNIT_ASSERT_THROW(database.withTransaction([](Transaction& tx) {
        tx.change(7).note("product.updated", 1);
        throw std::runtime_error("given up");
    }),
                         std::runtime_error);
    database.withTransaction([](Transaction& tx) {
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, tx.change(7).seq());
        tx.change(7).note("product.updated", std::vector<std::int64_t>{5, 3});
        tx.change(7).note("product.updated", 5);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, tx.change(8).seq());
        CPPUNIT_ASSERT_THROW(tx.change(8).note("Products", 5), std::invalid_argument);
    });
    CPPUNIT_ASSERT((FakeRow{8}) == database.statement("change").parameters);
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, database.changes().size());
    CPPUNIT_ASSERT(database.changes()[0].ids.empty());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, database.changes()[1].seq);
    CPPUNIT_ASSERT((std::set<std::int64_t>{3, 5}) == database.changes()[1].ids.at("product.updated"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{8}, database.changes()[2].supplierId);
}

} // namespace supplierd::tests
