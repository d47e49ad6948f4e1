#include "host/jobs/JobScheduler.h"

#include "host/db/PooledDatabase.h"
#include "host/db/SessionPool.h"
#include "host/jobs/JobStore.h"
#include "host/observe/CurrentWork.h"
#include "tests/support/ChangesOf.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/Places.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"

#include <supplierd/testing/FakeLogger.h>

#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::tests {

using host::JobScheduler;
using host::JobStore;
using namespace std::chrono_literals;

/// The table jobs, and the pauses of what fails.
class JobSchedulerTest : public CppUnit::TestFixture {
public:
    void setUp() override { _database.exec(readMigration()); }

protected:
    static std::string readMigration();
    void wake() {
        _pooled.withTransaction([&](Transaction& transaction) { JobStore::wake(transaction, KEY); });
    }
    JobScheduler::Transact transact() {
        return [this](const std::string& actor, const auto& work) {
            host::OperationRecord record;
            _pooled.run(record, work, std::nullopt, {actor});
        };
    }
    std::string result() { return _database.text("SELECT CONCAT(result, ' ', message) FROM jobs"); }

    const host::JobKey KEY{"shop", "purge"};
    TestDatabase _database;
    host::SessionPool _pool{_database.sessionSettings(), {.size = 2}};
    host::PooledDatabase _pooled{_pool};
    JobStore _store{_pooled};
};

TEST(JobSchedulerTest, pausesGrowUpToTheInterval) {
    const auto longest = [](std::int64_t failures) { return JobScheduler::pauseAfter(failures, 10s, 1); };
    CPPUNIT_ASSERT(longest(1) == 1s);
    CPPUNIT_ASSERT(longest(2) == 2s);
    CPPUNIT_ASSERT(longest(4) == 8s);
    CPPUNIT_ASSERT(longest(5) == 10s);
    CPPUNIT_ASSERT(JobScheduler::pauseAfter(1'000'000, 0ms, 1) == 1h);
    CPPUNIT_ASSERT(JobScheduler::pauseAfter(3, 100ms, 1) == 100ms);
}

TEST(JobSchedulerTest, pausesAreRandom) {
    CPPUNIT_ASSERT(JobScheduler::pauseAfter(4, 1h, 0) == 4s);
    CPPUNIT_ASSERT(JobScheduler::pauseAfter(4, 1h, 0.5) == 6s);
}

TEST(JobSchedulerTest, namesAreChecked) {
    testing::FakeLogger log;
    JobScheduler jobs(_pooled, log, std::make_shared<prometheus::Registry>(), transact());
    const auto work = [](JobRun&) {};
    jobs.add("shop", {"purge", 1s, work});
    CPPUNIT_ASSERT_THROW(jobs.add("shop", {"purge", 1s, work}), std::logic_error);
    CPPUNIT_ASSERT_THROW(jobs.add("shop", {"Purge it", 1s, work}), std::logic_error);
    CPPUNIT_ASSERT_THROW(jobs.add("shop", {"idle", 1s, {}}), std::logic_error);
    CPPUNIT_ASSERT_THROW(jobs.add("shop", {"backwards", -1s, work}), std::logic_error);
    jobs.add("other", {"purge", 1s, work});
}

TEST(JobSchedulerTest, whatAJobChangesIsInTheLogUnderItsName) {
    _database.exec("INSERT INTO suppliers (id, name) VALUES (7, 'A'); "
                   "INSERT INTO supplier_state (supplier_id) VALUES (7)");
    testing::FakeLogger log;
    JobScheduler jobs(_pooled, log, std::make_shared<prometheus::Registry>(), transact());
    std::promise<void> ran;
    jobs.add("shop", {"purge", 0ms, [&](JobRun& run) {
                          run.withTransaction(
                              [](Transaction& transaction) { transaction.change(7).note("product.updated", 5); });
                          ran.set_value();
                      }});
    _store.enroll(KEY, 0ms);
    wake();
    jobs.start();
    ran.get_future().wait();
    jobs.stop();
    CPPUNIT_ASSERT((std::vector<std::string>{"product.updated 5"}) == changesOf(_database, 7));
    CPPUNIT_ASSERT_EQUAL(std::string("job:shop.purge "), originOfLastChange(_database, 7));
}

