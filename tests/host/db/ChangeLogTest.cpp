#include "host/db/RequestDatabase.h"
#include "host/db/changes/ChangeLogStore.h"
#include "host/db/changes/PackedIds.h"
#include "host/db/schema/Migrator.h"
#include "tests/host/db/CommitCutter.h"
#include "tests/support/ChangesOf.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace supplierd::tests {

using host::ChangeLogStore;
using host::NotedChange;
using host::OperationRecord;
using host::PooledDatabase;
using host::PoolSettings;
using host::RequestDatabase;
using host::SessionPool;
using Cut = CommitCutter::Cut;
using Ids = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

namespace {

constexpr const char* KIND = "product.updated";

// As a release before the change log counts.
constexpr const char* COUNT_WITHOUT_LOG = "UPDATE supplier_state SET change_seq = change_seq + 1 WHERE supplier_id = ";

} // namespace

class ChangeLogTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        host::Migrator(_server.sessionSettings(), {}).apply();
        _server.exec("INSERT INTO suppliers (id, name) VALUES (7, 'A'), (8, 'B');"
                     "INSERT INTO supplier_state (supplier_id) VALUES (7), (8)");
        SessionPool(_server.sessionSettings(), {}).acquire(); // notes the run of the database, whose COMMIT is not cut
    }

protected:
    static std::int64_t temporaryTables(SqlSession& session) {
        Rows& row = session.query("SHOW SESSION STATUS LIKE 'Created_tmp_tables'");
        row.next();
        return row.integer(1);
    }

    void change(std::int64_t supplierId, std::int64_t id) {
        _database.withTransaction([&](Transaction& transaction) { transaction.change(supplierId).note(KIND, id); });
    }

    ChangePage after(std::int64_t supplierId, std::int64_t seq, std::size_t limit = 1'000) {
        return _database.read(
            [&](SqlSession& session) { return ChangeLogStore().after(session, supplierId, seq, limit); });
    }

    std::int64_t committed(std::int64_t supplierId) {
        return _database.read([&](SqlSession& session) { return ChangeLogStore().committed(session, supplierId); });
    }

    TestDatabase _server;
    CommitCutter _cutter{_server.sessionSettings()};
    SessionPool _pool{_cutter.settings(), PoolSettings{.size = 4}};
    PooledDatabase _database{_pool};
};

TEST(ChangeLogTest, eachCommitIsOneEntryInOrderWithoutHoles) {
    constexpr int WRITERS = 4;
    constexpr int ROUNDS = 25;
    {
        std::vector<std::jthread> writers;
        for (int writer = 0; writer < WRITERS; ++writer)
            writers.emplace_back([this, writer] {
                for (int round = 0; round < ROUNDS; ++round)
                    _database.withTransaction([&](Transaction& transaction) {
                        Change& change = transaction.change(7);
                        // The number and the id say the same.
                        change.note(KIND, change.seq() * WRITERS + writer);
                    });
            });
    }
    const ChangePage page = after(7, 0);
    CPPUNIT_ASSERT(page.isComplete);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{WRITERS * ROUNDS}, page.committed);
    CPPUNIT_ASSERT_EQUAL(std::size_t{WRITERS * ROUNDS}, page.entries.size());
    std::int64_t last = 0;
    for (const ChangeEntry& entry : page.entries) {
        CPPUNIT_ASSERT_EQUAL(++last, entry.seq);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, entry.objects.size());
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, entry.objects.front().ids.size());
        CPPUNIT_ASSERT_EQUAL(entry.seq, entry.objects.front().ids.front() / WRITERS);
    }
}

