#include "tests/sdk/operating/OperatedServer.h"
#include "tests/support/Test.h"

#include <optional>

namespace supplierd::tests {

/// What a plugin brings for operators: commands of `supplierctl`, checks of `doctor`, readiness, kinds of audit
/// entries.
class OperationsTest : public CppUnit::TestFixture {
public:
    void setUp() override { _operated.emplace(); }
    void tearDown() override { _operated.reset(); }

protected:
    static void assertHas(const std::string& text, const std::string& part) {
        CPPUNIT_ASSERT_MESSAGE(text, text.find(part) != std::string::npos);
    }
    void set(const std::string& name, const std::string& value) {
        const auto response =
            _operated->client().request("PUT", "/operated/settings/" + name, {{"Content-Type", "application/json"}},
                                        nlohmann::json{{"value", value}}.dump());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
    }
    void setHose(const std::string& state) { set("hose", state); }
    std::string finding(const std::string& check = "operated: hose") {
        const auto result = _operated->run({"doctor", "--time-limit", "5", "--json"});
        const auto report = nlohmann::json::parse(result.output);
        for (const auto& found : report.at("findings"))
            if (found.at("check").get<std::string>() == check)
                return found.at("level").get<std::string>() + " " + found.at("message").get<std::string>() +
                       (found.at("fix").is_null() ? "" : " " + found.at("fix").get<std::string>());
        CPPUNIT_FAIL(result.output);
        return {};
    }

