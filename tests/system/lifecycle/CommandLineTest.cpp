#include "host/Version.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

CommandResult supplierd(std::vector<std::string> arguments, std::map<std::string, std::string> environment = {}) {
    arguments.insert(arguments.begin(), ServerProcess::serverProgram());
    return runCommand({.arguments = std::move(arguments), .environment = std::move(environment)});
}

void assertContains(const std::string& text, const std::string& whole) {
    CPPUNIT_ASSERT_MESSAGE("'" + text + "' is missing in: " + whole, whole.find(text) != std::string::npos);
}

} // namespace

/// `supplierd` and its options.
class CommandLineTest : public CppUnit::TestFixture {
protected:
    /// A configuration; nothing is started.
    ServerProcess configured(const std::string& configuration, const std::vector<std::string>& plugins = {}) {
        return ServerProcess(ServerProcess::NotStarted{}, _database, probed(configuration, plugins));
    }

    static CommandResult check(const ServerProcess& server) {
        return supplierd({"--config", server.configFile(), "--check-config"});
    }

    static void assertUsageError(const std::vector<std::string>& arguments, const std::string& named) {
        const auto result = supplierd(arguments);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(result.output + result.errors, 64, result.exitCode);
        assertContains(named, result.errors);
        assertContains("supplierd --help", result.errors);
        CPPUNIT_ASSERT_EQUAL(std::string(), result.output);
    }

    TestDatabase _database;
};

TEST(CommandLineTest, helpNamesEveryOptionAndTheExitCodes) {
    for (const char* option : {"--help", "-h"}) {
        const auto result = supplierd({option});
        CPPUNIT_ASSERT_EQUAL(0, result.exitCode);
        CPPUNIT_ASSERT_EQUAL(std::string(), result.errors);
        for (const char* text : {"--config=FILE", "--check-config", "--reload=PID", "--last-good", "--version",
                                 "--help", "Exit codes", "/etc/supplierd/supplierd.toml", "supplierctl"})
            assertContains(text, result.output);
    }
}

TEST(CommandLineTest, versionIsOneLine) {
    for (const char* option : {"--version", "-V"}) {
        const auto result = supplierd({option});
        CPPUNIT_ASSERT_EQUAL(0, result.exitCode);
        CPPUNIT_ASSERT_EQUAL("supplierd " + std::string(host::VERSION) + " (SDK ABI " +
                                 std::string(host::SDK_ABI_TEXT) + ")\n",
                             result.output);
    }
}

TEST(CommandLineTest, versionIsThereForScriptsToo) {
    const auto result = supplierd({"--version", "--json"});
    CPPUNIT_ASSERT_EQUAL(0, result.exitCode);
    const auto version = Json::parse(result.output);
    CPPUNIT_ASSERT_EQUAL(std::string(host::VERSION), version.at("version").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string(host::SDK_ABI_TEXT), version.at("sdk_abi").get<std::string>());
    CPPUNIT_ASSERT(version.at("poco").get<std::string>().starts_with("1."));
    assertUsageError({"--json"}, "--version");
}

TEST(CommandLineTest, unknownOptionIsWrongUsage) {
    assertUsageError({"--bogus"}, "bogus");
}

TEST(CommandLineTest, missingValueIsWrongUsage) {
    assertUsageError({"--config"}, "config");
}

TEST(CommandLineTest, extraArgumentIsWrongUsage) {
    assertUsageError({"now"}, "unexpected argument 'now'");
}

