#include "tests/support/ServerProcess.h"
#include "tests/support/TemporaryDirectory.h"

#include <cppunit/extensions/HelperMacros.h>

namespace supplierd::tests {

/// `supplierd --check-config` with tables of the plugin.
class MediaSettingsTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(MediaSettingsTest);
    CPPUNIT_TEST(testDefaultsAndTheExampleAreGood);
    CPPUNIT_TEST(testEveryKeyCanBeSet);
    CPPUNIT_TEST(testMistakesAreNamed);
    CPPUNIT_TEST(testTheInstalledPluginFindsItsWorker);
    CPPUNIT_TEST_SUITE_END();

    static std::string check(const std::string& configuration) {
        return check(configuration, ServerProcess::pluginFile("media"));
    }

    static std::string check(const std::string& configuration, const std::filesystem::path& plugin) {
        ServerOptions options;
        options.pluginFiles = {plugin};
        options.configuration = configuration;
        static TestDatabase database;
        const ServerProcess server(ServerProcess::NotStarted{}, database, options);
        const auto result = runCommand({.arguments = {ServerProcess::serverProgram(),
                                                      "--config=" + server.configFile().string(), "--check-config"}});
        CPPUNIT_ASSERT_EQUAL(result.errors.empty() ? 0 : 1, result.exitCode);
        return result.errors;
    }

    /// The example with its keys switched on.
    static std::string example() {
        std::string text = readWholeFile(SUPPLIERD_TEST_SOURCE_DIR "/plugins/media/conf/media.toml");
        std::string switchedOn;
        for (std::size_t begin = 0; begin < text.size();) {
            const std::size_t end = text.find('\n', begin);
            const std::string line = text.substr(begin, end - begin);
            begin = end + 1;
            const std::size_t equals = line.find(" = ");
            const bool isKey = line.starts_with("# ") && equals != std::string::npos &&
                               line.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", 2) == equals;
            if (isKey || line.starts_with("# [plugins."))
                switchedOn += line.substr(2) + "\n";
        }
        return switchedOn;
    }

    void testDefaultsAndTheExampleAreGood() {
        CPPUNIT_ASSERT_EQUAL(std::string(), check(""));
        const std::string all = example();
        for (const char* const key :
             {"root", "worker", "worker_socket", "workers", "images_per_worker", "request_deadline", "max_requests",
              "max_requests_per_supplier", "allow_networks", "allow_ports", "timeout", "max_bytes", "max_parallel",
              "max_parallel_per_supplier", "trusted_certificates", "interval", "orphan_age"})
            CPPUNIT_ASSERT_MESSAGE(std::string(key) + " is not in the example:\n" + all,
                                   all.find("\n" + std::string(key) + " = ") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::string(), check(all));
    }

    void testEveryKeyCanBeSet() {
        CPPUNIT_ASSERT_EQUAL(std::string(), check(R"([plugins.media]
root = "/srv/media"
worker = "/bin/true"
workers = 4
images_per_worker = 10
request_deadline = "10s"
max_requests = 5
max_requests_per_supplier = 5
[plugins.media.fetch]
allow_networks = ["10.0.0.0/8", "fd00::/8", "127.0.0.1"]
allow_ports = [8080]
timeout = "1s"
max_bytes = "1MiB"
max_parallel = 3
max_parallel_per_supplier = 3
trusted_certificates = "/etc/hostname"
[plugins.media.janitor]
interval = "1m"
orphan_age = "20s"
)"));
    }

    void testMistakesAreNamed() {
        const std::vector<std::pair<std::string, std::string>> mistakes{
            {"root = \"media\"", "root: must be a path that begins with a slash, found \"media\""},
            {"worker = \"/nowhere/worker\"", "worker: there is no program /nowhere/worker"},
            {"workers = 0", "workers must be from 1 to 256, found 0"},
            {"wrokers = 1", "unknown key 'wrokers'; did you mean 'workers'?"},
            {"fetch.allow_networks = [\"10.0.0.1/8\"]",
             "fetch.allow_networks: must hold networks like \"10.20.0.0/16\" or \"fd00:1::/32\", found \"10.0.0.1/8\""},
            {"fetch.allow_ports = []", "fetch.allow_ports: must hold a port"},
            {"fetch.allow_ports = [0]", "fetch.allow_ports must hold integers from 1 to 65535, found 0"},
            {"fetch.max_bytes = \"6MiB\"", "fetch.max_bytes must be from 1 to 5MiB, found \"6MiB\""},
            {"fetch.timeuot = \"1s\"", "unknown key 'fetch.timeuot'; did you mean 'fetch.timeout'?"},
            {"fetch.max_parallel = 2",
             "fetch.max_parallel_per_supplier: must not be more than fetch.max_parallel, which is 2"},
            {"max_requests = 2", "max_requests_per_supplier: must not be more than max_requests, which is 2"},
            {"fetch.trusted_certificates = \"/nowhere.pem\"",
             "fetch.trusted_certificates: there is no file /nowhere.pem that can be read"},
            {"request_deadline = \"31m\"", "janitor.orphan_age: must be at least twice request_deadline"},
            {"janitor.orphan_age = \"1m\"", "janitor.orphan_age: must be at least twice request_deadline"}};
        for (const auto& [line, message] : mistakes) {
            const std::string errors = check("[plugins.media]\n" + line + "\n");
            CPPUNIT_ASSERT_MESSAGE(line + ": " + errors, errors.find(message) != std::string::npos);
        }
    }

    void testTheInstalledPluginFindsItsWorker() {
        const TemporaryDirectory root("install");
        const auto plugins = root / "usr/lib/any/supplierd/plugins";
        std::filesystem::create_directories(plugins);
        std::filesystem::copy_file(ServerProcess::pluginFile("media"), plugins / "media.so");
        const std::string errors = check("", plugins / "media.so");
        CPPUNIT_ASSERT_MESSAGE(errors, errors.find("worker: the program supplierd-imageworker is not where it was "
                                                   "installed; name it here") != std::string::npos);
        const auto worker = (plugins / SUPPLIERD_MEDIA_INSTALLED_WORKER).lexically_normal();
        std::filesystem::create_directories(worker.parent_path());
        std::filesystem::copy_file(SUPPLIERD_IMAGEWORKER, worker);
        CPPUNIT_ASSERT_EQUAL(std::string(), check("", plugins / "media.so"));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(MediaSettingsTest);

} // namespace supplierd::tests
