#include "tests/host/ctl/ControlFixture.h"
#include "tests/support/PrivateRedis.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

/// What looks at the installation and changes nothing: status, config show, completion.
class StatusCommandTest : public ControlFixture {
protected:
    static Json find(const Json& settings, const std::string& key) {
        for (const auto& setting : settings)
            if (setting.at("key") == key)
                return setting;
        CPPUNIT_FAIL("no setting " + key + " in " + settings.dump());
        return {};
    }

    /// The values that are offered for the last word, in order.
    static std::string completed(std::vector<std::string> words) {
        words.insert(words.begin(), {ServerProcess::controlProgram(), "__complete"});
        const auto result = runCommand({.arguments = words});
        std::vector<std::string> values;
        std::istringstream lines(result.output);
        for (std::string line; std::getline(lines, line);)
            values.push_back(line.substr(0, line.find('\t')));
        std::sort(values.begin(), values.end());
        std::string text;
        for (const auto& value : values)
            text += value + " ";
        return text;
    }
};

TEST(StatusCommandTest, statusTellsWhatRuns) {
    server().migrate();
    server().start();
    CPPUNIT_ASSERT_EQUAL(401, server().client().get("/products").status);
    const auto status = runJson({"status"});
    CPPUNIT_ASSERT(status.at("running").get<bool>() && status.at("ready").get<bool>());
    CPPUNIT_ASSERT_EQUAL(static_cast<std::int64_t>(server().pid()), status.at("pid").get<std::int64_t>());
    CPPUNIT_ASSERT_EQUAL(std::size_t(2), status.at("plugins").size());
    CPPUNIT_ASSERT_EQUAL(std::size_t(0), status.at("restart").size());
    CPPUNIT_ASSERT(status.at("started_at").get<std::string>().ends_with("Z"));
    CPPUNIT_ASSERT(status.at("pool").at("waiting").is_number_integer());
    const auto text = runWell({"status"});
    CPPUNIT_ASSERT_MESSAGE(text, text.find("server    runs and is ready\n") != std::string::npos);
    writeExtraConfiguration("# nothing new\n");
    const auto later = runWell({"status"});
    CPPUNIT_ASSERT_MESSAGE(later, later.find("95-more.toml was added") != std::string::npos);
}

TEST(StatusCommandTest, statusTellsWhichNodeIsWrittenTo) {
    server().migrate();
    const std::string socket = database().sessionSettings().socket;
    writeExtraConfiguration("[database]\nsocket = \"\"\nhosts = [\"/nonexistent/db.sock\", \"" + socket + "\"]\n");
    server().start();
    const auto nodes = runJson({"status"}).at("nodes");
    CPPUNIT_ASSERT_EQUAL(std::size_t(2), nodes.size());
    CPPUNIT_ASSERT_EQUAL(std::string("/nonexistent/db.sock"), nodes.at(0).at("name").get<std::string>());
    CPPUNIT_ASSERT(!nodes.at(0).at("up").get<bool>() && !nodes.at(0).at("writer").get<bool>());
    CPPUNIT_ASSERT(nodes.at(1).at("up").get<bool>() && nodes.at(1).at("writer").get<bool>());
    const auto text = runWell({"status"});
    CPPUNIT_ASSERT_MESSAGE(text, text.find("node      /nonexistent/db.sock: away\n") != std::string::npos);
    CPPUNIT_ASSERT_MESSAGE(text, text.find(socket + ": in step, written to\n") != std::string::npos);
}

TEST(StatusCommandTest, statusTellsOfARedisThatIsGoneAndThatNobodyHasAskedSince) {
    PrivateRedis redis;
    server().migrate();
    writeExtraConfiguration(redis.configuration());
    server().start();
    auto text = runWell({"status"});
    CPPUNIT_ASSERT_MESSAGE(text, text.find("redis     in use: ") != std::string::npos);
    redis.kill();
    for (int i = 0; i < 600 && server().metric("supplierd_redis_away") != 1; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    text = runWell({"status"});
    CPPUNIT_ASSERT_MESSAGE(text, text.find("redis     away: ") != std::string::npos);
    CPPUNIT_ASSERT(runJson({"status"}).at("redis").at("away").get<bool>());
}

TEST(StatusCommandTest, serverThatStandsStillIsToldOnceAndHowItGoesOn) {
    server().migrate();
    server().start();
    const auto pid = std::to_string(server().pid());
    CPPUNIT_ASSERT_EQUAL(0, ::kill(server().pid(), SIGSTOP));
    const auto status = run({"status"});
    const auto report = runJson({"doctor"}, 1).at("findings");
    CPPUNIT_ASSERT_EQUAL(0, ::kill(server().pid(), SIGCONT));
    CPPUNIT_ASSERT_EQUAL(1, status.exitCode);
    CPPUNIT_ASSERT_EQUAL("server    runs, but does not answer: process " + pid +
                             " stands still (SIGSTOP); kill -CONT " + pid + " lets it go on\n",
                         status.output);
    std::vector<std::string> fixes;
    for (const auto& finding : report)
        if (finding.at("level") == "error")
            fixes.push_back(finding.at("check").get<std::string>() + ": " + finding.value("fix", ""));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, fixes.size());
    CPPUNIT_ASSERT_EQUAL("server: let it go on: kill -CONT " + pid, fixes.front());
}