TEST(ChangeLogTest, whatWasNotedComesBack) {
    constexpr std::int64_t LAST = std::numeric_limits<std::int64_t>::max();
    _database.withTransaction([](Transaction& transaction) {
        Change& change = transaction.change(7);
        change.note(ChangeKind::STOCK_CHANGED, Ids{300, LAST, 1, 300});
        change.note("note.written", 127);
        change.note(ChangeKind::STOCK_CHANGED, Ids{128, 1});
        change.note("note.gone", Ids{});
    });
    const ChangeEntry entry = after(7, 0).entries.at(0);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, entry.objects.size());
    CPPUNIT_ASSERT_EQUAL(std::string("note.written"), entry.objects[0].kind);
    CPPUNIT_ASSERT((Ids{127}) == entry.objects[0].ids);
    CPPUNIT_ASSERT_EQUAL(std::string("product.stock_changed"), entry.objects[1].kind);
    CPPUNIT_ASSERT((Ids{1, 128, 300, LAST}) == entry.objects[1].ids);
    CPPUNIT_ASSERT(!entry.objects[1].areAll);
    CPPUNIT_ASSERT_EQUAL(std::size_t{20}, entry.changedAt.size());
}

TEST(ChangeLogTest, moreThanSomeThousandIdsAreAll) {
    Ids most(NotedChange::MAX_IDS);
    std::iota(most.begin(), most.end(), 1);
    _database.withTransaction([&](Transaction& transaction) {
        Change& change = transaction.change(7);
        for (int twice = 0; twice < 2; ++twice)
            change.note(KIND, most);
        change.note("order_group.moved", 1);
    });
    _database.withTransaction([&](Transaction& transaction) {
        Change& change = transaction.change(7);
        change.note(KIND, most);
        change.note(KIND, 10'000);
        change.note(KIND, 5);
        change.note("order_group.moved", 2);
    });
    const auto entries = after(7, 0).entries;
    CPPUNIT_ASSERT(most == entries.at(0).objects.at(1).ids);
    CPPUNIT_ASSERT(entries.at(1).objects.at(1).areAll);
    CPPUNIT_ASSERT(entries.at(1).objects.at(1).ids.empty());
    CPPUNIT_ASSERT((Ids{2}) == entries.at(1).objects.at(0).ids);
}

TEST(ChangeLogTest, aChangeOfNothingIsAnEntryToo) {
    _database.withTransaction([](Transaction& transaction) { transaction.change(7); });
    CPPUNIT_ASSERT((Texts{""}) == changesOf(_server, 7));
}

TEST(ChangeLogTest, aWithdrawnChangeIsNone) {
    _database.withTransaction([](Transaction& transaction) {
        Change& change = transaction.change(7);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, change.withdraw());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, change.withdraw());
        transaction.change(8).note(KIND, 1);
    });
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, after(7, 0).committed);
    CPPUNIT_ASSERT(changesOf(_server, 7).empty());
    CPPUNIT_ASSERT((Texts{"product.updated 1"}) == changesOf(_server, 8));
    _database.withTransaction([](Transaction& transaction) {
        Change& change = transaction.change(7);
        change.withdraw();
        CPPUNIT_ASSERT_EQUAL(&change, &transaction.change(7));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, change.seq());
        change.note(KIND, 2);
    });
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, after(7, 0).committed);
    CPPUNIT_ASSERT((Texts{"product.updated 2"}) == changesOf(_server, 7));
}

TEST(ChangeLogTest, whatOthersHaveOrWasNotedIsNotWithdrawn) {
    _database.withTransaction([](Transaction& transaction) {
        Change& change = transaction.change(7);
        change.note(KIND, 1);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, change.withdraw());
    });
    _database.withTransaction([](Transaction& transaction) {
        Change& whole = transaction.change(7);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, transaction.change(7).withdraw());
        whole.note(KIND, 2);
    });
    CPPUNIT_ASSERT((Texts{"product.updated 1", "product.updated 2"}) == changesOf(_server, 7));
}

TEST(ChangeLogTest, whoNotesHearsOfTheCommitAndWhetherOthersNotedSuchObjects) {
    Texts heard;
    const auto note = [&](Change& change, const std::string& kind) {
        const Ids ids{1};
        change.note(kind, ids, [&heard, kind](bool isOnly) { heard.push_back(kind + (isOnly ? " only" : "")); });
    };
    int attempts = 0;
    _database.withTransaction([&](Transaction& transaction) {
        Change& change = transaction.change(7);
        note(change, "product.stock_changed");
        note(change, "order_group.moved");
        change.note(KIND, 2);
        if (++attempts == 1)
            throw DatabaseError(1213, "Deadlock found");
        CPPUNIT_ASSERT(heard.empty());
    });
    CPPUNIT_ASSERT((Texts{"product.stock_changed", "order_group.moved only"}) == heard);
    CPPUNIT_ASSERT_THROW(_database.withTransaction([&](Transaction& transaction) {
        note(transaction.change(7), KIND);
        throw std::runtime_error("");
    }),
                         std::runtime_error);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, heard.size());
}

