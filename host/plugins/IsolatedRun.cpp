#include "host/plugins/IsolatedRun.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <system_error>

namespace supplierd::host {

namespace {

constexpr char FIELD_END = '\x1f';
constexpr char MESSAGE_END = '\x1e';
constexpr std::string_view DONE = "";
constexpr std::chrono::milliseconds LOOK{50}; // for the end of a child whose pipe a child of its own holds open

std::string field(std::string_view text) {
    std::string copy(text);
    for (char& c : copy)
        if (c == FIELD_END || c == MESSAGE_END)
            c = '?';
    return copy + FIELD_END;
}

class Child {
public:
    explicit Child(const std::function<void(FindingWriter&)>& work) {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0)
            throw std::system_error(errno, std::generic_category(), "pipe");
        std::cout.flush();
        std::cerr.flush();
        _pid = ::fork();
        if (_pid == 0)
            runChild(ends, work);
        ::close(ends[1]);
        _output = ends[0];
        if (_pid < 0) {
            ::close(_output);
            throw std::system_error(errno, std::generic_category(), "fork");
        }
        ::setpgid(_pid, _pid);
    }
    ~Child() {
        ::kill(-_pid, SIGKILL);
        if (!_ended)
            ::waitpid(_pid, nullptr, 0);
        ::close(_output);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    IsolatedOutcome watch(const StageLimit& limit) {
        using Clock = std::chrono::steady_clock;
        const auto begin = [&] { return Clock::now() + (_outcome.limit = limit(_outcome.stage)); };
        auto deadline = begin();
        while (!_done) {
            const bool heard = hear();
            if (heard)
                deadline = begin();
            else if (ended())
                return end();
            if (Clock::now() >= deadline) {
                _outcome.end = IsolatedOutcome::End::TimedOut;
                return std::move(_outcome);
            }
        }
        return std::move(_outcome);
    }

private:
    [[noreturn]] static void runChild(const std::array<int, 2>& ends, const std::function<void(FindingWriter&)>& work) {
        ::setpgid(0, 0);
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        const rlimit none{0, 0};
        ::setrlimit(RLIMIT_CORE, &none);
        ::close(ends[0]);
        for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
            ::signal(number, SIG_DFL);        // its crash is what is looked for: no handler of the parent's reports it
        ::dup2(STDERR_FILENO, STDOUT_FILENO); // what it prints must not get into the result
        FindingWriter writer(ends[1]);
        work(writer);
        writer.enter(DONE);
        ::_exit(0);
    }

    /// True when something came; waits a little for it.
    bool hear() {
        pollfd wanted{_output, POLLIN, 0};
        if (::poll(&wanted, 1, static_cast<int>(LOOK.count())) <= 0)
            return false;
        std::array<char, 4096> piece{};
        const ssize_t got = ::read(_output, piece.data(), piece.size());
        if (got <= 0) {
            ::usleep(1000); // the other end is closed: its process is ending
            return false;
        }
        _heard.append(piece.data(), static_cast<std::size_t>(got));
        for (std::size_t end = _heard.find(MESSAGE_END); end != std::string::npos; end = _heard.find(MESSAGE_END)) {
            take(_heard.substr(0, end));
            _heard.erase(0, end + 1);
        }
        return true;
    }

    void take(const std::string& message) {
        std::vector<std::string> fields;
        for (std::size_t begin = 0; begin < message.size();) {
            const std::size_t end = std::min(message.find(FIELD_END, begin), message.size());
            fields.push_back(message.substr(begin, end - begin));
            begin = end + 1;
        }
        if (fields.size() == 1) {
            _outcome.stage = fields[0];
            _done = fields[0] == DONE;
        } else if (fields.size() == 4) {
            const auto level = static_cast<Finding::Level>(fields[0].front() - '0');
            _outcome.findings.push_back({level, fields[1], fields[2], fields[3]});
        }
    }

    bool ended() {
        _ended = ::waitpid(_pid, &_status, WNOHANG) == _pid;
        return _ended;
    }

    IsolatedOutcome end() {
        while (hear()) { // what it said last
        }
        if (!_done) {
            _outcome.end = IsolatedOutcome::End::Crashed;
            _outcome.signal = WIFSIGNALED(_status) ? WTERMSIG(_status) : 0;
            _outcome.exitCode = WIFEXITED(_status) ? WEXITSTATUS(_status) : 0;
        }
        return std::move(_outcome);
    }

    pid_t _pid = -1;
    int _output = -1;
    int _status = 0;
    bool _ended = false;
    bool _done = false;
    std::string _heard;
    IsolatedOutcome _outcome;
};

} // namespace

void FindingWriter::enter(std::string_view stage) {
    send(field(stage));
}

void FindingWriter::add(const Finding& finding) {
    send(field(std::to_string(static_cast<int>(finding.level))) + field(finding.check) + field(finding.message) +
         field(finding.fix));
}

void FindingWriter::send(const std::string& message) {
    const std::string whole = message + MESSAGE_END;
    for (std::size_t done = 0; done < whole.size();) {
        const ssize_t sent = ::write(_descriptor, whole.data() + done, whole.size() - done);
        if (sent < 0 && errno != EINTR)
            return; // nobody listens any more
        done += sent > 0 ? static_cast<std::size_t>(sent) : 0;
    }
}

std::string describeEnd(const IsolatedOutcome& outcome) {
    if (outcome.end == IsolatedOutcome::End::TimedOut)
        return fmt::format("it took longer than {} s and was ended",
                           std::chrono::duration_cast<std::chrono::seconds>(outcome.limit).count());
    if (outcome.signal != 0)
        return fmt::format("it crashed ({})", ::strsignal(outcome.signal));
    return fmt::format("it ended the whole process, with exit code {}", outcome.exitCode);
}

IsolatedOutcome runIsolated(const std::function<void(FindingWriter&)>& work, const StageLimit& limit) {
    return Child(work).watch(limit);
}

IsolatedOutcome runIsolated(const std::function<void(FindingWriter&)>& work, std::chrono::milliseconds limit) {
    return runIsolated(work, [limit](std::string_view) { return limit; });
}

} // namespace supplierd::host
