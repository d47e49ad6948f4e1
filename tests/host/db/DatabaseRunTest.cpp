#include "host/db/DatabaseRun.h"

#include "host/db/PooledDatabase.h"
#include "host/db/changes/ChangeLogStore.h"
#include "host/db/schema/Migrator.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"

#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace supplierd::tests {

using host::ChangeLogStore;
using host::PooledDatabase;
using host::SessionPool;

namespace {

constexpr std::int64_t RAISE = std::int64_t{1} << 20;
constexpr std::int64_t LAST = 5;

} // namespace

/// A database whose server was started again, or is another one, by the run that it remembers.
class DatabaseRunTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        host::Migrator(_server.sessionSettings(), {}).apply();
        _server.exec("INSERT INTO supplier_state (supplier_id, change_seq) VALUES (7, 5), (8, 0);"
                     "INSERT INTO changes (supplier_id, change_seq, kind, ids, actor) VALUES (7, 5, '', '', 'test')");
    }

protected:
    /// As if the server had been started since the last session.
    void begin() {
        open();
        _server.exec("UPDATE database_runs SET run = 'former'");
    }

    /// A session, as a server that comes has it.
    void open() {
        SessionPool pool(_server.sessionSettings(), {});
        pool.acquire();
    }

    std::int64_t number(std::int64_t supplierId) {
        return _server.integer("SELECT change_seq FROM supplier_state WHERE supplier_id = " +
                               std::to_string(supplierId));
    }

    ChangePage after(std::int64_t seq, std::int64_t supplierId = 7) {
        SessionPool pool(_server.sessionSettings(), {});
        return PooledDatabase(pool).read(
            [&](SqlSession& session) { return ChangeLogStore().after(session, supplierId, seq, 10); });
    }

    TestDatabase _server;
};

TEST(DatabaseRunTest, theFirstRunRaisesNothing) {
    open();
    CPPUNIT_ASSERT_EQUAL(LAST, number(7));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _server.integer("SELECT COUNT(*) FROM database_runs"));
}

TEST(DatabaseRunTest, sessionsOfOneRunFindItKnown) {
    open();
    const std::string run = _server.text("SELECT run FROM database_runs");
    for (int i = 0; i < 20; ++i) {
        open();
        std::this_thread::sleep_for(std::chrono::milliseconds(70)); // over the turn of a second
    }
    CPPUNIT_ASSERT_EQUAL(run, _server.text("SELECT run FROM database_runs"));
    CPPUNIT_ASSERT_EQUAL(LAST, number(7));
}

TEST(DatabaseRunTest, aSecondThatTurnedMeanwhileIsNoOtherRun) {
    open();
    const std::string run = _server.text("SELECT run FROM database_runs");
    const auto blank = run.find(' ');
    for (const int seconds : {-1, 1}) {
        const std::string shifted = std::to_string(std::stoll(run.substr(0, blank)) + seconds) + run.substr(blank);
        _server.exec("UPDATE database_runs SET run = '" + shifted + "'");
        open();
        CPPUNIT_ASSERT_EQUAL(shifted, _server.text("SELECT run FROM database_runs"));
    }
    CPPUNIT_ASSERT_EQUAL(LAST, number(7));
    const std::string later = std::to_string(std::stoll(run.substr(0, blank)) - 60) + run.substr(blank);
    _server.exec("UPDATE database_runs SET run = '" + later + "'");
    open();
    CPPUNIT_ASSERT_EQUAL(LAST + RAISE, number(7));
}

TEST(DatabaseRunTest, raisesThatCrashesTookBackAreMadeAgain) {
    begin();
    open(); // another process, which does not know that the same raise was there before
    CPPUNIT_ASSERT_EQUAL(LAST + RAISE, number(7));
    SessionPool pool(_server.sessionSettings(), {});
    const SessionPool::Lease session = pool.acquire();
    for (const std::int64_t lost : {1, 4}) { // two crashes, one behind the other, may have taken back several
        host::KnownRun known{.id = "lost", .raises = lost};
        for (int i = 0; i < 2; ++i) {
            host::noteDatabaseRun(*session, known, nullptr);
            CPPUNIT_ASSERT_EQUAL(LAST + (lost + 1) * RAISE, number(7));
            CPPUNIT_ASSERT(!after(LAST + lost * RAISE).isComplete);
        }
    }
}

TEST(DatabaseRunTest, anotherRunRaisesAllNumbersOnce) {
    begin();
    {
        std::vector<std::jthread> servers;
        for (int i = 0; i < 8; ++i)
            servers.emplace_back([this] { open(); });
    }
    CPPUNIT_ASSERT_EQUAL(LAST + RAISE, number(7));
    CPPUNIT_ASSERT_EQUAL(RAISE, number(8));
    CPPUNIT_ASSERT_EQUAL(RAISE, number(MARKETPLACE));
    CPPUNIT_ASSERT_EQUAL_MESSAGE("the former is gone", std::int64_t{1},
                                 _server.integer("SELECT COUNT(*) FROM database_runs"));
}

TEST(DatabaseRunTest, theLogGoesOnForWhoKnowsNothingThatIsGone) {
    begin();
    open();
    for (const std::int64_t known : {LAST - 1, LAST}) {
        const ChangePage page = after(known);
        CPPUNIT_ASSERT(page.isComplete);
        CPPUNIT_ASSERT_EQUAL(LAST + RAISE, page.committed);
        CPPUNIT_ASSERT_EQUAL(LAST + RAISE, page.entries.back().seq);
        CPPUNIT_ASSERT(page.entries.back().objects.empty());
    }
    CPPUNIT_ASSERT(after(LAST + RAISE).isComplete);
}

TEST(DatabaseRunTest, theLogIsCutForWhoKnowsANumberThatIsGone) {
    begin();
    open();
    for (const std::int64_t gone : {LAST + 1, LAST + RAISE - 1}) {
        const ChangePage page = after(gone);
        CPPUNIT_ASSERT(!page.isComplete);
        CPPUNIT_ASSERT(page.entries.empty());
    }
}

TEST(DatabaseRunTest, theLogIsCutForAllWhereAnotherServerGoesOn) {
    begin();
    _server.exec("UPDATE database_runs SET server = 'the lost primary'");
    open();
    CPPUNIT_ASSERT(!after(LAST).isComplete);
    CPPUNIT_ASSERT_EQUAL(LAST + RAISE, number(7));
}

TEST(DatabaseRunTest, aNewSupplierGetsNumbersThatNobodyHad) {
    begin();
    open();
    _server.exec("UPDATE supplier_state SET change_seq = change_seq + 3 WHERE supplier_id = 0");
    SessionPool pool(_server.sessionSettings(), {});
    PooledDatabase(pool).withTransaction(
        [](Transaction& transaction) { ChangeLogStore::addSupplier(transaction.session(), 9); });
    CPPUNIT_ASSERT_EQUAL(RAISE, number(9));
    const ChangePage page = after(0, 9);
    CPPUNIT_ASSERT_MESSAGE("for readers who begin with him", page.isComplete);
    CPPUNIT_ASSERT_EQUAL(RAISE, page.committed);
}

} // namespace supplierd::tests