TEST(ChangeLogTest, wrongKindsAreRefused) {
    const std::string longest(31, 'a');
    _database.withTransaction([&](Transaction& transaction) {
        Change& change = transaction.change(7);
        for (const std::string& kind : {std::string(), std::string("product"), std::string("product."),
                                        std::string(".updated"), std::string("Product.updated"),
                                        std::string("product.upd ated"), longest + "b.updated", std::string("a.b.c")})
            CPPUNIT_ASSERT_THROW_MESSAGE(kind, change.note(kind, 1), std::invalid_argument);
        for (std::size_t i = 0; i < Change::MAX_KINDS; ++i)
            change.note(longest + "." + std::string(29, 'b') + std::to_string(10 + i), 1);
        CPPUNIT_ASSERT_THROW(change.note(KIND, 1), std::length_error);
    });
    CPPUNIT_ASSERT_EQUAL(Change::MAX_KINDS, after(7, 0).entries.at(0).objects.size());
}

TEST(ChangeLogTest, whoActsIsInTheEntry) {
    change(7, 1);
    CPPUNIT_ASSERT_EQUAL(std::string("supplierd "), originOfLastChange(_server, 7));
    OperationRecord record;
    _database.run(record, [](Transaction& transaction) { transaction.change(7); }, 7, {"sk_ab12cd34", "req-1"});
    CPPUNIT_ASSERT_EQUAL(std::string("sk_ab12cd34 req-1"), originOfLastChange(_server, 7));
    PooledDatabase tool(_pool, nullptr, "supplierctl:anna");
    tool.withTransaction([](Transaction& transaction) { transaction.change(7); });
    CPPUNIT_ASSERT_EQUAL(std::string("supplierctl:anna "), originOfLastChange(_server, 7));
}

TEST(ChangeLogTest, suppliersOfOneTransactionHaveAnEntryEach) {
    change(8, 1);
    _database.withTransaction([](Transaction& transaction) {
        Change& first = transaction.change(7);
        Change& second = transaction.change(8);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, first.seq());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, second.seq());
        CPPUNIT_ASSERT(&first == &transaction.change(7));
        first.note(KIND, 70);
        second.note(KIND, 80);
    });
    CPPUNIT_ASSERT((Texts{"product.updated 70"}) == changesOf(_server, 7));
    CPPUNIT_ASSERT((Texts{"product.updated 80"}) == changesOf(_server, 8, 1));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, lastChangeOf(_server, 7));
}

TEST(ChangeLogTest, aRollbackLeavesNothing) {
    const auto giveUp = [this] {
        _database.withTransaction([](Transaction& transaction) {
            transaction.change(7).note(KIND, 1);
            transaction.change(8).note(KIND, 1);
            throw std::runtime_error("given up");
        });
    };
    CPPUNIT_ASSERT_THROW(giveUp(), std::runtime_error);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, lastChangeOf(_server, 7));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _server.integer("SELECT COUNT(*) FROM changes"));
    change(7, 2);
    CPPUNIT_ASSERT((Texts{"product.updated 2"}) == changesOf(_server, 7));
}

TEST(ChangeLogTest, aRepeatedTransactionLeavesItsLastAttemptOnly) {
    int attempts = 0;
    _database.withTransaction([&](Transaction& transaction) {
        transaction.change(7).note(KIND, ++attempts);
        transaction.change(8).note("order_group.moved", attempts);
        if (attempts < 3)
            throw DatabaseError(1213, "Deadlock found");
    });
    CPPUNIT_ASSERT_EQUAL(3, attempts);
    CPPUNIT_ASSERT((Texts{"product.updated 3"}) == changesOf(_server, 7));
    CPPUNIT_ASSERT((Texts{"order_group.moved 3"}) == changesOf(_server, 8));
}

