#include "host/server/process/HandOver.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

namespace supplierd::host {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* REPORT_VARIABLE = "SUPPLIERD_HANDOVER_FD";
constexpr std::string_view READY = "ready\n";
constexpr std::string_view GO = "go\n";
/// What a predecessor may take to yield.
constexpr auto GO_LIMIT = std::chrono::seconds(5);
constexpr auto TICK = std::chrono::milliseconds(50);
constexpr auto END_LIMIT = std::chrono::seconds(5);
constexpr std::size_t LONGEST_REPORT = 16'384;

/// The environment of the successor. The number of its process is known only in it, after the fork: its digits are
/// written into room that is kept for them.
class SuccessorEnvironment {
public:
    SuccessorEnvironment(const std::vector<HandOver::Socket>& sockets, int report) {
        for (char** variable = environ; *variable; ++variable) {
            const std::string_view text = *variable;
            if (!text.starts_with("LISTEN_") && !text.starts_with(REPORT_VARIABLE))
                _variables.emplace_back(text);
        }
        std::string names;
        for (const auto& socket : sockets)
            names += (names.empty() ? "" : ":") + socket.name;
        _variables.push_back("LISTEN_FDS=" + std::to_string(sockets.size()));
        _variables.push_back("LISTEN_FDNAMES=" + names);
        _variables.push_back(std::string(REPORT_VARIABLE) + "=" + std::to_string(report));
        _variables.push_back(std::string(LISTEN_PID) + std::string(std::numeric_limits<pid_t>::digits10 + 2, '\0'));
        for (auto& variable : _variables)
            _pointers.push_back(variable.data());
        _pointers.push_back(nullptr);
    }

    /// Safe after a fork.
    void setProcess(pid_t process) {
        auto& variable = _variables.back();
        char* const digits = variable.data() + LISTEN_PID.size();
        std::to_chars(digits, variable.data() + variable.size(), process);
    }
    char** get() { return _pointers.data(); }

private:
    static constexpr std::string_view LISTEN_PID = "LISTEN_PID=";