TEST(StatusCommandTest, statusOfAStoppedServerFails) {
    const auto status = runJson({"status"}, 1);
    CPPUNIT_ASSERT(!status.at("running").get<bool>());
    CPPUNIT_ASSERT_EQUAL(std::string("does not run"), status.at("message").get<std::string>());
}

TEST(StatusCommandTest, settingsAreShownWithTheirPlace) {
    writeExtraConfiguration("[server]\n\nthreads = 7\ntrusted_proxies = [\"10.0.0.1\"]\n");
    const auto settings = runJson({"config", "show"}).at("settings");
    const auto threads = find(settings, "server.threads");
    CPPUNIT_ASSERT_EQUAL(std::string("7"), threads.at("value").get<std::string>());
    CPPUNIT_ASSERT(threads.at("from").get<std::string>().ends_with("conf.d/95-more.toml:3"));
    CPPUNIT_ASSERT_EQUAL(std::string("[\"10.0.0.1\"]"),
                         find(settings, "server.trusted_proxies").at("value").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("default"), find(settings, "auth.negative_ttl").at("from").get<std::string>());
    writeExtraConfiguration("[server]\nthreads = \"many\"\n");
    runBadly({"config", "show"}, 1);
}

TEST(StatusCommandTest, secretsAreNeverShown) {
    writeExtraConfiguration("[database]\npassword = \"o-so-secret\"\n");
    std::filesystem::permissions(server().directory() / "conf.d/95-more.toml", std::filesystem::perms(0600));
    const auto shown = run({"config", "show", "--json"});
    CPPUNIT_ASSERT_MESSAGE(shown.output, shown.output.find("o-so-secret") == std::string::npos);
    CPPUNIT_ASSERT_EQUAL(
        std::string("(hidden)"),
        find(Json::parse(shown.output).at("settings"), "database.password").at("value").get<std::string>());
    const auto fromEnvironment = run({"config", "show"}, {{"SUPPLIERD_DATABASE_PASSWORD", "another-secret"}});
    CPPUNIT_ASSERT(fromEnvironment.output.find("another-secret") == std::string::npos);
    CPPUNIT_ASSERT(fromEnvironment.output.find("SUPPLIERD_DATABASE_PASSWORD") != std::string::npos);
}

TEST(StatusCommandTest, completionKnowsEveryCommandAndOption) {
    CPPUNIT_ASSERT_EQUAL(std::string("doctor "), completed({"doc"}));
    const auto ofProducts = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {"--config", configFile(), "product"});
        return completed(words);
    };
    CPPUNIT_ASSERT_EQUAL(std::string("approve "), ofProducts({"app"}));
    CPPUNIT_ASSERT_EQUAL(std::string("--reason "), ofProducts({"reject", "17", "--rea"}));
    CPPUNIT_ASSERT_EQUAL(std::string("--json "), ofProducts({"reject", "17", "--js"}));
    CPPUNIT_ASSERT_EQUAL(std::string(), ofProducts({"reject", "--reason", "app"}));
    CPPUNIT_ASSERT_EQUAL(std::string(), completed({"nonsense"}));
}

TEST(StatusCommandTest, completionKnowsChoicesPluginsAndFiles) {
    CPPUNIT_ASSERT_EQUAL(std::string("bash fish zsh "), completed({"completion", ""}));
    CPPUNIT_ASSERT_EQUAL(std::string("pending "),
                         completed({"--config", configFile(), "product", "list", "--status", "pen"}));
    CPPUNIT_ASSERT_EQUAL(std::string("catalog categories "),
                         completed({"--config", configFile(), "plugin", "disable", "cat"}));
    CPPUNIT_ASSERT_EQUAL(std::string(":files "), completed({"plugin", "validate", ""}));
}

TEST(StatusCommandTest, bashCompletes) {
    const auto script = server().directory() / "completion.bash";
    writeWholeFile(script, runWell({"completion", "bash"}));
    const auto completed = [&](const std::string& words, int index) {
        const auto result = runCommand(
            {.arguments = {"bash", "--norc", "-c",
                           "set -eu; . " + script.string() + "; COMP_WORDS=(" +
                               ServerProcess::controlProgram().string() + " " + words +
                               "); COMP_CWORD=" + std::to_string(index) +
                               "; _supplierctl; printf '%s ' \"${COMPREPLY[@]}\"; complete -p supplierctl"}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 0, result.exitCode);
        return result.output;
    };
    CPPUNIT_ASSERT_EQUAL(std::string("disable complete -F _supplierctl supplierctl\n"), completed("plugin dis", 2));
    const auto files = completed("plugin validate " + (server().directory() / "supplierd.t").string(), 3);
    CPPUNIT_ASSERT_MESSAGE(files, files.starts_with(configFile().string() + " "));
}

/// As far as these shells are here: bash is everywhere.
TEST(StatusCommandTest, zshAndFishTakeTheirScripts) {
    for (const std::string shell : {"zsh", "fish"}) {
        const auto script = server().directory() / ("completion." + shell);
        const auto text = runWell({"completion", shell});
        CPPUNIT_ASSERT(text.find("__complete") != std::string::npos);
        writeWholeFile(script, text);
        if (runCommand({.arguments = {"sh", "-c", "command -v " + shell}}).exitCode != 0)
            continue;
        const auto result = runCommand({.arguments = {shell, "-n", script}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 0, result.exitCode);
    }
}

} // namespace supplierd::tests