TEST(ChangeLogTest, anErrorThatTheWorkSwallowedLeavesNothing) {
    _database.withTransaction([](Transaction& transaction) {
        transaction.change(7).note(KIND, 1);
        CPPUNIT_ASSERT_THROW(transaction.change(9), DatabaseError);
    });
    CPPUNIT_ASSERT((Texts{"product.updated 1"}) == changesOf(_server, 7));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _server.integer("SELECT COUNT(*) FROM changes"));
}

TEST(ChangeLogTest, aKilledConnectionLeavesNothing) {
    int attempts = 0;
    for (int round = 1; round <= 10; ++round)
        _database.withTransaction([&](Transaction& transaction) {
            Change& change = transaction.change(7);
            change.note(KIND, ++attempts);
            if (attempts % 2 == 0)
                return;
            Rows& row = transaction.query("SELECT CONNECTION_ID()");
            CPPUNIT_ASSERT(row.next());
            _server.exec("KILL " + std::to_string(row.integer(0)));
        });
    // Every other attempt was cut off, and none of those is in the log.
    CPPUNIT_ASSERT_EQUAL(20, attempts);
    Texts expected;
    for (int attempt = 2; attempt <= attempts; attempt += 2)
        expected.push_back("product.updated " + std::to_string(attempt));
    CPPUNIT_ASSERT(expected == changesOf(_server, 7));
}

TEST(ChangeLogTest, lostCommitsLeaveOneEntryEach) {
    Texts expected;
    for (int round = 1; round <= 20; ++round) {
        const bool tookEffect = round % 2 == 0;
        _cutter.cut(tookEffect ? Cut::After : Cut::Before);
        change(7, round);
        expected.push_back("product.updated " + std::to_string(round));
    }
    CPPUNIT_ASSERT_EQUAL(20, _cutter.cuts());
    CPPUNIT_ASSERT(expected == changesOf(_server, 7));
}

TEST(ChangeLogTest, theLogIsReadInPieces) {
    for (int id = 1; id <= 10; ++id)
        change(7, id);
    change(8, 1);
    Ids seen;
    for (std::int64_t seq = 0;;) {
        const ChangePage page = after(7, seq, 4);
        CPPUNIT_ASSERT(page.isComplete);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, page.committed);
        if (page.entries.empty())
            break;
        for (const ChangeEntry& entry : page.entries)
            seen.push_back(entry.objects.at(0).ids.at(0));
        seq = page.entries.back().seq;
    }
    CPPUNIT_ASSERT((Ids{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) == seen);
    const ChangePage beyond = after(7, 11);
    CPPUNIT_ASSERT(beyond.isComplete && beyond.entries.empty());
    const ChangePage nobodys = after(99, 0);
    CPPUNIT_ASSERT(nobodys.isComplete && nobodys.entries.empty());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, nobodys.committed);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, committed(7));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, committed(99));
}

/// On disk, for the sake of the packed ids, it took nine times as long as the rest.
TEST(ChangeLogTest, readingMakesNoTemporaryTable) {
    for (int id = 1; id <= 10; ++id)
        change(7, id);
    _database.withSession([](SqlSession& session) {
        const std::int64_t first = temporaryTables(session);
        const std::int64_t before = temporaryTables(session);
        const std::int64_t ofAsking = before - first;
        for (const std::int64_t seq : {10, 9, 3, 0})
            CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, ChangeLogStore().after(session, 7, seq, 4).committed);
        CPPUNIT_ASSERT_EQUAL(before + ofAsking, temporaryTables(session));
    });
}

