#include "host/jobs/JobScheduler.h"

#include "host/db/PooledDatabase.h"
#include "host/db/SessionPool.h"
#include "host/jobs/JobStore.h"
#include "host/observe/CurrentWork.h"
#include "tests/support/ChangesOf.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Places.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"

#include <supplierd/Errors.h>
#include <supplierd/testing/FakeLogger.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
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
    std::optional<std::int64_t> request(const std::string& input) {
        std::optional<std::int64_t> run;
        _pooled.withTransaction([&](Transaction& transaction) {
            run = JobStore::request(transaction, KEY, {input, "ok_ann"});
        });
        return run;
    }
    host::JobState state() {
        return _pooled.read([&](SqlSession& session) { return JobStore::find(session, KEY).value(); });
    }
    std::string inputOf(const char* token) { return _store.claim({KEY, token}, "here:1").value().input; }
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
    _store.succeed({KEY, "first"}, {"all well"});
    CPPUNIT_ASSERT(!_store.claim({KEY, "second"}, "there:2")); // it is not due for an hour
    CPPUNIT_ASSERT_EQUAL(std::string("done all well"), result());
}

TEST(JobSchedulerTest, whoLostTheJobChangesNothing) {
    _store.enroll(KEY, 1h);
    CPPUNIT_ASSERT(_store.claim({KEY, "first"}, "here:1"));
    _database.exec("UPDATE jobs SET lease_until = NOW(6) - INTERVAL 1 SECOND");
    CPPUNIT_ASSERT(!_store.renew({KEY, "first"}, {}));
    CPPUNIT_ASSERT(_store.claim({KEY, "second"}, "there:2"));
    _store.fail({KEY, "first"}, {"too late"}, 1s);
    CPPUNIT_ASSERT_EQUAL(std::string("second"), _database.text("SELECT owner FROM jobs"));
    const auto isHeld = [&](const char* token) {
        bool held = false;
        _pooled.withTransaction([&](Transaction& transaction) {
            held = JobStore::lockIfHeld(transaction, {KEY, token});
        });
        return held;
    };
    CPPUNIT_ASSERT(!isHeld("first"));
    _database.exec("UPDATE jobs SET lease_until = NOW(6) + INTERVAL 2 SECOND");
    CPPUNIT_ASSERT(isHeld("second"));
    CPPUNIT_ASSERT_EQUAL_MESSAGE("Galera certifies only what changes the row", std::string("1"),
                                 _database.text("SELECT lease_until > NOW(6) + INTERVAL 3 SECOND FROM jobs"));
}

TEST(JobSchedulerTest, aServerRunsAJobOnceAtATimeWhateverBecameOfItsLease) {
    testing::FakeLogger log;
    JobScheduler jobs(_pooled, log, std::make_shared<prometheus::Registry>(), transact());
    std::atomic<int> runs{0};
    std::atomic<int> atOnce{0};
    std::promise<void> began;
    std::promise<void> ended;
    const auto mayEnd = ended.get_future().share();
    jobs.add("shop", {"purge", 0ms, [&](JobRun&) {
                          CPPUNIT_ASSERT_EQUAL(1, ++atOnce);
                          if (++runs == 1) {
                              began.set_value();
                              mayEnd.wait();
                          }
                          --atOnce;
                      }});
    _store.enroll(KEY, 0ms);
    wake();
    jobs.start();
    began.get_future().wait();
    // Another server has had it meanwhile, and it is due.
    _database.exec("UPDATE jobs SET owner = NULL, lease_until = NULL, next_at = NOW(6)");
    for (int look = 0; look < 5; ++look) {
        jobs.lookSoon();
        std::this_thread::sleep_for(60ms);
    }
    CPPUNIT_ASSERT_EQUAL(1, runs.load());
    ended.set_value();
    waitUntil([&] { return runs == 2; });
    jobs.stop();
}

TEST(JobSchedulerTest, wakingDuringARunHasItRunOnceMore) {
    _store.enroll(KEY, 0ms);
    CPPUNIT_ASSERT(_store.due().empty());
    wake();
    CPPUNIT_ASSERT(_store.claim({KEY, "first"}, "here:1"));
    wake();
    CPPUNIT_ASSERT(!_store.claim({KEY, "second"}, "there:2"));
    _store.succeed({KEY, "first"}, {});
    CPPUNIT_ASSERT(_store.claim({KEY, "second"}, "there:2"));
    _store.succeed({KEY, "second"}, {});
    CPPUNIT_ASSERT(_store.due().empty());
}

