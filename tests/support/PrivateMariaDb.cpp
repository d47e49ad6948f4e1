#include "tests/support/PrivateMariaDb.h"

#include "tests/support/ChildProcess.h"
#include "tests/support/Places.h"

#include <Poco/Net/ServerSocket.h>
#include <Poco/Net/SocketAddress.h>

#include <mysql/mysql.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

namespace supplierd::tests {
namespace {

constexpr auto START_LIMIT = std::chrono::seconds(90);
constexpr auto DATABASE_STOP_LIMIT = std::chrono::seconds(60);

/// An empty data directory, made once per build directory: initialising one takes seconds, copying it does not.
std::filesystem::path dataTemplate() {
    std::filesystem::path ready = buildPath("mariadb-template");
    if (std::filesystem::exists(ready / "mysql"))
        return ready;
    auto building = ready;
    building += "." + std::to_string(::getpid());
    auto temporary = building;
    temporary += ".tmp";
    std::filesystem::remove_all(building);
    std::filesystem::create_directories(temporary);
    std::vector<std::string> arguments = {"mariadb-install-db",
                                          "--no-defaults",
                                          "--datadir=" + building.string(),
                                          "--tmpdir=" + temporary.string(),
                                          "--auth-root-authentication-method=normal",
                                          "--skip-test-db",
                                          "--innodb-log-file-size=16M"};
    if (::geteuid() == 0) {
        arguments.emplace_back("--user=root");
        arguments.emplace_back("--rpm"); // leaves the system's PAM tool to its owner
    }
    const auto result = runCommand({.arguments = arguments});
    std::filesystem::remove_all(temporary);
    if (result.exitCode != 0)
        throw std::runtime_error("mariadb-install-db failed: " + result.output + result.errors);
    std::error_code lostRace; // another test's template is as good
    std::filesystem::rename(building, ready, lostRace);
    if (lostRace)
        std::filesystem::remove_all(building);
    return ready;
}

bool answers(const std::string& socket) {
    MYSQL* handle = mysql_init(nullptr);
    const bool connected =
        mysql_real_connect(handle, nullptr, "root", nullptr, nullptr, 0, socket.c_str(), 0) != nullptr;
    mysql_close(handle);
    return connected;
}

} // namespace

unsigned findFreePort() {
    const Poco::Net::ServerSocket probe(Poco::Net::SocketAddress("127.0.0.1", 0), 1);
    return probe.address().port();
}

PrivateMariaDb::PrivateMariaDb() : PrivateMariaDb(Options{}) {}

PrivateMariaDb::PrivateMariaDb(Options options) : _options(std::move(options)), _directory("mariadb") {
    if (_options.data.empty())
        std::filesystem::copy(dataTemplate(), data(), std::filesystem::copy_options::recursive);
    if (_options.tcp)
        _port = findFreePort();
    start();
}

PrivateMariaDb::~PrivateMariaDb() {
    kill();
}

void PrivateMariaDb::start() {
    // Its own: each MariaDB that starts removes the temporary tables that it finds, also those that another one uses.
    const auto temporary = _directory / "tmp";
    std::filesystem::create_directories(temporary);
    std::vector<std::string> arguments = {
        "/usr/sbin/mariadbd", "--no-defaults", "--datadir=" + data().string(), "--socket=" + socket(),
        "--pid-file=" + (_directory / "db.pid").string(), "--log-error=" + (_directory / "db.log").string(),
        "--tmpdir=" + temporary.string(), "--innodb-log-file-size=16M", "--innodb-buffer-pool-size=64M",
        // Durable against a kill of the process, which is all a test can do.
        "--innodb-flush-method=nosync", "--debug-no-sync", "--max-connections=300", "--character-set-server=utf8mb4"};
    if (_port != 0) {
        arguments.push_back("--port=" + std::to_string(_port));
        arguments.emplace_back("--bind-address=127.0.0.1");
    } else {
        arguments.emplace_back("--skip-networking");
    }
    if (::geteuid() == 0)
        arguments.emplace_back("--user=root");
    arguments.insert(arguments.end(), _options.arguments.begin(), _options.arguments.end());
    _process = std::make_unique<ChildProcess>(
        ChildCommand{.arguments = arguments, .output = _directory / "db.out", .errors = _directory / "db.out"});
    waitUntilAnswering();
}

void PrivateMariaDb::waitUntilAnswering() {
    const auto deadline = std::chrono::steady_clock::now() + START_LIMIT;
    while (!answers(socket())) {
        if (!_process->isRunning() || std::chrono::steady_clock::now() > deadline)
            throw std::runtime_error("the private MariaDB does not start: " + readWholeFile(_directory / "db.log") +
                                     readWholeFile(_directory / "db.out"));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

void PrivateMariaDb::stop() {
    if (!_process)
        return;
    _process->signal(SIGTERM);
    if (!_process->waitFor(DATABASE_STOP_LIMIT))
        throw std::runtime_error("the private MariaDB does not stop");
    _process.reset();
}

void PrivateMariaDb::kill() {
    _process.reset();
}

void PrivateMariaDb::restart() {
    stop();
    start();
}

void PrivateMariaDb::pause() {
    stopProcess(_process->pid());
}

void PrivateMariaDb::resume() {
    _process->signal(SIGCONT);
}

} // namespace supplierd::tests
