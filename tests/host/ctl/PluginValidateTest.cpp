#include "tests/host/ctl/ControlFixture.h"
#include "tests/host/ctl/OtherUser.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"

#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace supplierd::tests {

/// `supplierctl plugin validate` on a plugin with one fault at a time.
class PluginValidateTest : public ControlFixture {
protected:
    json validate(const std::string& fault, int exitCode, const std::vector<std::string>& options = {},
                  std::map<std::string, std::string> environment = {}) {
        std::vector<std::string> arguments = {"--json", "plugin", "validate", SUPPLIERD_TEST_FAULTY_PLUGIN};
        arguments.insert(arguments.end(), options.begin(), options.end());
        environment["SUPPLIERD_TEST_FAULT"] = fault;
        for (const char* sanitizer : {"ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"}) { // a crash is to be one
            const char* const given = std::getenv(sanitizer);
            environment[sanitizer] = (given ? std::string(given) + ":" : std::string()) + "handle_segv=0";
        }
        const auto result = run(arguments, environment);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(fault + "\n" + result.output + result.errors, exitCode, result.exitCode);
        return json::parse(result.output);
    }

    static bool has(const json& answer, const std::string& level, const std::string& text) {
        for (const auto& finding : answer.at("findings"))
            if (finding.at("level") == level &&
                finding.at("message").get<std::string>().find(text) != std::string::npos)
                return true;
        return false;
    }
};

TEST(PluginValidateTest, goodPluginHasNoFinding) {
    const auto answer = validate("", 0);
    CPPUNIT_ASSERT_EQUAL(std::string("faulty"), answer.at("plugin").at("id").get<std::string>());
    CPPUNIT_ASSERT(answer.at("ok").get<bool>());
    for (const auto& finding : answer.at("findings"))
        CPPUNIT_ASSERT_EQUAL_MESSAGE(finding.dump(), std::string("good"), finding.at("level").get<std::string>());
    CPPUNIT_ASSERT(has(answer, "good", "it starts, becomes ready, drains and stops"));
}

TEST(PluginValidateTest, pluginsOfThisProjectAreGood) {
    // Some need others, and live with them.
    for (const char* plugin : {"categories", "catalog", "inventory", "orders"}) {
        const auto said = runWell({"plugin", "validate", ServerProcess::pluginFile(plugin).string()});
        CPPUNIT_ASSERT_MESSAGE(said, said.find("error ") == std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(said, said.find("it starts, becomes ready, drains and stops") != std::string::npos);
    }
}

TEST(PluginValidateTest, fileThatIsNoPluginIsToldSo) {
    const auto answer = runJson({"plugin", "validate", configFile()}, 1);
    CPPUNIT_ASSERT(answer.at("plugin").is_null());
    CPPUNIT_ASSERT(has(answer, "error", configFile().string()));
    CPPUNIT_ASSERT(has(runJson({"plugin", "validate", "/nonexistent.so"}, 1), "error", "there is no such file"));
}

TEST(PluginValidateTest, symbolsBesideTheEntryAreTold) {
    CPPUNIT_ASSERT(has(runJson({"plugin", "validate", SUPPLIERD_TEST_CHATTY_PLUGIN}, 1), "error", "it exports"));
}

TEST(PluginValidateTest, symbolThatNothingDefinesIsTold) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    throw Skip("a sanitizer's runtime cannot be loaded into a second namespace");
#endif
    CPPUNIT_ASSERT(has(runJson({"plugin", "validate", SUPPLIERD_TEST_UNLINKED_PLUGIN}, 1), "error",
                       "nothing that it links defines definedNowhere()"));
}

TEST(PluginValidateTest, faultsOfTheDescription) {
    const std::map<std::string, std::string> faults = {{"scope-name", "its scope 'see everything' must be two parts"},
                                                       {"quotation", "a quotation does not end"},
                                                       {"number", "must be numbered 1, 2, 3"},
                                                       {"twice", "route clash"},
                                                       {"openapi", "it does not describe GET /faults"},
                                                       {"key", "limit"},
                                                       {"describe", "no words"}};
    for (const auto& [fault, message] : faults)
        CPPUNIT_ASSERT_MESSAGE(fault, has(validate(fault, 1), "error", message));
    CPPUNIT_ASSERT(
        has(validate("scope", 0), "warning", "asks for the scope 'faults:read', which the plugin does not declare"));
}

