#include "tests/host/ctl/ControlFixture.h"
#include "tests/host/ctl/OtherUser.h"
#include "tests/support/LoopbackOrigin.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

namespace supplierd::tests {

/// The command line itself: help, mistakes, exit codes.
class UsageTest : public ControlFixture {
protected:
    std::vector<std::string> plugins() const override { return {"categories", "catalog", "platform"}; }

    /// As completion tells them: every command below these words that has none below itself.
    std::vector<std::vector<std::string>> leafCommands(const std::vector<std::string>& words) {
        std::vector<std::string> arguments = {ServerProcess::controlProgram(), "__complete", "--config", configFile()};
        arguments.insert(arguments.end(), words.begin(), words.end());
        arguments.emplace_back();
        const auto result = runCommand({.arguments = arguments});
        std::vector<std::vector<std::string>> found;
        std::istringstream lines(result.output);
        for (std::string line; std::getline(lines, line);) {
            auto below = words;
            below.push_back(line.substr(0, line.find('\t')));
            auto help = below;
            help.emplace_back("--help");
            const auto text = run(help).output;
            if (text.find("Subcommands:") != std::string::npos)
                for (auto& leaf : leafCommands(below))
                    found.push_back(std::move(leaf));
            else
                found.push_back(std::move(below));
        }
        return found;
    }
};

TEST(UsageTest, helpNamesEveryGroupOfCommands) {
    const auto help = runWell({"--help"});
    for (const auto* group :
         {"setup", "migrate", "config", "doctor", "status", "completion", "plugin", "job", "supplier", "key",
          "operator-key", "category", "product", "audit", "--json", "--config", "SUPPLIERD_DATABASE_PASSWORD"})
        CPPUNIT_ASSERT_MESSAGE(group, help.find(group) != std::string::npos);
    requireIn("--reason", runWell({"product", "reject", "--help"}));
}

TEST(UsageTest, helpSaysWhatAnOptionTakesAndFitsATerminal) {
    const auto help = runWell({"product", "list", "--help"});
    for (const auto* option : {"--per-page NUMBER", "--status pending|active|inactive", "--cursor TEXT", "--sandbox  "})
        requireIn(option, help);
    std::istringstream lines(help + runWell({"product", "approve", "--help"}));
    for (std::string line; std::getline(lines, line);)
        CPPUNIT_ASSERT_MESSAGE(line, line.size() <= 100);
}

TEST(UsageTest, everyCommandHasExamplesOfItsOwn) {
    std::set<std::string> seen;
    for (const auto& command : leafCommands({})) {
        auto arguments = command;
        arguments.emplace_back("--help");
        const auto help = runWell(arguments);
        const auto examples = help.find("Examples:\n");
        std::string name = "supplierctl";
        for (const auto& word : command)
            name += " " + word;
        CPPUNIT_ASSERT_MESSAGE(name + " has none: add some to ControlProgram.cpp, or to the row of its plugin",
                               examples != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(name, help.find("\n  " + name, examples) != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(name, seen.insert(help.substr(examples)).second);
    }
    CPPUNIT_ASSERT(seen.size() > 30);
}

TEST(UsageTest, fileThatIsNoTomlIsToldInOurOwnWords) {
    const auto told = [&](const std::string& text) {
        writeExtraConfiguration(text);
        const auto problems = runJson({"config", "check"}, 1).at("problems");
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), problems.size());
        return std::to_string(problems.at(0).at("line").get<int>()) + " " +
               problems.at(0).at("message").get<std::string>();
    };
    const auto requireWords = [&](const std::string& text, const std::string& words) {
        const auto message = told(text);
        requireIn(words, message);
        CPPUNIT_ASSERT_MESSAGE(message, message.find("Error while parsing") == std::string::npos);
    };
    requireWords("[log]\nlevel = \"debug\n", "2 the quotation mark is not closed");
    requireWords("[log]\nlevel = \"debug\"\n\n[server]\nthreads = 3\n[log]\nfile = \"-\"\n",
                 "6 the table [log] is here a second time; the first one is in line 1");
    requireWords("[server]\nthreads = 3\nthreads = 4\n",
                 "3 'threads' is set a second time; the first one is in line 2");
    requireWords("[server]\nlisten = 127.0.0.1:8080\n", "2 a text stands between double quotes");
    requireWords("[server]\nthreads: 3\n", "2 there is no = after the key");
    requireWords("[server]\nthreads = 3,\n", "2 something stands behind the value");
    requireWords("[server\n", "1 a table begins with its name in brackets");
    requireWords("[server]\ntrusted_proxies = [\"10.0.0.1\"\n", "the list is not closed");
    requireWords("[log]\nlevel = \"\xff\"\n", "this is no UTF-8");
}

TEST(UsageTest, mistypedCommandIsAnsweredWithTheNearestOne) {
    const auto errors = runBadly({"suplier", "list"}, 2);
    requireIn("there is no command 'supplierctl suplier'; did you mean "
              "'supplier'?",
              errors);
}

TEST(UsageTest, mistypedCommandWithinAGroupIsAnsweredWithTheNearestOne) {
    const auto errors = runBadly({"operator-key", "revok", "1"}, 2);
    requireIn("'supplierctl operator-key revok'; did you mean 'revoke'?", errors);
}

TEST(UsageTest, mistypedOptionIsAnsweredWithTheNearestOne) {
    const auto errors = runBadly({"product", "reject", "1", "--raeson", "x"}, 2);
    requireIn("did you mean '--reason'?", errors);
}

TEST(UsageTest, noCommandIsAUsageError) {
    runBadly({}, 2);
    runBadly({"supplier"}, 2);
    runBadly({"supplier", "verify"}, 2);
    runBadly({"supplier", "verify", "-3"}, 2);
    runBadly({"supplier", "verify", "abc"}, 2);
}

TEST(UsageTest, usageErrorIsAnObjectWithJson) {
    const auto answer = runJson({"plugin", "lst"}, 2);
    CPPUNIT_ASSERT_EQUAL(std::string("usage"), answer.at("error").at("code").get<std::string>());
    requireIn("'list'", answer.at("error").at("message").get<std::string>());
}

TEST(UsageTest, missingConfigurationIsNamed) {
    const auto result =
        runCommand({.arguments = {ServerProcess::controlProgram(), "-c", "/nonexistent/x.toml", "migrate"}});
    CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
    requireIn("/nonexistent/x.toml", result.errors);
}

TEST(UsageTest, unreadableConfigurationIsNotAllowed) {
    std::filesystem::permissions(configFile(), std::filesystem::perms::none);
    std::vector<std::string> arguments = {ServerProcess::controlProgram(), "-c", configFile(), "migrate"};
    if (::geteuid() == 0) { // root may read everything, so somebody else asks, who can reach the folder
        constexpr uid_t NOBODY = 65'534;
        std::filesystem::permissions(server().directory(), std::filesystem::perms(0755));
        if (!isReachableBy(NOBODY, server().directory())) {
            throw Skip("other users reach neither this checkout nor its temporary files");
        }
        const auto nobody = asUser(NOBODY);
        arguments.insert(arguments.begin(), nobody.begin(), nobody.end());
    }
    const auto result = runCommand({.arguments = arguments});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 4, result.exitCode);
    requireIn("may not read the configuration", result.errors);
}

