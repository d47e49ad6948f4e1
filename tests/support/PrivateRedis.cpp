#include "tests/support/PrivateRedis.h"

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>
#include <utility>

namespace supplierd::tests {

PrivateRedis::PrivateRedis(std::vector<std::string> arguments) : _directory("redis"), _arguments(std::move(arguments)) {
    start();
}

void PrivateRedis::start() {
    constexpr auto LIMIT = std::chrono::seconds(60);
    std::vector<std::string> arguments = {"/usr/bin/redis-server",    "--port", "0", "--unixsocket", socket(), "--dir",
                                          _directory.path().string(), "--save", "",  "--appendonly", "no"};
    arguments.insert(arguments.end(), _arguments.begin(), _arguments.end());
    const auto log = _directory / "redis.log";
    _process = std::make_unique<ChildProcess>(ChildCommand{.arguments = arguments, .output = log, .errors = log});
    const auto deadline = std::chrono::steady_clock::now() + LIMIT;
    while (true) {
        const auto answer = run({"PING"});
        if (answer == "PONG" || answer.starts_with("NOAUTH"))
            return;
        if (!_process->isRunning() || std::chrono::steady_clock::now() > deadline)
            throw std::runtime_error("the private Redis does not start: " + readWholeFile(log));
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

void PrivateRedis::kill() {
    _process->kill();
}

void PrivateRedis::pause() {
    stopProcess(_process->pid());
}

void PrivateRedis::resume() {
    _process->signal(SIGCONT);
}

std::string PrivateRedis::run(const std::vector<std::string>& command) const {
    std::vector<std::string> arguments = {"redis-cli", "-s", socket()};
    arguments.insert(arguments.end(), command.begin(), command.end());
    auto output = runCommand({.arguments = arguments}).output;
    while (output.ends_with('\n'))
        output.pop_back();
    return output;
}

std::string PrivateRedis::configuration(const std::string& more) const {
    return "[redis]\nsocket = \"" + socket() + "\"\n" + more;
}

} // namespace supplierd::tests