TEST(PluginValidateTest, faultsOfItsLife) {
    const std::map<std::string, std::string> faults = {
        {"throw", "start() failed: the cellar is flooded"},
        {"crash", "start(): it crashed"},
        {"exit", "start(): it ended the whole process, with exit code 3"},
        {"abort", "stop(): it crashed"},
        {"promise", "did not offer the service 'faulty.thing/1'"},
        {"unpromised", "which its description does not promise"}};
    for (const auto& [fault, message] : faults)
        CPPUNIT_ASSERT_MESSAGE(fault, has(validate(fault, 1), "error", message));
}

TEST(PluginValidateTest, clashWithAnInstalledPluginIsTold) {
    CPPUNIT_ASSERT(has(validate("clash", 1), "error", "plugin 'categories' has GET /categories"));
    runWell({"plugin", "disable", "categories", "catalog"});
    CPPUNIT_ASSERT(has(validate("clash", 0), "warning", "plugin 'categories' has GET /categories"));
}

TEST(PluginValidateTest, whatItNeedsAndIsNotHereIsNamed) {
    const auto answer = validate("lonely", 0);
    CPPUNIT_ASSERT(has(answer, "warning", "it needs nobody, which is not installed here"));
    CPPUNIT_ASSERT(answer.dump().find("supplierctl plugin run ") != std::string::npos);
}

TEST(PluginValidateTest, authorWhoIsNotRootHasItComparedAsWell) {
    constexpr uid_t NOBODY = 65'534;
    if (::geteuid() != 0 || !isReachableBy(NOBODY, std::filesystem::path(SUPPLIERD_TEST_FAULTY_PLUGIN).parent_path())) {
        throw Skip("needs root and a build that others reach");
    }
    auto command = asUser(NOBODY);
    command.insert(command.end(), {ServerProcess::controlProgram(), "--json", "--config", configFile(), "plugin",
                                   "validate", SUPPLIERD_TEST_FAULTY_PLUGIN});
    std::filesystem::permissions(configFile(), std::filesystem::perms::owner_read);
    // That of these tests may be root's alone.
    const auto result =
        runCommand({.arguments = command, .environment = {{"SUPPLIERD_TEST_FAULT", "clash"}, {"TMPDIR", "/tmp"}}});
    const auto answer = json::parse(result.output);
    CPPUNIT_ASSERT_MESSAGE(answer.dump(), has(answer, "warning", "plugin 'categories' has GET /categories"));
    CPPUNIT_ASSERT_MESSAGE(answer.dump(), has(answer, "good", " plugins of "));
}

TEST(PluginValidateTest, valuesOfTheConfigurationCanBeGiven) {
    CPPUNIT_ASSERT(has(validate("", 1, {"--set", "limit=9"}), "error", "nine is too many"));
    CPPUNIT_ASSERT(has(validate("", 1, {"--set", "limit=10"}), "error", "from 1 to 9"));
    CPPUNIT_ASSERT(has(validate("", 1, {"--set", "lemit=5"}), "error", "unknown key 'lemit'"));
    validate("key", 0, {"--set", "limit=3"});
    validate("", 2, {"--set", "limit"});
    validate("", 2, {"--set", "limit=three"});
}

TEST(PluginValidateTest, hangingPluginIsEndedAfterTheTimeLimit) {
    CPPUNIT_ASSERT(
        has(validate("hang", 1, {"--time-limit", "1"}), "error", "start(): it took longer than 1 s and was ended"));
}

TEST(PluginValidateTest, checkIsTheSameCommand) {
    CPPUNIT_ASSERT(runJson({"plugin", "check", SUPPLIERD_TEST_FAULTY_PLUGIN}).at("ok").get<bool>());
}

TEST(PluginValidateTest, pluginWritesInItsTemporaryFolderAlone) {
    if (::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) < 0) {
        throw Skip("the kernel has no Landlock");
    }
    const TemporaryDirectory folder("written");
    const auto file = folder / "mark";
    const std::map<std::string, std::string> place = {{"SUPPLIERD_TEST_PLACE", file.string()}};
    CPPUNIT_ASSERT(has(validate("write", 1, {}, place), "error", "cannot write " + file.string()));
    CPPUNIT_ASSERT(!std::filesystem::exists(file));
    validate("write", 0, {"--writable", folder.path().string()}, place);
    CPPUNIT_ASSERT(std::filesystem::exists(file));
    const auto own = folder / "own";
    std::filesystem::create_directory(own);
    validate("temporary", 0, {}, {{"TMPDIR", own.string()}});
    CPPUNIT_ASSERT(std::filesystem::is_empty(own));
}

} // namespace supplierd::tests