TEST(JobSchedulerTest, aRunIsTheWorkOfItsThreadUntilItEnds) {
    testing::FakeLogger log;
    JobScheduler jobs(_pooled, log, std::make_shared<prometheus::Registry>(), transact());
    std::promise<std::vector<std::string>> seen;
    jobs.add("shop", {"purge", 0ms, [&](JobRun&) { seen.set_value(host::CurrentWork::ofAllThreads()); }});
    _store.enroll(KEY, 0ms);
    wake();
    jobs.start();
    CPPUNIT_ASSERT((std::vector<std::string>{"shop: job purge"}) == seen.get_future().get());
    jobs.stop();
    CPPUNIT_ASSERT(host::CurrentWork::ofAllThreads().empty());
}

TEST(JobSchedulerTest, onlyOneOfTwoServersHasTheJob) {
    _store.enroll(KEY, 1h);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _store.due().size());
    CPPUNIT_ASSERT(_store.claim({KEY, "first"}, "here:1"));
    CPPUNIT_ASSERT(!_store.claim({KEY, "second"}, "there:2"));
    CPPUNIT_ASSERT(_store.due().empty());
    _store.succeed({KEY, "first"}, "all well");
    CPPUNIT_ASSERT(!_store.claim({KEY, "second"}, "there:2")); // it is not due for an hour
    CPPUNIT_ASSERT_EQUAL(std::string("done all well"), result());
}

TEST(JobSchedulerTest, whoLostTheJobChangesNothing) {
    _store.enroll(KEY, 1h);
    CPPUNIT_ASSERT(_store.claim({KEY, "first"}, "here:1"));
    _database.exec("UPDATE jobs SET lease_until = NOW(6) - INTERVAL 1 SECOND");
    CPPUNIT_ASSERT(!_store.renew({KEY, "first"}));
    CPPUNIT_ASSERT(_store.claim({KEY, "second"}, "there:2"));
    _store.fail({KEY, "first"}, "too late", 1s);
    CPPUNIT_ASSERT_EQUAL(std::string("second"), _database.text("SELECT owner FROM jobs"));
    const auto isHeld = [&](const char* token) {
        bool held = false;
        _pooled.withTransaction([&](Transaction& transaction) {
            held = JobStore::lockIfHeld(transaction, {KEY, token});
        });
        return held;
    };
    CPPUNIT_ASSERT(!isHeld("first"));
    CPPUNIT_ASSERT(isHeld("second"));
}

TEST(JobSchedulerTest, wakingDuringARunHasItRunOnceMore) {
    _store.enroll(KEY, 0ms);
    CPPUNIT_ASSERT(_store.due().empty());
    wake();
    CPPUNIT_ASSERT(_store.claim({KEY, "first"}, "here:1"));
    wake();
    CPPUNIT_ASSERT(!_store.claim({KEY, "second"}, "there:2"));
    _store.succeed({KEY, "first"}, "");
    CPPUNIT_ASSERT(_store.claim({KEY, "second"}, "there:2"));
    _store.succeed({KEY, "second"}, "");
    CPPUNIT_ASSERT(_store.due().empty());
}

TEST(JobSchedulerTest, otherIntervalIsTakenOver) {
    _store.enroll(KEY, 1h);
    CPPUNIT_ASSERT(_store.claim({KEY, "first"}, "here:1"));
    _store.succeed({KEY, "first"}, "");
    _store.enroll(KEY, 1ms); // not an hour from now any more
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _database.integer("SELECT next_at <= NOW(6) + INTERVAL 1 SECOND FROM jobs"));
    _store.enroll(KEY, 0ms);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _database.integer("SELECT next_at IS NULL FROM jobs"));
}

std::string JobSchedulerTest::readMigration() {
    // PooledDatabase keeps a record of every transaction beside the table of jobs.
    std::string schema;
    for (const char* const file : {"0001_core", "0004_jobs_and_settings", "0005_change_log", "0013_database_runs"})
        schema += readWholeFile(std::filesystem::path(sourcePath("host/migrations")) / (std::string(file) + ".sql"));
    return schema;
}

} // namespace supplierd::tests