TEST(ChangeLogTest, theNumberIsThatOfTheLastEntryBesideWriters) {
    std::vector<std::jthread> writers;
    for (int writer = 0; writer < 2; ++writer)
        writers.emplace_back([this](const std::stop_token& stop) {
            for (int id = 1; !stop.stop_requested(); ++id)
                change(7, id);
        });
    std::int64_t seq = 0;
    while (seq < 200) {
        const ChangePage page = after(7, seq);
        CPPUNIT_ASSERT(page.isComplete);
        CPPUNIT_ASSERT_EQUAL(page.entries.empty() ? seq : page.entries.back().seq, page.committed);
        seq = page.committed;
    }
}

TEST(ChangeLogTest, commitsWithoutAnEntryAreTold) {
    change(7, 1);
    change(7, 2);
    _server.exec(std::string(COUNT_WITHOUT_LOG) + "7");
    const ChangePage known = after(7, 0);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, known.entries.size());
    CPPUNIT_ASSERT(!known.isComplete);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, known.committed);
    CPPUNIT_ASSERT(after(7, 0, 2).isComplete); // so far
    change(7, 4);
    const ChangePage broken = after(7, 0);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, broken.entries.size());
    CPPUNIT_ASSERT(!broken.isComplete);
    const ChangePage nothing = after(7, 2);
    CPPUNIT_ASSERT(nothing.entries.empty() && !nothing.isComplete);
    CPPUNIT_ASSERT((Texts{"product.updated 4"}) == changesOf(_server, 7, 3));
}

TEST(ChangeLogTest, aLogThatWasCutIsTold) {
    for (int id = 1; id <= 5; ++id)
        change(7, id);
    _server.exec("UPDATE changes SET changed_at = NOW(6) - INTERVAL 31 DAY WHERE change_seq <= 3");
    CPPUNIT_ASSERT(!ChangeLogStore().purge(_database, std::chrono::hours(24 * 30)));
    CPPUNIT_ASSERT(!after(7, 0).isComplete);
    CPPUNIT_ASSERT(!after(7, 2).isComplete);
    CPPUNIT_ASSERT((Texts{"product.updated 4", "product.updated 5"}) == changesOf(_server, 7, 3));
}

TEST(ChangeLogTest, whereTheLogBeginsIsTold) {
    const auto begin = [this](std::int64_t supplierId) {
        const std::int64_t first = after(supplierId, 0).removedUpTo;
        CPPUNIT_ASSERT_EQUAL(first, after(supplierId, std::numeric_limits<std::int64_t>::max(), 1).removedUpTo);
        return first;
    };
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, begin(7));
    for (int id = 1; id <= 5; ++id)
        change(7, id);
    change(8, 1);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, begin(7));
    _server.exec("DELETE FROM changes WHERE supplier_id = 7 AND change_seq <= 3");
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, begin(7));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, begin(8));
    _server.exec("DELETE FROM changes");
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, begin(7));
    // Numbers that were never given lie before the next entry.
    _database.withTransaction(
        [](Transaction& transaction) { ChangeLogStore::skipNumbers(transaction.session(), true); });
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, begin(7));
    change(7, 6);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, begin(7));
}

/// However short the retention is; and no longer, for nobody may come back for them.
TEST(ChangeLogTest, entriesWaitAWeekForReaders) {
    for (int id = 1; id <= 3; ++id)
        change(7, id);
    _server.exec("UPDATE changes SET changed_at = NOW(6) - INTERVAL 10 - 2 * change_seq DAY");
    _server.exec("INSERT INTO change_readers (plugin, name) VALUES ('roses', 'keen'), ('roses', 'idle')");
    const auto leftWhenIdleSince = [this](int days) {
        _server.exec("UPDATE change_readers SET caught_up_at = NOW(6) - INTERVAL " + std::to_string(days) +
                     " DAY WHERE name = 'idle'");
        ChangeLogStore().purge(_database, std::chrono::hours(24));
        return _server.text("SELECT COALESCE(GROUP_CONCAT(change_seq ORDER BY change_seq), '') FROM changes");
    };
    CPPUNIT_ASSERT_EQUAL(std::string("2,3"), leftWhenIdleSince(30));
    CPPUNIT_ASSERT_EQUAL(std::string("3"), leftWhenIdleSince(5));
    CPPUNIT_ASSERT_EQUAL(std::string(), leftWhenIdleSince(0));
}

