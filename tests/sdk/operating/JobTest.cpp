#include "tests/sdk/operating/OperatedServer.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <csignal>

namespace supplierd::tests {

/// Jobs of a plugin in real servers: `supplierctl job`, and the service Jobs.
class JobTest : public CppUnit::TestFixture {
protected:
    void waitForRows() {
        waitFor("rows of jobs", [&] { return _operated.runJson({"job", "list"}).at("jobs").size() == 6; });
    }
    std::int64_t failures() {
        return _operated.database().integer("SELECT COALESCE(MAX(failures), 0) FROM jobs WHERE name = 'failing'");
    }
    std::string token() {
        return _operated.database().text("SELECT COALESCE(owner, '') FROM jobs WHERE name = 'endless'");
    }

    OperatedServer _operated;
};

TEST(JobTest, jobRunsAgainAndAgain) {
    waitFor("three runs", [&] { return _operated.runsOf("often") >= 3; });
    waitFor("a result", [&] { return !_operated.job("often").at("result").is_null(); });
    const auto job = _operated.job("often");
    CPPUNIT_ASSERT_EQUAL(std::string("often was here"), job.at("message").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{100}, job.at("every_ms").get<std::int64_t>());
    const auto text = _operated.run({"job", "list"}).output;
    CPPUNIT_ASSERT_MESSAGE(text,
                           text.find("100ms") != std::string::npos && text.find("when woken") != std::string::npos);
}

TEST(JobTest, jobWithoutIntervalRunsWhenItIsWoken) {
    waitFor("its row", [&] { return !_operated.runJson({"job", "list"}).at("jobs").empty(); });
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _operated.runsOf("woken"));
    CPPUNIT_ASSERT_EQUAL(200, _operated.client().postEmpty("/operated/wake/woken").status);
    waitFor("its run", [&] { return _operated.runsOf("woken") == 1; });
    waitFor("its end", [&] { return !_operated.job("woken").at("result").is_null(); });
    CPPUNIT_ASSERT(_operated.job("woken").at("next_at").is_null());
    CPPUNIT_ASSERT_EQUAL(404, _operated.client().postEmpty("/operated/wake/nothing").status);
}

TEST(JobTest, operatorHasAJobRun) {
    waitForRows();
    const auto job = _operated.runJson({"job", "run", "operated", "woken"}).at("job");
    CPPUNIT_ASSERT_EQUAL(std::string("done"), job.at("state").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, job.at("run").get<std::int64_t>());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _operated.runsOf("woken"));
    CPPUNIT_ASSERT_EQUAL(std::string("job.run"),
                         _operated.database().text("SELECT action FROM audit_log ORDER BY id DESC LIMIT 1"));
}

TEST(JobTest, operatorNeedNotWaitForAJob) {
    const auto begun = _operated.runJson({"job", "run", "operated", "endless", "--no-wait"}).at("job");
    CPPUNIT_ASSERT(begun.at("state") == "waiting" || begun.at("state") == "running");
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, begun.at("run").get<std::int64_t>());
    waitFor("its run", [&] {
        return _operated.runJson({"job", "show", "operated", "endless"}).at("job").at("state") == "running";
    });
    requireIn("running_on: ", _operated.run({"job", "show", "operated", "endless"}).output);
}

