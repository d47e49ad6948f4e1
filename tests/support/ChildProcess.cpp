#include "tests/support/ChildProcess.h"

#include "tests/support/TemporaryDirectory.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace supplierd::tests {
namespace {

constexpr auto POLL_INTERVAL = std::chrono::milliseconds(5);
constexpr int EXEC_FAILED = 127;

[[noreturn]] void failChild(const char* what) {
    const int error = errno;
    std::string message = std::string(what) + ": " + std::generic_category().message(error) + "\n";
    static_cast<void>(!::write(STDERR_FILENO, message.data(), message.size()));
    ::_exit(EXEC_FAILED);
}

void redirect(int descriptor, const std::filesystem::path& path, int flags) {
    const int file = ::open(path.empty() ? "/dev/null" : path.c_str(), flags | O_CLOEXEC, 0600);
    if (file < 0 || ::dup2(file, descriptor) < 0)
        failChild(path.c_str());
}

[[noreturn]] void becomeCommand(const ChildCommand& command, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) // the parent died before the signal was set
        ::_exit(EXEC_FAILED);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
    redirect(STDOUT_FILENO, command.output, O_WRONLY | O_CREAT | O_APPEND);
    redirect(STDERR_FILENO, command.errors, O_WRONLY | O_CREAT | O_APPEND);
    if (!command.workingDirectory.empty() && ::chdir(command.workingDirectory.c_str()) != 0)
        failChild("chdir");
    for (const auto& [name, value] : command.environment)
        ::setenv(name.c_str(), value.c_str(), 1);

    std::vector<char*> arguments;
    for (const auto& argument : command.arguments)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    failChild(arguments[0]);
}

} // namespace

ChildProcess::ChildProcess(const ChildCommand& command) {
    const pid_t parent = ::getpid();
    _pid = ::fork();
    if (_pid < 0)
        throw std::system_error(errno, std::generic_category(), "fork");
    if (_pid == 0)
        becomeCommand(command, parent);
}

ChildProcess::~ChildProcess() {
    kill();
}

void ChildProcess::collect(int options) {
    if (_exitCode)
        return;
    int status = 0;
    pid_t ended = 0;
    while ((ended = ::waitpid(_pid, &status, options)) < 0 && errno == EINTR) {
    }
    if (ended != _pid)
        return;
    _exitCode = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool ChildProcess::isRunning() {
    collect(WNOHANG);
    return !_exitCode;
}

void ChildProcess::signal(int number) const {
    if (!_exitCode)
        ::kill(_pid, number);
}

void stopProcess(pid_t pid) {
    if (::kill(pid, SIGSTOP) != 0)
        throw std::system_error(errno, std::generic_category(), "cannot stop process " + std::to_string(pid));
    const auto isRunning = [](const std::filesystem::directory_entry& thread) {
        std::ifstream file(thread.path() / "stat");
        const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        const std::size_t name = text.rfind(") "); // the state follows the program's name
        return name != std::string::npos && std::string_view("TtZX").find(text[name + 2]) == std::string_view::npos;
    };
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (
        std::ranges::any_of(std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task"), isRunning)) {
        if (std::chrono::steady_clock::now() > deadline)
            throw std::runtime_error("process " + std::to_string(pid) + " does not stand still");
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

std::optional<int> ChildProcess::waitFor(std::chrono::milliseconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (isRunning() && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(POLL_INTERVAL);
    return _exitCode;
}

void ChildProcess::kill() {
    if (!isRunning())
        return;
    signal(SIGKILL);
    collect(0);
}

CommandResult runCommand(const ChildCommand& command, std::chrono::milliseconds limit) {
    const TemporaryDirectory directory("command");
    auto captured = command;
    captured.output = directory / "output";
    captured.errors = directory / "errors";
    ChildProcess process(captured);
    const auto exitCode = process.waitFor(limit);
    if (!exitCode) {
        process.kill();
        throw std::runtime_error(command.arguments[0] + " did not end in time; it said: " +
                                 readWholeFile(captured.output) + readWholeFile(captured.errors));
    }
    return {*exitCode, readWholeFile(captured.output), readWholeFile(captured.errors)};
}

std::string readWholeFile(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void writeWholeFile(const std::filesystem::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text;
    file.flush();
    if (!file)
        throw std::runtime_error("cannot write " + path.string());
}

} // namespace supplierd::tests
