#include "tests/support/ServerProcess.h"

#include "tests/support/Places.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <random>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace supplierd::tests {
namespace {

constexpr auto STOP_LIMIT = std::chrono::seconds(60);
constexpr std::string_view ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

std::string randomText(std::size_t length) {
    static thread_local std::mt19937_64 generator{std::random_device{}()};
    std::uniform_int_distribution<std::size_t> any(0, ALPHABET.size() - 1);
    std::string text(length, '\0');
    std::generate(text.begin(), text.end(), [&] { return ALPHABET[any(generator)]; });
    return text;
}

std::string slugOf(const std::string& name) {
    std::string slug;
    for (const char c : name)
        slug += std::isalnum(static_cast<unsigned char>(c)) != 0 ? static_cast<char>(std::tolower(c)) : '-';
    return slug;
}

} // namespace

std::vector<std::string> bundledPlugins() {
    std::istringstream lines(readWholeFile(sourcePath("plugins/list")));
    return std::vector<std::string>(std::istream_iterator<std::string>(lines), std::istream_iterator<std::string>());
}

std::vector<std::string> apiPlugins() {
    auto plugins = bundledPlugins();
    std::erase_if(plugins, [](const std::string& id) {
        return !std::filesystem::exists(sourcePath("plugins/" + id + "/openapi.json"));
    });
    return plugins;
}

std::filesystem::path ServerProcess::serverProgram() {
    return buildPath("bin/supplierd");
}

std::filesystem::path ServerProcess::controlProgram() {
    return buildPath("bin/supplierctl");
}

std::filesystem::path ServerProcess::pluginFile(const std::string& id) {
    return std::filesystem::path(buildPath("plugins")) / (id + ".so");
}

ServerProcess::ServerProcess(TestDatabase& database, ServerOptions options)
    : ServerProcess(NotStarted{}, database, std::move(options)) {
    if (_options.migrate)
        migrate();
    start();
}

ServerProcess::ServerProcess(NotStarted, TestDatabase& database, ServerOptions options)
    : _database(database), _options(std::move(options)), _directory("server") {
    writeConfiguration();
}

ServerProcess::~ServerProcess() {
    // A sanitizer reports leaks at an orderly end only; otherwise a kill is faster.
    if (_process && std::getenv("SUPPLIERD_TEST_ORDERLY_END") != nullptr) {
        _process->signal(SIGTERM);
        _process->waitFor(STOP_LIMIT);
    }
}

void ServerProcess::writeConfiguration() {
    std::string text = "[server]\n"
                       "listen = \"127.0.0.1:0\"\n"
                       "admin_listen = \"127.0.0.1:0\"\n";
    text += "control_socket = \"" + (_directory / "control.sock").string() + "\"\n";
    text += "address_file = \"" + (_directory / "address.json").string() + "\"\n";
    text += "plugin_dir = \"" + pluginFile("x").parent_path().string() + "\"\n";
    text += "state_dir = \"" + (_directory / "state").string() + "\"\n";
    text += "plugins_enabled = \"" + pluginsEnabled().string() + "\"\n";
    text += "\n[database]\n";
    if (_options.databasePort != 0)
        text += "host = \"127.0.0.1\"\nport = " + std::to_string(_options.databasePort) + "\n";
    else
        text += "socket = \"" + _database.socket() + "\"\n";
    text += "user = \"root\"\nname = \"" + _database.name() + "\"\n";
    text += "\n[log]\naccess_log = \"" + accessLogFile().string() + "\"\n";
    if (std::ranges::count(_options.plugins, "media") != 0) // its default is a folder of the machine's
        text += "\n[plugins.media]\nroot = \"" + (_directory / "media").string() + "\"\n";
    writeWholeFile(configFile(), text);
    std::filesystem::permissions(configFile(), std::filesystem::perms{0600});

    std::filesystem::create_directory(_directory / "conf.d");
    if (!_options.configuration.empty()) {
        const auto file = _directory / "conf.d/90-test.toml";
        writeWholeFile(file, _options.configuration);
        std::filesystem::permissions(file, std::filesystem::perms{0600}); // it may hold secrets
    }

    std::filesystem::create_directory(pluginsEnabled());
    for (const auto& id : _options.plugins)
        std::filesystem::create_symlink(pluginFile(id), pluginsEnabled() / (id + ".so"));
    for (const auto& file : _options.pluginFiles)
        std::filesystem::create_symlink(file, pluginsEnabled() / file.filename());
}

void ServerProcess::migrate() {
    const auto result = runCommand(
        {.arguments = {controlProgram(), "--config", configFile(), "migrate"}, .environment = _options.environment});
    if (result.exitCode != 0)
        throw std::runtime_error("supplierctl migrate failed: " + result.output + result.errors);
}