TEST(JobSchedulerTest, aRequestedRunHasItsInputUntilItHasEnded) {
    CPPUNIT_ASSERT(!request("{}")); // there is no such job
    _store.enroll(KEY, 0ms);
    CPPUNIT_ASSERT_EQUAL(std::string("idle"), state().state);
    CPPUNIT_ASSERT(request(R"({"all":true})"));
    CPPUNIT_ASSERT_EQUAL(std::string("waiting"), state().state);
    CPPUNIT_ASSERT_THROW(request("{}"), ApiError);
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"all":true})"), inputOf("first"));
    CPPUNIT_ASSERT_EQUAL(std::string("running"), state().state);
    CPPUNIT_ASSERT_THROW(request("{}"), ApiError);
    _store.giveBack({KEY, "first"}, {"stopped in the middle"}); // it goes on, perhaps elsewhere
    CPPUNIT_ASSERT_EQUAL(std::string("waiting"), state().state);
    CPPUNIT_ASSERT_THROW(request("{}"), ApiError);
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"all":true})"), inputOf("second"));
    _store.succeed({KEY, "second"}, {"all well", R"({"seen":7})"});
    const auto job = state();
    CPPUNIT_ASSERT_EQUAL(std::string("done"), job.state);
    CPPUNIT_ASSERT_EQUAL(std::string("ok_ann"), job.requestedBy);
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"seen":7})"), job.report.output);
    CPPUNIT_ASSERT(_store.due().empty());
    wake(); // which is for nobody in particular
    const auto woken = _store.claim({KEY, "third"}, "here:1").value();
    CPPUNIT_ASSERT_EQUAL(std::string("{} "), woken.input + " " + woken.actor);
    CPPUNIT_ASSERT_EQUAL(std::string(), state().report.output);
}

TEST(JobSchedulerTest, aRunKeepsItsNumberUntilItHasEndedAndTheNextHasAnother) {
    const auto run = [this] { return state().state + " " + std::to_string(state().run); };
    _store.enroll(KEY, 0ms);
    CPPUNIT_ASSERT_EQUAL(std::string("idle 0"), run());
    wake();
    CPPUNIT_ASSERT_EQUAL(std::string("waiting 1"), run());
    inputOf("woken");
    CPPUNIT_ASSERT_EQUAL(std::string("running 1"), run());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, request(R"({"all":true})").value());
    CPPUNIT_ASSERT_EQUAL(std::string("running 1"), run()); // the one that was asked for is still to come
    _store.succeed({KEY, "woken"}, {});
    CPPUNIT_ASSERT_EQUAL(std::string("waiting 2"), run());
    inputOf("first");
    _store.giveBack({KEY, "first"}, {});
    CPPUNIT_ASSERT_EQUAL(std::string("waiting 2"), run());
    inputOf("second"); // it goes on
    CPPUNIT_ASSERT_EQUAL(std::string("running 2"), run());
    _store.succeed({KEY, "second"}, {});
    CPPUNIT_ASSERT_EQUAL(std::string("done 2"), run());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, request("{}").value()); // now the second has been overwritten
    CPPUNIT_ASSERT_EQUAL(std::string("waiting 3"), run());
}

TEST(JobSchedulerTest, aRunThatSomebodyStopsDoesNotGoOn) {
    const auto stop = [&] {
        _pooled.withTransaction([&](Transaction& transaction) { JobStore::stop(transaction, KEY, "ok_bob"); });
    };
    _store.enroll(KEY, 0ms);
    request("{}");
    inputOf("first");
    CPPUNIT_ASSERT_EQUAL(std::string(), _store.renew({KEY, "first"}, {}).value());
    stop();
    _store.giveBack({KEY, "first"}, {}); // the server ends before it knows
    inputOf("second");
    CPPUNIT_ASSERT_EQUAL(std::string("ok_bob"), _store.renew({KEY, "second"}, {}).value());
    _store.end({KEY, "second"}, {"at the request of ok_bob"});
    CPPUNIT_ASSERT_EQUAL(std::string("stopped at the request of ok_bob"), result());
    CPPUNIT_ASSERT(_store.due().empty());
    request("{}");
    inputOf("third"); // which nobody has stopped
    CPPUNIT_ASSERT_EQUAL(std::string(), _store.renew({KEY, "third"}, {}).value());
}