TEST(ChangeLogTest, aSnapshotSeesTheLogAndTheNumberOfOneMoment) {
    change(7, 1);
    const bool agrees = _database.snapshot([this](SqlSession& session) {
        const std::int64_t number = ChangeLogStore().committed(session, 7);
        std::thread([this] { change(7, 2); }).join();
        const ChangePage page = ChangeLogStore().after(session, 7, 0, 100);
        return number == 1 && page.committed == 1 && page.entries.size() == 1 && page.isComplete;
    });
    CPPUNIT_ASSERT(agrees);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, committed(7));
}

TEST(ChangeLogTest, requestsThatAskMeanwhileShareAQuestion) {
    constexpr std::size_t LATER = 5;
    change(7, 1);
    change(8, 1);
    change(8, 2);
    std::vector<std::int64_t> seen(LATER);
    {
        std::vector<std::jthread> requests;
        _server.exec("LOCK TABLES supplier_state WRITE");
        requests.emplace_back([&] { _database.committed(7); });
        while (_database.questions().questions == 0)
            std::this_thread::yield();
        for (std::size_t i = 0; i < LATER; ++i)
            requests.emplace_back([&, i] { seen[i] = _database.committed(i % 2 == 0 ? 7 : 8).supplier; });
        while (_database.questions().requests < 1 + LATER)
            std::this_thread::yield();
        _server.exec("UNLOCK TABLES");
    }
    CPPUNIT_ASSERT((Ids{1, 2, 1, 2, 1}) == seen);
    CPPUNIT_ASSERT(_database.questions().questions <= 3); // the last of them may have counted itself a moment too soon
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{1 + LATER}, _database.questions().requests);
}

TEST(ChangeLogTest, aRequestTakesTheAnswerToAQuestionThatBeganAfterItCame) {
    change(7, 1);
    RequestDatabase request(_database, RequestDatabase::Clock::now());
    _database.committed(7);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, request.committed(7).supplier);
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{1}, _database.questions().questions);
    change(7, 2);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, request.committed(7).supplier); // it has learned something
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{2}, _database.questions().questions);
}

TEST(ChangeLogTest, aRequestWaitsForAQuestionThatBeganAfterItCame) {
    change(7, 1);
    RequestDatabase request(_database, RequestDatabase::Clock::now());
    std::int64_t seen = 0;
    {
        std::vector<std::jthread> requests;
        _server.exec("LOCK TABLES supplier_state WRITE");
        requests.emplace_back([&] { _database.committed(7); });
        while (_database.questions().questions == 0)
            std::this_thread::yield();
        requests.emplace_back([&] { seen = request.committed(7).supplier; });
        while (_database.questions().requests < 2)
            std::this_thread::yield();
        _server.exec("UNLOCK TABLES");
    }
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, seen);
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{1}, _database.questions().questions);
}

TEST(ChangeLogTest, aRequestThatCameAfterTheLastQuestionAsks) {
    change(7, 1);
    _database.committed(7);
    change(7, 2);
    RequestDatabase request(_database, RequestDatabase::Clock::now());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, request.committed(7).supplier);
}

TEST(ChangeLogTest, aRequestThatHasUsedItsDatabaseAsks) {
    const std::vector<std::function<void(Database&)>> uses{
        [](Database& request) { request.withSession([](SqlSession&) {}); },
        [](Database& request) { request.withSnapshot([](SqlSession&) {}); },
        [](Database& request) { request.execute("UPDATE supplier_state SET change_seq = change_seq WHERE FALSE"); },
        [](Database& request) { request.withTransaction([](Transaction&) {}); },
        [](Database& request) { dynamic_cast<RequestDatabase&>(request).atPresent(); }};
    std::int64_t last = 0;
    for (const auto& use : uses) {
        RequestDatabase request(_database, RequestDatabase::Clock::now());
        _database.committed(7);
        change(7, ++last);
        use(request);
        CPPUNIT_ASSERT_EQUAL(last, request.committed(7).supplier);
    }
}