TEST(CommandLineTest, goodConfigurationIsToldSo) {
    const auto server = configured({}, {"categories"});
    const auto result = supplierd({"--config", server.configFile(), "--check-config"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 0, result.exitCode);
    CPPUNIT_ASSERT_EQUAL(std::string("configuration ok: 2 plugins enabled\n"), result.output);
    CPPUNIT_ASSERT_EQUAL(std::string(), result.errors);
    CPPUNIT_ASSERT_EQUAL(0, supplierd({"-c", server.configFile(), "--check-config"}).exitCode);
    CPPUNIT_ASSERT_EQUAL(0, supplierd({"--config=" + server.configFile().string(), "--check-config"}).exitCode);
}

TEST(CommandLineTest, checkNeedsNoDatabase) {
    const auto server = configured("[database]\nsocket = \"/nonexistent/db.sock\"\n");
    CPPUNIT_ASSERT_EQUAL(0, check(server).exitCode);
}

TEST(CommandLineTest, unknownKeyNamesPlaceAndNearestKey) {
    const auto server = configured("# pool\n[database]\n  pool_sise = 4\n");
    const auto result = check(server);
    CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
    const auto file = (server.directory() / "conf.d/90-test.toml").string();
    assertContains(file + ":3:3: unknown key 'pool_sise'; did you mean 'pool_size'?", result.errors);
    assertContains("supplierd: 1 problem in the configuration", result.errors);
    CPPUNIT_ASSERT_EQUAL(std::string(), result.output);
}

TEST(CommandLineTest, allProblemsAreToldAtOnce) {
    const auto server = configured("[server]\nthreads = \"many\"\nlisen = \"127.0.0.1:0\"\n"
                                   "[database]\npool_size = 0\n[auht]\nnegative_ttl = 1\n");
    const auto result = check(server);
    CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
    for (const char* text : {"threads", "did you mean 'listen'?", "pool_size", "did you mean 'auth'?", "4 problems"})
        assertContains(text, result.errors);
}

TEST(CommandLineTest, missingFileIsNamed) {
    const auto result = supplierd({"--config", "/nonexistent/supplierd.toml", "--check-config"});
    CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
    assertContains("/nonexistent/supplierd.toml", result.errors);
}

TEST(CommandLineTest, missingPluginIsNamed) {
    const auto server = configured({});
    std::filesystem::create_symlink("/nonexistent/orders.so", server.pluginsEnabled() / "orders.so");
    const auto result = check(server);
    CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
    assertContains("/nonexistent/orders.so", result.errors);
}

TEST(CommandLineTest, serverDoesNotStartOnABadConfiguration) {
    const auto server = configured("[database]\npool_sise = 4\n");
    const auto result = supplierd({"--config", server.configFile()});
    CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
    assertContains("did you mean 'pool_size'?", result.errors);
}

TEST(CommandLineTest, environmentNamesTheFile) {
    const auto server = configured({});
    const auto result = supplierd({"--check-config"}, {{"SUPPLIERD_CONFIG", server.configFile()}});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 0, result.exitCode);
}

TEST(CommandLineTest, keyAsAnArgumentIsNotEchoed) {
    const std::string secret(43, 'Q');
    const std::string key = "sk_ab12cd34_" + secret;
    const std::vector<std::vector<std::string>> commands = {{ServerProcess::serverProgram(), key},
                                                            {ServerProcess::serverProgram(), "--" + key},
                                                            {ServerProcess::controlProgram(), "doctor", key},
                                                            {ServerProcess::controlProgram(), key},
                                                            {ServerProcess::controlProgram(), "doctor", "--" + key}};
    for (const auto& command : commands) {
        const auto result = runCommand({.arguments = command});
        CPPUNIT_ASSERT(result.exitCode != 0);
        const auto all = result.output + result.errors;
        CPPUNIT_ASSERT_EQUAL_MESSAGE(all, std::string::npos, all.find("QQ"));
    }
    assertContains("unexpected argument 'sk_ab12cd34_***'", supplierd({key}).errors);
}

TEST(CommandLineTest, filesThatCannotBeWrittenAreTold) {
    const auto server = configured("[server]\npid_file = \"/nonexistent/supplierd.pid\"\naddress_file = \"/proc\"\n"
                                   "[log]\nfile = \"/nowhere/server.log\"\naccess_log = \"/nonesuch/a.log\"\n");
    const auto result = check(server);
    CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
    for (const char* text :
         {"server.pid_file: there is no folder /nonexistent", "server.address_file: /proc is a folder",
          "log.file: there is no folder /nowhere", "log.access_log: there is no folder /nonesuch", "4 problems"})
        assertContains(text, result.errors);
    CPPUNIT_ASSERT_EQUAL(1, supplierd({"--config", server.configFile()}).exitCode);
}

TEST(CommandLineTest, textWithANullCharacterIsRefused) {
    const auto server =
        configured("[log]\nfile = \"server\\u0000.log\"\n[server]\ntrusted_proxies = [\"::1\\u0000\"]\n");
    const auto result = check(server);
    CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
    assertContains("file must not contain the character U+0000", result.errors);
    assertContains("trusted_proxies must not contain the character U+0000", result.errors);
}

} // namespace supplierd::tests