    std::optional<OperatedServer> _operated;
};

TEST(OperationsTest, commandPrintsATableOrJson) {
    OperatedServer::waitUntil("a run", [&] { return _operated->runsOf("often") > 0; });
    _operated->server().stop(); // it needs no server
    const auto runs = _operated->runJson({"operated", "runs", "often"}).at("runs");
    CPPUNIT_ASSERT_EQUAL(_operated->runsOf("often"), runs.at(0).at("count").get<std::int64_t>());
    const auto text = _operated->run({"operated", "runs", "often"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(text.errors, 0, text.exitCode);
    assertHas(text.output, "JOB    COUNT\noften");
}

TEST(OperationsTest, commandTakesOptionsAndFlags) {
    const auto plain = _operated->run({"operated", "runs", "woken", "--plain"});
    assertHas(plain.output, "some runs of woken for supplierctl:");
    assertHas(_operated->runJson({"operated", "runs", "woken", "--plain"}).at("message").get<std::string>(),
              "some runs of woken");
}

TEST(OperationsTest, commandEndsWithItsExitCode) {
    const auto few = _operated->run({"operated", "runs", "woken", "--at-least", "1000000"});
    CPPUNIT_ASSERT_EQUAL(1, few.exitCode);
    assertHas(few.errors, "supplierctl: only 0 runs of woken");
    CPPUNIT_ASSERT_EQUAL(2, _operated->run({"operated", "runs", "nothing"}).exitCode);
    CPPUNIT_ASSERT_EQUAL(
        std::string("usage"),
        _operated->runJson({"operated", "runs", "nothing"}, 2).at("error").at("code").get<std::string>());
}

TEST(OperationsTest, helpAndCompletionKnowTheCommands) {
    const auto group = _operated->run({"operated", "--help"});
    CPPUNIT_ASSERT_EQUAL(0, group.exitCode);
    assertHas(group.output, "Count the runs of a job");
    assertHas(_operated->run({"operated", "runs", "--help"}).output, "Fail when there are fewer");
    const auto completed = runCommand({.arguments = {ServerProcess::controlProgram(), "__complete", "--config",
                                                     _operated->server().configFile(), "operated", "r"}});
    assertHas(completed.output, "runs\tCount the runs of a job");
}

TEST(OperationsTest, helpNeedsNoDatabase) {
    _operated->server().stop();
    writeWholeFile(_operated->server().directory() / "conf.d/95-away.toml",
                   "[database]\nsocket = \"/nonexistent/mariadb.sock\"\n");
    const auto group = _operated->run({"operated", "--help"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(group.errors, 0, group.exitCode);
    assertHas(group.output, "Count the runs of a job");
    assertHas(_operated->run({"operated", "runs", "--help"}).output, "Fail when there are fewer");
    const auto refused = _operated->run({"operated", "runs", "often"});
    CPPUNIT_ASSERT_EQUAL(1, refused.exitCode);
    assertHas(refused.errors, "supplierctl: database: ");
    assertHas(refused.errors, "/nonexistent/mariadb.sock");
}

TEST(OperationsTest, commandJoinsAGroupOfSupplierctl) {
    const auto weighed = _operated->run({"product", "weigh", "6"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(weighed.errors, 0, weighed.exitCode);
    CPPUNIT_ASSERT_EQUAL(std::string("42 kg\n"), weighed.output);
    CPPUNIT_ASSERT_EQUAL(std::string(), weighed.errors); // a bar is for terminals
    const auto help = _operated->run({"product", "--help"}).output;
    assertHas(help, "Say what products weigh");
    assertHas(help, "Let products appear in the catalogue");
    assertHas(_operated->run({"product", "weigh", "--help"}).output, "By which");
    const auto completed = runCommand({.arguments = {ServerProcess::controlProgram(), "__complete", "--config",
                                                     _operated->server().configFile(), "product", "w"}});
    assertHas(completed.output, "weigh\tSay what products weigh");
    CPPUNIT_ASSERT_EQUAL(2, _operated->run({"operated", "weigh", "6"}).exitCode);
    assertHas(_operated->run({"product", "weight"}).errors, "did you mean 'weigh'?");
}

TEST(OperationsTest, commandOfSupplierctlWinsOverThatOfAPlugin) {
    const auto listed = _operated->run({"product", "list"});
    assertHas(listed.output + listed.errors, "catalog"); // of which it lists products: not enabled here
}

TEST(OperationsTest, groupIsThereWhenPluginsCannotBeStarted) {
    _operated->server().stop();
    writeWholeFile(_operated->server().directory() / "conf.d/95-wrong.toml", "[plugins.operated]\nwrong = 1\n");
    const auto help = _operated->run({"product", "--help"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(help.errors, 0, help.exitCode);
    assertHas(help.output, "Let products appear in the catalogue");
    const auto refused = _operated->run({"product", "weigh", "6"});
    CPPUNIT_ASSERT_EQUAL(2, refused.exitCode);
    assertHas(refused.errors, "unknown key 'wrong'"); // why it is not there
}

TEST(OperationsTest, slipsAreToldAsOfOurOwnCommands) {
    const auto slip = _operated->run({"operated", "rums"});
    CPPUNIT_ASSERT_EQUAL(2, slip.exitCode);
    assertHas(slip.errors, "there is no command 'supplierctl operated rums'; did you mean 'runs'?");
    CPPUNIT_ASSERT_EQUAL(2, _operated->run({"operated", "runs"}).exitCode);
    CPPUNIT_ASSERT_EQUAL(2, _operated->run({"operated", "runs", "often", "--at-least", "many"}).exitCode);
    CPPUNIT_ASSERT_EQUAL(2, _operated->run({"opperated", "runs"}).exitCode);
}

TEST(OperationsTest, doctorShowsThePluginsChecks) {
    CPPUNIT_ASSERT_EQUAL(std::string("good tight"), finding());
    setHose("leaks");
    CPPUNIT_ASSERT_EQUAL(std::string("error it leaks close the tap"), finding());
    setHose("gone");
    CPPUNIT_ASSERT_EQUAL(std::string("error the check failed: there is no hose as the message says"), finding());
    CPPUNIT_ASSERT_EQUAL(1, _operated->run({"doctor"}).exitCode);
}

TEST(OperationsTest, doctorNamesTheCheckThatHangsOrCrashes) {
    setHose("hangs");
    CPPUNIT_ASSERT_EQUAL(std::string("error the check did not end: it took longer than 5 s and was ended see what it "
                                     "looks at, or tell the plugin's author"),
                         finding());
    CPPUNIT_ASSERT_EQUAL(std::string("good full"), finding("operated: tank")); // the next one is run all the same
    setHose("bursts");
    assertHas(finding(), "error the check did not end: it crashed (");
    CPPUNIT_ASSERT_EQUAL(std::string("good full"), finding("operated: tank"));
}

TEST(OperationsTest, pluginMakesTheServerUnready) {
    const auto ready = _operated->server().adminClient().get("/readyz");
    CPPUNIT_ASSERT_EQUAL(200, ready.status);
    CPPUNIT_ASSERT_EQUAL(std::string("ok"), ready.json().at("checks").at("plugin operated").get<std::string>());
    set("thirst", "yes");
    const auto unready = _operated->server().adminClient().get("/readyz");
    CPPUNIT_ASSERT_EQUAL(503, unready.status);
    CPPUNIT_ASSERT_EQUAL(std::string("no water"), unready.json().at("checks").at("plugin operated").get<std::string>());
    set("thirst", "no");
    CPPUNIT_ASSERT_EQUAL(200, _operated->server().adminClient().get("/readyz").status);
}

TEST(OperationsTest, auditKnowsTheKindsOfPlugins) {
    assertHas(_operated->run({"audit", "--object", "operatedd"}).errors, "operated,");
    const auto none = _operated->run({"audit", "--object", "operated"});
    CPPUNIT_ASSERT_EQUAL(0, none.exitCode);
    CPPUNIT_ASSERT_EQUAL(std::string(), none.errors);
}

} // namespace supplierd::tests