TEST(JobSchedulerTest, aRequestDuringAnotherRunComesAfterIt) {
    _store.enroll(KEY, 1h);
    CPPUNIT_ASSERT_EQUAL(std::string("{}"), inputOf("first"));
    CPPUNIT_ASSERT(request(R"({"all":true})"));
    _store.fail({KEY, "first"}, {"no water"}, 1h);
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"all":true})"), inputOf("second"));
    _store.fail({KEY, "second"}, {"no water"}, 1h);
    CPPUNIT_ASSERT_EQUAL(std::string("failed"), state().state);
    CPPUNIT_ASSERT(request("{}"));
}

TEST(JobSchedulerTest, whatWasRequestedAndFailedIsNotTriedAgain) {
    _store.enroll(KEY, 0ms);
    CPPUNIT_ASSERT(request("{}"));
    inputOf("first");
    _store.fail({KEY, "first"}, {"no water"}, 1s);
    CPPUNIT_ASSERT_EQUAL(std::string("failed"), state().state);
    CPPUNIT_ASSERT(!state().nextAt);
    wake();
    inputOf("second");
    _store.fail({KEY, "second"}, {"no water"}, 1s);
    CPPUNIT_ASSERT(state().nextAt); // what only wakes it has nobody who waits
}

TEST(JobSchedulerTest, whoWokeAJobIsOwedARunAlsoWhenARequestFailed) {
    const auto requireTriedAgain = [&] {
        inputOf("requested");
        _store.fail({KEY, "requested"}, {"no water"}, 0ms);
        CPPUNIT_ASSERT(state().nextAt);
        CPPUNIT_ASSERT_EQUAL(std::string("{}"), inputOf("again"));
        _store.succeed({KEY, "again"}, {});
        CPPUNIT_ASSERT(!state().nextAt);
    };
    _store.enroll(KEY, 0ms);
    wake(); // before the request
    request(R"({"all":true})");
    requireTriedAgain();
    request(R"({"all":true})"); // before it was woken
    wake();
    requireTriedAgain();
    wake(); // and it failed before the request
    inputOf("first");
    _store.fail({KEY, "first"}, {"no water"}, 1h);
    request(R"({"all":true})");
    requireTriedAgain();
    wake(); // and it fails after the request
    inputOf("first");
    request(R"({"all":true})");
    _store.fail({KEY, "first"}, {"no water"}, 1h);
    requireTriedAgain();
}

TEST(JobSchedulerTest, howFarARunIsCanBeSeen) {
    testing::FakeLogger log;
    JobScheduler jobs(_pooled, log, std::make_shared<prometheus::Registry>(), transact());
    std::promise<void> seen;
    auto isSeen = seen.get_future();
    jobs.add("shop", {"purge", 0ms, [&](JobRun& run) {
                          CPPUNIT_ASSERT_THROW(run.output("[]"), std::invalid_argument);
                          CPPUNIT_ASSERT_THROW(run.output("{"), std::invalid_argument);
                          CPPUNIT_ASSERT_THROW(run.output(std::string(JobRun::MAX_OUTPUT_BYTES + 1, ' ')),
                                               std::length_error);
                          run.output(R"({"by":")" + run.requestedBy() + R"("})");
                          run.progress(3, 7, "roses");
                          isSeen.wait();
                      }});
    jobs.enroll();
    request("{}");
    jobs.start();
    waitUntil([&] { return state().report.progress.has_value(); });
    CPPUNIT_ASSERT((host::JobProgress{3, 7, "roses"}) == *state().report.progress);
    seen.set_value();
    waitUntil([&] { return state().state == "done"; });
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"by":"ok_ann"})"), state().report.output);
    jobs.stop();
}

TEST(JobSchedulerTest, otherIntervalIsTakenOver) {
    _store.enroll(KEY, 1h);
    CPPUNIT_ASSERT(_store.claim({KEY, "first"}, "here:1"));
    _store.succeed({KEY, "first"}, {});
    _store.enroll(KEY, 1ms); // not an hour from now any more
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _database.integer("SELECT next_at <= NOW(6) + INTERVAL 1 SECOND FROM jobs"));
    _store.enroll(KEY, 0ms);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _database.integer("SELECT next_at IS NULL FROM jobs"));
}

std::string JobSchedulerTest::readMigration() {
    // PooledDatabase keeps a record of every transaction beside the table of jobs.
    std::string schema;
    for (const char* const file : {"0001_core", "0004_jobs_and_settings", "0005_change_log", "0013_database_runs",
                                   "0014_job_requests", "0015_job_stops"})
        schema += readWholeFile(std::filesystem::path(sourcePath("host/migrations")) / (std::string(file) + ".sql"));
    return schema;
}

} // namespace supplierd::tests