TEST(UsageTest, everyProblemOfTheConfigurationIsToldWithItsPlace) {
    writeExtraConfiguration("[database]\npool_sise = 3\n[server]\nthreads = \"many\"\n");
    const auto answer = runJson({"config", "check"}, 1);
    CPPUNIT_ASSERT(!answer.at("ok").get<bool>());
    CPPUNIT_ASSERT_EQUAL(std::size_t(2), answer.at("problems").size());
    const auto& first = answer.at("problems").at(0);
    CPPUNIT_ASSERT_EQUAL(2, first.at("line").get<int>());
    CPPUNIT_ASSERT_EQUAL(std::string("error"), first.at("severity").get<std::string>());
    requireIn("did you mean 'pool_size'?", first.at("message").get<std::string>());

    const auto errors = runBadly({"supplier", "list"}, 1);
    requireIn("95-more.toml:2:1", errors);
    requireIn("95-more.toml:4:", errors);
}

TEST(UsageTest, brokenConfigurationIsWhyNoServerCanBeAsked) {
    writeExtraConfiguration("[database]\npool_sise = 3\n");
    const auto errors = runBadly({"webhooks", "list"}, 1);
    requireIn("did you mean 'pool_size'?", errors);
    requireIn(".toml:2:1: ", errors);
    requireIn("did you mean 'status'?", runBadly({"statsu"}, 2)); // needs no configuration
}

TEST(UsageTest, goodConfigurationPassesTheCheck) {
    CPPUNIT_ASSERT(runJson({"config", "check"}).at("ok").get<bool>());
    requireIn("good, with 3 plugins enabled", runWell({"config", "check"}));
}

TEST(UsageTest, whatIsNotAllowedAmongSeveralHasItsExitCode) {
    const LoopbackOrigin server([](OriginConnection& connection) {
        for (;; connection.next())
            if (connection.target().ends_with("/commands"))
                connection.answer("200 OK",
                                  R"({"data": {"commands": [{"name": "order complete", "method": "POST", "each": true,
                    "path": "/orders/{id}", "inputs": [{"name": "id", "in": "path", "argument": "ID"}]}]}})");
            else if (connection.target().ends_with("/5"))
                connection.answer("403 Forbidden", R"({"error": {"message": "This order is another operator's"}})");
            else
                connection.answer("200 OK", R"({"data": {}})");
    });
    const auto result =
        run({"--server", "http://127.0.0.1:" + std::to_string(server.port()), "order", "complete", "5", "6"},
            {{"SUPPLIERD_KEY", "ok_aaaaaaaa_b"}});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.output + result.errors, 4, result.exitCode);
    requireIn("not allowed: This order is another operator's", result.output);
    requireIn("\n6   yes", result.output);
}

TEST(UsageTest, unreachableDatabaseIsNamedAndFails) {
    writeExtraConfiguration("[database]\nsocket = \"/nonexistent/db.sock\"\n");
    const auto errors = runBadly({"migrate"}, 1);
    requireIn("/nonexistent/db.sock", errors);
}

TEST(UsageTest, refusedDatabaseAccountIsNotAllowed) {
    writeExtraConfiguration("[database]\nuser = \"nobody-knows-me\"\n");
    const auto errors = runBadly({"migrate"}, 4);
    requireIn("nobody-knows-me", errors);
    CPPUNIT_ASSERT_EQUAL(std::string("not_allowed"), runJson({"migrate"}, 4).at("error").at("code").get<std::string>());
}

} // namespace supplierd::tests
