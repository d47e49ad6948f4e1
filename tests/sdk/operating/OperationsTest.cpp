#include "tests/sdk/operating/OperatedServer.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

namespace supplierd::tests {

/// What a plugin brings for operators: commands of `supplierctl`, checks of `doctor`, readiness, kinds of audit
/// entries. The commands are rows of its OpenAPI document.
class OperationsTest : public CppUnit::TestFixture {
protected:
    void set(const std::string& name, const std::string& value) {
        const auto response = _operated.client().request(
            "PUT", "/operated/settings/" + name, {{"Content-Type", "application/json"}}, Json{{"value", value}}.dump());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
    }
    void setHose(const std::string& state) { set("hose", state); }
    std::string finding(const std::string& check = "operated: hose", const std::string& seconds = "10") {
        const auto result = _operated.run({"doctor", "--time-limit", seconds, "--json"});
        const auto report = Json::parse(result.output);
        for (const auto& found : report.at("findings"))
            if (found.at("check").get<std::string>() == check)
                return found.at("level").get<std::string>() + " " + found.at("message").get<std::string>() +
                       (found.at("fix").is_null() ? "" : " " + found.at("fix").get<std::string>());
        CPPUNIT_FAIL(result.output);
        return {};
    }

    OperatedServer _operated;
};

TEST(OperationsTest, commandPrintsATableOrJson) {
    waitFor("a run", [&] { return _operated.runsOf("often") > 0; });
    const auto runs = _operated.runJson({"operated", "runs", "often"}).at("runs");
    CPPUNIT_ASSERT_EQUAL(std::string("often"), runs.at(0).at("job").get<std::string>());
    const auto text = _operated.run({"operated", "runs", "often"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(text.errors, 0, text.exitCode);
    requireIn("JOB    COUNT\noften", text.output);
}

TEST(OperationsTest, commandEndsWithItsExitCode) {
    const auto few = _operated.run({"operated", "runs", "woken", "--at-least", "1000000"});
    CPPUNIT_ASSERT_EQUAL(1, few.exitCode);
    requireIn("woken", few.output);
    const auto none = _operated.run({"operated", "runs", "nothing"});
    CPPUNIT_ASSERT_EQUAL(1, none.exitCode);
    requireIn("supplierctl: 'nothing' is no job", none.errors);
    CPPUNIT_ASSERT_EQUAL(2, _operated.run({"operated", "runs", "woken", "--at-least", "0"}).exitCode);
    CPPUNIT_ASSERT_EQUAL(
        std::string("failed"),
        _operated.runJson({"operated", "runs", "nothing"}, 1).at("error").at("code").get<std::string>());
}

TEST(OperationsTest, helpAndCompletionKnowTheCommands) {
    const auto group = _operated.run({"operated", "--help"});
    CPPUNIT_ASSERT_EQUAL(0, group.exitCode);
    requireIn("Count the runs of a job", group.output);
    requireIn("Fail when there are fewer", _operated.run({"operated", "runs", "--help"}).output);
    const auto completed = runCommand({.arguments = {ServerProcess::controlProgram(), "__complete", "--config",
                                                     _operated.server().configFile(), "operated", "r"}});
    requireIn("runs\tCount the runs of a job", completed.output);
}

TEST(OperationsTest, helpNeedsNoServer) {
    _operated.server().stop();
    const auto group = _operated.run({"operated", "--help"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(group.errors, 0, group.exitCode);
    requireIn("Count the runs of a job", group.output);
    requireIn("Fail when there are fewer", _operated.run({"operated", "runs", "--help"}).output);
    const auto refused = _operated.run({"operated", "runs", "often"});
    CPPUNIT_ASSERT_EQUAL(1, refused.exitCode);
    requireIn("no server runs here", refused.errors);
}

TEST(OperationsTest, commandJoinsAGroup) {
    const auto weighed = _operated.run({"product", "weigh", "6"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(weighed.errors, 0, weighed.exitCode);
    CPPUNIT_ASSERT_EQUAL(std::string("42 kg\n"), weighed.output);
    requireIn("Say what products weigh", _operated.run({"product", "--help"}).output);
    requireIn("By which", _operated.run({"product", "weigh", "--help"}).output);
    CPPUNIT_ASSERT_EQUAL(2, _operated.run({"operated", "weigh", "6"}).exitCode);
    CPPUNIT_ASSERT_EQUAL(2, _operated.run({"product", "weigh", "much"}).exitCode);
    requireIn("did you mean 'weigh'?", _operated.run({"product", "weight"}).errors);
}

TEST(OperationsTest, slipsAreReportedAsOfOurOwnCommands) {
    const auto slip = _operated.run({"operated", "rums"});
    CPPUNIT_ASSERT_EQUAL(2, slip.exitCode);
    requireIn("there is no command 'supplierctl operated rums'; did you mean 'runs'?", slip.errors);
    CPPUNIT_ASSERT_EQUAL(2, _operated.run({"operated", "runs"}).exitCode);
    CPPUNIT_ASSERT_EQUAL(2, _operated.run({"operated", "runs", "often", "--at-least", "many"}).exitCode);
    CPPUNIT_ASSERT_EQUAL(2, _operated.run({"opperated", "runs"}).exitCode);
}

TEST(OperationsTest, doctorShowsThePluginsChecks) {
    CPPUNIT_ASSERT_EQUAL(std::string("good tight"), finding());
    setHose("leaks");
    CPPUNIT_ASSERT_EQUAL(std::string("error it leaks close the tap"), finding());
    setHose("gone");
    CPPUNIT_ASSERT_EQUAL(std::string("error the check failed: there is no hose as the message says"), finding());
    CPPUNIT_ASSERT_EQUAL(1, _operated.run({"doctor"}).exitCode);
}

TEST(OperationsTest, doctorDoesNotWaitForACheckThatHangs) {
    CPPUNIT_ASSERT_EQUAL(std::string("good full"), finding("operated: tank"));
    setHose("hangs");
    CPPUNIT_ASSERT_EQUAL(std::string("error did not answer within 5 s as the message says"), finding());
    CPPUNIT_ASSERT_EQUAL(std::string("good full"), finding("operated: tank"));
    requireIn("warning the plugins' checks were left out (enabled plugins: 1): ", finding("plugin checks", "1"));
    _operated.server().kill(); // its end would wait for the check
}

TEST(OperationsTest, doctorLeavesTheChecksOutWithoutAServer) {
    _operated.server().stop();
    requireIn("warning the plugins' checks were left out (enabled plugins: 1): no server runs here",
              finding("plugin checks"));
}

TEST(OperationsTest, pluginMakesTheServerUnready) {
    const auto ready = _operated.server().adminClient().get("/readyz");
    CPPUNIT_ASSERT_EQUAL(200, ready.status);
    CPPUNIT_ASSERT_EQUAL(std::string("ok"), ready.json().at("checks").at("plugin operated").get<std::string>());
    set("thirst", "yes");
    const auto unready = _operated.server().adminClient().get("/readyz");
    CPPUNIT_ASSERT_EQUAL(503, unready.status);
    CPPUNIT_ASSERT_EQUAL(std::string("no water"), unready.json().at("checks").at("plugin operated").get<std::string>());
    set("thirst", "no");
    CPPUNIT_ASSERT_EQUAL(200, _operated.server().adminClient().get("/readyz").status);
}

TEST(OperationsTest, auditKnowsTheKindsOfPlugins) {
    OperatedServer platform({}, {"platform"});
    requireIn("operated, ", platform.run({"audit", "--object", "operatedd"}).errors);
    const auto none = platform.run({"audit", "--object", "operated"});
    CPPUNIT_ASSERT_EQUAL(0, none.exitCode);
    CPPUNIT_ASSERT_EQUAL(std::string(), none.errors);
}

} // namespace supplierd::tests
