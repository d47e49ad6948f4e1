#pragma once

#include "tests/support/ChildProcess.h"
#include "tests/support/HttpClient.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/TestDatabase.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

/// The ids in plugins/list.
std::vector<std::string> bundledPlugins();
/// Of these, those that describe routes of the API; they are built without npm, too.
std::vector<std::string> apiPlugins();

struct ServerOptions {
    /// Enabled by symlinks to the built plugins.
    std::vector<std::string> plugins = {"categories", "catalog"};
    /// Further plugin files, linked under their own names.
    std::vector<std::filesystem::path> pluginFiles = {};
    /// Put at the end of the configuration as conf.d/90-test.toml; may override every key.
    std::string configuration = {};
    std::map<std::string, std::string> environment = {};
    /// Instead of the database's socket: a TCP address, such as a proxy's.
    unsigned databasePort = 0;
    bool migrate = true;
    /// Further ones of its command line.
    std::vector<std::string> arguments = {};
};

/// The built supplierd on a TestDatabase, with a configuration in a temporary directory, on free ports.
class ServerProcess {
public:
    /// Migrates, starts and waits until /readyz says yes.
    explicit ServerProcess(TestDatabase& database, ServerOptions options = {});
    ~ServerProcess();

    /// Writes the configuration without starting anything, for tests of the start itself.
    struct NotStarted {};
    ServerProcess(NotStarted, TestDatabase& database, ServerOptions options = {});

    void migrate();
    void start();
    /// Starts it, and does not wait.
    void launch();
    void waitUntilReady(std::chrono::milliseconds limit = std::chrono::seconds(60));
    /// SIGTERM; the exit code. Throws when it does not end in a minute.
    int stop();
    /// SIGKILL.
    void kill();
    void restart();
    ChildProcess& process() { return *_process; }

    pid_t pid() const { return _process->pid(); }
    const std::string& url() const { return _url; } ///< with the path prefix: ".../api/v1/supplier"
    std::string rootUrl() const { return _url.substr(0, _url.find("/api/")); }
    const std::string& adminUrl() const { return _adminUrl; }
    std::filesystem::path configFile() const { return _directory / "supplierd.toml"; }
    std::filesystem::path logFile() const { return _directory / "server.log"; }
    std::filesystem::path accessLogFile() const { return _directory / "access.log"; }
    std::filesystem::path pluginsEnabled() const { return _directory / "plugins-enabled"; }
    const std::filesystem::path& directory() const { return _directory.path(); }
    std::string log() const { return readWholeFile(logFile()); }

    HttpClient client(const std::string& key = {}) const { return HttpClient(_url, key); }
    /// Without the path prefix.
    HttpClient rootClient(const std::string& key = {}) const { return HttpClient(rootUrl(), key); }
    /// Of the operators' API.
    HttpClient operatorClient(const std::string& key = {}) const;
    HttpClient adminClient() const { return HttpClient(_adminUrl); }
    /// A value of the server's metrics, by its name and labels; 0 when there is none.
    double metric(const std::string& name) const;

    /// Straight in the database, past the server.
    std::int64_t createSupplier(const std::string& name, const std::string& status = "verified");
    /// A new key in clear. `columns`: further ones of api_keys as SQL literals, {"hourly_limit", "5"}.
    std::string createKey(std::int64_t supplierId, const std::map<std::string, std::string>& columns = {});
    std::string createOperatorKey(const std::map<std::string, std::string>& columns = {});
    std::int64_t createCategory(const std::string& name, const std::string& type = "flower", std::int64_t parentId = 0);
    /// Approves straight in the database, as an administrator would, totals included.
    void approveProduct(std::int64_t productId) const;

    static std::filesystem::path serverProgram();
    static std::filesystem::path controlProgram();
    static std::filesystem::path pluginFile(const std::string& id);

private:
    void writeConfiguration();
    std::string insertKey(const std::string& kind, const std::string& prefix,
                          std::map<std::string, std::string> columns);

    TestDatabase& _database;
    ServerOptions _options;
    TemporaryDirectory _directory;
    std::unique_ptr<ChildProcess> _process;
    std::string _url;
    std::string _adminUrl;
};

} // namespace supplierd::tests