    std::vector<std::string> _variables;
    std::vector<char*> _pointers;
};

/// Puts the descriptors at SD_LISTEN_FDS_START and after, open for the program to come, and closes all others but the
/// standard ones. Safe after a fork.
bool arrange(int* descriptors, int count) {
    const int end = SD_LISTEN_FDS_START + count;
    for (int i = 0; i < count; ++i)
        if ((descriptors[i] = ::fcntl(descriptors[i], F_DUPFD, end)) < 0)
            return false;
    for (int i = 0; i < count; ++i)
        if (::dup2(descriptors[i], SD_LISTEN_FDS_START + i) < 0)
            return false;
    return ::close_range(static_cast<unsigned>(end), std::numeric_limits<unsigned>::max(), 0) == 0;
}

void unblockSignals() {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
}

/// Of the process of the successor until its program begins; only what is safe after a fork of a program with threads.
[[noreturn]] void becomeSuccessor(const char* program, char** argv, SuccessorEnvironment& environment, int* descriptors,
                                  int count) {
    environment.setProcess(::getpid());
    if (arrange(descriptors, count)) {
        unblockSignals();
        ::execve(program, argv, environment.get());
    }
    const int error = errno;
    const int report = SD_LISTEN_FDS_START + count - 1;
    constexpr std::string_view failed = "the program cannot be started: ";
    const char* const reason = ::strerrordesc_np(error);
    [[maybe_unused]] auto written = ::write(report, failed.data(), failed.size());
    if (reason)
        written = ::write(report, reason, ::strlen(reason));
    ::_exit(127);
}

/// Waits for the end of a child; empty when it does not come in time.
bool reap(pid_t child, std::chrono::milliseconds limit, int& status) {
    for (const auto until = Clock::now() + limit; Clock::now() < until; ::usleep(10'000))
        if (::waitpid(child, &status, WNOHANG) != 0)
            return true;
    return false;
}

void endChild(pid_t child) {
    int status = 0;
    ::kill(child, SIGTERM);
    if (reap(child, END_LIMIT, status))
        return;
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
}

std::string howItEnded(pid_t child) {
    int status = 0;
    if (!reap(child, END_LIMIT, status)) {
        endChild(child);
        return "it did not end";
    }
    if (WIFSIGNALED(status))
        return std::string("signal ") + ::strsignal(WTERMSIG(status));
    return "exit code " + std::to_string(WEXITSTATUS(status));
}

} // namespace

HandOver::HandOver(char** argv) : _argv(argv) {
    std::error_code error;
    // A path as it was given may be a link to the present version; without one the program was found in PATH.
    const std::string_view given = argv[0];
    _program = given.find('/') != std::string_view::npos ? std::filesystem::absolute(given, error)
                                                         : std::filesystem::read_symlink("/proc/self/exe", error);
}

pid_t HandOver::start(const std::vector<Socket>& sockets, int report) const {
    std::vector<int> descriptors;
    for (const auto& socket : sockets)
        descriptors.push_back(socket.descriptor);
    descriptors.push_back(report);
    SuccessorEnvironment environment(sockets, SD_LISTEN_FDS_START + static_cast<int>(sockets.size()));
    const pid_t child = ::fork();
    if (child == 0)
        becomeSuccessor(_program.c_str(), _argv, environment, descriptors.data(), static_cast<int>(descriptors.size()));
    return child;
}

HandOver::Result HandOver::run(const std::vector<Socket>& sockets, const TerminationSignal& termination,
                               std::chrono::milliseconds limit, const std::function<void()>& yield) const {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return {-1, std::string("socketpair: ") + std::strerror(errno)};
    const OwnedDescriptor ours(ends[0]);
    OwnedDescriptor theirs(ends[1]);
    const pid_t child = start(sockets, theirs.get());
    if (child < 0)
        return {-1, std::string("fork: ") + std::strerror(errno)};
    theirs.reset();

    std::string told;
    for (const auto until = Clock::now() + limit; Clock::now() < until;) {
        pollfd waited{ours.get(), POLLIN, 0};
        if (::poll(&waited, 1, static_cast<int>(TICK.count())) > 0) {
            std::array<char, 512> buffer{};
            const auto got = ::read(ours.get(), buffer.data(), buffer.size());
            if (got > 0 && told.size() < LONGEST_REPORT)
                told.append(buffer.data(), static_cast<std::size_t>(got));
            if (told.ends_with(READY)) {
                yield();
                ::send(ours.get(), GO.data(), GO.size(), MSG_NOSIGNAL); // the end of the connection says the same
                return {child, {}};
            }
            if (got == 0 || (got < 0 && errno != EINTR)) {
                const auto ended = howItEnded(child);
                return {-1, told.empty() ? "the successor ended: " + ended : told};
            }
        }
        if (termination.requested()) {
            endChild(child);
            return {-1, "this server was asked to end meanwhile"};
        }
    }
    endChild(child);
    return {-1, "the successor did not serve within " + std::to_string(limit.count() / 1'000) + " s"};
}

Predecessor::Predecessor() {
    const char* const given = std::getenv(REPORT_VARIABLE);
    if (!given)
        return;
    const std::string_view text = given;
    int descriptor = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), descriptor);
    ::unsetenv(REPORT_VARIABLE);
    if (error != std::errc{} || end != text.data() + text.size() || descriptor < SD_LISTEN_FDS_START)
        return;
    if (::fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0)
        _report.reset(descriptor);
}

void Predecessor::ready() {
    if (!exists())
        return;
    tell(READY);
    pollfd waited{_report.get(), POLLIN, 0};
    ::poll(&waited, 1, static_cast<int>(std::chrono::milliseconds(GO_LIMIT).count()));
    _report.reset();
}

void Predecessor::failed(const std::string& reason) {
    if (!exists())
        return;
    tell(reason);
    _report.reset();
}

void Predecessor::tell(std::string_view text) const {
    // It is gone when this fails, and nobody is left to be told.
    ::send(_report.get(), text.data(), text.size(), MSG_NOSIGNAL);
}

} // namespace supplierd::host