TEST(JobTest, operatorStopsARunningJob) {
    waitForRows();
    requireIn("does not run", _operated.run({"job", "stop", "operated", "endless"}).errors);
    _operated.runJson({"job", "run", "operated", "endless", "--no-wait"});
    waitFor("its run", [&] { return _operated.job("endless").at("state") == "running"; });
    const auto asked = _operated.run({"job", "stop", "operated", "endless"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(asked.errors, 0, asked.exitCode);
    waitFor("its end", [&] { return _operated.job("endless").at("state") == "stopped"; });
    const auto job = _operated.job("endless");
    requireIn("at the request of local: ", job.at("message").get<std::string>());
    CPPUNIT_ASSERT(job.at("next_at").is_null()); // it does not go on
    CPPUNIT_ASSERT_EQUAL(std::string("job.stop"),
                         _operated.database().text("SELECT action FROM audit_log ORDER BY id DESC LIMIT 1"));
}

TEST(JobTest, failingJobIsToldAndTriedAgain) {
    waitFor("two failures", [&] { return failures() >= 2; });
    const auto job = _operated.job("failing");
    CPPUNIT_ASSERT_EQUAL(std::string("failed"), job.at("result").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("no water"), job.at("message").get<std::string>());
    CPPUNIT_ASSERT(!job.at("next_at").is_null());
    const auto log = _operated.server().log();
    requireIn("a job failed", log);
    const auto refused = _operated.run({"job", "run", "operated", "failing"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(refused.output + refused.errors, 1, refused.exitCode);
}

TEST(JobTest, whatAnOperatorHadRunAndFailedIsNotTriedAgain) {
    waitForRows();
    const auto failed = _operated.run({"job", "run", "operated", "broken"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(failed.output + failed.errors, 1, failed.exitCode);
    const auto job = _operated.job("broken");
    CPPUNIT_ASSERT_EQUAL(std::string("failed"), job.at("state").get<std::string>());
    CPPUNIT_ASSERT(job.at("next_at").is_null());
    requireIn("local: ", job.at("requested_by").get<std::string>());
}

TEST(JobTest, jobThatWantsAnInputIsNotRunByItsName) {
    waitForRows();
    const auto refused = _operated.run({"job", "run", "operated", "asked"});
    CPPUNIT_ASSERT_EQUAL(1, refused.exitCode);
    requireIn("wants an input; use: supplierctl operated ask --for WATER", refused.errors);
    CPPUNIT_ASSERT_EQUAL(std::string("idle"), _operated.job("asked").at("state").get<std::string>());
}

TEST(JobTest, unknownJobIsRefused) {
    waitForRows();
    const auto refused = _operated.run({"job", "run", "operated", "wokem"});
    CPPUNIT_ASSERT_EQUAL(1, refused.exitCode);
    requireIn("operated woken", refused.errors);
}

TEST(JobTest, metricsCountRuns) {
    waitFor("a counted run", [&] {
        const auto metrics = _operated.server().adminClient().get("/metrics").body;
        const std::string name = "supplierd_job_runs_total{job_name=\"often\",plugin=\"operated\",result=\"done\"} ";
        const auto place = metrics.find(name);
        return place != std::string::npos && metrics.at(place + name.size()) != '0';
    });
}

TEST(JobTest, runningJobIsAskedToEndWithTheServer) {
    waitForRows();
    _operated.client().postEmpty("/operated/wake/endless");
    waitFor("its run", [&] { return !_operated.job("endless").at("running_on").is_null(); });
    CPPUNIT_ASSERT_EQUAL(0, _operated.server().stop());
    const auto row = _operated.database().query("SELECT result, server, next_at FROM jobs WHERE name = 'endless'")[0];
    CPPUNIT_ASSERT_EQUAL(std::string("stopped"), row[0].value_or("-"));
    CPPUNIT_ASSERT(!row[1] && row[2]); // the next server takes it on
}

TEST(JobTest, otherServerTakesOnWhatADeadOneLeft) {
    waitForRows();
    _operated.client().postEmpty("/operated/wake/endless");
    waitFor("its run", [&] { return !_operated.job("endless").at("running_on").is_null(); });
    _operated.server().kill();
    const auto first = token();
    ServerProcess other(_operated.database(), operatedOptions());
    CPPUNIT_ASSERT_EQUAL(first, token()); // the lease of the dead one is respected
    _operated.database().exec("UPDATE jobs SET lease_until = NOW(6) - INTERVAL 1 SECOND WHERE name = 'endless'");
    waitFor("another owner", [&] { return token() != first; });
    CPPUNIT_ASSERT_EQUAL(0, other.stop());
}

/// For the jobs it is the same as if what they wait for were put forwards.
TEST(JobTest, jobRunsAgainWhenTheClockWasPutBack) {
    waitFor("a run", [&] { return _operated.runsOf("often") >= 1; });
    _operated.database().exec("UPDATE jobs SET next_at = NOW(6) + INTERVAL 1 HOUR, owner = NULL, "
                              "lease_until = NULL WHERE name = 'often'");
    const auto runs = _operated.runsOf("often");
    waitFor("two runs more", [&] { return _operated.runsOf("often") >= runs + 2; });
}

} // namespace supplierd::tests
