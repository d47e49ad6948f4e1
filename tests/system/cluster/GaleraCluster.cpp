#include "tests/system/cluster/GaleraCluster.h"

#include "tests/support/ChildProcess.h"
#include "tests/support/Json.h"
#include "tests/support/Places.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace supplierd::tests {
namespace {

const std::string PROGRAM = sourcePath("packaging/private-galera");
constexpr auto STEP_LIMIT = std::chrono::seconds(60);
constexpr auto STEP_INTERVAL = std::chrono::milliseconds(50);

} // namespace

bool GaleraCluster::isAvailable() {
    return std::filesystem::exists("/usr/lib/galera/libgalera_smm.so");
}

GaleraCluster::GaleraCluster() {
    guard();
    const auto status = Json::parse(command("start"));
    for (const auto& node : status.at("nodes"))
        _sockets.push_back(node.at("socket"));
}

GaleraCluster::~GaleraCluster() {
    ::close(_guarded);
    ::waitpid(_guardian, nullptr, 0);
}

/// The nodes do not end with this process: another one that does nothing else sees to that.
void GaleraCluster::guard() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        throw std::runtime_error("no pipe");
    const std::string folder = _directory.path().string();
    _guardian = ::fork();
    if (_guardian == 0) {
        ::setsid();
        ::close(ends[1]);
        const int silence = ::open("/dev/null", O_WRONLY);
        ::dup2(silence, STDOUT_FILENO);
        char none = 0;
        while (::read(ends[0], &none, 1) < 0) {
        }
        ::execl(PROGRAM.c_str(), PROGRAM.c_str(), "stop", "--dir", folder.c_str(), nullptr);
        ::_exit(1);
    }
    ::close(ends[0]);
    _guarded = ends[1];
}

std::string GaleraCluster::command(const std::string& what, const std::vector<std::string>& options) const {
    std::vector<std::string> arguments = {PROGRAM, what, "--dir", _directory.path(), "--fast", "--json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const auto result = runCommand({.arguments = arguments});
    if (result.exitCode != 0)
        throw std::runtime_error("private-galera " + what + " failed: " + result.output + result.errors);
    return result.output;
}

std::size_t GaleraCluster::nodeOf(const std::string& socket) const {
    return static_cast<std::size_t>(std::find(_sockets.begin(), _sockets.end(), socket) - _sockets.begin());
}

pid_t GaleraCluster::pidOf(std::size_t node) const {
    return std::stoi(readWholeFile(_directory.path() / ("node" + std::to_string(node + 1)) / "mariadb.pid"));
}

void GaleraCluster::kill(std::size_t node) const {
    ::kill(pidOf(node), SIGKILL);
}

void GaleraCluster::pause(std::size_t node) const {
    stopProcess(pidOf(node));
}

void GaleraCluster::resume(std::size_t node) const {
    ::kill(pidOf(node), SIGCONT);
}

void GaleraCluster::start() const {
    command("start");
}

void GaleraCluster::startOnly(std::size_t node) const {
    command("start", {"--node", std::to_string(node + 1)});
}

void GaleraCluster::removeData(std::size_t node) const {
    std::filesystem::remove_all(_directory.path() / ("node" + std::to_string(node + 1)) / "data");
}

void GaleraCluster::delayTransfers(int seconds) const {
    const auto program = _directory.path() / "bin" / "wsrep_sst_private";
    const auto text = readWholeFile(program);
    const auto end = text.find('\n') + 1;
    std::ofstream(program) << text.substr(0, end) << "case \"$*\" in *'--role donor'*) sleep " << seconds << ";; esac\n"
                           << text.substr(end);
}

void GaleraCluster::beginAnew(const std::function<void()>& fill) const {
    command("stop");
    std::filesystem::remove(_directory.path() / "nodes"); // by which private-galera knows that there is data
    for (std::size_t node = 1; node <= size(); ++node)
        std::filesystem::remove_all(_directory.path() / ("node" + std::to_string(node)));
    command("start", {"--node", "1"});
    fill();
    start();
}

std::string GaleraCluster::run(std::size_t node, const std::string& sql) const {
    const auto result =
        runCommand({.arguments = {"mariadb", "--no-defaults", "--socket=" + socket(node), "--user=root", "--batch",
                                  "--skip-column-names", "--connect-timeout=5", "--execute=" + sql}});
    if (result.exitCode != 0)
        throw std::runtime_error(sql + " failed: " + result.errors);
    return result.output;
}

bool GaleraCluster::isInStep(std::size_t node) const {
    try {
        return run(node, "SELECT GROUP_CONCAT(variable_value ORDER BY variable_name) FROM "
                         "information_schema.global_status WHERE variable_name IN ('wsrep_cluster_size', "
                         "'wsrep_local_state_comment')") == std::to_string(size()) + ",Synced\n";
    } catch (const std::runtime_error&) {
        return false; // not ready for a SELECT
    }
}

std::string GaleraCluster::errors() const {
    constexpr std::size_t LENGTH = 3'000;
    std::string all;
    for (std::size_t node = 0; node < size(); ++node) {
        std::istringstream log(readWholeFile(_directory.path() / ("node" + std::to_string(node + 1)) / "mariadb.log"));
        std::string errors;
        for (std::string line; std::getline(log, line);)
            if (line.find("[ERROR]") != std::string::npos || line.find("got signal") != std::string::npos)
                errors += line.substr(0, 400) + "\n";
        all += "errors of node " + std::to_string(node + 1) + ":\n" +
               errors.substr(errors.size() - std::min(errors.size(), LENGTH));
    }
    return all;
}

void GaleraCluster::awaitAllInStep() const {
    const auto deadline = std::chrono::steady_clock::now() + STEP_LIMIT;
    for (std::size_t node = 0; node < size(); ++node)
        while (!isInStep(node)) {
            if (std::chrono::steady_clock::now() > deadline)
                throw std::runtime_error("node " + std::to_string(node + 1) + " does not come into step\n" + errors());
            std::this_thread::sleep_for(STEP_INTERVAL);
        }
}

} // namespace supplierd::tests
