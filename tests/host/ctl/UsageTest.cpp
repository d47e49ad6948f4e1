#include "tests/host/ctl/ControlFixture.h"

#include <cppunit/extensions/HelperMacros.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace supplierd::tests {

/// The command line itself: help, mistakes, exit codes.
class UsageTest : public ControlFixture {
    CPPUNIT_TEST_SUITE(UsageTest);
    CPPUNIT_TEST(testHelpNamesEveryGroupOfCommands);
    CPPUNIT_TEST(testMistypedCommandIsAnsweredWithTheNearestOne);
    CPPUNIT_TEST(testMistypedCommandWithinAGroupIsAnsweredWithTheNearestOne);
    CPPUNIT_TEST(testMistypedOptionIsAnsweredWithTheNearestOne);
    CPPUNIT_TEST(testNoCommandIsAUsageError);
    CPPUNIT_TEST(testUsageErrorIsAnObjectWithJson);
    CPPUNIT_TEST(testMissingConfigurationIsNamed);
    CPPUNIT_TEST(testUnreadableConfigurationIsNotAllowed);
    CPPUNIT_TEST(testEveryProblemOfTheConfigurationIsToldWithItsPlace);
    CPPUNIT_TEST(testGoodConfigurationPassesTheCheck);
    CPPUNIT_TEST(testUnreachableDatabaseIsNamedAndFails);
    CPPUNIT_TEST(testRefusedDatabaseAccountIsNotAllowed);
    CPPUNIT_TEST_SUITE_END();

public:
    void testHelpNamesEveryGroupOfCommands() {
        const auto help = runWell({"--help"});
        for (const auto* group :
             {"setup", "migrate", "config", "doctor", "plugin", "supplier", "key", "operator-key", "category",
              "product", "order", "media", "audit", "--json", "--config", "SUPPLIERD_DATABASE_PASSWORD"})
            CPPUNIT_ASSERT_MESSAGE(group, help.find(group) != std::string::npos);
        CPPUNIT_ASSERT(runWell({"product", "reject", "--help"}).find("--reason") != std::string::npos);
    }

    void testMistypedCommandIsAnsweredWithTheNearestOne() {
        const auto errors = runBadly({"suplier", "list"}, 2);
        CPPUNIT_ASSERT_MESSAGE(errors, errors.find("there is no command 'supplierctl suplier'; did you mean "
                                                   "'supplier'?") != std::string::npos);
    }

    void testMistypedCommandWithinAGroupIsAnsweredWithTheNearestOne() {
        const auto errors = runBadly({"operator-key", "revok", "1"}, 2);
        CPPUNIT_ASSERT_MESSAGE(errors, errors.find("'supplierctl operator-key revok'; did you mean 'revoke'?") !=
                                           std::string::npos);
    }

    void testMistypedOptionIsAnsweredWithTheNearestOne() {
        const auto errors = runBadly({"product", "reject", "1", "--raeson", "x"}, 2);
        CPPUNIT_ASSERT_MESSAGE(errors, errors.find("did you mean '--reason'?") != std::string::npos);
    }

    void testNoCommandIsAUsageError() {
        runBadly({}, 2);
        runBadly({"supplier"}, 2);
        runBadly({"supplier", "verify"}, 2);
        runBadly({"supplier", "verify", "-3"}, 2);
        runBadly({"supplier", "verify", "abc"}, 2);
    }

    void testUsageErrorIsAnObjectWithJson() {
        const auto answer = runJson({"plugin", "lst"}, 2);
        CPPUNIT_ASSERT_EQUAL(std::string("usage"), answer.at("error").at("code").get<std::string>());
        CPPUNIT_ASSERT(answer.at("error").at("message").get<std::string>().find("'list'") != std::string::npos);
    }

    void testMissingConfigurationIsNamed() {
        const auto result = runCommand(
            {.arguments = {ServerProcess::controlProgram(), "-c", "/nonexistent/x.toml", "supplier", "list"}});
        CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
        CPPUNIT_ASSERT_MESSAGE(result.errors, result.errors.find("/nonexistent/x.toml") != std::string::npos);
    }

    void testUnreadableConfigurationIsNotAllowed() {
        if (::geteuid() == 0)
            return; // root may read everything
        std::filesystem::permissions(configFile(), std::filesystem::perms::none);
        runBadly({"supplier", "list"}, 4);
    }

    void testEveryProblemOfTheConfigurationIsToldWithItsPlace() {
        writeExtraConfiguration("[database]\npool_sise = 3\n[server]\nthreads = \"many\"\n");
        const auto answer = runJson({"config", "check"}, 1);
        CPPUNIT_ASSERT(!answer.at("ok").get<bool>());
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), answer.at("problems").size());
        const auto& first = answer.at("problems").at(0);
        CPPUNIT_ASSERT_EQUAL(2, first.at("line").get<int>());
        CPPUNIT_ASSERT_EQUAL(std::string("error"), first.at("severity").get<std::string>());
        CPPUNIT_ASSERT(first.at("message").get<std::string>().find("did you mean 'pool_size'?") != std::string::npos);

        const auto errors = runBadly({"supplier", "list"}, 1);
        CPPUNIT_ASSERT_MESSAGE(errors, errors.find("95-more.toml:2:1") != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(errors, errors.find("95-more.toml:4:") != std::string::npos);
    }

    void testGoodConfigurationPassesTheCheck() {
        CPPUNIT_ASSERT(runJson({"config", "check"}).at("ok").get<bool>());
        CPPUNIT_ASSERT(runWell({"config", "check"}).find("good, with 2 plugins enabled") != std::string::npos);
    }

    void testUnreachableDatabaseIsNamedAndFails() {
        writeExtraConfiguration("[database]\nsocket = \"/nonexistent/db.sock\"\n");
        const auto errors = runBadly({"supplier", "list"}, 1);
        CPPUNIT_ASSERT_MESSAGE(errors, errors.find("/nonexistent/db.sock") != std::string::npos);
    }

    void testRefusedDatabaseAccountIsNotAllowed() {
        writeExtraConfiguration("[database]\nuser = \"nobody-knows-me\"\n");
        const auto errors = runBadly({"supplier", "list"}, 4);
        CPPUNIT_ASSERT_MESSAGE(errors, errors.find("nobody-knows-me") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::string("not_allowed"),
                             runJson({"supplier", "list"}, 4).at("error").at("code").get<std::string>());
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(UsageTest);

} // namespace supplierd::tests
