#include "host/audit/AuditStore.h"
#include "host/server/Housekeeper.h"
#include "tests/host/audit/MigratedDatabase.h"
#include "tests/support/Numbers.h"
#include "tests/support/StatementPlan.h"
#include "tests/support/Test.h"

#include <chrono>
#include <string>

namespace supplierd::tests {

using namespace std::chrono_literals;
using host::AuditStore;
using host::IdempotencyStore;
using host::OutdatedRows;

class AuditRetentionTest : public CppUnit::TestFixture {
protected:
    static constexpr std::chrono::milliseconds YEAR = 365 * 24h;
    static constexpr std::chrono::milliseconds MONTH = 30 * 24h;

protected:
    struct Fixture : MigratedDatabase {
        IdempotencyStore idempotency{database, {}, "server", 1};
    };

    bool deleteSome(std::chrono::milliseconds retention, std::chrono::milliseconds ofChanges = 0ms,
                    std::chrono::milliseconds ofPushes = 0ms) {
        return OutdatedRows::deleteSome(
            {_fixture.database, _fixture.idempotency, _store, retention, ofPushes, ofChanges});
    }

    void insert(int count, const std::string& age, const std::string& object = "key",
                const std::string& verb = "update") {
        _fixture.server.exec("INSERT INTO audit_log (created_at, actor, action, object, object_id) "
                             "SELECT NOW(6) - INTERVAL " +
                             age + ", 'anna', '" + object + "." + verb + "', '" + object + "', seq FROM " +
                             numbersTo(count));
    }

    std::int64_t entries() { return _fixture.server.integer("SELECT COUNT(*) FROM audit_log"); }
    std::int64_t entries(const std::string& action) {
        return _fixture.server.integer("SELECT COUNT(*) FROM audit_log WHERE action = '" + action + "'");
    }

    AuditStore _store;
    Fixture _fixture;
};

TEST(AuditRetentionTest, oldEntriesGoInBatchesAndYoungOnesStay) {
    insert(2'500, "366 DAY");
    insert(5, "364 DAY");
    CPPUNIT_ASSERT(deleteSome(YEAR));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1'505}, entries());
    CPPUNIT_ASSERT(deleteSome(YEAR));
    CPPUNIT_ASSERT(!deleteSome(YEAR));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, entries());
    CPPUNIT_ASSERT(!deleteSome(YEAR));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, entries());
}

TEST(AuditRetentionTest, withoutARetentionEveryEntryStays) {
    insert(3, "3650 DAY");
    CPPUNIT_ASSERT(!deleteSome(0ms));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, entries());
}

TEST(AuditRetentionTest, anEntryOutOfOrderGoesWhenItsTimeComes) {
    insert(1, "364 DAY");
    insert(2, "366 DAY");
    CPPUNIT_ASSERT(!deleteSome(YEAR));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, entries());
    CPPUNIT_ASSERT(!deleteSome(YEAR - 48h));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, entries());
}

TEST(AuditRetentionTest, aLogThatIsYoungIsNotLookedThrough) {
    insert(20'000, "1 DAY");
    std::int64_t read = 0;
    _fixture.database.withWritingSession(
        [&](SqlSession& session) { read = rowsRead(session, [&] { _store.purge(session, YEAR); }); });
    // A thousand of the log, and as many of the table that holds them meanwhile.
    CPPUNIT_ASSERT(read < 2'100);
}

TEST(AuditRetentionTest, entriesOfPushesGoEarlier) {
    insert(1'500, "31 DAY", "stock");
    insert(700, "31 DAY", "price");
    insert(10, "29 DAY", "stock");
    insert(20, "29 DAY", "price");
    insert(300, "31 DAY", "product");
    // Of a kind of pushes, but nothing that a push leaves.
    insert(1'200, "32 DAY", "stock", "correct");
    CPPUNIT_ASSERT(deleteSome(YEAR, 0ms, MONTH));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{510}, entries("stock.update"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{20}, entries("price.update"));
    CPPUNIT_ASSERT(!deleteSome(YEAR, 0ms, MONTH));
    CPPUNIT_ASSERT(!deleteSome(YEAR, 0ms, MONTH));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, entries("stock.update"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{20}, entries("price.update"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{300}, entries("product.update"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1'200}, entries("stock.correct"));
    // Others for ever.
    CPPUNIT_ASSERT(!deleteSome(0ms, 0ms, 28 * 24h));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1'500}, entries());
}

TEST(AuditRetentionTest, pushesAreFoundByAnIndex) {
    insert(20'000, "40 DAY", "product");
    insert(3'000, "31 DAY", "stock");
    insert(20'000, "20 DAY", "product");
    insert(3'000, "1 DAY", "price");
    std::int64_t read = 0;
    bool isMore = false;
    _fixture.database.withWritingSession(
        [&](SqlSession& session) { read = rowsRead(session, [&] { isMore = _store.purgePushes(session, MONTH); }); });
    CPPUNIT_ASSERT(isMore);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2'000}, entries("stock.update"));
    // A thousand of each kind, those again in the table that holds them meanwhile, and what is deleted.
    CPPUNIT_ASSERT_MESSAGE(std::to_string(read), read < 8'100);
}

TEST(AuditRetentionTest, pushesStayAsLongAsOthersAtMost) {
    insert(2, "366 DAY", "stock");
    insert(3, "31 DAY", "stock");
    CPPUNIT_ASSERT(!deleteSome(YEAR, 0ms, 0ms));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, entries());
    CPPUNIT_ASSERT(!deleteSome(24h, 0ms, MONTH * 2));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, entries());
}

TEST(AuditRetentionTest, theChangeLogGoesInBatchesToo) {
    const auto insertChanges = [this](int supplier, int count, const std::string& age) {
        _fixture.server.exec("INSERT INTO changes (supplier_id, change_seq, changed_at, kind, ids, actor) SELECT " +
                             std::to_string(supplier) + ", seq, NOW(6) - INTERVAL " + age + ", '', '', 'anna' FROM " +
                             numbersTo(count));
    };
    const auto changes = [this] { return _fixture.server.integer("SELECT COUNT(*) FROM changes"); };
    insertChanges(1, 1'500, "31 DAY");
    insertChanges(2, 1'000, "32 DAY");
    insertChanges(3, 5, "29 DAY");
    CPPUNIT_ASSERT(!deleteSome(0ms));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2'505}, changes());
    CPPUNIT_ASSERT(deleteSome(0ms, 30 * 24h));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1'505}, changes());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0},
                         _fixture.server.integer("SELECT COUNT(*) FROM changes WHERE supplier_id = 2"));
    CPPUNIT_ASSERT(deleteSome(0ms, 30 * 24h));
    CPPUNIT_ASSERT(!deleteSome(0ms, 30 * 24h));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, changes());
}

} // namespace supplierd::tests