TEST(ChangeLogTest, theThreadsOfARequestKnowOfEachOtherWhatWasLearned) {
    change(7, 1);
    RequestDatabase request(_database, RequestDatabase::Clock::now());
    _database.committed(7);
    std::thread([&] {
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, request.committed(7).supplier);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{1}, _database.questions().questions);
    }).join();
    change(7, 2);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, request.committed(7).supplier);
}

TEST(ChangeLogTest, aRequestTakesTheNumberOfAccountsAndItsSuppliersFromOneQuestion) {
    change(7, 1);
    RequestDatabase request(_database, RequestDatabase::Clock::now());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, request.accounts(7));
    change(7, 2);
    _database.committed(8);                                               // whose question was not about this supplier
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, request.committed(7).supplier); // it came before that
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{2}, _database.questions().questions);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, request.committed(7).supplier); // and has learned something
}

TEST(ChangeLogTest, theAnswerForAnAccountIsNoneAboutAnotherSupplierNorAfterTheDatabaseWasUsed) {
    change(7, 1);
    change(8, 1);
    RequestDatabase other(_database, RequestDatabase::Clock::now());
    other.accounts(7);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, other.committed(8).supplier);
    RequestDatabase request(_database, RequestDatabase::Clock::now());
    request.accounts(7);
    change(7, 2);
    request.withSession([](SqlSession&) {});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, request.committed(7).supplier);
}

TEST(ChangeLogTest, aRequestSeesAChangeOfAccountsThatCameBeforeIt) {
    RequestDatabase(_database, RequestDatabase::Clock::now()).accounts(7);
    _database.withTransaction([](Transaction& transaction) { ChangeLogStore::changeAccounts(transaction); });
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, RequestDatabase(_database, RequestDatabase::Clock::now()).accounts(7));
    CPPUNIT_ASSERT(after(ChangeLogStore::ACCOUNTS, 0).entries.empty());
}

TEST(ChangeLogTest, aRequestTakesNoAnswerAboutAnotherSupplier) {
    change(7, 1);
    change(8, 1);
    RequestDatabase request(_database, RequestDatabase::Clock::now());
    _database.committed(7);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, request.committed(8).supplier);
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{2}, _database.questions().questions);
}

TEST(ChangeLogTest, aQuestionAsksForASupplierOfManyRequestsToo) {
    change(7, 1);
    change(8, 1);
    // Those who ask again and again, for longer than requests are counted, are busy from then on.
    const auto until = RequestDatabase::Clock::now() + std::chrono::milliseconds(600);
    while (RequestDatabase::Clock::now() < until)
        _database.committed(8);
    const std::uint64_t before = _database.questions().questions;
    RequestDatabase request(_database, RequestDatabase::Clock::now());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _database.committed(7).supplier);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, request.committed(8).supplier);
    CPPUNIT_ASSERT_EQUAL(before + 1, _database.questions().questions);
}

TEST(ChangeLogTest, packedIdsAreShort) {
    Ids ids(500);
    for (std::size_t i = 0; i < ids.size(); ++i)
        ids[i] = 1'000'000 + static_cast<std::int64_t>(i) * 200;
    std::string packed;
    host::packIds(packed, ids);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2 + 3 + 499 * 2}, packed.size());
}

TEST(ChangeLogTest, damagedIdsAreAll) {
    std::string packed;
    host::packIds(packed, Ids{1, 2, 3'000'000});
    for (std::size_t size = 0; size < packed.size(); ++size) {
        std::string_view cut = std::string_view(packed).substr(0, size);
        CPPUNIT_ASSERT(!host::unpackIds(cut));
        CPPUNIT_ASSERT(cut.empty());
    }
    for (const std::string& wrong : {std::string(20, '\xff'), std::string("\xff\xff\xff\xff\x0f\x01", 6)}) {
        std::string_view bytes = wrong;
        CPPUNIT_ASSERT(!host::unpackIds(bytes));
    }
    change(7, 1);
    _server.exec("UPDATE changes SET ids = 'x'");
    CPPUNIT_ASSERT((Texts{"product.updated -"}) == changesOf(_server, 7));
}

} // namespace supplierd::tests
