#include "tests/support/Places.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"

#include <map>

namespace supplierd::tests {

/// `supplierd --check-config` with tables of the plugin.
class MediaSettingsTest : public CppUnit::TestFixture {
protected:
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
        std::string text = readWholeFile(sourcePath("plugins/media/conf/media.toml"));
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

    /// A table of S3 with this one mistake.
    static std::string s3(const std::string& key, const std::string& value) {
        std::map<std::string, std::string> keys{
            {"bucket", "pictures"}, {"access_key_id", "AKIA"}, {"secret_access_key", "abc"}};
        keys[key] = value;
        std::string text = "store = \"s3\"\n[plugins.media.s3]\n";
        for (const auto& [name, given] : keys)
            text += name + " = \"" + given + "\"\n";
        return text;
    }
};

TEST(MediaSettingsTest, defaultsAndTheExampleAreGood) {
    CPPUNIT_ASSERT_EQUAL(std::string(), check(""));
    const std::string all = example();
    for (const char* const key : {"root",
                                  "worker",
                                  "worker_socket",
                                  "workers",
                                  "images_per_worker",
                                  "request_deadline",
                                  "max_requests",
                                  "max_requests_per_supplier",
                                  "allow_networks",
                                  "allow_ports",
                                  "timeout",
                                  "max_bytes",
                                  "max_parallel",
                                  "max_parallel_per_supplier",
                                  "trusted_certificates",
                                  "interval",
                                  "orphan_age",
                                  "store",
                                  "moving",
                                  "serve",
                                  "bucket",
                                  "endpoint",
                                  "public_endpoint",
                                  "region",
                                  "style",
                                  "prefix",
                                  "access_key_id",
                                  "secret_access_key",
                                  "session_token",
                                  "connect_timeout",
                                  "request_timeout",
                                  "url_expiry"})
        CPPUNIT_ASSERT_MESSAGE(std::string(key) + " is not in the example:\n" + all,
                               all.find("\n" + std::string(key) + " = ") != std::string::npos);
    CPPUNIT_ASSERT_EQUAL(std::string(), check(all));
}

TEST(MediaSettingsTest, everyKeyCanBeSet) {
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
    CPPUNIT_ASSERT_EQUAL(std::string(), check(R"([plugins.media]
store = "s3"
moving = true
serve = "redirect"
[plugins.media.s3]
bucket = "our-pictures"
endpoint = "https://S3.example.com:443/"
public_endpoint = "http://[2001:db8::1]:9000"
region = "eu-central-1"
style = "virtual"
prefix = "supplierd/2026/"
access_key_id = "ASIA"
secret_access_key = "a/b+c="
session_token = "FwoG//+="
trusted_certificates = "/etc/hostname"
connect_timeout = "1s"
request_timeout = "2s"
timeout = "9s"
max_parallel = 4
url_expiry = "10m"
)"));
}

TEST(MediaSettingsTest, mistakesAreNamed) {
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
        {"store = \"disk\"", "store: must be \"folder\" or \"s3\", found \"disk\""},
        {"serve = \"both\"", "serve: must be \"stream\" or \"redirect\", found \"both\""},
        {"store = \"s3\"", "s3.bucket: is needed"},
        {"moving = true", "s3.bucket: is needed"},
        {s3("bucket", "No Bucket"), "s3.bucket: must have 3 to 63 lower-case letters"},
        {s3("secret_access_key", ""), "s3.secret_access_key: is needed for S3: give it, or the environment variable "
                                      "AWS_SECRET_ACCESS_KEY"},
        {s3("secret_access_key", "two words"), "s3.secret_access_key: must not hold spaces"},
        {s3("access_key_id", ""), "AWS_ACCESS_KEY_ID"},
        {s3("endpoint", "s3.example.com"), "s3.endpoint: must be like \"https://s3.example.com\""},
        {s3("endpoint", "https://s3.example.com/path"), "s3.endpoint: must be like"},
        {s3("public_endpoint", "https://"), "s3.public_endpoint: must be like"},
        {s3("endpoint", "https://:9000"), "s3.endpoint: must be like"},
        {s3("endpoint", "https://key@s3.example.com"), "s3.endpoint: must be like"},
        {s3("endpoint", "https://s3.example.com:70000"), "s3.endpoint: must be like"},
        {s3("endpoint", "https://2001:db8::1"), "s3.endpoint: must be like"},
        {s3("access_key_id", "ASIA0"), "s3.session_token: is needed"},
        {s3("session_token", "two words"), "s3.session_token: must not hold spaces"},
        {s3("style", "both"), "s3.style: must be \"path\" or \"virtual\", found \"both\""},
        {s3("prefix", "/x/"), "s3.prefix: must be like \"supplierd/\""},
        {s3("prefix", "x"), "s3.prefix: must be like \"supplierd/\""},
        {s3("prefix", "a b/"), "s3.prefix: must be like \"supplierd/\""},
        {s3("region", ""), "s3.region: must be a region like \"eu-central-1\""},
        {s3("trusted_certificates", "/nowhere.pem"), "s3.trusted_certificates: there is no file /nowhere.pem"},
        {"request_deadline = \"31m\"", "janitor.orphan_age: must be at least twice request_deadline"},
        {"janitor.orphan_age = \"1m\"", "janitor.orphan_age: must be at least twice request_deadline"}};
    for (const auto& [line, message] : mistakes) {
        const std::string errors = check("[plugins.media]\n" + line + "\n");
        CPPUNIT_ASSERT_MESSAGE(line + ": " + errors, errors.find(message) != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(errors, errors.find("two words") == std::string::npos); // a secret
    }
}

TEST(MediaSettingsTest, theInstalledPluginFindsItsWorker) {
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

} // namespace supplierd::tests
