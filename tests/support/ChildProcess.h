#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::tests {

/// How to start a program. Standard input is /dev/null.
struct ChildCommand {
    std::vector<std::string> arguments; ///< [0] is the program, looked up in PATH when it has no slash
    std::map<std::string, std::string> environment = {};
    /// Where standard output and error go; empty: to /dev/null. The same file is fine for both.
    std::filesystem::path output = {};
    std::filesystem::path errors = {};
    std::filesystem::path workingDirectory = {};
};

/// A process of a test. It is killed when the object goes, and by the kernel when the test process dies.
/// Start it from a thread that outlives it: the kernel's signal comes with the end of the starting thread.
class ChildProcess {
public:
    explicit ChildProcess(const ChildCommand& command);
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    pid_t pid() const { return _pid; }
    bool isRunning();
    void signal(int number) const;
    /// The exit code, or 128 + signal number; nothing when it still runs after `limit`.
    std::optional<int> waitFor(std::chrono::milliseconds limit);
    /// SIGKILL, and waits.
    void kill();

private:
    void collect(int options);

    pid_t _pid = -1;
    std::optional<int> _exitCode;
};

/// SIGSTOP, and waits until every thread of the process stands still: the signal reaches them one after the other.
void stopProcess(pid_t pid);

struct CommandResult {
    int exitCode = 0;
    std::string output;
    std::string errors;
};

/// Runs a program to its end. Throws when it takes longer than `limit` (and kills it).
CommandResult runCommand(const ChildCommand& command, std::chrono::milliseconds limit = std::chrono::minutes(2));

std::string readWholeFile(const std::filesystem::path& path);
void writeWholeFile(const std::filesystem::path& path, const std::string& text);

} // namespace supplierd::tests