void ServerProcess::start() {
    launch();
    waitUntilReady();
}

void ServerProcess::launch() {
    std::filesystem::remove(_directory / "address.json");
    std::vector<std::string> arguments = {serverProgram(), "--config=" + configFile().string()};
    arguments.insert(arguments.end(), _options.arguments.begin(), _options.arguments.end());
    _process = std::make_unique<ChildProcess>(ChildCommand{.arguments = std::move(arguments),
                                                           .environment = _options.environment,
                                                           .output = logFile(),
                                                           .errors = logFile()});
}

void ServerProcess::waitUntilReady(std::chrono::milliseconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (true) {
        if (!_process->isRunning())
            throw std::runtime_error("the server ended at its start: " + log());
        const auto address =
            Json::parse(readWholeFile(_directory / "address.json"), nullptr, /* allow_exceptions */ false);
        if (address.is_object()) {
            _url = address.at("url").get<std::string>() + "/api/v1/supplier";
            _adminUrl = address.at("admin_url").get<std::string>();
            if (adminClient().get("/readyz").status == 200)
                return;
        }
        if (std::chrono::steady_clock::now() > deadline)
            throw std::runtime_error("the server is not ready in time: " + log());
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

int ServerProcess::stop() {
    _process->signal(SIGTERM);
    const auto exitCode = _process->waitFor(STOP_LIMIT);
    if (!exitCode)
        throw std::runtime_error("the server does not stop: " + log());
    return *exitCode;
}

void ServerProcess::kill() {
    _process->kill();
}

void ServerProcess::restart() {
    if (const int exitCode = stop(); exitCode != 0)
        throw std::runtime_error("the server ended with " + std::to_string(exitCode) + ": " + log());
    start();
}

HttpClient ServerProcess::operatorClient(const std::string& key) const {
    return HttpClient(rootUrl() + "/api/v1/platform", key);
}

double ServerProcess::metric(const std::string& name) const {
    const auto text = adminClient().get("/metrics").body;
    const auto found = text.find("\n" + name + " ");
    return found == std::string::npos ? 0 : std::stod(text.substr(found + 1 + name.size()));
}

std::int64_t ServerProcess::createSupplier(const std::string& name, const std::string& status) {
    _database.exec("INSERT INTO suppliers (name, status) VALUES (" + _database.quote(name) + ", " +
                   _database.quote(status) + ")");
    const auto id = _database.lastInsertId();
    _database.exec("INSERT INTO supplier_state (supplier_id) VALUES (" + std::to_string(id) + ")");
    return id;
}

std::string ServerProcess::createKey(std::int64_t supplierId, const std::map<std::string, std::string>& columns) {
    auto all = columns;
    all.emplace("supplier_id", std::to_string(supplierId));
    return insertKey("supplier", "sk_", std::move(all));
}

std::string ServerProcess::createOperatorKey(const std::map<std::string, std::string>& columns) {
    return insertKey("operator", "ok_", columns);
}

std::string ServerProcess::insertKey(const std::string& kind, const std::string& prefix,
                                     std::map<std::string, std::string> columns) {
    const auto id = randomText(8);
    auto key = prefix + id + "_" + randomText(43);
    columns.emplace("key_id", _database.quote(id));
    columns.emplace("kind", _database.quote(kind));
    columns.emplace("key_hash", "UNHEX(SHA2(" + _database.quote(key) + ", 256))");
    _database.insert("api_keys", columns);
    return key;
}

std::int64_t ServerProcess::createCategory(const std::string& name, const std::string& type, std::int64_t parentId) {
    const auto parent = parentId == 0 ? std::string("NULL") : std::to_string(parentId);
    _database.exec("INSERT INTO categories (name, slug, type, parent_id) VALUES (" + _database.quote(name) + ", " +
                   _database.quote(slugOf(name)) + ", " + _database.quote(type) + ", " + parent + ")");
    const std::int64_t id = _database.lastInsertId();
    // As the service does: servers know by the marketplace's number that their category list is old.
    _database.exec("UPDATE supplier_state SET change_seq = change_seq + 1 WHERE supplier_id = 0");
    return id;
}

void ServerProcess::approveProduct(std::int64_t productId) const {
    const auto result = runCommand(
        {.arguments = {controlProgram(), "--config", configFile(), "product", "approve", std::to_string(productId)}});
    if (result.exitCode != 0)
        throw std::runtime_error("supplierctl product approve failed: " + result.output + result.errors);
}

} // namespace supplierd::tests
