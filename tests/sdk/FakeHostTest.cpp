#include "tests/support/Test.h"

#include <supplierd/testing/FakeHost.h>

namespace supplierd::tests {

using testing::FakeHost;

class FakeHostTest : public CppUnit::TestFixture {
protected:
    struct Weather {
        static constexpr std::string_view ID = "test.weather/1";
        int degrees = 0;
    };

    FakeHost fake;
    Host& host = fake;
};

TEST(FakeHostTest, logLinesAreCaptured) {
    host.log().warning("the vase is full", {{"litres", 3}, {"name", "Ming"}});
    CPPUNIT_ASSERT(fake.log().contains("vase"));
    CPPUNIT_ASSERT(!fake.log().contains("empty"));
    CPPUNIT_ASSERT(fake.log().lines()[0].level == LogLevel::Warning);
    CPPUNIT_ASSERT_EQUAL(std::string("3"), fake.log().lines()[0].fields[0].value);
}

TEST(FakeHostTest, metricsCanBeRead) {
    Counter& sold = host.metrics().counter("sold", "Stems sold", {{"flower", "rose"}});
    sold.add();
    sold.add(2);
    CPPUNIT_ASSERT_EQUAL(&sold, &host.metrics().counter("sold", "Stems sold", {{"flower", "rose"}}));
    host.metrics().gauge("open", "Open").set(4);
    host.metrics().gauge("open", "Open").add(-1);
    host.metrics().histogram("ms", "Time", {1, 10}).observe(3.5);

    CPPUNIT_ASSERT_EQUAL(3.0, fake.metrics().value("sold", {{"flower", "rose"}}));
    CPPUNIT_ASSERT_EQUAL(0.0, fake.metrics().value("sold"));
    CPPUNIT_ASSERT_EQUAL(3.0, fake.metrics().value("open"));
    CPPUNIT_ASSERT(std::vector<double>{3.5} == fake.metrics().observations("ms"));
    CPPUNIT_ASSERT(fake.metrics().observations("none").empty());
}

TEST(FakeHostTest, servicesAreFoundById) {
    CPPUNIT_ASSERT(host.service<Weather>() == nullptr);
    CPPUNIT_ASSERT_THROW(host.require<Weather>(), std::runtime_error);
    Weather weather{21};
    host.offer<Weather>(weather);
    CPPUNIT_ASSERT_EQUAL(21, host.service<Weather>()->degrees);
    CPPUNIT_ASSERT_EQUAL(&weather, &host.require<Weather>());
}

TEST(FakeHostTest, jobsAreRunByTheTest) {
    fake.database().whenExecute("DELETE").thenAffects(3);
    host.service<Jobs>()->add({"sweep", std::chrono::hours(1), [](JobRun& run) {
                                   run.throwIfStopped();
                                   run.withTransaction([&](Transaction& transaction) {
                                       run.report(std::to_string(transaction.execute("DELETE FROM marks")));
                                   });
                               }});
    CPPUNIT_ASSERT_EQUAL(std::string("3"), fake.jobs().run("sweep"));
    CPPUNIT_ASSERT_THROW(fake.jobs().run("other"), std::out_of_range);
    fake.jobs().stop.raise();
    CPPUNIT_ASSERT_THROW(fake.jobs().run("sweep"), JobStopped);
    CPPUNIT_ASSERT_EQUAL(1, fake.database().commits());
}

TEST(FakeHostTest, jobWorksInPiecesUntilNothingIsLeft) {
    fake.database().whenExecute("DELETE").thenAffects(1'000).thenAffects(3).thenAffects(0);
    host.service<Jobs>()->add({"sweep", std::chrono::hours(1), [](JobRun& run) {
                                   const auto swept = run.inPieces([](Transaction& transaction) {
                                       return transaction.execute("DELETE FROM marks LIMIT 1000");
                                   });
                                   run.report(std::to_string(swept));
                               }});
    CPPUNIT_ASSERT_EQUAL(std::string("1003"), fake.jobs().run("sweep"));
    CPPUNIT_ASSERT_EQUAL(3, fake.database().commits());
    fake.jobs().stop.raise();
    CPPUNIT_ASSERT_THROW(fake.jobs().run("sweep"), JobStopped);
    CPPUNIT_ASSERT_EQUAL(3, fake.database().commits());
}

TEST(FakeHostTest, jobDoesWhatWasRequested) {
    auto& jobs = *host.service<Jobs>();
    jobs.add({"sweep", {}, [](JobRun& run) {
                  run.progress(1, 2, "marks");
                  run.output(run.input());
                  run.report("for " + run.requestedBy());
              }});
    fake.database().withTransaction([&](Transaction& transaction) {
        CPPUNIT_ASSERT(jobs.request(transaction, "sweep", R"({"all":true})", {"ok_ann"}));
        CPPUNIT_ASSERT(!jobs.request(transaction, "other", "{}", {"ok_ann"}));
    });
    const auto asked = fake.jobs().requests.front();
    CPPUNIT_ASSERT_EQUAL(std::string("for ok_ann"), fake.jobs().run(asked.name, asked.input, asked.actor));
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"all":true})"), fake.jobs().output);
    CPPUNIT_ASSERT((std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 2}}) == fake.jobs().progress);
    CPPUNIT_ASSERT_EQUAL(std::string("for "), fake.jobs().run("sweep"));
    CPPUNIT_ASSERT_EQUAL(std::string("{}"), fake.jobs().output);
}

TEST(FakeHostTest, settingsAreReadBack) {
    auto& settings = *host.service<PluginSettings>();
    fake.database().withTransaction([&](Transaction& transaction) {
        settings.set(transaction, "colour", "red");
        settings.set(transaction, "size", "XL");
        settings.remove(transaction, "size");
    });
    CPPUNIT_ASSERT_EQUAL(std::string("red"), fake.settings().values.at("colour"));
    fake.database().withSession([&](SqlSession& session) {
        CPPUNIT_ASSERT(settings.get(session, "colour") == "red");
        CPPUNIT_ASSERT(!settings.get(session, "size"));
    });
    CPPUNIT_ASSERT_THROW(host.service<StateFolder>()->path(), std::runtime_error);
    fake.stateFolder().folder = "/tmp/here";
    CPPUNIT_ASSERT_EQUAL(std::string("/tmp/here"), host.service<StateFolder>()->path());
}

TEST(FakeHostTest, checksAreCalledByTheTest) {
    auto& operations = *host.service<Operations>();
    operations.addCheck({"moon", [] { return CheckResult{CheckResult::Level::Warning, "new", "wait"}; }});
    operations.addReadiness([] { return std::string("too dark"); });
    CPPUNIT_ASSERT_EQUAL(std::string("wait"), fake.operations().check("moon").fix);
    CPPUNIT_ASSERT_EQUAL(std::string("too dark"), fake.operations().readiness());
}

TEST(FakeHostTest, serviceOfTheTestComesFirst) {
    testing::FakeJobs other(fake.database());
    host.offerService(Jobs::ID, static_cast<Jobs*>(&other));
    CPPUNIT_ASSERT(host.service<Jobs>() == &other);
}

} // namespace supplierd::tests
